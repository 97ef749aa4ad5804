"""Typed look-ups in one run's ledger rows."""

from typing import TypeVar

from store.ledger import Row
from store.records import Record
from tools.context import Context

R = TypeVar("R", bound=Record)


class MissingRow(LookupError):
    """A tool was called before the row that it builds on exists."""


def entries(context: Context, kind: str, of: type[R]) -> list[tuple[Row, R]]:
    """All rows of a kind of this run with their records, oldest first."""
    found: list[tuple[Row, R]] = []
    for row in context.ledger.rows(run_id=context.run_id, kind=kind):
        record = context.ledger.record(row)
        if not isinstance(record, of):
            raise TypeError(f"row {row.id} holds {type(record).__name__}, not {of.__name__}")
        found.append((row, record))
    return found


def find_entry(context: Context, kind: str, of: type[R], round: int | None = None) -> tuple[Row, R] | None:
    """The latest row of a kind, of one round where `round` is given; None when there is none."""
    found = [(row, x) for row, x in entries(context, kind, of) if round is None or getattr(x, "round", None) == round]
    return found[-1] if found else None


def entry(context: Context, kind: str, of: type[R], round: int | None = None) -> tuple[Row, R]:
    """Like find_entry; MissingRow when there is none."""
    found = find_entry(context, kind, of, round)
    if found is None:
        where = context.run_id if round is None else f"round {round} of {context.run_id}"
        raise MissingRow(f"{where} has no {kind} row yet")
    return found
