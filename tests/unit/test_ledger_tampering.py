"""Changes behind the ledger's back are found, and the first broken row is named."""

from pathlib import Path

import pytest
from ledger_rows import new_ledger, raw, request, run_record, worked_row

from store import approvals
from store.ledger import Ledger
from store.records.event import Note


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    ledger = new_ledger(tmp_path)
    run_id = ledger.new_run(run_record())
    ledger.append("gap", worked_row(), run_id=run_id, meta={"seconds": 3})
    for i in range(3):
        ledger.append("note", Note(text=f"note {i}"), run_id=run_id)
    approval = approvals.file(ledger, run_id, request(), "ask")
    approvals.decide(ledger, approval.id, True, "Ann")
    assert ledger.verify().ok
    return ledger


@pytest.mark.parametrize(
    ("change", "broken", "fault"),
    [
        ("UPDATE entry SET body = replace(body::VARCHAR, '1', 'X')::JSON WHERE id = 'note-2'", "note-2", "content"),
        ("UPDATE entry SET meta = '{}' WHERE id = 'gap-1'", "gap-1", "content was changed"),
        ("UPDATE entry SET created = created + INTERVAL 1 SECOND WHERE id = 'gap-1'", "gap-1", "content was changed"),
        ("UPDATE entry SET key = 'other' WHERE id = 'gap-1'", "gap-1", "content was changed"),
        ("UPDATE entry SET content_hash = 'x' WHERE id = 'note-1'", "note-1", "content_hash"),
        ("UPDATE entry SET hash = 'x' WHERE id = 'note-1'", "note-1", "content was changed"),
        ("UPDATE entry SET prev_hash = 'x' WHERE id = 'note-1'", "note-1", "does not follow"),
        ("DELETE FROM entry WHERE id = 'note-2'", "note-3", "row 4 is missing"),
        ("DELETE FROM entry WHERE seq = 1", "gap-1", "row 1 is missing"),
        ("DELETE FROM entry WHERE seq = 7", "chain_head", "missing at the end"),
        ("UPDATE gap SET success_gap = 0.01", "gap-1", "differs from it in success_gap"),
        ("UPDATE gap SET decision = 'all is well'", "gap-1", "differs from it in decision"),
        ("DELETE FROM gap", "gap-1", "missing from table gap"),
        ("INSERT INTO gap SELECT * REPLACE ('gap-2' AS id) FROM gap", "gap-2", "not in the chain"),
        ("UPDATE approval SET rollouts = 6000", "approval-1", "differs from its history"),
        ("UPDATE approval SET status = 'pending'", "approval-1", "differs from its history"),
        ("UPDATE approval SET person = 'Bob'", "approval-1", "differs from its history"),
        ("DELETE FROM approval", "approval-1", "missing from table approval"),
        ("INSERT INTO approval SELECT * REPLACE ('approval-9' AS id) FROM approval", "approval-9", "differs from its"),
    ],
)  # fmt: skip
def test_a_change_is_found_and_named(ledger: Ledger, change: str, broken: str, fault: str) -> None:
    raw(ledger.path, change)
    found = ledger.verify()
    assert not found.ok
    assert found.broken == broken
    assert fault in found.fault


def test_swapped_rows_are_found(ledger: Ledger) -> None:
    raw(
        ledger.path,
        "CREATE TEMP TABLE t AS SELECT * REPLACE (CASE seq WHEN 3 THEN 4 WHEN 4 THEN 3 ELSE seq END AS seq) FROM entry",
        "DELETE FROM entry",
        "INSERT INTO entry SELECT * FROM t",
    )
    assert ledger.verify().broken == "note-2"


def test_the_whole_chain_removed_is_found(ledger: Ledger) -> None:
    raw(ledger.path, "DELETE FROM entry", "DELETE FROM gap", "DELETE FROM approval")
    assert ledger.verify().broken == "chain_head"
