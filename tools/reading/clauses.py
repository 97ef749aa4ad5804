"""Sentences cut into clauses, and clauses into items: amounts, quantities and words that steer how they are read."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field

from store.records import Parameter
from store.units import MASS, unit_of
from tools.reading.amounts import Amount, find_amounts
from tools.reading.tokens import Token, tokenise
from tools.reading.vocabulary import (
    APART,
    COPULA,
    COUNTS,
    COURTESY,
    ELSE,
    FILLER,
    FIXED,
    INEXACT,
    KEEP,
    MEASURED,
    NOT,
    OTHER_QUANTITIES,
    QUANTITIES,
    ROBOT_WORDS,
    VARY,
    Quantity,
)

_Phrases = dict[tuple[str, ...], tuple[str, Quantity | None, str]]
"""Words of a phrase -> its kind, quantity and reason."""

_KINDS: tuple[tuple[str, Collection[str]], ...] = (
    ("not", NOT),
    ("measured", MEASURED),
    ("vary", VARY),
    ("keep", KEEP),
    ("fixed", FIXED),
    ("courtesy", COURTESY),
    ("copula", COPULA),
    ("filler", FILLER),
)
_CUTS = frozenset({",", "and", "or", "but", "while", "whereas", "–", "—", "-", "+", "•", "&"})
_OPENERS = frozenset({"without", "no", "except", "unless", "if", "instead"})
"""Words that begin a clause of their own: what they deny or limit stands behind them."""
_CALC = frozenset("/·*^×÷")
VERBS = ("copula", "vary", "keep", "fixed", "measured", "not")
"""Items that make a clause stand on its own; one without any goes on with what was said before."""


@dataclass(eq=False)
class Item:
    """Neighbouring tokens with one role."""

    kind: str
    start: int
    """First character in the request."""
    end: int
    word: str
    amount: Amount | None = None
    quantity: Quantity | None = None
    reason: str = ""
    """Why a quantity cannot be read, for kind 'other'."""
    used: bool = False


@dataclass(eq=False)
class Clause:
    """Items between two commas, 'and's or stops."""

    items: list[Item]
    sentence: int
    cut: str
    """What stood before it; '' at the start of a sentence."""
    measured: bool = False
    """Whether its values are measurements although it does not say so itself."""
    verb: str = ""
    """'vary' or 'held' taken over from a neighbour for quantities without values."""
    denied: bool = False
    """Whether a denial that no rule covers makes it unreadable."""
    after: "Clause | None" = field(default=None, repr=False)
    """The clause before it in the same sentence."""

    def all(self, *kinds: str) -> list[Item]:
        """Items of these kinds that nothing has used yet."""
        return [item for item in self.items if item.kind in kinds and not item.used]

    def has(self, *kinds: str) -> bool:
        """Whether it holds an item of these kinds, used or not."""
        return any(item.kind in kinds for item in self.items)

    def amounts(self) -> list[Item]:
        """Amounts that nothing has used yet."""
        return self.all("amount")

    def before(self, item: Item) -> Iterator[Item]:
        """Items before one, nearest first."""
        return reversed(self.items[: self.items.index(item)])

    def behind(self, item: Item) -> Iterator[Item]:
        """Items after one, nearest first."""
        return iter(self.items[self.items.index(item) + 1 :])


def split(text: str, parameters: Mapping[str, Parameter]) -> list[Clause]:
    """All clauses of a request.

    Args:
        text: the request.
        parameters: parameters of the tasks; each can be named as it is.
    """
    tokens = tokenise(text)
    phrases = _phrases(parameters)
    amounts = {amount.first: amount for amount in find_amounts(text, tokens)}
    clauses: list[Clause] = []
    items: list[Item] = []
    sentence, cut, at = 0, "", 0

    def close(mark: str, stop: bool) -> None:
        nonlocal items, sentence, cut
        if any(item.kind != "mark" for item in items):
            clauses.append(Clause(items, sentence, cut))
            cut = mark
        elif not cut:
            cut = mark if clauses and clauses[-1].sentence == sentence else ""
        items = []
        if stop:
            sentence, cut = sentence + 1, ""

    while at < len(tokens):
        token = tokens[at]
        if at in amounts:
            items.append(_amount_item(text, tokens, amounts[at]))
            at = amounts[at].last
        elif token.kind == "stop" or token.word in _CUTS:
            close(token.word, token.kind == "stop")
            at += 1
        else:
            if token.word in _OPENERS:
                close(token.word, False)
            item, at = _item(text, tokens, at, phrases)
            items.append(item)
    close("", True)
    for previous, clause in zip(clauses, clauses[1:], strict=False):
        clause.after = previous if previous.sentence == clause.sentence else None
    merged = _merged(clauses)
    for clause in merged:
        _set_apart(clause)
    return merged


def _set_apart(clause: Clause) -> None:
    """Make words of single numbers that are no values: 'friction error 0.1', 'delay grew by 5 ms', 'add 50 g'."""
    apart = any(item.word in APART for item in clause.items) or any(
        _of_robot(clause, i) for i in clause.all("quantity")
    )
    kinds = {unit_of(unit).powers for i in clause.all("quantity") if i.quantity for _, unit, _ in i.quantity.readings}
    for item in clause.amounts():
        amount, before = item.amount, next(clause.before(item), None)
        if amount is None or amount.form != "point" or amount.percent:
            continue
        by = before is not None and before.word == "by" and amount.powers in kinds
        if by or (apart and (amount.powers in kinds or amount.powers == MASS)):
            item.kind = "word"


def _of_robot(clause: Clause, item: Item) -> bool:
    """'the hand weighs 1 kg', 'the mass of the finger': only the object's mass is a parameter."""
    if item.quantity is None or item.quantity.name != "mass":
        return False
    sides = (clause.before(item), clause.behind(item))
    beside = [next((o for o in side if o.kind not in ("filler", "copula")), None) for side in sides]
    return any(o is not None and o.word in ROBOT_WORDS for o in beside)


def _phrases(parameters: Mapping[str, Parameter]) -> _Phrases:
    named = {quantity.name: quantity for quantity in QUANTITIES}
    phrases: _Phrases = {}
    for name, parameter in parameters.items():
        quantity = named.get(name) or Quantity(name, (), ((name, parameter.unit, False),))
        phrases[tuple(name.split("_"))] = phrases[(name,)] = ("quantity", quantity, "")
    for quantity in QUANTITIES:
        phrases.update({tuple(phrase.split()): ("quantity", quantity, "") for phrase in quantity.phrases})
    phrases.update({tuple(phrase.split()): ("other", None, reason) for phrase, reason in OTHER_QUANTITIES.items()})
    phrases.update({tuple(phrase.split()): ("else", None, "") for phrase in ELSE})
    return phrases


def _item(text: str, tokens: list[Token], at: int, phrases: _Phrases) -> tuple[Item, int]:
    for length in (4, 3, 2, 1):
        words = tuple(token.word for token in tokens[at : at + length])
        if len(words) == length and words in phrases:
            kind, quantity, reason = phrases[words]
            start, end = tokens[at].start, tokens[at + length - 1].end
            return Item(kind, start, end, " ".join(words), quantity=quantity, reason=reason), at + length
    token = tokens[at]
    if token.kind == "mark" and token.word != "=":
        return Item("mark", token.start, token.end, token.word), at + 1
    count = next((name for name, words in COUNTS.items() if token.word in words), None)
    kind = "count" if count else next((kind for kind, words in _KINDS if token.word in words), "word")
    return Item(kind, token.start, token.end, token.word), at + 1


def _amount_item(text: str, tokens: list[Token], amount: Amount) -> Item:
    start, end = tokens[amount.first].start, tokens[amount.last - 1].end
    before = tokens[amount.first - 1] if amount.first else None
    behind = tokens[amount.last] if amount.last < len(tokens) else None
    # '2/3', '3 m/s^2' and 'twice 0.8' are not the number that stands there
    changed = (before is not None and (before.word in INEXACT or (before.word in _CALC and before.end == start))) or (
        behind is not None and (behind.word in INEXACT or (behind.word in _CALC and behind.start == end))
    )
    return Item("word" if changed else "amount", start, end, text[start:end].lower(), amount=amount)


def _merged(clauses: list[Clause]) -> list[Clause]:
    """Clauses joined where a comma only pauses: 'friction, 0.5 to 1.2' and '11 ms, as measured'."""
    out: list[Clause] = []
    for clause in clauses:
        previous = out[-1] if out and clause.after is not None else None
        carried = {item.kind for item in clause.items} - {"filler", "copula", "mark"}
        if previous is not None and clause.cut not in ("and", "or"):
            bare = {item.kind for item in previous.items} - {"filler", "mark", "word"} == {"quantity"}
            names_one = len(previous.all("quantity")) == 1 and not any(i.kind == "word" for i in previous.items)
            if (carried == {"measured"} and previous.has("amount")) or (
                bare and names_one and carried in ({"amount"}, {"amount", "measured"})
            ):
                previous.items.extend(clause.items)
                continue
        clause.after = previous
        out.append(clause)
    return out
