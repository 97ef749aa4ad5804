"""Units as people write them: a small table, products and quotients of it, and amounts written for people."""

import re
from dataclasses import dataclass
from math import floor, log10

Powers = tuple[int, int, int, int]
"""Exponents of metre, kilogram, second and radian."""

NONE: Powers = (0, 0, 0, 0)
LENGTH: Powers = (1, 0, 0, 0)
MASS: Powers = (0, 1, 0, 0)
TIME: Powers = (0, 0, 1, 0)
ANGLE: Powers = (0, 0, 0, 1)
FORCE: Powers = (1, 1, -2, 0)
TORQUE: Powers = (2, 1, -2, 0)


@dataclass(frozen=True)
class Unit:
    """A unit as written, with what it measures and its size in SI."""

    text: str
    factor: float
    powers: Powers
    percent: bool = False


_ATOMS: dict[str, tuple[float, Powers]] = {
    "m": (1, LENGTH), "cm": (1e-2, LENGTH), "mm": (1e-3, LENGTH), "um": (1e-6, LENGTH), "km": (1e3, LENGTH),
    "in": (0.0254, LENGTH), "inch": (0.0254, LENGTH), "inches": (0.0254, LENGTH), "ft": (0.3048, LENGTH),
    "kg": (1, MASS), "g": (1e-3, MASS), "mg": (1e-6, MASS),
    "s": (1, TIME), "ms": (1e-3, TIME), "us": (1e-6, TIME), "ns": (1e-9, TIME), "min": (60, TIME), "h": (3600, TIME),
    "sec": (1, TIME), "secs": (1, TIME), "msec": (1e-3, TIME), "mins": (60, TIME), "hr": (3600, TIME),
    "rad": (1, ANGLE), "mrad": (1e-3, ANGLE), "deg": (0.017453292519943295, ANGLE), "°": (0.017453292519943295, ANGLE),
    "N": (1, FORCE), "mN": (1e-3, FORCE), "kN": (1e3, FORCE), "kgf": (9.80665, FORCE),
    "Nm": (1, TORQUE), "mNm": (1e-3, TORQUE), "Nmm": (1e-3, TORQUE), "Nms": (1, (2, 1, -1, 0)),
    "Hz": (1, (0, 0, -1, 0)), "kHz": (1e3, (0, 0, -1, 0)),
}  # fmt: skip

_SPELLED = {
    "metre": "m", "meter": "m", "centimetre": "cm", "centimeter": "cm", "millimetre": "mm", "millimeter": "mm",
    "micrometre": "um", "micrometer": "um", "kilogram": "kg", "kilogramme": "kg", "kilo": "kg", "gram": "g",
    "gramme": "g", "milligram": "mg", "second": "s", "millisecond": "ms", "microsecond": "us", "nanosecond": "ns",
    "minute": "min", "hour": "h", "radian": "rad", "milliradian": "mrad", "degree": "deg", "newton": "N",
    "hertz": "Hz", "kilohertz": "kHz",
}  # fmt: skip

_LOOSE = {"MS", "CM", "MM", "KG", "Ms", "Cm", "Mm", "Kg", "Sec", "Rad", "Deg", "hz", "HZ", "NM", "Min"}
"""Wrong capitals that can mean one thing only."""
_PERCENT = ("percent", "pct")
_ATOM = re.compile(r"[^\W\d_]+|°")
_JOIN = re.compile(
    r"\s*([/·⋅*])\s*|\s+(per)\s+|(?<=N)\s+(?=ms?\b)|(?<=Nm)\s+(?=s\b)|(?<=newton)\s+(?=met)|-(?=m\b|met)"
)
_PER_CENT = re.compile(r"%|per\s+cent\b")


def read_unit(text: str, start: int) -> tuple[Unit, int] | None:
    """The longest unit expression that starts there, with its end; None where there is none."""
    match = _PER_CENT.match(text, start)
    if match:
        return Unit("%", 0.01, NONE, percent=True), match.end()
    first = _ATOM.match(text, start)
    if first is None:
        return None
    if first.group().lower() in _PERCENT:
        return Unit("%", 0.01, NONE, percent=True), first.end()
    found = _atom(first.group())
    if found is None:
        return None
    factor, powers = found
    end = first.end()
    while (join := _JOIN.match(text, end)) and (nxt := _ATOM.match(text, join.end())):
        part = _atom(nxt.group())
        if part is None:
            break
        divide = join.group(1) == "/" or join.group(2) is not None
        sign = -1 if divide else 1
        factor *= part[0] ** sign
        powers = _add(powers, part[1], sign)
        end = nxt.end()
    return Unit(text[start:end], factor, powers), end


def unit_of(text: str) -> Unit:
    """The unit of a record; '1' is a plain number.

    Raises:
        ValueError: it is not a unit.
    """
    if text == "1":
        return Unit("1", 1.0, NONE)
    found = read_unit(text, 0)
    if found is None or found[1] != len(text):
        raise ValueError(f"'{text}' is not a unit")
    return found[0]


def _atom(word: str) -> tuple[float, Powers] | None:
    word = word.replace("µ", "u").replace("μ", "u")
    if word in _ATOMS:
        return _ATOMS[word]
    spelled = word.lower()
    for name in (spelled, spelled.removesuffix("s")):
        if name in _SPELLED:
            return _ATOMS[_SPELLED[name]]
    if word in _LOOSE:
        return next(value for name, value in _ATOMS.items() if name.lower() == spelled)
    return None


def _add(a: Powers, b: Powers, sign: int) -> Powers:
    return a[0] + sign * b[0], a[1] + sign * b[1], a[2] + sign * b[2], a[3] + sign * b[3]


KINDS: dict[Powers, tuple[str, tuple[str, ...]]] = {
    NONE: ("a plain number", ("no unit", "%")),
    LENGTH: ("a length", ("m", "cm", "mm", "in")),
    MASS: ("a mass", ("kg", "g")),
    TIME: ("a time", ("s", "ms", "us")),
    ANGLE: ("an angle", ("rad", "deg")),
    FORCE: ("a force", ("N", "mN")),
    TORQUE: ("a torque", ("Nm", "mNm")),
    (0, -1, 2, 0): ("a compliance", ("m/N", "mm/N")),
    (0, 1, -2, 0): ("a stiffness", ("N/m", "N/mm")),
    (2, 1, -2, -1): ("a turning stiffness", ("Nm/rad",)),
    (2, 1, -1, -1): ("a turning damping", ("Nms/rad",)),
    (0, 0, -1, 0): ("a rate", ("Hz",)),
    (1, 0, -1, 0): ("a speed", ("m/s",)),
}
"""What each combination of powers is called, and units that measure it."""


def kind_of(powers: Powers) -> str:
    """What powers measure, in words."""
    return KINDS[powers][0] if powers in KINDS else "something else"


def units_for(powers: Powers) -> tuple[str, ...]:
    """Units that a person may write for these powers."""
    return KINDS[powers][1] if powers in KINDS else ()


_HANDY = {"s": ("ms", 1e-3), "m": ("mm", 1e-3), "kg": ("g", 1e-3), "m/N": ("mm/N", 1e-3)}


def tidy(value: float) -> float:
    """Without the binary dust of a product: 12 significant digits."""
    return value if value == 0 else round(value, 11 - floor(log10(abs(value))))


def for_people(values: tuple[float, ...], unit: str) -> tuple[tuple[float, ...], str]:
    """SI values in a handier unit where all are small: (0.008, 0.018) s becomes (8, 18) ms."""
    handy, size = _HANDY.get(unit, (unit, 1.0))
    if handy == unit or max(abs(v) for v in values) >= 1:
        return values, "" if unit == "1" else unit
    return tuple(float(f"{v / size:.6g}") for v in values), handy


def spell(values: tuple[float, ...], unit: str, join: str = " to ") -> str:
    """Values with their unit for people: '8 to 18 ms'."""
    shown, name = for_people(values, unit)
    return join.join(f"{v:.4g}" for v in shown) + (f" {name}" if name else "")
