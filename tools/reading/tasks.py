"""The task, its robot and its goal in a request."""

from collections.abc import Mapping
from itertools import takewhile

from sim.tasks import Task
from store.errors import UserError
from store.units import spell, units_for
from tools.reading.amounts import Amount
from tools.reading.clauses import Clause, Item
from tools.reading.statements import Statements
from tools.reading.vocabulary import GOALS, NOT_UNITS, ONE, ROBOT_WORDS, TASK_WORDS, Goal

_WITH = frozenset({"with", "using", "by"})
_PRECISION = frozenset({"tolerance", "accuracy", "precision", "accurate", "clearance"})
"""Words that make a length something other than how far to go."""
_SIZES = frozenset({"diameter", "radius", "wide", "width", "thick", "thickness", "tall", "height", "high", "long",
                    "size", "sized"})  # fmt: skip
_OBJECTS = frozenset({"puck", "disc", "disk", "object"})
"""A length right before one of these, or beside one of the words above, is how large it is."""


def tasks_named(clause: Clause, tasks: Mapping[str, Task]) -> set[str]:
    """Tasks that a clause names, by name or by a word of the vocabulary."""
    return {name for name in tasks if _name_items(clause, name) or _word_items(clause, name)}


def read_task_words(text: str, clause: Clause, task: str | None, tasks: Mapping[str, Task]) -> bool:
    """Use the words of a clause that name the task; returns whether there were any."""
    if task is None:
        return False
    items = [*_name_items(clause, task), *_word_items(clause, task)]
    beside = TASK_WORDS[task][1] if task in TASK_WORDS else frozenset[str]()
    for item in items:
        item.used = True
    if items:
        for item in clause.all("word"):
            item.used = item.word in beside or (item.word == "task")
    return bool(items)


def _name_items(clause: Clause, name: str) -> list[Item]:
    """Items that spell a task's name: 'finger_push', 'finger-push' or 'finger push'."""
    words = name.split("_")
    for at, item in enumerate(clause.items):
        if item.word == name:
            return [item]
        if [i.word for i in clause.items[at : at + len(words)]] == words:
            return clause.items[at : at + len(words)]
    return []


def _word_items(clause: Clause, name: str) -> list[Item]:
    naming = TASK_WORDS[name][0] if name in TASK_WORDS else frozenset[str]()
    return [item for item in clause.items if item.word in naming]


def read_robot(text: str, clause: Clause, task: str | None, tasks: Mapping[str, Task], statements: Statements) -> None:
    """Use 'with one finger'; a robot that the task does not have is a mistake.

    Raises:
        UserError: the request names another robot.
    """
    for item in clause.all("word"):
        if item.word not in ROBOT_WORDS:
            continue
        kind: list[Item] = []
        preposition: Item | None = None
        for other in clause.before(item):
            if other.word in _WITH:
                preposition = other
                break
            loose = other.kind == "filler" and other.word not in ONE
            if other.used or loose or len(kind) == 4 or other.kind not in ("word", "amount", "filler"):
                break
            kind.append(other)
        own = task is not None and item.word in tasks[task].robot.split("_") and all(i.word in ONE for i in kind)
        start = (preposition or (kind[-1] if kind else item)).start
        shown = text[start : item.end]
        if own and not (clause.has("quantity") and preposition is None):
            for used in (item, *kind):
                used.used = True
            if preposition is not None:
                preposition.used = True
            statements.reading(start, shown, f"robot: {item.word}")
        elif preposition is not None and not own and task is not None:
            name = shown.removeprefix(text[preposition.start : preposition.end]).strip()
            raise UserError(f"{task} has no robot '{name}'", "request", sorted({t.robot for t in tasks.values()}))


def read_goal(
    text: str, clause: Clause, task: str | None, named: bool, goal: dict[str, float], statements: Statements
) -> None:
    """Use the amount that sets the task's goal: 'push the puck 10 cm', 'a distance of 10 cm'.

    Raises:
        UserError: it is out of reach, has no unit or an unknown one, or a second one disagrees.
    """
    setting = GOALS.get(task or "")
    if setting is None:
        return
    words = [i for i in clause.all("word") if i.word in setting.phrases]
    if not (named or words):
        return
    for item in clause.amounts():
        amount, before = item.amount, next(clause.before(item), None)
        if amount is None or (amount.powers != setting.powers and not amount.plain):
            continue
        if (before is not None and before.word == "within") or any(i.word in _PRECISION for i in clause.items):
            continue
        if _is_size(clause, item):
            continue
        if amount.plain:
            _refuse_plain(text, clause, item, amount, setting, bool(words))
            continue
        shown = text[item.start : item.end]
        if amount.form != "point":
            statements.note(f"{setting.name} takes one value, so '{shown}' was not read")
            continue
        if not setting.low <= amount.low <= setting.high:
            bounds = spell((setting.low, setting.high), "m")
            raise UserError(f"{setting.name} {shown} is out of reach", "request", f"{setting.name} from {bounds}")
        if goal.setdefault(setting.name, amount.low) != amount.low:
            raise UserError(
                f"two different values of {setting.name}, the second is '{shown}'", "request", hint="say one"
            )
        for used in (item, *words):
            used.used = True
        if amount.about:
            statements.note(f"'{shown}' was read as exactly that")
        statements.reading(item.start, shown, f"{setting.name}: {spell((amount.low,), 'm')}")


def _is_size(clause: Clause, item: Item) -> bool:
    """'a 6 cm puck', 'a 6 cm wide puck', 'a puck of 6 cm diameter', 'a diameter of 6 cm': a length of the object."""
    behind = next((o for o in clause.behind(item) if o.kind != "mark"), None)
    before = list(takewhile(lambda o: o.kind in ("mark", "filler", "copula") or o.word in _SIZES, clause.before(item)))
    said_before = len(before) > 1 and before[0].word not in _SIZES and any(o.word in _SIZES for o in before)
    return said_before or (behind is not None and (behind.word in _SIZES or behind.word in _OBJECTS))


def _refuse_plain(text: str, clause: Clause, item: Item, amount: Amount, setting: Goal, words: bool) -> None:
    """A bare number where a length belongs is a mistake, unless it counts or names something or is an article."""
    if next((o.kind for o in clause.before(item)), "") == "count":
        return  # 'as in round 2'
    behind = next((o for o in clause.behind(item) if o.kind != "mark"), None)
    if amount.spelled or (behind is not None and (behind.used or behind.kind == "count" or behind.word in NOT_UNITS)):
        return
    valid = units_for(setting.powers)
    if behind is not None and behind.kind == "word":
        shown = text[item.start : behind.end]
        raise UserError(f"unknown unit '{text[behind.start : behind.end]}' in '{shown}'", "request", valid)
    if behind is None or words:
        raise UserError(f"{setting.name} needs a unit in '{text[item.start : item.end]}'", "request", valid)
