"""Which hypothesis tells the truth about the traces, and what is done about it."""

from typing import Literal

from pydantic import Field

from store.records.record import Record

VerdictName = Literal["NO_GAP", "RECENTRE", "WIDEN", "STRUCTURAL", "NOT_IDENTIFIABLE", "NEED_DATA"]
RepairAction = Literal["recentre", "widen", "add_mechanism", "compensate", "collect_data", "stop"]


class Hypothesis(Record):
    """One parameter at one value, replayed against the real traces."""

    name: str = Field(description="Parameter name, or 'family' for the best inside the current ranges.")
    value: float | None = Field(description="Value tried, SI; None for 'family'.")
    unit: str
    error: float = Field(description="Error on the rollouts it was fitted to; 1 is twice the sensor noise.")
    held_out: float | None = Field(
        default=None, description="Error on rollouts that selection never saw, same measure."
    )


class Diagnosis(Record):
    """Verdict with machine-readable evidence."""

    round: int = Field(ge=0)
    verdict: VerdictName
    target: str | None = Field(default=None, description="Parameter or mechanism that the verdict names.")
    estimate: float | None = Field(default=None, description="Value of the target, SI.")
    interval: tuple[float, float] | None = Field(default=None, description="95 % interval of the estimate, SI.")
    unit: str | None = None
    noise_floor: float = Field(description="Error that the truth itself would show, in the same measure.")
    family_error: float = Field(description="Held-out error of the best member of the current family.")
    best_error: float = Field(description="Held-out error of the best hypothesis.")
    p_value: float = Field(ge=0, le=1, description="Chance of such a gain if the family were right (paired test).")
    hypotheses: tuple[Hypothesis, ...] = Field(description="Best value of each parameter, best first.")
    evidence: tuple[str, ...] = Field(description="Sentences that state what was seen, with numbers.")
    next: str = Field(description="One sentence that a person can act on.")


class Repair(Record):
    """One change to the family, with its expected effect registered before the run."""

    round: int = Field(ge=1, description="The round that will run with the change.")
    action: RepairAction
    target: str | None = Field(default=None, description="Parameter or mechanism that changes.")
    low: float | None = Field(default=None, description="New lower end, SI.")
    high: float | None = Field(default=None, description="New upper end, SI.")
    unit: str | None = None
    why: str
    expected_success_gap: float = Field(description="Success gap expected after the repair.")
    text: str = Field(description="The decision in one sentence.")


class RepairEffect(Record):
    """What a repair did, seen after it; `helped` when the real success gap shrank."""

    repair: str = Field(description="Ledger id of the Repair row.")
    success_gap_before: float
    success_gap_after: float
    slip_gap_before: float
    slip_gap_after: float
    expected_success_gap: float
    helped: bool
