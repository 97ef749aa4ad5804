"""The ledger row: what simulation promised, what reality did, and where they first parted."""

from typing import Literal

from pydantic import Field

from store.records.parameter import Range
from store.records.plan import Measurement
from store.records.rate import Rate, difference, difference_interval
from store.records.record import Record

Channel = Literal["pose", "force", "slip", "timing"]
NOT_OBSERVABLE = "NOT_OBSERVABLE"

# Derived values of a GapRow: name -> type, unit, meaning. They are never stored in the row, only recomputed.
DERIVED = {
    "success_gap": ("number", "1", "sim_success - real_success"),
    "success_gap_interval": ("list of number", "1", "95 % interval of success_gap (Newcombe)"),
    "slip_gap": ("number", "1", "real_slip - sim_slip"),
    "slip_gap_interval": ("list of number", "1", "95 % interval of slip_gap (Newcombe)"),
    "first_divergence": ("text", "", "earliest divergence over all channels, as channel@step"),
}


class Divergence(Record):
    """The first control step at which a real signal leaves its simulated twin by more than a threshold."""

    channel: Channel = Field(description="What kind of signal parted.")
    signal: str = Field(description="Name of the signal.")
    step: int = Field(
        ge=0,
        description="Control step of the first of k consecutive samples above the threshold.",
        json_schema_extra={"unit": "1"},
    )
    time_s: float = Field(
        ge=0, description="Time of that step after the start of the rollout.", json_schema_extra={"unit": "s"}
    )
    threshold: float = Field(
        description="Threshold from repeat-to-repeat noise, or stated.", json_schema_extra={"unit": "`unit`"}
    )
    unit: str = Field(description="SI unit of the threshold.")
    ties: tuple[str, ...] = Field(default=(), description="Other signals that diverged at the same step.")

    def __str__(self) -> str:
        return f"{self.channel}@step{self.step}"


class GapRow(Record):
    """One row of the transfer ledger: a policy, its simulated promise, its pilot and the gap between them."""

    round: int = Field(ge=0, description="Repair round; 0 is before any repair.", json_schema_extra={"unit": "1"})
    task: str = Field(description="Task name.")
    policy: str = Field(description="Content hash of the policy.")
    source: Literal["real", "pseudo_real"] = Field(description="Where the traces came from; a twin is pseudo_real.")
    ranges: tuple[Range, ...] = Field(description="Randomisation ranges that the policy was trained on.")
    measurements: tuple[Measurement, ...] = Field(default=(), description="Measured anchors of the ranges.")
    sim_success: Rate = Field(description="Success on the evaluation panel in simulation.")
    sim_slip: Rate = Field(
        description="slip_rate in simulation: share of rollouts with a slip event after firm contact."
    )
    real_success: Rate = Field(description="Success of the pilot.")
    real_slip: Rate = Field(description="slip_rate of the pilot, by the same rule.")
    sim_slip_fraction: float | None = Field(
        default=None, description="Share of contact time in slip, simulation.", json_schema_extra={"unit": "1"}
    )
    real_slip_fraction: float | None = Field(
        default=None, description="Share of contact time in slip, pilot.", json_schema_extra={"unit": "1"}
    )
    divergences: tuple[Divergence, ...] = Field(
        default=(), description="First divergence of each channel that diverged."
    )
    not_observable: tuple[Channel, ...] = Field(default=(), description="Channels that these traces cannot show.")
    verdict: str = Field(default="", description="Verdict of the diagnosis.")
    decision: str = Field(default="", description="What was decided, in one sentence.")

    @property
    def success_gap(self) -> float:
        """Simulated minus real success."""
        return difference(self.sim_success, self.real_success)

    @property
    def slip_gap(self) -> float:
        """Real minus simulated slip rate."""
        return difference(self.real_slip, self.sim_slip)

    @property
    def success_gap_interval(self) -> tuple[float, float]:
        """95 % interval of the success gap."""
        return difference_interval(self.sim_success, self.real_success)

    @property
    def slip_gap_interval(self) -> tuple[float, float]:
        """95 % interval of the slip gap."""
        return difference_interval(self.real_slip, self.sim_slip)

    @property
    def first_divergence(self) -> Divergence | None:
        """The earliest divergence over all channels."""
        return min(self.divergences, key=lambda d: (d.step, d.channel), default=None)
