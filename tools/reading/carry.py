"""What a clause takes over from its neighbours in the sentence: 'measured', a denial, or a verb."""

from tools.reading.clauses import VERBS, Clause, Item
from tools.reading.vocabulary import COUNTS


def carry(clauses: list[Clause]) -> None:
    """Mark in each clause what the clauses around it say of it as well, and deny what a denial covers."""
    for clause in clauses:
        number = no_rounds(clause)
        clause.denied = any(item.kind == "not" and item not in number for item in clause.items)
        before = clause.after
        if before is None or clause.has("count"):
            continue
        if not clause.has(*VERBS):
            clause.denied = clause.denied or (before.denied and clause.has("amount", "quantity"))
            clause.measured = _measures_ahead(before) or before.measured
            if not clause.has("amount") and clause.has("quantity"):
                clause.verb = _verb(before)
    _backwards(clauses)


def no_rounds(clause: Clause) -> list[Item]:
    """The items of 'no repairs' or 'without repair rounds': a denial that is a number."""
    for at, item in enumerate(clause.items):
        if item.word not in ("no", "without"):
            continue
        end = at + 1
        while end < len(clause.items) and clause.items[end].word in {"a", "any", "further", *COUNTS["rounds"]}:
            end += 1
        if clause.items[end - 1].word in COUNTS["rounds"]:
            return clause.items[at:end]
    return []


def _measures_ahead(clause: Clause) -> bool:
    """Whether 'measured' stands before the quantity, so that it goes on to the next one: 'we measured friction 0.8'."""
    for item in clause.items:
        if item.kind == "measured":
            return True
        if item.kind == "quantity":
            return False
    return False


def _verb(clause: Clause) -> str:
    if clause.verb:
        return clause.verb
    if not clause.has("quantity") or clause.has("amount"):
        return ""
    if clause.has("keep", "fixed") or (clause.has("not") and clause.has("vary")):
        return "held"
    return "vary" if clause.has("vary") and not clause.has("not") else ""


def _backwards(clauses: list[Clause]) -> None:
    """'mass and friction are fixed', 'friction 0.8 and delay 11 ms were measured': the end speaks for all before it."""
    for clause in reversed(clauses):
        before = clause.after
        if before is None or before.has(*VERBS) or before.has("count"):
            continue
        verb = _verb(clause)
        if verb and not before.has("amount") and before.has("quantity") and not before.verb:
            before.verb = verb
        plural = any(item.word in ("were", "both", "all", "are") for item in clause.items)
        if before.has("amount") and before.has("quantity") and not before.measured:
            before.measured = (clause.has("measured") and plural) or (clause.measured and not clause.has(*VERBS))
