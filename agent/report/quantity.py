"""SI numbers as people write them: 0.011 s becomes 11 ms."""

from collections.abc import Iterable
from dataclasses import dataclass
from math import floor, isfinite, log10

_SMALLER: dict[str, tuple[tuple[float, float, str], ...]] = {
    # unit: (used when the largest magnitude is below, factor, label)
    "s": ((1.0, 1e3, "ms"),),
    "m": ((0.5, 1e3, "mm"),),
    "m/N": ((0.5, 1e3, "mm/N"),),
    "m/s": ((0.1, 1e3, "mm/s"),),
    "kg": ((1.0, 1e3, "g"),),
    "rad": ((0.05, 1e3, "mrad"),),
    "N": ((0.1, 1e3, "mN"),),
}
_NAMES = {"1": "", "": ""}


@dataclass(frozen=True)
class Unit:
    """A unit chosen for a set of values: value * factor is written with `label`."""

    factor: float
    label: str

    @classmethod
    def fit(cls, unit: str, values: Iterable[float]) -> "Unit":
        """The unit of the family of `unit` in which these SI values read best."""
        largest = max((abs(v) for v in values), default=0.0)
        for below, factor, label in _SMALLER.get(unit, ()):
            if 0 < largest < below:
                return cls(factor, label)
        return cls(1.0, _NAMES.get(unit, unit))

    def number(self, value: float, digits: int = 3) -> str:
        """The scaled value without its unit."""
        return number(value * self.factor, digits)

    def text(self, value: float, digits: int = 3) -> str:
        """The scaled value with its unit."""
        return f"{self.number(value, digits)} {self.label}".strip()

    def span(self, low: float, high: float, digits: int = 3) -> str:
        """Low to high with the unit once."""
        return f"{self.number(low, digits)} to {self.number(high, digits)} {self.label}".strip()


def number(value: float, digits: int = 3) -> str:
    """A number with `digits` significant digits, no exponent between 1e-5 and 1e6, true minus sign."""
    if not isfinite(value):
        return str(value)
    if value == 0:
        return "0"
    power = floor(log10(abs(value)))
    if not -6 < power < 6:
        return f"{value:.{digits - 1}e}".replace("-", "\u2212")
    text = f"{value:.{max(0, digits - 1 - power)}f}"
    if "." in text:
        text = text.rstrip("0").rstrip(".")
    return text.replace("-", "\u2212")


def quantity(value: float, unit: str, digits: int = 3) -> str:
    """One SI value in the unit that suits it."""
    return Unit.fit(unit, [value]).text(value, digits)


def signed(value: float, places: int = 2) -> str:
    """A difference with its sign; zero has none."""
    text = f"{value:+.{places}f}"
    if float(text) == 0:
        return f"{0:.{places}f}"
    return text.replace("-", "\u2212")


def duration(seconds: float) -> str:
    """Seconds as a person says them: 8.4 s, 2 min 05 s, 3 h 10 min."""
    if seconds < 60:
        return f"{seconds:.1f} s"
    whole = round(seconds)
    if whole < 3600:
        return f"{whole // 60} min {whole % 60:02d} s"
    return f"{whole // 3600} h {whole % 3600 // 60:02d} min"
