"""Values as people say them: points, ranges, tolerances and bounds, each a rule of a small grammar."""

from dataclasses import dataclass, replace
from typing import Literal

from store.errors import UserError
from store.units import FORCE, LENGTH, NONE, Powers, Unit, kind_of, read_unit, tidy
from tools.reading.tokens import Token

Form = Literal["point", "range", "around", "nominal", "at_most", "at_least"]

GRAMMAR: tuple[tuple[Form, str], ...] = (
    ("range", "from n up|down? to|until|through|- n"),
    ("range", "between|from n to|and|-|–|— n"),
    ("range", "[|( n ,|to|-|–|.. n ]|)"),
    ("around", "n ±|+/-|+- n"),
    ("around", "n ( ±|+/-|+- n )"),
    ("around", "n plus or minus n"),
    ("around", "n plus / minus n"),
    ("around", "n give or take n"),
    ("range", "n up to n"),
    ("range", "n to|through|-|−|–|—|..|...|…|->|→ n"),
    ("nominal", "nominal ±|+/-|+- n"),
    ("nominal", "nominal plus or minus n"),
    ("nominal", "±|+/-|+- n of|around|about nominal"),
    ("nominal", "±|+/-|+- n"),
    ("nominal", "plus or minus n"),
    ("nominal", "plus / minus n"),
    ("nominal", "within n of nominal"),
    ("nominal", "n around|about|of nominal"),
    ("at_most", "at most|max|maximum n"),
    ("at_most", "max|maximum of? n"),
    ("at_most", "a maximum of n"),
    ("at_most", "no|not more|greater|larger|higher|longer than n"),
    ("at_most", "not above|over n"),
    ("at_most", "up to n"),
    ("at_most", "less|smaller|lower|fewer than n"),
    ("at_most", "below|under|<|<=|≤|only n"),
    ("at_least", "at least n"),
    ("at_least", "min|minimum of? n"),
    ("at_least", "a minimum of n"),
    ("at_least", "no|not less|smaller|lower|fewer than n"),
    ("at_least", "not below|under n"),
    ("at_least", "more|greater|larger|higher than n"),
    ("at_least", "above|over|>|>=|≥ n"),
    ("at_most", "n or less|fewer|lower|below"),
    ("at_most", "n at most"),
    ("at_most", "n max|maximum|tops"),
    ("at_least", "n or more|higher|above|greater"),
    ("at_least", "n at least"),
    ("at_least", "n minimum"),
    ("at_least", "n <|<=|≤"),
    ("at_most", "n >|>=|≥"),
    ("point", "n or so"),
    ("point", "n"),
)
"""Rules in order, the first that fits wins. A step is a word or words parted by |, optional with ?; n is a number,
with 'about' allowed before it."""

_ABOUT = {"about", "around", "roughly", "approximately", "approx", "circa", "ca", "~", "≈", "nearly", "almost"}
_LOAD = {"at", "under", "for", "per", "@", "/", "with", "from"}
_LOAD_WORDS = {"a", "an", "load", "force", "of", "push", "pressed", "the"}
ABOUT = 0.1
"""'about 0.8' is 0.8 within ten per cent."""

_Step = tuple[frozenset[str], bool]
_RULES: tuple[tuple[Form, tuple[_Step, ...]], ...] = tuple(
    (form, tuple((frozenset(step.removesuffix("?").split("|")), step.endswith("?")) for step in pattern.split()))
    for form, pattern in GRAMMAR
)


@dataclass(frozen=True)
class Amount:
    """A value expression in SI, covering tokens[first:last]."""

    form: Form
    first: int
    last: int
    low: float
    """Value of a point; lower end of a range; the bound of at_least."""
    high: float
    """Value of a point; upper end of a range; the bound of at_most; half-width of nominal."""
    unit: Unit | None
    """None for a plain number."""
    value: float | None = None
    """Centre of `around`."""
    about: bool = False
    spelled: bool = False
    text: str = ""

    @property
    def powers(self) -> Powers:
        """What it measures."""
        return NONE if self.unit is None else self.unit.powers

    @property
    def percent(self) -> bool:
        """Whether it is a share of something."""
        return self.unit is not None and self.unit.percent

    @property
    def plain(self) -> bool:
        """Whether it has no unit at all."""
        return self.unit is None


def find_amounts(text: str, tokens: list[Token]) -> list[Amount]:
    """Every value expression, left to right, none overlapping.

    Raises:
        UserError: a range with low above high, or ends that measure different things.
    """
    found: list[Amount] = []
    at = 0
    while at < len(tokens):
        amount = _amount_at(text, tokens, at)
        if amount is not None:
            found.append(amount)
        at = amount.last if amount else at + 1
    return found


def _amount_at(text: str, tokens: list[Token], at: int) -> Amount | None:
    for form, steps in _RULES:
        match = _match(steps, tokens, at)
        if match is None:
            continue
        last, numbers, about = match
        last, numbers = _unit_after_bracket(text, tokens, last, numbers)
        if not _compatible(form, numbers):
            continue
        amount = _resolve(form, numbers, at, last, about or (form == "point" and len(steps) > 1))
        amount = replace(amount, text=text[tokens[at].start : tokens[last - 1].end])
        loaded = _under_load(text, tokens, amount)
        if form in ("range", "around", "point") and loaded.low > loaded.high:
            raise UserError(
                f"the low end is above the high end in '{loaded.text}'", where="request", hint="low to high"
            )
        return loaded
    return None


def _match(steps: tuple[_Step, ...], tokens: list[Token], at: int) -> tuple[int, list[Token], bool] | None:
    numbers: list[Token] = []
    about = False
    for words, optional in steps:
        if "n" in words:
            while at < len(tokens) and tokens[at].word in _ABOUT:
                about, at = True, at + 1
            if at == len(tokens) or tokens[at].kind != "number":
                return None
            numbers.append(tokens[at])
            at += 1
        elif at < len(tokens) and tokens[at].kind != "number" and tokens[at].word in words:
            at += 1
        elif not optional:
            return None
    return at, numbers, about


def _unit_after_bracket(text: str, tokens: list[Token], last: int, numbers: list[Token]) -> tuple[int, list[Token]]:
    """'[5, 8] ms': a unit behind the bracket belongs to the number before it."""
    closing = tokens[last - 1]
    if closing.text not in ("]", ")"):
        return last, numbers
    found = read_unit(text, closing.end + (text[closing.end : closing.end + 1] == " "))
    if found is None or found[0].text == "in" or numbers[-1].unit is not None:
        return last, numbers
    while last < len(tokens) and tokens[last].start < found[1]:
        last += 1
    return last, [*numbers[:-1], replace(numbers[-1], unit=found[0])]


def _compatible(form: Form, numbers: list[Token]) -> bool:
    """Whether two numbers can be the ends of one value: same kind, or one of them without a unit."""
    if len(numbers) < 2:
        return True
    first, second = numbers[0].unit, numbers[1].unit
    if form == "around" and second is not None and second.percent:
        return True
    if first is None or second is None:
        return not (first is not None and first.percent and form == "around")
    return first.powers == second.powers and first.percent == second.percent


def _resolve(form: Form, numbers: list[Token], first: int, last: int, about: bool) -> Amount:
    units = [n.unit for n in numbers]
    spelled = all(n.spelled for n in numbers)
    if len(numbers) == 1:
        value = _si(numbers[0].value, units[0])
        return Amount(form, first, last, value, value, units[0], about=about, spelled=spelled)
    if form == "around":
        centre_unit = units[0] or (units[1] if units[1] and not units[1].percent else None)
        centre = _si(numbers[0].value, centre_unit)
        relative = units[1] is not None and units[1].percent
        width = abs(centre) * numbers[1].value / 100 if relative else _si(numbers[1].value, units[1] or centre_unit)
        low, high = tidy(centre - width), tidy(centre + width)
        return Amount(form, first, last, low, high, centre_unit, value=centre, about=about, spelled=spelled)
    unit = units[0] or units[1]
    low, high = _si(numbers[0].value, units[0] or unit), _si(numbers[1].value, units[1] or unit)
    return Amount(form, first, last, low, high, unit, about=about, spelled=spelled)


def _si(value: float, unit: Unit | None) -> float:
    if unit is None:
        return value
    # dividing by a power of ten is exact where multiplying by its inverse is not: 11 / 1000 is 0.011
    inverse = round(1 / unit.factor)
    return value / inverse if unit.factor < 1 and abs(1 / inverse - unit.factor) <= 1e-15 else value * unit.factor


def _under_load(text: str, tokens: list[Token], amount: Amount) -> Amount:
    """'3 mm at 5 N': a length with the force that causes it is a compliance."""
    at = amount.last
    if amount.powers != LENGTH or amount.form in ("nominal",) or at >= len(tokens) or tokens[at].word not in _LOAD:
        return amount
    at += 1
    while at < len(tokens) and tokens[at].word in _LOAD_WORDS:
        at += 1
    if at == len(tokens) or tokens[at].kind != "number":
        return amount
    force = tokens[at]
    if force.unit is None or force.unit.powers != FORCE:
        return amount
    size = _si(force.value, force.unit)
    shown = text[tokens[amount.first].start : force.end]
    if size <= 0:
        raise UserError(f"a deflection needs a force above zero in '{shown}'", where="request", hint="e.g. 3 mm at 5 N")
    return replace(
        amount,
        last=at + 1,
        low=tidy(amount.low / size),
        high=tidy(amount.high / size),
        value=None if amount.value is None else tidy(amount.value / size),
        unit=Unit("m/N", 1.0, (0, -1, 2, 0)),
        text=shown,
    )


def describe(amount: Amount) -> str:
    """What an amount measures, for messages."""
    return "a percentage" if amount.percent else kind_of(amount.powers)
