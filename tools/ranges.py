"""From what was said and measured to the Range that a training varies, each with its source and anchor."""

from math import ceil, floor

from sim.randomize import presets
from sim.tasks import Task
from store.records import Family, Measurement, Parameter, Range
from store.units import spell, tidy
from tools.understanding import Stated, Understanding

DRIFT: dict[str, tuple[float, float]] = {
    "delay": (0.75, 1.6),
    "friction": (0.75, 1.25),
    "mass": (0.9, 1.1),
    "kp": (0.8, 1.2),
    "damping": (0.5, 2.0),
}
"""How far a quantity moves between the session that measured it and the one that uses it, as factors.

Delay is skewed upwards: a measurement is made on a quiet bus, and bus load, queueing and a busier host only ever add
to it, while almost nothing takes away. So 11 ms anchors [8, 18] ms: neither [0, 20], which trains for plants that do
not exist, nor 11 +- 10 %, which a second device on the bus already leaves. Mass is weighed and hardly moves; friction
drifts with dust, humidity and wear; gain and damping follow supply voltage and temperature.
"""
DRIFT_LOG = (0.75, 4 / 3)
"""The same for other quantities that are searched on a log scale, e.g. compliance: symmetric in ratio."""
DRIFT_LINEAR = (0.75, 1.25)
"""The same for everything else."""

PRESETS = {rule.pattern: (rule.low, rule.high) for rule in presets.PRESETS["anchored"].rules}
"""Factors on the nominal value for parameters that nobody spoke of. What is not listed stays at nominal: servo gain
and damping are set or identified, not guessed, and the sensor noises are properties of the sensors."""
ASKED = (0.8, 1.25)
"""Factors on nominal where a person asks to vary a parameter that has no preset, and names no range."""

RESOLUTION = {"delay": 1e-3}
"""Ends of an anchored window are rounded outward to this, in the parameter's unit."""


def anchor_range(measurement: Measurement, parameter: Parameter, anchor: str | None = None) -> Range:
    """The window that a measurement justifies: its interval, or its value, widened by the drift between sessions.

    The interval says how well it was measured that day, the drift how far it moves until next time; both count, so
    the drift applies to both ends of the interval. The hard bounds clip the result.

    Args:
        measurement: the measured value, in the parameter's unit.
        parameter: what it is a measurement of.
        anchor: ledger row id of the measurement; its quantity where it has none.

    Raises:
        ValueError: the measurement has another unit than the parameter.
    """
    if measurement.unit != parameter.unit:
        raise ValueError(f"{parameter.name} is in {parameter.unit}, its measurement in {measurement.unit}")
    down, up = drift(parameter)
    first = measurement.value if measurement.low is None else measurement.low
    last = measurement.value if measurement.high is None else measurement.high
    # a negative end moves away from zero as well, so that the window always holds the interval
    low, high = _outward(parameter, first * (down if first >= 0 else up), last * (up if last >= 0 else down))
    low, high, clipped = _clip(parameter, low, high)
    said = spell((measurement.value,), parameter.unit)
    note = f"{said} measured, x{down:.3g} to x{up:.3g} between sessions{clipped}"
    return Range.of(parameter, low, high, "measured", anchor or measurement.quantity, note)


def drift(parameter: Parameter) -> tuple[float, float]:
    """Factors by which a measured parameter moves between sessions."""
    return DRIFT.get(parameter.name, DRIFT_LOG if parameter.scale == "log" else DRIFT_LINEAR)


def preset_range(parameter: Parameter, factors: tuple[float, float]) -> Range:
    """A modest range about the nominal value."""
    low, high = _outward(parameter, parameter.nominal * factors[0], parameter.nominal * factors[1])
    low, high, clipped = _clip(parameter, low, high)
    note = f"nominal {spell((parameter.nominal,), parameter.unit)} x{factors[0]:.3g} to x{factors[1]:.3g}{clipped}"
    return Range.of(parameter, low, high, "preset", None, note)


def stated_range(stated: Stated, parameter: Parameter, measurement: Measurement | None) -> Range:
    """The range that a person said; an open end is the preset's, or the hard bound if that is on the wrong side."""
    anchor = measurement.quantity if measurement else None
    notes: list[str] = []
    low, high = stated.low, stated.high
    usual = preset_range(parameter, PRESETS.get(parameter.name, ASKED))
    if low is None:
        low = usual.low if high is None or usual.low < high else parameter.low
        notes.append(f"no lower end was said: {spell((low,), parameter.unit)} is {_name(low, parameter)}")
    if high is None:
        high = usual.high if usual.high > low else parameter.high
        notes.append(f"no upper end was said: {spell((high,), parameter.unit)} is {_name(high, parameter)}")
    if low == high:
        notes.append("held at one value")
    if measurement and not low <= measurement.value <= high:
        notes.append(f"does not contain the measured {spell((measurement.value,), parameter.unit)}")
    return Range(
        parameter=parameter.name,
        unit=parameter.unit,
        low=low,
        high=high,
        source="request",
        anchor=anchor,
        note="; ".join(notes),
    )


def family_for(understanding: Understanding, task: Task) -> Family:
    """One Range per parameter that is varied or held at a said value: request, then measurement, then preset."""
    stated = {s.parameter: s for s in understanding.stated}
    measured = {m.quantity: m for m in understanding.measurements}
    ranges: list[Range] = []
    for name, parameter in task.parameters.items():
        if name in stated:
            ranges.append(stated_range(stated[name], parameter, measured.get(name)))
        elif name in understanding.held:
            if name in measured:
                value = measured[name].value
                ranges.append(Range.of(parameter, value, value, "measured", name, "held at the measured value"))
        elif name in measured:
            ranges.append(anchor_range(measured[name], parameter))
        elif name in understanding.varied:
            ranges.append(preset_range(parameter, PRESETS.get(name, ASKED)))
        elif understanding.others and name in PRESETS:
            ranges.append(preset_range(parameter, PRESETS[name]))
    return Family(ranges=tuple(ranges))


def _name(value: float, parameter: Parameter) -> str:
    return "the hard bound" if value in (parameter.low, parameter.high) else "the preset"


def _outward(parameter: Parameter, low: float, high: float) -> tuple[float, float]:
    step = RESOLUTION.get(parameter.name)
    if step is None:
        return tidy(low), tidy(high)
    # the tolerance keeps 0.75 x 20 ms at 15 ms in spite of binary fractions
    return tidy(floor(low / step + 1e-9) * step), tidy(ceil(high / step - 1e-9) * step)


def _clip(parameter: Parameter, low: float, high: float) -> tuple[float, float, str]:
    new = (parameter.clip(low), parameter.clip(high))
    return *new, "" if new == (low, high) else ", clipped to the hard bounds"
