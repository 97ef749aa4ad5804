"""Inline SVG with escaped text, and the axes that figures are drawn on.

Figures are narrow (about 360 units) so that their letters stay readable on a phone; wide screens put two side by side.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape
from math import ceil, floor, log10

from markupsafe import Markup

from agent.report.quantity import number

# Okabe and Ito's colours, which people with colour blindness can tell apart.
BLUE, VERMILLION, GREEN, ORANGE = "#0072B2", "#D55E00", "#009E73", "#E69F00"
SKY, PURPLE, INK, GREY, PALE = "#56B4E9", "#CC79A7", "#222222", "#5f6670", "#d5d9de"
SIM, REAL = BLUE, VERMILLION
SERIES = (INK, GREEN, PURPLE, ORANGE, SKY)  # rounds; blue and vermillion belong to simulation and hardware

Point = tuple[float, float]


@dataclass(frozen=True)
class Axis:
    """A linear or logarithmic map from data to pixels."""

    low: float
    high: float
    start: float
    end: float
    log: bool = False

    def px(self, value: float) -> float:
        """Pixel of a value."""
        if self.log:
            share = (log10(value) - log10(self.low)) / (log10(self.high) - log10(self.low))
        else:
            share = (value - self.low) / (self.high - self.low)
        return self.start + share * (self.end - self.start)

    def ticks(self, count: int = 4) -> list[float]:
        """Round values inside the axis, about `count` of them."""
        if self.log:
            return _log_ticks(self.low, self.high, count)
        return nice_ticks(self.low, self.high, count)


def _log_ticks(low: float, high: float, count: int) -> list[float]:
    decades = range(floor(log10(low)), ceil(log10(high)) + 1)
    for steps in ((1, 2, 5), (1, 3), (1,)):
        ticks = [s * 10.0**d for d in decades for s in steps if low <= s * 10.0**d <= high * (1 + 1e-9)]
        if len(ticks) <= count + 2:
            return ticks
    return ticks[:: ceil(len(ticks) / count)]


def nice_ticks(low: float, high: float, count: int = 4) -> list[float]:
    """Multiples of 1, 2 or 5 times a power of ten between low and high."""
    raw = (high - low) / max(1, count)
    power = 10.0 ** floor(log10(raw))
    step = next(s * power for s in (1, 2, 5, 10) if s * power >= raw * 0.999)
    first = ceil(low / step - 1e-9)
    last = floor(high / step + 1e-9)
    return [0.0 if i == 0 else i * step for i in range(first, last + 1)]


def padded(values: Iterable[float], share: float = 0.06) -> tuple[float, float]:
    """Low and high of the values with a margin; never an empty interval."""
    found = list(values)
    low, high = min(found), max(found)
    margin = (high - low) * share or max(abs(high), 1e-6) * 0.5
    return low - margin, high + margin


class Canvas:
    """One SVG picture; every text and attribute is escaped on the way in."""

    def __init__(self, width: float, height: float, label: str) -> None:
        self.width, self.height, self.label = width, height, label
        self._parts: list[str] = []

    def add(self, tag: str, text: str | None = None, **attributes: object) -> None:
        """One element; underscores in attribute names become hyphens, None drops the attribute."""
        written = "".join(
            f' {name.rstrip("_").replace("_", "-")}="{escape(_short(value))}"'
            for name, value in attributes.items()
            if value is not None
        )
        self._parts.append(f"<{tag}{written}/>" if text is None else f"<{tag}{written}>{escape(text)}</{tag}>")

    def line(self, start: Point, end: Point, colour: str = PALE, width: float = 1.0, dash: str | None = None) -> None:
        """A straight line."""
        self.add("line", x1=start[0], y1=start[1], x2=end[0], y2=end[1], stroke=colour, stroke_width=width,
                 stroke_dasharray=dash, stroke_linecap="butt")  # fmt: skip

    def path(self, points: Sequence[Point], colour: str, width: float = 1.8, dash: str | None = None) -> None:
        """A line through points."""
        drawn = " ".join(f"{_short(x)},{_short(y)}" for x, y in points)
        self.add("polyline", points=drawn, fill="none", stroke=colour, stroke_width=width, stroke_dasharray=dash,
                 stroke_linejoin="round")  # fmt: skip

    def area(self, points: Sequence[Point], colour: str, opacity: float) -> None:
        """A filled shape."""
        drawn = " ".join(f"{_short(x)},{_short(y)}" for x, y in points)
        self.add("polygon", points=drawn, fill=colour, fill_opacity=opacity, stroke="none")

    def box(self, x: float, y: float, width: float, height: float, colour: str, opacity: float = 1.0,
            radius: float = 2.0, edge: str | None = None) -> None:  # fmt: skip
        """A filled rectangle."""
        self.add("rect", x=x, y=y, width=max(0.0, width), height=height, fill=colour, fill_opacity=opacity, rx=radius,
                 stroke=edge)  # fmt: skip

    def dot(self, at: Point, colour: str, radius: float = 4.0, hollow: bool = False) -> None:
        """A filled or hollow dot."""
        self.add("circle", cx=at[0], cy=at[1], r=radius, fill="#ffffff" if hollow else colour, stroke=colour,
                 stroke_width=1.6)  # fmt: skip

    def diamond(self, at: Point, colour: str, radius: float = 5.5) -> None:
        """A filled diamond: measured or estimated values, so that shape and colour both tell them apart."""
        (x, y), r = at, radius
        self.area(((x, y - r), (x + r, y), (x, y + r), (x - r, y)), colour, 1.0)

    def text(self, at: Point, text: str, colour: str = GREY, size: float = 11, anchor: str = "start",
             bold: bool = False) -> None:  # fmt: skip
        """A line of text."""
        self.add("text", text, x=at[0], y=at[1], fill=colour, font_size=size, text_anchor=anchor,
                 font_weight="600" if bold else None)  # fmt: skip

    def frame(self, x: Axis, y: Axis, x_label: str, y_label: str, y_ticks: int = 6) -> None:
        """Grid, tick labels and axis names of a plot."""
        for value in y.ticks(y_ticks):
            self.line((x.start, y.px(value)), (x.end, y.px(value)))
            self.text((x.start - 6, y.px(value) + 3.8), number(value), anchor="end")
        self.bottom(x, y.start, x_label)
        self.text((0, y.end - 12), y_label)

    def bottom(self, x: Axis, at: float, label: str, ticks: int = 4) -> None:
        """A horizontal axis with its name."""
        self.line((x.start, at), (x.end, at), GREY)
        for value in x.ticks(ticks):
            self.line((x.px(value), at), (x.px(value), at + 4), GREY)
            self.text((x.px(value), at + 16), number(value), anchor="middle")
        self.text(((x.start + x.end) / 2, at + 31), label, colour=INK, anchor="middle")

    def markup(self) -> Markup:
        """The SVG element, safe to put into a page."""
        size = f"{_short(self.width)} {_short(self.height)}"
        head = f'<svg viewBox="0 0 {size}" role="img" aria-label="{escape(self.label)}" class="figure">'
        return Markup(head + "".join(self._parts) + "</svg>")


def _short(value: object) -> str:
    if isinstance(value, float):
        return f"{value:.2f}".rstrip("0").rstrip(".")
    return str(value)
