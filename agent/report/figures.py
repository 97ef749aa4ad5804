"""The pictures of a report: ranges, learning curves, gaps, hypotheses, repairs. Pure functions from numbers to SVG."""

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from agent.report.canvas import (
    BLUE,
    GREEN,
    GREY,
    INK,
    ORANGE,
    PALE,
    PURPLE,
    REAL,
    SERIES,
    SIM,
    Axis,
    Canvas,
    padded,
)
from agent.report.quantity import Unit, number, quantity, signed
from store.records import Diagnosis, GapRow, Measurement, Parameter, Range
from store.records.rate import Rate

WIDTH = 360.0


@dataclass(frozen=True)
class Line:
    """One named series of points for `line_figure`."""

    name: str
    points: tuple[tuple[float, float], ...]
    colour: str = BLUE


def round_colour(index: int) -> str:
    """The colour of a round, the same in every figure."""
    return SERIES[index % len(SERIES)]


def range_figure(parameter: Parameter, rounds: Sequence[tuple[int, Range | None]],
                 measurement: Measurement | None, diagnoses: Sequence[Diagnosis]) -> Markup:  # fmt: skip
    """One parameter: its range in each round as a bar over its hard bounds, with what was measured and estimated."""
    unit = Unit.fit(parameter.unit, [parameter.low, parameter.high])
    height = 66.0 + 20 * len(rounds)
    canvas = Canvas(WIDTH, height, f"Ranges of {parameter.name} over the rounds")
    log = parameter.scale == "log" and parameter.low > 0
    axis = Axis(parameter.low * unit.factor, parameter.high * unit.factor, 60, WIDTH - 112, log)
    canvas.text((0, 13), parameter.name, INK, 13, bold=True)
    previous: Range | None = None
    for row, (index, chosen) in enumerate(rounds):
        y = 24.0 + 20 * row
        canvas.text((52, y + 10.5), f"round {index}", anchor="end")
        canvas.box(axis.start, y + 5, axis.end - axis.start, 4, PALE, radius=2)
        if chosen is not None:
            moved = previous is not None and (previous.low, previous.high) != (chosen.low, chosen.high)
            low, high = axis.px(chosen.low * unit.factor), axis.px(chosen.high * unit.factor)
            canvas.box(low, y + 1, max(2.5, high - low), 12, GREEN if moved else BLUE, 0.9)
            canvas.text((WIDTH, y + 10.5), unit.span(chosen.low, chosen.high), INK, anchor="end", bold=moved)
        previous = chosen
        for diagnosis in diagnoses:
            if diagnosis.round == index and diagnosis.target == parameter.name and diagnosis.estimate is not None:
                _whisker(canvas, axis, unit, y + 7, diagnosis)
    bottom = 26.0 + 20 * len(rounds)
    if measurement is not None:
        canvas.line((axis.px(measurement.value * unit.factor), 21), (axis.px(measurement.value * unit.factor), bottom),
                    INK, 1.4, "2 2")  # fmt: skip
    canvas.bottom(axis, bottom, unit.label or "no unit")
    return canvas.markup()


def _whisker(canvas: Canvas, axis: Axis, unit: Unit, y: float, diagnosis: Diagnosis) -> None:
    assert diagnosis.estimate is not None
    x = axis.px(_inside(diagnosis.estimate * unit.factor, axis))
    if diagnosis.interval is not None:
        ends = [axis.px(_inside(end * unit.factor, axis)) for end in diagnosis.interval]
        canvas.line((ends[0], y), (ends[1], y), REAL, 2)
    canvas.diamond((x, y), REAL)


def _inside(value: float, axis: Axis) -> float:
    return min(max(value, axis.low), axis.high)


def line_figure(title: str, x_label: str, y_label: str, lines: Sequence[Line],
                y_range: tuple[float, float] | None = None, marks: Sequence[float] = ()) -> Markup:  # fmt: skip
    """Curves over a common x axis; `marks` are dotted verticals (the starts of rounds)."""
    drawn = [line for line in lines if line.points]
    canvas = Canvas(WIDTH, 226, title)
    canvas.text((0, 13), title, INK, 13, bold=True)
    x = Axis(0, max(p[0] for line in drawn for p in line.points) or 1.0, 46, WIDTH - 12)
    low, high = y_range or padded(p[1] for line in drawn for p in line.points)
    y = Axis(low, high, 184, 42)
    canvas.frame(x, y, x_label, y_label)
    for mark in marks:
        canvas.line((x.px(mark), y.start), (x.px(mark), y.end), GREY, 1, "1 3")
    for line in drawn:
        canvas.path([(x.px(a), y.px(_inside(b, y))) for a, b in line.points], line.colour)
        canvas.dot((x.px(line.points[-1][0]), y.px(_inside(line.points[-1][1], y))), line.colour, 3)
    return canvas.markup()


def gap_figure(title: str, rows: Sequence[tuple[str, Rate, Rate, float]]) -> Markup:
    """Simulated and real share of each round on one line, with 95 % intervals; the gap is the bar between them.

    Args:
        title: what the shares are of.
        rows: label, simulated rate, real rate and the gap with its sign.
    """
    canvas = Canvas(WIDTH, 62 + 40.0 * len(rows), f"{title}: simulation against hardware")
    canvas.text((0, 13), title, INK, 13, bold=True)
    axis = Axis(0, 1, 58, WIDTH - 58)
    bottom = 26 + 40.0 * len(rows)
    for value in (0, 0.25, 0.5, 0.75, 1):
        canvas.line((axis.px(value), 22), (axis.px(value), bottom))
    for row, (label, sim, real, gap) in enumerate(rows):
        y = 42.0 + 40 * row
        left, right = sorted((axis.px(sim.value), axis.px(real.value)))
        canvas.text((50, y + 4), label, anchor="end")
        canvas.box(left, y - 4, right - left, 8, ORANGE, 0.35, 0)
        for rate, colour, shift in ((sim, SIM, -5.0), (real, REAL, 5.0)):
            canvas.line((axis.px(rate.low), y + shift), (axis.px(rate.high), y + shift), colour, 1.6)
            for end in (rate.low, rate.high):
                canvas.line((axis.px(end), y + shift - 3), (axis.px(end), y + shift + 3), colour, 1.6)
        canvas.dot((axis.px(sim.value), y - 5), SIM, 4.5)
        canvas.dot((axis.px(real.value), y + 5), REAL, 4.5, hollow=True)
        canvas.text((WIDTH, y + 4), f"gap {signed(gap)}", INK, anchor="end", bold=True)
    canvas.bottom(axis, bottom, "share of rollouts")
    return canvas.markup()


def hypothesis_figure(diagnosis: Diagnosis) -> Markup:
    """Error of each hypothesis on rollouts it was not fitted to, against the noise floor and the current family."""
    shown = diagnosis.hypotheses[:14]
    left = 152.0
    canvas = Canvas(WIDTH, 84 + 22.0 * len(shown), f"Hypotheses of round {diagnosis.round}")
    errors = [h.held_out if h.held_out is not None else h.error for h in shown]
    every = [*errors, *(h.error for h in shown), diagnosis.noise_floor, diagnosis.family_error, diagnosis.best_error]
    low, high = padded([0.0, *every])
    axis = Axis(max(0.0, low), high, left, WIDTH - 12)
    bottom = 46 + 22.0 * len(shown)
    canvas.box(axis.start, 38, axis.px(diagnosis.noise_floor) - axis.start, bottom - 38, GREEN, 0.10, 0)
    floor, family = axis.px(diagnosis.noise_floor), axis.px(diagnosis.family_error)
    canvas.line((floor, 34), (floor, bottom), GREEN, 1.6)
    canvas.line((family, 16), (family, bottom), PURPLE, 1.6, "5 3")
    _label(canvas, (family, 12), f"current family {number(diagnosis.family_error)}")
    _label(canvas, (floor, 29), f"noise floor {number(diagnosis.noise_floor)}")
    for row, (hypothesis, judged) in enumerate(zip(shown, errors, strict=True)):
        y = 56.0 + 22 * row
        name = "current family" if hypothesis.name == "family" else hypothesis.name
        if hypothesis.value is not None:
            name += f" {quantity(hypothesis.value, hypothesis.unit)}"
        best = hypothesis.name == diagnosis.target
        canvas.text((left - 8, y + 4), name, INK, anchor="end", bold=best)
        canvas.line((axis.start, y), (axis.px(judged), y), PALE, 1)
        canvas.dot((axis.px(hypothesis.error), y), GREY, 3, hollow=True)
        if hypothesis.held_out is not None:
            canvas.dot((axis.px(hypothesis.held_out), y), REAL if best else BLUE, 4.5)
    canvas.bottom(axis, bottom, "replay error, 1 = twice the sensor noise")
    return canvas.markup()


def _label(canvas: Canvas, at: tuple[float, float], words: str) -> None:
    """A label centred on a line, pushed back inside the picture."""
    half = 3.1 * len(words)
    canvas.text((min(max(at[0], half), canvas.width - half), at[1]), words, INK, anchor="middle")


def effect_figure(rows: Sequence[tuple[str, float, float, float]]) -> Markup:
    """Success gap before a repair, the one it promised, and the one that was seen.

    Args:
        rows: label, gap before, gap expected, gap seen.
    """
    canvas = Canvas(WIDTH, 66 + 30.0 * len(rows), "Expected and seen effect of each repair on the success gap")
    canvas.text((0, 13), "success gap", INK, 13, bold=True)
    low, high = padded([0.0, *(value for row in rows for value in row[1:])], 0.12)
    axis = Axis(low, high, 64, WIDTH - 12)
    bottom = 30 + 30.0 * len(rows)
    canvas.line((axis.px(0), 20), (axis.px(0), bottom), GREY)
    for row, (label, before, expected, seen) in enumerate(rows):
        y = 42.0 + 30 * row
        canvas.text((56, y + 4), label, anchor="end")
        canvas.box(min(axis.px(before), axis.px(seen)), y - 4, abs(axis.px(before) - axis.px(seen)), 8, ORANGE, 0.35, 0)
        canvas.dot((axis.px(before), y), GREY, 4.5)
        canvas.line((axis.px(expected), y - 10), (axis.px(expected), y + 10), PURPLE, 2.4)
        canvas.dot((axis.px(seen), y), REAL, 4.5, hollow=True)
    canvas.bottom(axis, bottom, "simulated minus real success")
    return canvas.markup()


def gap_rows(gaps: Sequence[GapRow]) -> tuple[Markup, Markup]:
    """The success and the slip-rate picture of all rounds."""
    success = [(f"round {g.round}", g.sim_success, g.real_success, g.success_gap) for g in gaps]
    slip = [(f"round {g.round}", g.sim_slip, g.real_slip, g.slip_gap) for g in gaps]
    return gap_figure("success", success), gap_figure("slip rate", slip)
