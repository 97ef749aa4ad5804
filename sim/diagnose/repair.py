"""From a verdict to one change of the family, its expected effect stated before it runs."""

from sim.tasks.task import Task
from store.records import Diagnosis, Family, GapRow, Parameter, Range, Repair

EXPECTED_SHARE = 0.3
"""Share of the success gap that a recentred or widened range is expected to leave."""
DELAY_ACTIONS = Task.history
LEAST_HALF_WIDTH = 0.08
"""Half-width of a new range relative to its centre: calibration drifts between sessions."""


def propose(diagnosis: Diagnosis, gap: GapRow, family: Family, parameters: dict[str, Parameter]) -> Repair | None:
    """The one repair that the evidence asks for, or None where nothing should change.

    RECENTRE keeps the width of the old range around the estimate; WIDEN reaches to the interval and no further. Ranges
    that the evidence does not speak of stay as they are. STRUCTURAL(unknown), NEED_DATA and NOT_IDENTIFIABLE stop the
    loop for a person.
    """
    if diagnosis.verdict == "NO_GAP":
        return None
    if diagnosis.verdict not in ("RECENTRE", "WIDEN"):
        return Repair(
            round=diagnosis.round + 1,
            action="stop",
            why=diagnosis.next,
            expected_success_gap=gap.success_gap,
            text=f"stop for a person: {diagnosis.next}",
        )
    assert diagnosis.target is not None and diagnosis.estimate is not None and diagnosis.interval is not None
    parameter, old = parameters[diagnosis.target], family.range_of(diagnosis.target)
    low, high = new_limits(diagnosis.verdict, diagnosis.estimate, diagnosis.interval, old, parameter)
    action = "recentre" if diagnosis.verdict == "RECENTRE" else "widen"
    word = "move" if action == "recentre" else "widen"
    untouched = [r.parameter for r in family.ranges if r.parameter != parameter.name]
    unit = "" if parameter.unit == "1" else f" {parameter.unit}"
    text = f"{word} the {parameter.name} range to [{low:.4g}, {high:.4g}]{unit}"
    if parameter.name == "delay":
        text += f" and add delay correction (the policy sees its last {DELAY_ACTIONS} actions)"
    if untouched:
        text += f"; do not touch {', '.join(untouched)}"
    return Repair(
        round=diagnosis.round + 1,
        action=action,
        target=parameter.name,
        low=low,
        high=high,
        unit=parameter.unit,
        why=f"{diagnosis.verdict}: {diagnosis.next}",
        expected_success_gap=round(EXPECTED_SHARE * gap.success_gap, 4),
        text=text,
    )


def new_limits(
    verdict: str, estimate: float, interval: tuple[float, float], old: Range | None, parameter: Parameter
) -> tuple[float, float]:
    """Low and high of the repaired range, SI, inside the hard bounds."""
    if verdict == "WIDEN" and old is not None:
        low, high = min(old.low, interval[0]), max(old.high, interval[1])
    else:
        half = max(
            (old.high - old.low) / 2 if old else 0.0,
            (interval[1] - interval[0]) / 2,
            LEAST_HALF_WIDTH * abs(estimate),
        )
        low, high = estimate - half, estimate + half
    tidy = lambda value: float(f"{value:.6g}")  # noqa: E731  (0.108, not 0.10800000000000001)
    return tidy(max(low, parameter.low)), tidy(min(high, parameter.high))


def apply_repair(family: Family, repair: Repair, evidence: str) -> Family:
    """The family after a repair; `evidence` is the ledger id of the diagnosis."""
    if repair.action not in ("recentre", "widen"):
        return family
    assert repair.target is not None and repair.low is not None and repair.high is not None and repair.unit is not None
    return family.with_range(
        Range(
            parameter=repair.target,
            unit=repair.unit,
            low=repair.low,
            high=repair.high,
            source="repair",
            anchor=evidence,
            note=repair.text,
        )
    )
