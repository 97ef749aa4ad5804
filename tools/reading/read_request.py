"""The built-in planner's understanding of a request: rules and a vocabulary, not a language model.

Every word ends in one of three places: it was read (`readings`), it carries nothing by itself (articles and the like),
or it is handed back verbatim in `not_understood`. What contradicts itself or physics is an error; nothing is guessed.
"""

from collections.abc import Mapping

from sim.tasks import Task
from store.errors import UserError
from store.records import Parameter
from tools.reading.budgets import Spending, read_no_rounds, read_spending
from tools.reading.carry import carry
from tools.reading.clauses import Clause, Item, split
from tools.reading.quantities import Linker
from tools.reading.statements import Statements
from tools.reading.tasks import read_goal, read_robot, read_task_words, tasks_named
from tools.reading.vocabulary import SPOKEN, TASK_WORDS
from tools.understanding import Understanding

EXAMPLE = "Push the puck 10 cm with one finger. Friction is 0.5 to 1.2, the servo delay was measured at 11 ms."
"""A request that works, shown with every one that does not."""
LONGEST = 10_000
"""Characters in a request."""
_SILENT = ("filler", "copula", "mark", "courtesy")


def read_request(text: str, tasks: Mapping[str, Task], *, task: str | None = None) -> Understanding:
    """Read a request by rules.

    Args:
        text: the person's words, in English.
        tasks: the tasks that there are, by name.
        task: task given on the command line; it beats the words.

    Raises:
        UserError: no task in it, or it contradicts itself, a unit or a hard bound.
    """
    _check_text(text, tasks)
    if task is not None and task not in tasks:
        raise UserError(f"unknown task '{task}'", "--task", sorted(tasks), "regrasp tasks lists them")
    every = {name: p for facts in tasks.values() for name, p in facts.parameters.items() if name in SPOKEN}
    named = _named(split(text, every), tasks)
    chosen = task or named
    parameters = {n: p for n, p in tasks[chosen].parameters.items() if n in SPOKEN} if chosen else every
    clauses = split(text, parameters)
    carry(clauses)
    statements, spending = Statements(parameters), Spending()
    if task and named and task != named:
        statements.note(f"--task {task} overrides the task of the request, {named}")
    goal, others = _read(text, clauses, chosen, tasks, parameters, statements, spending)
    if chosen is None:
        raise _no_task(tasks, statements)
    if named:
        statements.reading(-1, named, f"task: {chosen}")
    for name in _unavailable(clauses, parameters):
        statements.note(f"{chosen} has no parameter for '{name}'")
    return Understanding(
        request=text,
        task=chosen,
        goal=goal,
        stated=statements.stated,
        measurements=statements.measurements,
        held=statements.held,
        varied=statements.varied,
        others=others,
        minutes=spending.minutes,
        rollouts=spending.rollouts,
        pilot_rollouts=spending.pilot_rollouts,
        rounds=spending.rounds,
        seed=spending.seed,
        driver=spending.driver,
        readings=statements.readings,
        not_understood=tuple(_rest(text, clauses)),
        notes=tuple(statements.notes),
    )


def _check_text(text: str, tasks: Mapping[str, Task]) -> None:
    if not text.strip():
        raise UserError("the request is empty", "request", sorted(tasks), f'for example: regrasp run "{EXAMPLE}"')
    if len(text) > LONGEST:
        raise UserError(f"the request has {len(text)} characters", "request", f"at most {LONGEST}")
    if any("\ud800" <= c <= "\udfff" for c in text):
        raise UserError("the request is not valid Unicode", "request")


def _named(clauses: list[Clause], tasks: Mapping[str, Task]) -> str | None:
    """The one task that the words name.

    Raises:
        UserError: they name several.
    """
    carry(clauses)
    found = sorted({name for clause in clauses if not clause.denied for name in tasks_named(clause, tasks)})
    if len(found) > 1:
        raise UserError(
            f"the request names several tasks: {', '.join(found)}", "request", sorted(tasks), "one a request"
        )
    return found[0] if found else None


def _read(
    text: str,
    clauses: list[Clause],
    task: str | None,
    tasks: Mapping[str, Task],
    parameters: Mapping[str, Parameter],
    statements: Statements,
    spending: Spending,
) -> tuple[dict[str, float], bool]:
    """Read every clause; returns the goal, and whether parameters that were not named may be varied."""
    linker = Linker(text, parameters, statements)
    goal: dict[str, float] = {}
    others = True
    for clause in clauses:
        read_no_rounds(text, clause, spending, statements)
        others = _read_verbs(text, clause, linker, statements) and others
        if clause.denied or clause.has("other"):
            for item in clause.all("other"):
                statements.note(f"'{item.word}' was not read: {item.reason}")
            clause.denied = True
            continue
        read_spending(text, clause, spending, statements)
        named = read_task_words(text, clause, task, tasks)
        read_robot(text, clause, task, tasks, statements)
        object_words = named or (task in TASK_WORDS and any(i.word in TASK_WORDS[task][1] for i in clause.items))
        before = len(statements.readings)
        linker.link(clause, named)
        linker.imply(clause, bool(object_words))
        if len(statements.readings) > before:
            _settle(clause)
        read_goal(text, clause, task, named, goal, statements)
        for item in clause.all("courtesy"):
            item.used = True
            statements.reading(item.start, text[item.start : item.end], "courtesy")
    return goal, others


def _read_verbs(text: str, clause: Clause, linker: Linker, statements: Statements) -> bool:
    """Quantities that are held or varied without a value; returns False where the clause excludes all others."""
    quantities = [i for i in clause.all("quantity") if linker.meanings(i.quantity)]
    bare = not clause.amounts()
    start, end = clause.items[0].start, clause.items[-1].end
    text = text[start:end].strip()
    if clause.has("else"):
        held = clause.has("fixed", "keep") or (clause.has("not") and clause.has("vary"))
        nothing = any(i.word == "nothing else" for i in clause.all("else"))
        if (held != nothing) or (nothing and not clause.has("fixed", "keep")):
            _use(clause, "else", "fixed", "keep", "not", "vary")
            statements.reading(start, text, "no other parameter is varied")
            clause.denied = clause.denied and bool(clause.all("not"))
            return False
        return True
    denied_vary = clause.has("not") and clause.has("vary")
    verb = clause.verb or (
        "held" if denied_vary or clause.has("fixed", "keep") else "vary" if clause.has("vary") else ""
    )
    only = next((i for i in clause.all("word") if i.word in ("only", "solely", "exclusively")), None)
    if not (bare and quantities and verb) or (clause.has("not") and not (denied_vary or clause.verb == "held")):
        return True
    for item in quantities:
        names = {m.parameter.name for m in linker.meanings(item.quantity)}
        for name in sorted(names):
            (statements.hold if verb == "held" else statements.vary)(item.start, name, text)
        item.used = True
    _use(clause, "vary", "fixed", "keep", "not")
    clause.denied = False
    if only is not None and verb == "vary":
        only.used = True
        statements.reading(only.start, text, "no other parameter is varied")
        return False
    return True


def _use(clause: Clause, *kinds: str) -> None:
    for item in clause.all(*kinds):
        item.used = True


def _settle(clause: Clause) -> None:
    """Words that only qualify the parameters read from their clause count as read."""
    _use(clause, "measured", "keep", "fixed", "vary")
    modifiers = {word for i in clause.items if i.used and i.quantity for word in i.quantity.modifiers}
    for item in clause.all("word"):
        item.used = item.word in modifiers


def _unavailable(clauses: list[Clause], parameters: Mapping[str, Parameter]) -> list[str]:
    """Quantity words whose parameters the task does not have."""
    words = [i for clause in clauses for i in clause.all("quantity") if i.quantity]
    return sorted({i.word for i in words if i.quantity and not any(r[0] in parameters for r in i.quantity.readings)})


def _rest(text: str, clauses: list[Clause]) -> list[str]:
    """What nothing was made of, verbatim: whole clauses, or the words left over in one."""
    rest: list[tuple[int, int, Clause | None]] = []
    for clause in clauses:
        whole = clause.denied or not any(i.used for i in clause.items)
        if not whole:
            rest.extend((start, end, None) for start, end in _left_over(clause))
        elif rest and rest[-1][2] is not None and rest[-1][2] is clause.after:
            rest[-1] = (rest[-1][0], clause.items[-1].end, clause)
        else:
            rest.append((clause.items[0].start, clause.items[-1].end, clause))
    return [text[start:end].strip() for start, end, _ in rest]


def _left_over(clause: Clause) -> list[tuple[int, int]]:
    """Runs of words that were not used, with the small words that lead into them."""
    runs: list[tuple[int, int]] = []
    lead: Item | None = None
    going = False
    for item in clause.items:
        if item.used:
            lead, going = None, False
        elif item.kind in _SILENT:
            lead = lead or (None if going else item)
        elif going:
            runs[-1] = (runs[-1][0], item.end)
        else:
            runs.append(((lead or item).start, item.end))
            lead, going = None, True
    return runs


def _no_task(tasks: Mapping[str, Task], statements: Statements) -> UserError:
    meanings = dict.fromkeys(reading.meaning for reading in statements.readings if reading.meaning != "courtesy")
    understood = "; ".join(list(meanings)[:12])
    what = f"understood: {understood or 'nothing'}; missing: a task, which nothing in the request names"
    return UserError(what, "request", sorted(tasks), f'for example: "{EXAMPLE}"')
