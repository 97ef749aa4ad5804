"""Numbers in words for one-line summaries: ranges and values with readable units."""

from store.records import Range

_READABLE = {
    "s": (1000.0, "ms"),
    "m": (1000.0, "mm"),
    "rad": (1000.0, "mrad"),
    "m/N": (1000.0, "mm/N"),
    "kg": (1000.0, "g"),
}


def show_value(value: float, unit: str) -> str:
    """A value with a unit that people read: 0.011 s is '11 ms'."""
    factor, name = _READABLE.get(unit, (1.0, unit))
    return f"{value * factor:.3g}" + ("" if name == "1" else f" {name}")


def show_range(range: Range) -> str:
    """A range such as 'delay 8 to 18 ms (request)'."""
    factor, _ = _READABLE.get(range.unit, (1.0, range.unit))
    return f"{range.parameter} {range.low * factor:.3g} to {show_value(range.high, range.unit)} ({range.source})"
