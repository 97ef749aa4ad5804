"""Budgets, seeds and drivers in a request."""

import re
from dataclasses import dataclass
from itertools import takewhile

from store.errors import UserError
from store.units import TIME
from tools.reading.amounts import Amount
from tools.reading.carry import no_rounds
from tools.reading.clauses import Clause, Item
from tools.reading.statements import Statements
from tools.reading.vocabulary import BUDGET, COUNT_ADJECTIVES, COUNTS, DRIVERS, EACH, NO_BUDGET

LARGEST = {"seed": 9_999, "rounds": 60, "pilot_rollouts": 4096, "rollouts": 1_000_000}
"""As the run's own options."""
TOTAL = frozenset({"budget", "altogether", "total", "overall", "spend"})
"""Words that make a number of rollouts the whole run's."""
LEAST_SECONDS = 60.0
"""A time in seconds below it is that of a motion, not of a run."""
_DRIVER = re.compile(r"(?:\s*[=:]\s*|\s+)(?:is\s+|the\s+)?([A-Za-z_][\w.]*(?::[A-Za-z_]\w*)?)")


@dataclass
class Spending:
    """What a run may use, as far as the request says so."""

    minutes: float | None = None
    rollouts: int | None = None
    pilot_rollouts: int | None = None
    rounds: int | None = None
    seed: int | None = None
    driver: str | None = None

    def put(self, name: str, value: float | str, text: str) -> None:
        """Set a field once; a second, different value is a contradiction."""
        old = getattr(self, name)
        if old is not None and old != value:
            raise UserError(
                f"two different values of {name}: {old} and {value}, in '{text}'", "request", hint="say one"
            )
        setattr(self, name, value)


def read_spending(text: str, clause: Clause, spending: Spending, statements: Statements) -> None:
    """Take budgets, seed and driver out of a clause, marking what was used."""
    _seed(text, clause, spending, statements)
    _driver(text, clause, spending, statements)
    if any(item.word in NO_BUDGET for item in clause.items):
        return
    counted = _counts(text, clause, spending, statements)
    timed = _minutes(text, clause, spending, statements)
    if counted or timed:
        for item in clause.all("word"):
            item.used = item.word in BUDGET


def _seed(text: str, clause: Clause, spending: Spending, statements: Statements) -> None:
    for item in clause.all("word"):
        if item.word != "seed":
            continue
        number = next((o for o in clause.behind(item) if o.kind not in ("mark", "copula", "filler")), None)
        if number is None or number.amount is None or number.used:
            continue
        shown = text[item.start : number.end]
        value = _whole(number.amount, "seed", shown, 0)
        if value is None:
            continue
        _take(statements, spending, "seed", value, shown, item, number)


def _driver(text: str, clause: Clause, spending: Spending, statements: Statements) -> None:
    for item in clause.all("word"):
        if item.word in DRIVERS:
            _take(statements, spending, "driver", item.word, text[item.start : item.end], item)
    for item in clause.all("word"):
        if item.word != "driver":
            continue
        if spending.driver is not None and any(o.used and o.word in DRIVERS for o in clause.items):
            item.used = True
            continue
        match = _DRIVER.match(text, item.end)
        if match is None:
            continue
        name = match.group(1)
        if ":" not in name:
            raise UserError(f"unknown driver '{name}'", "request", (*DRIVERS, "module:Class"))
        inside = [o for o in clause.items if match.start() <= o.start and o.end <= match.end()]
        _take(statements, spending, "driver", name, text[item.start : match.end()], item, *inside)


def _counts(text: str, clause: Clause, spending: Spending, statements: Statements) -> bool:
    found = False
    for item in clause.all("count"):
        name = next(name for name, words in COUNTS.items() if item.word in words)
        number, between = _number_near(clause, item)
        if number is None or number.amount is None:
            continue
        each = _each(clause, item)
        total = number.amount.form == "at_most" or _of_the_whole(clause)
        field = "pilot_rollouts" if name == "rollouts" and (each or not total) else name
        if field == "pilot_rollouts" and not each:
            statements.note("rollouts were read as those of each pilot; say 'at most' to limit the whole run")
        words = COUNTS[name]
        same = takewhile(lambda other, words=words: other.word in words, clause.behind(item))  # '2 repair rounds'
        shown = text[min(item.start, number.start) : max(item.end, number.end)]
        value = _whole(number.amount, item.word, shown, 0 if name == "rounds" else 1)
        if value is not None:
            _take(statements, spending, field, value, shown, item, number, *between, *each, *same)
            found = True
    return found


def read_no_rounds(text: str, clause: Clause, spending: Spending, statements: Statements) -> None:
    """Take 'no repairs' and 'without repair rounds' out of a clause: a denial that is a number."""
    items = no_rounds(clause)
    if items and not items[0].used:
        _take(statements, spending, "rounds", 0, text[items[0].start : items[-1].end], *items)


def _number_near(clause: Clause, item: Item) -> tuple[Item | None, list[Item]]:
    """The number that counts a noun: before it ('20 real rollouts') or after it ('rounds: 2'), and what is between."""
    between: list[Item] = []
    for other in clause.before(item):
        if other.kind == "amount":
            return (None, []) if other.used else (other, between)
        if other.word not in COUNT_ADJECTIVES and other.kind != "count":
            break
        between.append(other)
    if not item.word.endswith("s"):
        return None, []  # 'round 2' and 'pilot 3' are names, not numbers of them
    for other in clause.behind(item):
        if other.kind == "amount":
            return (None, []) if other.used else (other, [])
        if other.kind not in ("mark", "copula"):
            break
    return None, []


def _of_the_whole(clause: Clause) -> bool:
    """Whether a budget of the whole run is spelled out here: 'budget: 2 h, 200 rollouts, 3 rounds'."""
    said: Clause | None = clause
    while said is not None:
        if any(item.word in TOTAL for item in said.items):
            return True
        said = said.after
    return False


def _each(clause: Clause, item: Item) -> list[Item]:
    """Items that say 'for each pilot': '50 rollouts per pilot', '50 rollouts each'."""
    words: list[Item] = []
    for other in clause.behind(item):
        if other.word not in EACH:
            break
        words.append(other)
    said = {o.word for o in words}
    return words if said & {"each", "every", "per"} or said >= {"a", "pilot"} or said >= {"a", "round"} else []


def _minutes(text: str, clause: Clause, spending: Spending, statements: Statements) -> bool:
    found = False
    for item in clause.amounts():
        amount = item.amount
        if amount is None or amount.powers != TIME or amount.unit is None or amount.form not in ("point", "at_most"):
            continue
        before = next(clause.before(item), None)
        long = amount.unit.factor >= 60
        said = before is not None and (before.word in ("in", "within") or (before.word == "for" and long))
        budget = said or any(o.word in BUDGET for o in clause.items)
        if not (long and (budget or not clause.has("quantity"))) and not (budget and amount.unit.factor >= 1):
            continue
        shown = text[item.start : item.end]
        if amount.unit.factor < 60 and 0 < amount.high < LEAST_SECONDS:
            statements.note(f"'{shown}' is too short for a whole run, so it was not read as its time")
            continue
        if amount.high <= 0:
            raise UserError(f"no time is left in '{shown}'", "request", "more than 0 minutes")
        _take(statements, spending, "minutes", round(amount.high / 60, 9), shown, item)
        found = True
    return found


def _whole(amount: Amount, name: str, text: str, least: int) -> int | None:
    """The whole number of an amount; None for a form that a count cannot take, such as 'at least'."""
    if not amount.plain or amount.form not in ("point", "at_most"):
        return None
    if amount.high != int(amount.high) or amount.high < least:
        raise UserError(f"{name} has to be a whole number from {least} up in '{text}'", "request")
    return int(amount.high)


def _take(statements: Statements, spending: Spending, name: str, value: float | str, text: str, *items: Item) -> None:
    most = LARGEST.get(name)
    if most is not None and isinstance(value, int) and value > most:
        raise UserError(f"'{text}' is too many", "request", f"{name.replace('_', ' ')} up to {most}")
    spending.put(name, value, text)
    for item in items:
        item.used = True
    shown = f"{value:g}" if isinstance(value, float) else str(value)
    statements.reading(min(item.start for item in items), text, f"{name.replace('_', ' ')}: {shown}")
