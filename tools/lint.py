"""What is wrong with the ranges of a plan, range by range: pure rules over a plan, one finding each."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from sim.randomize.felt import felt
from sim.tasks import Task
from store.records import Measurement, Parameter, Range
from store.units import spell
from tools.ranges import anchor_range

WIDE = 4.0
"""A range this many times as wide as its measurement justifies is far wider than it."""


@dataclass(frozen=True)
class Finding:
    """One thing that is wrong with a range."""

    parameter: str
    rule: str
    severity: Literal["error", "warning", "note"]
    what: str
    hint: str


def lint(task: Task, ranges: Sequence[Range], measurements: Sequence[Measurement]) -> list[Finding]:
    """All findings, the parameters in their order; errors first within each."""
    known, measured = task.parameters, {one.quantity: one for one in measurements}
    found = []
    for chosen in ranges:
        parameter = known.get(chosen.parameter)
        if parameter is None:
            what = f"{task.name} has no such parameter"
            found.append(Finding(chosen.parameter, "unknown", "error", what, f"regrasp parameters --task {task.name}"))
            continue
        found += _against_bounds(chosen, parameter)
        found += _against_measurement(chosen, parameter, measured)
        found += _against_task(task, chosen, parameter, known)
    return found


def _against_bounds(chosen: Range, parameter: Parameter) -> list[Finding]:
    found = []
    if chosen.low < parameter.low or chosen.high > parameter.high:
        what = f"{_span(chosen)} leaves what the simulator takes"
        found.append(Finding(parameter.name, "bounds", "error", what, f"stay in {_words(parameter.low, parameter)} to "
                             f"{_words(parameter.high, parameter)}"))  # fmt: skip
    if parameter.quantum and 0 < chosen.high - chosen.low < parameter.quantum:
        what = f"{_span(chosen)} is narrower than one step of the simulator"
        hint = f"{parameter.name} moves in steps of {_words(parameter.quantum, parameter)}: hold it, or widen the range"
        found.append(Finding(parameter.name, "quantum", "warning", what, hint))
    return found


def _against_measurement(chosen: Range, parameter: Parameter, measured: Mapping[str, Measurement]) -> list[Finding]:
    one = measured.get(parameter.name)
    if one is None:
        if chosen.source in ("measured", "repair"):
            return []
        said = {"request": "stated, not measured", "preset": "a preset's", "llm": "a model's guess"}
        what = f"{_span(chosen)} is {said.get(chosen.source, chosen.source)}"
        return [Finding(parameter.name, "anchor", "note", what, "regrasp measure gives it an anchor")]
    low, high = one.low if one.low is not None else one.value, one.high if one.high is not None else one.value
    if high < chosen.low or chosen.high < low:
        what = f"{_span(chosen)} excludes the measured {_words(one.value, parameter)}"
        return [Finding(parameter.name, "excludes", "error", what, "recentre it, or say why the measurement is wrong")]
    window = anchor_range(one, parameter)
    times = (chosen.high - chosen.low) / max(window.high - window.low, 1e-12)
    if times > WIDE:
        what = f"{_span(chosen)} is {times:.1f} times as wide as {_words(one.value, parameter)} measured justifies"
        hint = f"{_words(window.low, parameter)} to {_words(window.high, parameter)} would do"
        return [Finding(parameter.name, "wide", "warning", what, hint)]
    return []


def _against_task(task: Task, chosen: Range, parameter: Parameter, known: Mapping[str, Parameter]) -> list[Finding]:
    if chosen.low == chosen.high or not (parameter.low <= chosen.low and chosen.high <= parameter.high):
        return []
    if parameter.kind == "visual":
        what = f"no policy of {task.name} sees a picture"
        return [Finding(parameter.name, "unfelt", "warning", what, "drop it; it costs nothing and teaches nothing")]
    if felt(task, parameter.name, chosen.low, chosen.high):
        return []
    what = f"{task.name} feels no difference between {_span(chosen)}"
    return [Finding(parameter.name, "unfelt", "warning", what, "drop it, or vary what the task does feel")]


def _span(chosen: Range) -> str:
    return spell((chosen.low, chosen.high), chosen.unit)


def _words(value: float, parameter: Parameter) -> str:
    return spell((value,), parameter.unit)
