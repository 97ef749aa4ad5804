"""Amounts given to the quantities of a clause: which value belongs to which word, and what it says in SI."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import takewhile

from store.errors import UserError
from store.records import Measurement, Parameter
from store.units import LENGTH, MASS, kind_of, spell, tidy, unit_of, units_for
from tools.reading.amounts import ABOUT, Amount, Form, describe
from tools.reading.clauses import Clause, Item
from tools.reading.statements import Statements
from tools.reading.vocabulary import NOISE, RELATIVE, Quantity

_Ends = tuple[float | None, float | None]


@dataclass(frozen=True)
class Meaning:
    """One parameter that a quantity word can mean, and how its values turn into the parameter's."""

    parameter: Parameter
    unit: str
    inverse: bool

    def fits(self, amount: Amount, vary: bool) -> bool:
        """Whether an amount can be its value; a percentage only about nominal, or where shares are values."""
        if amount.percent:
            about_nominal = amount.form in ("nominal", "range") or (vary and amount.form == "point")
            return self.parameter.name in RELATIVE or about_nominal
        return amount.powers == unit_of(self.unit).powers

    def ends(self, amount: Amount, vary: bool, text: str) -> _Ends:
        """Low and high in the parameter's unit; None for an end that was not said."""
        low, high = self._said(amount, vary, text)
        if not self.inverse:
            return low, high
        if (low is not None and low <= 0) or (high is not None and high <= 0):
            raise UserError(f"it has to be above zero in '{text}'", "request")
        return None if high is None else tidy(1 / high), None if low is None else tidy(1 / low)

    def centre(self, amount: Amount) -> float:
        """The value that was measured: centre of a tolerance, middle of a range."""
        value = amount.value if amount.value is not None else tidy((amount.low + amount.high) / 2)
        return tidy(1 / value) if self.inverse and value else value

    def _said(self, amount: Amount, vary: bool, text: str) -> _Ends:
        nominal = self.parameter.nominal
        if self.inverse:
            nominal = 1 / nominal
        share = amount.percent and self.parameter.name not in RELATIVE
        if amount.form == "nominal" or (share and vary and amount.form == "point"):
            if self.parameter.name in NOISE:
                raise UserError(
                    f"'{text}' can be a tolerance of {self.parameter.name} or its size",
                    "request",
                    hint=f"{self.parameter.name} is a standard deviation: state its value or its range",
                )
            width = amount.high * nominal if amount.percent else amount.high
            return tidy(nominal - width), tidy(nominal + width)
        if share:
            return tidy(amount.low * nominal), tidy(amount.high * nominal)
        if amount.form == "at_most":
            return None, amount.high
        if amount.form == "at_least":
            return amount.low, None
        if amount.about and amount.form == "point":
            width = ABOUT * abs(amount.low)
            return tidy(amount.low - width), tidy(amount.low + width)
        return amount.low, amount.high


class Linker:
    """Gives the amounts of clauses to their quantities and states what they say."""

    def __init__(self, text: str, parameters: Mapping[str, Parameter], statements: Statements) -> None:
        self._text = text
        self._parameters = parameters
        self._statements = statements
        self._last: tuple[Clause, Item] | None = None

    def link(self, clause: Clause, task_words: bool) -> None:
        """State everything that this clause says of parameters.

        Args:
            clause: its used items are skipped; those read here become used.
            task_words: whether it names the task, so that a length in it is the goal's.
        """
        items = clause.all("quantity")
        for item in items:
            meanings = self.meanings(item.quantity)
            if not meanings:
                continue
            chosen = self._chosen(clause, item, meanings)
            for amount_item in chosen:
                self._say(clause, item, amount_item, meanings)
            if not chosen:
                self._refuse_unfit(clause, item, meanings, task_words)
        if not task_words:
            self._continue(clause)
        for item in items:
            if not item.used and any(o.used and o.quantity is item.quantity for o in items if o is not item):
                item.used = True  # 'friction (mu) 0.8' names it twice

    def imply(self, clause: Clause, object_words: bool) -> None:
        """State amounts whose unit alone tells what they are: a compliance, or a mass beside the object."""
        for amount_item in clause.amounts():
            amount = amount_item.amount
            for name, powers in (("compliance", unit_of("m/N").powers), ("mass", MASS)):
                if amount is None or name not in self._parameters or amount.powers != powers:
                    continue
                if name == "compliance" or object_words:
                    meaning = Meaning(self._parameters[name], self._parameters[name].unit, False)
                    self._state(clause, meaning, amount, amount_item.start, amount_item.start, amount_item.end)
                    amount_item.used = True

    def meanings(self, quantity: Quantity | None) -> list[Meaning]:
        """What a quantity word can mean for this task."""
        readings = quantity.readings if quantity else ()
        return [Meaning(self._parameters[n], unit, inverse) for n, unit, inverse in readings if n in self._parameters]

    def _chosen(self, clause: Clause, item: Item, meanings: list[Meaning]) -> list[Item]:
        """Amounts that fit: those after the word and before the next quantity, else those before it."""
        vary = clause.has("vary")
        following: list[Item] = []
        for other in clause.behind(item):
            if other.kind == "quantity" and other.quantity is not item.quantity:
                break
            following.append(other)
        preceding: list[Item] = []
        for other in clause.before(item):
            if other.kind == "quantity" and other.quantity is not item.quantity:
                break
            preceding.append(other)
        fitting = [[o for o in side if _free(o, meanings, vary)] for side in (following, preceding)]
        sided = [o for o in fitting[1] if o.amount and o.amount.form in ("at_least", "at_most")]
        # '0.5 < friction < 1.2' has one bound on either side
        return [*fitting[0], *sided] if fitting[0] else fitting[1]

    def _say(self, clause: Clause, item: Item, amount_item: Item, meanings: list[Meaning]) -> None:
        amount, vary = amount_item.amount, clause.has("vary")
        if amount is None or item.quantity is None:
            return
        amount = _bounded(clause, item, amount)
        meaning = next(m for m in meanings if m.fits(amount, vary))
        start, end = min(item.start, amount_item.start), max(item.end, amount_item.end)
        self._state(clause, meaning, amount, item.start, start, end)
        item.used = amount_item.used = True
        self._last = (clause, item)
        if amount.percent and amount.form == "range" and meaning.parameter.name not in RELATIVE:
            nominal = spell((meaning.parameter.nominal,), meaning.parameter.unit)
            self._statements.note(f"'{amount.text}' was read as a share of the nominal {item.word}, {nominal}")
        if item.quantity.note and item.word in item.quantity.note_for:
            self._statements.note(item.quantity.note.format(word=item.word))

    def _state(self, clause: Clause, meaning: Meaning, amount: Amount, place: int, start: int, end: int) -> None:
        text, name, vary = self._text[start:end], meaning.parameter.name, clause.has("vary")
        own = clause.has("measured")
        measured = (own or clause.measured) and amount.form in ("point", "around")
        if measured or (own and amount.form == "range" and not amount.percent):
            low, high = meaning.ends(amount, vary, text)
            exact = amount.form == "point"
            self._statements.measure(
                place,
                Measurement(
                    quantity=name,
                    value=meaning.centre(amount),
                    unit=meaning.parameter.unit,
                    low=None if exact else low,
                    high=None if exact else high,
                    method="stated",
                    text=text,
                ),
            )
            return
        low, high = meaning.ends(amount, vary, text)
        if clause.has("fixed") and low != high:
            what = f"{name} cannot be fixed and have a range in '{text}'"
            raise UserError(what, "request", hint="say one value, or leave out 'fixed'")
        self._statements.state(place, name, low, high, text)
        if amount.about and amount.form == "point":
            self._statements.note(f"'{text}' was read as within {ABOUT:.0%} of it")
        elif low == high and name not in NOISE and not clause.has("fixed", "keep"):
            self._statements.note(
                f"one value of {name} was said, so it is held there; say 'measured' for a window around it, or a range"
            )

    def _refuse_unfit(self, clause: Clause, item: Item, meanings: list[Meaning], task_words: bool) -> None:
        """A value that stands with a quantity and cannot be one of it is a mistake, not something to skip."""
        taken = {o.amount for o in clause.items if o.used and o.kind == "amount"}
        if taken and clause.has("vary", "keep", "fixed"):
            return
        for side in (clause.behind(item), clause.before(item)):
            for other in side:
                if other.kind == "quantity":
                    break
                amount = other.amount
                if other.kind != "amount" or other.used or amount is None:
                    continue
                if (task_words and amount.powers == LENGTH) or (amount.plain and amount.spelled):
                    continue
                self._raise_unfit(clause, item, other, amount, meanings)

    def _raise_unfit(self, clause: Clause, item: Item, other: Item, amount: Amount, meanings: list[Meaning]) -> None:
        start, end = min(item.start, other.start), max(item.end, other.end)
        text = self._text[start:end]
        valid = [unit for m in meanings for unit in units_for(unit_of(m.unit).powers)]
        if amount.plain:
            unknown = next((o for o in clause.behind(other)), None)
            if unknown is not None and unknown.kind == "word":
                raise UserError(
                    f"unknown unit '{unknown.word}' in '{self._text[start : unknown.end]}'", "request", valid
                )
            raise UserError(f"{item.word} needs a unit in '{text}'", "request", valid)
        if amount.percent:
            what = f"'{text}' does not say what it is a percentage of"
            raise UserError(what, "request", hint=f"e.g. {item.word} +-20 % of nominal, or a value with a unit")
        needed = " or ".join(kind_of(unit_of(m.unit).powers) for m in meanings)
        what = f"{item.word} is {needed}, but '{other.word}' in '{text}' is {describe(amount)}"
        raise UserError(what, "request", valid)

    def _continue(self, clause: Clause) -> None:
        """'friction at least 0.5 and at most 1.2', 'delay is 8 to 18 ms, measured as 11 ms': the quantity goes on."""
        if self._last is None or clause.after is not self._last[0] or clause.has("quantity", "count", "vary", "keep"):
            return
        first = next((i for i in clause.items if i.kind not in ("filler", "copula", "mark", "measured")), None)
        item, amount = self._last[1], first.amount if first else None
        if first is None or first.kind != "amount" or first.used or amount is None:
            return
        meaning = next((m for m in self.meanings(item.quantity) if m.fits(amount, False)), None)
        interval = self._last[0].has("measured") and amount.form == "range"
        if meaning is not None and not interval:
            self._state(clause, meaning, amount, first.start, item.start, first.end)
            first.used = True
            self._last = (clause, item)


_BOUNDS: dict[str, Form] = {
    **dict.fromkeys(("min", "minimum", "minimal", "lowest", "smallest"), "at_least"),
    **dict.fromkeys(("max", "maximum", "maximal", "highest", "largest"), "at_most"),
}


def _bounded(clause: Clause, item: Item, amount: Amount) -> Amount:
    """'the maximum allowed friction is 1.2', 'friction maximum 1.2': a word beside the quantity makes it a bound."""
    ahead = takewhile(lambda other: other.kind == "word", clause.before(item))
    for beside in (*ahead, next(clause.behind(item), None)):
        if beside is not None and beside.kind == "word" and beside.word in _BOUNDS and amount.form == "point":
            beside.used = True
            return replace(amount, form=_BOUNDS[beside.word])
    return amount


def _free(item: Item, meanings: list[Meaning], vary: bool) -> bool:
    amount = item.amount
    if item.kind != "amount" or item.used or amount is None:
        return False
    if amount.plain and amount.spelled:
        return False  # 'half the friction', 'one friction': no value
    return any(m.fits(amount, vary) for m in meanings)
