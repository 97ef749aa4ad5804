"""The ledger within one process: rows, keys, content, questions and exports."""

import csv
import json
import threading
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from ledger_rows import new_ledger, run_record, worked_row

from store.errors import LedgerError, NotFoundError, UserError
from store.ledger import Ledger
from store.records import Repair
from store.records.event import LlmCall, Note


def filled(folder: Path, extra: int = 0) -> tuple[Ledger, str]:
    ledger = new_ledger(folder)
    run_id = ledger.new_run(run_record(), {"started": extra})
    ledger.append("gap", worked_row(), run_id=run_id, key="audit:1", meta={"seconds": extra})
    ledger.append("note", Note(text="done"), run_id=run_id, key="note:1")
    return ledger, run_id


def test_a_row_comes_back_as_the_record_that_went_in(tmp_path: Path) -> None:
    ledger, run_id = filled(tmp_path)
    row = ledger.get("gap-1")
    assert (row.seq, row.run_id, row.kind, row.key, row.meta) == (2, "run-0001", "gap", "audit:1", {"seconds": 0})
    assert ledger.record(row) == worked_row()
    assert row.content_hash == worked_row().content_hash
    assert [r.id for r in ledger.rows(run_id)] == ["run-0001", "gap-1", "note-1"]
    assert ledger.rows(run_id, "gap") == [row] == ledger.rows(kind="gap")
    assert ledger.rows("run-0009") == []


def test_a_known_key_returns_the_stored_row_and_writes_nothing(tmp_path: Path) -> None:
    ledger, run_id = filled(tmp_path)
    first = ledger.get("gap-1")
    again = ledger.append("gap", worked_row().with_changes(round=5), run_id=run_id, key="audit:1", meta={"seconds": 9})
    assert again == first == ledger.find("audit:1")
    assert ledger.find("audit:2") is None
    assert len(ledger.rows()) == 3
    assert ledger.verify().ok


def test_a_key_of_another_kind_or_run_is_a_mistake_of_the_caller(tmp_path: Path) -> None:
    ledger, _ = filled(tmp_path)
    second = ledger.new_run(run_record(2))
    assert second == "run-0002"
    with pytest.raises(ValueError, match="gap-1 of run-0001"):
        ledger.append("gap", worked_row(), run_id=second, key="audit:1")
    assert len(ledger.rows()) == 4


def test_content_ignores_meta_and_time_but_nothing_else(tmp_path: Path) -> None:
    (a, b, c) = (filled(tmp_path / name, extra) for name, extra in (("a", 1), ("b", 2), ("c", 3)))
    c[0].append("note", Note(text="more"), run_id=c[1])
    assert a[0].content(a[1]) == b[0].content(b[1]) != c[0].content(c[1])
    with pytest.raises(NotFoundError, match="run-0001"):
        a[0].content("run-0007")


def test_what_does_not_fit_its_kind_is_refused_and_nothing_is_written(tmp_path: Path) -> None:
    ledger, run_id = filled(tmp_path)
    with pytest.raises(ValueError, match="holds GapRow, got Note"):
        ledger.append("gap", Note(text="x"), run_id=run_id)
    with pytest.raises(ValueError, match="valid: run, plan"):
        ledger.append("gapp", worked_row(), run_id=run_id)
    with pytest.raises(ValueError, match="JSON compliant"):
        ledger.append("note", Note(text="x"), run_id=run_id, meta={"seconds": float("nan")})
    with pytest.raises(ValueError, match="target"):
        ledger.append("repair", {"round": 1, "target": 5}, run_id=run_id)
    assert len(ledger.rows()) == 3
    assert ledger.verify().ok


def test_open_records_keep_further_fields(tmp_path: Path) -> None:
    ledger, run_id = filled(tmp_path)
    call = LlmCall.model_validate({"model": "anthropic:x", "prompt": "plan", "stage": "think"})
    assert ledger.record(ledger.append("llm_call", call, run_id=run_id, meta={"cost": 0.01})) == call
    assert ledger.sql("SELECT model, body->>'stage', (meta->>'cost')::DOUBLE FROM llm_call").rows == (
        ("anthropic:x", "think", 0.01),
    )


def test_a_missing_row_names_those_that_exist(tmp_path: Path) -> None:
    ledger, _ = filled(tmp_path)
    with pytest.raises(LookupError, match="no row 'gap-9'.*gap-1"):
        ledger.get("gap-9")


def test_the_gap_table_answers_in_the_words_of_the_textbook(tmp_path: Path) -> None:
    ledger, run_id = filled(tmp_path)
    found = ledger.sql("SELECT * FROM gap").as_dicts()[0]
    assert (found["id"], found["run_id"], found["task"]) == ("gap-1", run_id, "finger_push")
    assert (found["success_gap"], found["slip_gap"], found["first_divergence"]) == (0.19, 0.11, "force@step3")
    assert found["success_gap_low"] < 0.19 < found["success_gap_high"]
    assert "do not touch friction" in found["decision"]


def test_every_view_can_be_read(tmp_path: Path) -> None:
    ledger, run_id = filled(tmp_path)
    repair = Repair(round=1, action="recentre", target="delay", why="w", expected_success_gap=0.05, text="t", unit="s")
    ledger.append("repair", repair, run_id=run_id)
    names = [row[0] for row in ledger.sql("SHOW TABLES").rows]
    assert {"run", "plan", "training", "evaluation", "pilot", "diagnosis", "repair_effect", "outcome"} <= set(names)
    for name in names:
        ledger.sql(f'SELECT * FROM "{name}"')
    assert ledger.sql("SELECT r.action, g.verdict FROM repair r JOIN gap g USING (run_id)").rows == (
        ("recentre", "RECENTRE"),
    )


@pytest.mark.parametrize(
    "query",
    [
        "INSERT INTO gap SELECT * FROM gap",
        "WITH x AS (SELECT 1) DELETE FROM entry",
        "UPDATE entry SET meta = '{}'",
        "DROP TABLE gap",
        "CREATE TEMP TABLE t AS SELECT 1",
        "EXPLAIN ANALYZE DELETE FROM entry",
        "COPY gap TO '{folder}/stolen.csv'",
        "EXPLAIN ANALYZE COPY gap TO '{folder}/stolen.csv'",
        "EXPORT DATABASE '{folder}/stolen'",
        "ATTACH '{folder}/stolen.duckdb' AS s",
        "SELECT * FROM read_csv('/etc/passwd')",
        "SELECT * FROM read_text('/etc/passwd')",
        "SELECT * FROM '/etc/passwd'",
        "SELECT * FROM glob('/*')",
        "SELECT * FROM query('DELETE FROM entry')",
        "INSTALL httpfs",
        "LOAD httpfs",
        "SET enable_external_access = true",
        "PRAGMA database_list",
        "CALL pragma_version()",
        "CHECKPOINT",
        "SELECT 1; SELECT 2",
        "SELECT 1; DROP TABLE gap",
        "",
        "-- nothing",
        "SELEC 1",
        "SELECT * FROM no_such_table",
    ],
)
def test_sql_only_reads_and_only_the_ledger(tmp_path: Path, query: str) -> None:
    ledger, _ = filled(tmp_path)
    with pytest.raises(LedgerError) as caught:
        ledger.sql(query.replace("{folder}", str(tmp_path)))
    assert "\n" not in str(caught.value)
    assert [p.name for p in tmp_path.iterdir()] == ["ledger.duckdb"]
    assert len(ledger.rows()) == 3
    assert ledger.verify().ok


@pytest.mark.parametrize("query", ["WITH x AS (SELECT 7 AS n) SELECT n FROM x", "select 7 -- a remark;", "VALUES (7)"])
def test_reading_statements_are_answered(tmp_path: Path, query: str) -> None:
    ledger, _ = filled(tmp_path)
    assert ledger.sql(query).rows == ((7,),)
    assert ledger.sql("DESCRIBE gap").rows[0][0] == "id"
    assert ledger.sql("EXPLAIN SELECT * FROM gap").rows


def test_a_query_without_end_is_stopped_before_it_holds_up_the_run(tmp_path: Path) -> None:
    ledger, _ = filled(tmp_path)
    hasty = Ledger(ledger.path, patience_s=2)
    with pytest.raises(LedgerError, match="took more than 1 s"):
        hasty.sql("SELECT count(*) FROM range(100000000000) a, range(1000) b WHERE a.range % 7 = b.range % 3")
    assert len(ledger.rows()) == 3


def test_threads_of_one_process_share_the_file(tmp_path: Path) -> None:
    ledger, run_id = filled(tmp_path)

    def work(name: int) -> None:
        for i in range(5):
            ledger.append("note", Note(text=f"{name}.{i}"), run_id=run_id, key=f"{name}.{i}")
            ledger.sql("SELECT count(*) FROM gap")

    threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(ledger.rows(kind="note")) == 21
    assert ledger.verify().ok


def test_exports_hold_every_row(tmp_path: Path) -> None:
    ledger, _ = filled(tmp_path)
    for suffix in ("parquet", "csv", "json", "jsonl"):
        assert ledger.export(tmp_path / f"out.{suffix}") == 3
    assert pq.ParquetFile(tmp_path / "out.parquet").read()["id"].to_pylist() == ["run-0001", "gap-1", "note-1"]
    with (tmp_path / "out.csv").open(newline="") as file:
        assert [line["id"] for line in csv.DictReader(file)] == ["run-0001", "gap-1", "note-1"]
    whole = json.loads((tmp_path / "out.json").read_text())
    lines = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text().splitlines()]
    assert whole == lines
    assert whole[1]["body"]["task"] == "finger_push"
    assert ledger.export(tmp_path / "it's gap.csv", table="gap") == 1


def test_an_export_destroys_nothing(tmp_path: Path) -> None:
    ledger, _ = filled(tmp_path)
    target = tmp_path / "out.csv"
    target.write_text("mine")
    with pytest.raises(UserError, match="exists"):
        ledger.export(target)
    with pytest.raises(UserError, match="no table 'gaps'.*gap"):
        ledger.export(target, table="gaps", overwrite=True)
    assert target.read_text() == "mine"
    assert ledger.export(target, overwrite=True) == 3
    with pytest.raises(UserError, match=r"\.xlsx.*\.parquet, \.csv, \.json, \.jsonl"):
        ledger.export(tmp_path / "out.xlsx")
    with pytest.raises(UserError, match="folder does not exist"):
        ledger.export(tmp_path / "nowhere" / "out.csv")
    with pytest.raises(UserError, match="exists"):
        (tmp_path / "dir.csv").mkdir()
        ledger.export(tmp_path / "dir.csv", overwrite=True)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["dir.csv", "ledger.duckdb", "out.csv"]
