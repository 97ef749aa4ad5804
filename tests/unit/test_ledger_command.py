"""`regrasp ledger`: what people and scripts see of it."""

import json
import subprocess
import sys
import time
from pathlib import Path

import pytest
from ledger_rows import ROOT, new_ledger, raw, request, run_record, worked_row
from typer.testing import CliRunner

from agent.cli.ledger import app
from store import approvals
from store.errors import UserError
from store.ledger import Ledger


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    ledger = new_ledger(tmp_path)
    run_id = ledger.new_run(run_record(), {"started": "now"})
    ledger.append("gap", worked_row(), run_id=run_id, meta={"seconds": 3})
    ledger.append("note", {"text": "a [bold]remark[/bold]"}, run_id=run_id)
    approvals.decide(ledger, approvals.file(ledger, run_id, request(), "k").id, True, "Ann")
    monkeypatch.setenv("REGRASP_HOME", str(tmp_path))
    monkeypatch.setenv("COLUMNS", "200")
    return tmp_path


def say(*arguments: str) -> str:
    result = CliRunner().invoke(app, list(arguments))
    if result.exception is not None:
        raise result.exception
    return result.stdout


def say_json(*arguments: str) -> dict[str, object]:
    return json.loads(say(*arguments, "--json"))


def test_list_tells_what_each_row_says(home: Path) -> None:
    out = say("list")
    assert "round 0: success gap +0.19 RECENTRE" in " ".join(out.split())
    assert "approved by Ann" in out
    assert "[bold]remark[/bold]" in out, "text of the ledger is not markup"
    rows = say_json("list", "--run", "run-0001", "--kind", "gap")["rows"]
    assert isinstance(rows, list)
    assert [row["id"] for row in rows] == ["gap-1"]
    assert "no rows yet" in say("list", "--run", "run-0009")
    with pytest.raises(UserError, match="--kind.*valid: run, plan"):
        say("list", "--kind", "gaps")


def test_show_has_everything_of_a_row(home: Path) -> None:
    out = say("show", "gap-1")
    for piece in ("ranges[1].low", "0.008", "divergences[1].step", "meta.seconds", "do not touch friction"):
        assert piece in out
    assert say_json("show", "gap-1")["body"] == worked_row().model_dump(mode="json")
    with pytest.raises(UserError, match="no row 'gap-2'"):
        say("show", "gap-2")


def test_sql_answers_as_a_table_and_as_json(home: Path) -> None:
    columns = "first_divergence, success_gap, 1.5::DECIMAL(4, 2) AS d, created::DATE AS day"
    query = f"SELECT {columns} FROM gap JOIN entry USING (id)"
    assert "force@step3" in say("sql", query)
    answer = say_json("sql", query)
    assert answer["columns"] == ["first_divergence", "success_gap", "d", "day"]
    rows = answer["rows"]
    assert isinstance(rows, list)
    assert rows[0][:3] == ["force@step3", 0.19, 1.5]
    with pytest.raises(UserError, match="DELETE is refused"):
        say("sql", "DELETE FROM entry")


def test_sql_answers_in_json_that_every_parser_reads(home: Path) -> None:
    def refuse(word: str) -> None:
        raise ValueError(f"{word} is not JSON")

    query = "SELECT 'nan'::DOUBLE AS a, 1 / 0 AS b, ['inf'::DOUBLE, 1] AS c, {'d': 'nan'::FLOAT} AS d"
    assert json.loads(say("sql", query, "--json"), parse_constant=refuse)["rows"] == [
        [None, None, [None, 1], {"d": None}]
    ]


def test_an_endless_answer_is_refused(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("store.query.MOST_ROWS", 10)
    assert "9" in say("sql", "SELECT * FROM range(10)")
    with pytest.raises(UserError, match="more than 10 rows.*LIMIT"):
        say("sql", "SELECT * FROM range(11)")


def test_an_outcome_says_how_the_run_ended(home: Path) -> None:
    outcome = {"status": "rejected", "why": "the table is not clear", "verdict": "RECENTRE"}
    Ledger(home / "ledger.duckdb").append("outcome", outcome, run_id="run-0001")
    assert "rejected: the table is not clear" in say("list", "--kind", "outcome")


def test_verify_is_content_until_somebody_tampers(home: Path) -> None:
    assert "5 rows, unbroken" in say("verify")
    assert say_json("verify")["ok"] is True
    raw(home / "ledger.duckdb", "UPDATE gap SET real_success = 0.8")
    with pytest.raises(UserError, match="broken at gap-1: table gap differs from it in real_success"):
        say("verify")


def test_export_names_the_file_and_its_rows(home: Path) -> None:
    target = home / "gaps.csv"
    assert say_json("export", str(target), "--table", "gap") == {"file": str(target), "table": "gap", "rows": 1}
    with pytest.raises(UserError, match="--overwrite"):
        say("export", str(target))
    assert "5 rows of entry" in say("export", str(target), "--overwrite")


def test_template_needs_no_ledger(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    out = say("template", "--home", str(tmp_path / "none"))
    for name in ("sim_success.successes", "ranges[].low", "divergences[].threshold", "success_gap", "first_divergence"):
        assert name in out
    answer = say_json("template")
    assert {"name", "unit", "meaning", "type", "required"} == answer["fields"][0].keys()  # type: ignore[index]
    assert not (tmp_path / "none").exists()


def test_a_home_without_ledger_is_an_error_and_stays_empty(tmp_path: Path) -> None:
    for command in (["list"], ["show", "gap-1"], ["sql", "SELECT 1"], ["verify"], ["export", str(tmp_path / "x.csv")]):
        with pytest.raises(UserError, match="no ledger here"):
            say(*command, "--home", str(tmp_path))
    assert list(tmp_path.iterdir()) == []


def test_the_option_beats_the_variable(home: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    other = tmp_path_factory.mktemp("other")
    Ledger(other / "ledger.duckdb")
    assert "no rows yet" in say("list", "--home", str(other))


def test_help_loads_nothing_heavy() -> None:
    code = "import sys, agent.cli.ledger; print([m for m in ('duckdb', 'pydantic', 'pyarrow') if m in sys.modules])"
    began = time.monotonic()
    out = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert out.strip() == "[]"
    assert time.monotonic() - began < 5
