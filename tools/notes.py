"""Rows of kind `note` that carry a topic, a round and data: the family of a round, its audit."""

from collections.abc import Mapping
from typing import Any

from store.ledger import Row
from store.records.event import Note
from tools.context import Context


def note(
    context: Context,
    topic: str,
    text: str,
    data: Mapping[str, Any],
    *,
    key: str,
    meta: Mapping[str, Any] | None = None,
) -> Row:
    """Write a note of this round once.

    Args:
        context: the round.
        topic: what it is about, e.g. 'family'.
        text: one sentence for people.
        data: JSON values that may not differ between two undisturbed runs.
        key: name of the effect.
        meta: what may differ.
    """
    record = Note.model_validate({"text": text, "topic": topic, "round": context.round, "data": dict(data)})
    return context.ledger.append("note", record, run_id=context.run_id, key=key, meta=meta)


def find_note(context: Context, topic: str, round: int) -> Row | None:
    """The latest note on a topic in a round, or None."""
    rows = context.ledger.rows(run_id=context.run_id, kind="note")
    matching = [row for row in rows if row.body.get("topic") == topic and row.body.get("round") == round]
    return matching[-1] if matching else None


def data_of(row: Row) -> dict[str, Any]:
    """The data of a note."""
    return row.body["data"]
