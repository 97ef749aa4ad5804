"""Simulated and real traces of one signal on the same axes, with the place where they part."""

from collections.abc import Sequence

from markupsafe import Markup

from agent.report.canvas import INK, REAL, SIM, Axis, Canvas, Point, padded
from agent.report.quantity import Unit, quantity
from store.records import Divergence

WIDTH = 360.0
CLOSE_STEPS = 8  # control steps shown on each side of the divergence in the close-up


def overlay_figures(divergence: Divergence, times: Sequence[float], sim: Sequence[float],
                    real: Sequence[float]) -> tuple[Markup, Markup]:  # fmt: skip
    """The whole rollout, and a close-up of the first divergence.

    Args:
        divergence: signal, unit, control step and threshold.
        times: seconds since the start of the rollout, one for each sample.
        sim: the simulated signal at those times, in the unit of the divergence.
        real: the signal of the hardware at those times.
    """
    first = max(0, divergence.step - CLOSE_STEPS)
    last = min(len(times), divergence.step + CLOSE_STEPS + 1)
    whole = _overlay("whole rollout", divergence, times, sim, real, dots=False)
    close = _overlay("around the first divergence", divergence, times[first:last], sim[first:last],
                     real[first:last], dots=True)  # fmt: skip
    return whole, close


def _overlay(title: str, divergence: Divergence, times: Sequence[float], sim: Sequence[float],
             real: Sequence[float], *, dots: bool) -> Markup:  # fmt: skip
    unit = Unit.fit(divergence.unit, [*sim, *real])
    clock = Unit.fit("s", [times[-1]])
    canvas = Canvas(WIDTH, 240, f"{divergence.signal} in simulation and on the hardware, {title}")
    canvas.text((0, 13), title, INK, 13, bold=True)
    x = Axis(times[0] * clock.factor, times[-1] * clock.factor, 52, WIDTH - 12)
    edge = divergence.threshold
    low, high = padded([*(v - edge for v in sim), *(v + edge for v in sim), *real])
    y = Axis(low * unit.factor, high * unit.factor, 198, 42)
    canvas.frame(x, y, f"time, {clock.label}", f"{divergence.signal}, {unit.label}".rstrip(", "))

    def place(values: Sequence[float], shift: float = 0.0) -> list[Point]:
        return [(x.px(t * clock.factor), y.px((v + shift) * unit.factor)) for t, v in zip(times, values, strict=True)]

    canvas.area([*place(sim, edge), *reversed(place(sim, -edge))], SIM, 0.14)
    canvas.path(place(sim), SIM, 2)
    canvas.path(place(real), REAL, 2, "6 3")
    if dots:
        for point in place(sim):
            canvas.dot(point, SIM, 2.4)
        for point in place(real):
            canvas.dot(point, REAL, 2.4, hollow=True)
    if times[0] <= divergence.time_s <= times[-1]:
        at = x.px(divergence.time_s * clock.factor)
        canvas.line((at, y.end - 4), (at, y.start), INK, 1.5, "4 3")
        right = at > (x.start + x.end) / 2
        words = f"step {divergence.step}, {quantity(divergence.time_s, 's')}"
        canvas.text((at + (-5 if right else 5), y.end + 7), words, INK, anchor="end" if right else "start", bold=True)
    return canvas.markup()
