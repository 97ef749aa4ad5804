"""The ledger between processes: no row lost, none twice, kill -9 at any moment."""

import json
import os
import signal
import time
from pathlib import Path

import pytest
from ledger_rows import finish, new_ledger, run_record, start

from store.errors import LedgerError
from store.ledger import Ledger

WRITER = """
import sys
from store.ledger import Ledger
from store.records.event import Note
path, name, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
ledger = Ledger(path, patience_s=30)
for i in range(count):
    row = ledger.append("note", Note(text=f"{name} {i}"), run_id="run-0001", key=f"{name}:{i}")
    print(row.seq, row.hash, flush=True)
"""

READER = """
import sys, time
from store.ledger import Ledger
ledger = Ledger(sys.argv[1], patience_s=30)
counts, end = [], time.monotonic() + float(sys.argv[2])
while time.monotonic() < end:
    assert ledger.verify().ok
    counts.append(ledger.sql("SELECT count(*) FROM entry").rows[0][0])
    time.sleep(0.02)
assert counts == sorted(counts), counts
print(len(counts))
"""


def test_two_writers_and_a_reader_lose_no_row(tmp_path: Path) -> None:
    ledger = new_ledger(tmp_path)
    ledger.new_run(run_record())
    reader = start(READER, ledger.path, 2)
    writers = [start(WRITER, ledger.path, name, 20) for name in ("a", "b")]
    reported = [line.split() for writer in writers for line in finish(writer).splitlines()]
    assert int(finish(reader)) > 2
    rows = ledger.rows(kind="note")
    assert sorted(row.body["text"] for row in rows) == sorted(f"{n} {i}" for n in "ab" for i in range(20))
    assert sorted((int(seq), hash) for seq, hash in reported) == [(row.seq, row.hash) for row in rows]
    assert ledger.verify().ok


def test_kill_9_in_mid_stream_keeps_every_committed_row(tmp_path: Path) -> None:
    ledger = new_ledger(tmp_path)
    ledger.new_run(run_record())
    committed: list[str] = []
    for life in range(3):
        writer = start(WRITER, ledger.path, f"life{life}", 10_000)
        assert writer.stdout is not None
        committed += [writer.stdout.readline().split()[1] for _ in range(5)]
        time.sleep(0.013 * life)
        os.kill(writer.pid, signal.SIGKILL)
        committed += [line.split()[1] for line in writer.communicate()[0].splitlines() if len(line.split()) == 2]
        assert writer.returncode == -signal.SIGKILL
    hashes = {row.hash for row in ledger.rows()}
    complete = {hash for hash in committed if len(hash) == 64}
    assert len(complete) >= 15
    assert complete <= hashes
    assert ledger.verify().ok
    assert ledger.append("note", {"text": "after"}, run_id="run-0001").seq == len(hashes) + 1


def test_one_key_appended_by_many_processes_is_one_row(tmp_path: Path) -> None:
    ledger = new_ledger(tmp_path)
    ledger.new_run(run_record())
    answers = [finish(p) for p in [start(WRITER, ledger.path, "same", 5) for _ in range(5)]]
    assert len(set(answers)) == 1, "every process was given the same stored rows"
    assert len(ledger.rows(kind="note")) == 5
    assert ledger.verify().ok


def test_a_ledger_made_by_many_processes_at_once_is_one_ledger(tmp_path: Path) -> None:
    path = tmp_path / "new" / "ledger.duckdb"
    for process in [start(WRITER, path, name, 2) for name in "abcdef"]:
        finish(process)
    ledger = Ledger(path)
    assert len(ledger.rows()) == 12
    assert ledger.verify().ok
    assert [p.name for p in path.parent.iterdir()] == ["ledger.duckdb"]


def test_a_holder_that_does_not_let_go_is_named_by_its_pid(tmp_path: Path) -> None:
    ledger = new_ledger(tmp_path)
    holder = start(
        "import duckdb, sys, time; c = duckdb.connect(sys.argv[1]); print('held', flush=True); time.sleep(60)",
        ledger.path,
    )
    try:
        assert holder.stdout is not None
        holder.stdout.readline()
        began = time.monotonic()
        with pytest.raises(LedgerError, match=f"in use by process {holder.pid}"):
            Ledger(ledger.path, patience_s=0.3)
        assert 0.25 < time.monotonic() - began < 3
    finally:
        holder.kill()
        holder.communicate()
    assert ledger.rows() == []


def test_a_short_holder_is_waited_for(tmp_path: Path) -> None:
    ledger = new_ledger(tmp_path)
    holder = start(
        "import duckdb, sys, time; c = duckdb.connect(sys.argv[1]); print('held', flush=True); time.sleep(0.5)",
        ledger.path,
    )
    assert holder.stdout is not None
    holder.stdout.readline()
    assert ledger.new_run(run_record()) == "run-0001"
    finish(holder)


def test_a_full_disk_is_one_clear_line_and_loses_nothing(tmp_path: Path) -> None:
    """A limit on file size stands in for the full disk: DuckDB fails in the same place, with another errno."""
    ledger = new_ledger(tmp_path)
    ledger.new_run(run_record())
    code = """
import json, os, resource, sys
from store.errors import LedgerError
from store.ledger import Ledger
ledger = Ledger(sys.argv[1])
limit = 3_000_000
resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
written = 0
try:
    while True:
        ledger.append("note", {"text": f"{written} " + os.urandom(150_000).hex()}, run_id="run-0001")
        written += 1
except LedgerError as error:
    print(json.dumps([written, str(error)]))
"""
    written, message = json.loads(finish(start(code, ledger.path)))
    assert "disk is full" in message and "\n" not in message
    assert written >= 1
    assert [row.body["text"].split()[0] for row in ledger.rows(kind="note")] == [str(i) for i in range(written)]
    assert ledger.verify().ok
    ledger.append("note", {"text": "there is room again"}, run_id="run-0001")
    assert ledger.verify().ok
