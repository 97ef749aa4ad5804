"""What was said of each parameter, gathered and checked: bounds, conflicts, duplicates."""

from collections.abc import Mapping

from store.errors import UserError
from store.records import Measurement, Parameter
from store.units import spell
from tools.understanding import Reading, Stated

ENOUGH_ALIKE = 1e-9
"""Relative difference below which two statements are the same one."""


class Statements:
    """Collects statements and refuses those that contradict a bound or one another."""

    def __init__(self, parameters: Mapping[str, Parameter]) -> None:
        self.parameters = parameters
        self.notes: list[str] = []
        self._stated: dict[str, list[Stated]] = {}
        self._measured: dict[str, Measurement] = {}
        self._held: dict[str, str] = {}
        self._varied: dict[str, str] = {}
        self._readings: list[tuple[int, Reading]] = []

    def note(self, text: str) -> None:
        """Tell the person something, once."""
        if text not in self.notes:
            self.notes.append(text)

    def reading(self, place: int, text: str, meaning: str) -> None:
        """Record what was made of some words."""
        self._readings.append((place, Reading(text=text, meaning=meaning)))

    def state(self, place: int, name: str, low: float | None, high: float | None, text: str) -> None:
        """A range, a bound or one value (low == high) of a parameter."""
        parameter = self.parameters[name]
        low = None if low is None else self._within(parameter, low, text)
        high = None if high is None else self._within(parameter, high, text)
        if low is not None and high is not None and low > high:
            raise UserError(f"the low end of {name} is above its high end in '{text}'", "request", hint="low to high")
        said = Stated(parameter=name, unit=parameter.unit, low=low, high=high, text=text)
        self._stated.setdefault(name, []).append(said)
        self.reading(place, text, f"{name} {_span(said)}")

    def measure(self, place: int, measurement: Measurement) -> None:
        """A measured value of a parameter, perhaps with an interval."""
        name, parameter = measurement.quantity, self.parameters[measurement.quantity]
        for value in (measurement.value, measurement.low, measurement.high):
            if value is not None:
                self._within(parameter, value, measurement.text)
        known = self._measured.get(name)
        if known is not None and not (_alike(known.value, measurement.value) and _same_interval(known, measurement)):
            raise UserError(
                f"two different measurements of {name}: '{known.text}' and '{measurement.text}'",
                "request",
                hint="state one value, or one with an interval (11 +- 1 ms)",
            )
        self._measured.setdefault(name, measurement)
        self.reading(place, measurement.text, f"{name} measured: {spell((measurement.value,), measurement.unit)}")

    def hold(self, place: int, name: str, text: str) -> None:
        """A parameter that must not be varied."""
        self._held.setdefault(name, text)
        self.reading(place, text, f"{name} is not varied")

    def vary(self, place: int, name: str, text: str) -> None:
        """A parameter to vary, without a range."""
        self._varied.setdefault(name, text)
        self.reading(place, text, f"{name} is varied")

    @property
    def stated(self) -> tuple[Stated, ...]:
        """One statement a parameter.

        Raises:
            UserError: two statements about a parameter disagree.
        """
        return tuple(self._one(name, said) for name, said in self._stated.items())

    @property
    def measurements(self) -> tuple[Measurement, ...]:
        """One measurement a quantity."""
        return tuple(self._measured.values())

    @property
    def held(self) -> tuple[str, ...]:
        """Parameters that must not be varied and have no stated value.

        Raises:
            UserError: one of them is also to be varied.
        """
        for name, text in self._held.items():
            said = next((s for s in self.stated if s.parameter == name and not s.fixed), None)
            other = said.text if said else self._varied.get(name)
            if other is not None:
                raise UserError(f"{name} is both held and varied: '{text}' and '{other}'", "request", hint="say one")
        return tuple(name for name in self._held if name not in self._stated)

    @property
    def varied(self) -> tuple[str, ...]:
        """Parameters to vary for which no range was said.

        Raises:
            UserError: one of them is also held at a value.
        """
        for said in self.stated:
            if said.fixed and said.parameter in self._varied:
                other = self._varied[said.parameter]
                what = f"{said.parameter} is both held and varied: '{said.text}' and '{other}'"
                raise UserError(what, "request", hint="say a range to vary it")
        return tuple(name for name in self._varied if name not in self._stated)

    @property
    def readings(self) -> tuple[Reading, ...]:
        """What was made of which words, in the order of the text."""
        return tuple(reading for _, reading in sorted(self._readings, key=lambda pair: pair[0]))

    def _within(self, parameter: Parameter, value: float, text: str) -> float:
        """The value, moved onto a bound that it misses by rounding only."""
        slack = ENOUGH_ALIKE * (parameter.high - parameter.low)
        if parameter.low - slack <= value <= parameter.high + slack:
            return min(max(value, parameter.low), parameter.high)
        shown = spell((value,), parameter.unit)
        negative = f"a negative {parameter.name} ({shown})" if value < 0 else f"{parameter.name} {shown}"
        raise UserError(
            f"{negative} cannot be simulated, in '{text}'",
            "request",
            f"{parameter.name} from {spell((parameter.low, parameter.high), parameter.unit)}",
        )

    def _one(self, name: str, said: list[Stated]) -> Stated:
        """All statements about a parameter as one: a lower and an upper bound join, equal ones merge."""
        result = said[0]
        for other in said[1:]:
            both_open = None in (result.low, result.high) and None in (other.low, other.high)
            same_ends = (result.low is None) == (other.low is None) and (result.high is None) == (other.high is None)
            if not ((both_open or same_ends) and _agree(result.low, other.low) and _agree(result.high, other.high)):
                what = f"two different statements about {name}: '{result.text}' and '{other.text}'"
                raise UserError(what, "request", hint=f"state {name} once")
            low = other.low if result.low is None else result.low
            high = other.high if result.high is None else result.high
            if low is not None and high is not None and low > high:
                what = f"the low end of {name} is above its high end: '{result.text}' and '{other.text}'"
                raise UserError(what, "request", hint="low to high")
            text = result.text if other.text in result.text else f"{result.text}; {other.text}"
            result = Stated(parameter=name, unit=result.unit, low=low, high=high, text=text)
        return result


def _agree(first: float | None, second: float | None) -> bool:
    return first is None or second is None or _alike(first, second)


def _alike(first: float, second: float) -> bool:
    return abs(first - second) <= ENOUGH_ALIKE * max(abs(first), abs(second))


def _same_interval(first: Measurement, second: Measurement) -> bool:
    ends = ((first.low, second.low), (first.high, second.high))
    return all((a is None and b is None) or (a is not None and b is not None and _alike(a, b)) for a, b in ends)


def _span(said: Stated) -> str:
    if said.low is None or said.high is None:
        ends = [f"at least {spell((said.low,), said.unit)}"] if said.low is not None else []
        return " and ".join(ends + ([f"at most {spell((said.high,), said.unit)}"] if said.high is not None else []))
    return f"held at {spell((said.low,), said.unit)}" if said.fixed else spell((said.low, said.high), said.unit)
