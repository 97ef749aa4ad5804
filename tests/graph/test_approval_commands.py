"""`regrasp approvals`, `approve` and `reject`: what they print and refuse."""

import json
import shlex
from pathlib import Path

import pytest
from quick_tools import Stage, options
from schema_check import check

from agent.builtin.planner import BuiltinPlanner
from agent.cli import main
from agent.cli.advice import command
from agent.loop import run_rounds
from store.approvals import Approval
from tools.context import Context
from tools.stop import WaitingForPerson

SCHEMA = json.loads((Path(__file__).parents[2] / "docs" / "schemas" / "approvals.schema.json").read_text())


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A home in which a pilot waits for a person."""

    def nobody(_: Context, approval: Approval) -> None:
        raise WaitingForPerson("it waits", approval.id)

    stage = Stage(tmp_path, BuiltinPlanner(), given=options(approve="ask"), decide=nobody)
    with pytest.raises(WaitingForPerson):
        run_rounds(stage.loop, stage.context)
    return tmp_path


def said(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as caught:
        main.main(list(words))
    out, err = capsys.readouterr()
    assert isinstance(caught.value.code, int)
    return caught.value.code, out, err


def test_json_keeps_its_schema(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    schema = SCHEMA["properties"]["approvals"]["items"]
    schema["properties"]["request"]["properties"]["policy"].pop("pattern")  # quick tools make up their policy
    code, out, _ = said(capsys, "approvals", "--home", str(home), "--json")
    assert code == 0
    check(json.loads(out), SCHEMA, "approvals")
    assert [a["status"] for a in json.loads(out)["approvals"]] == ["pending"]
    code, out, _ = said(capsys, "approve", "approval-1", "--person", "Ann", "--home", str(home), "--json")
    assert code == 0
    check(json.loads(out)["approval"], schema, "approval")
    assert json.loads(said(capsys, "approvals", "--home", str(home), "--json")[1]) == {"approvals": []}


def test_the_commands_that_are_shown_find_the_home(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shown = said(capsys, "approvals", "--home", str(home))[1].splitlines()[1]
    words = shlex.split(shown.split("   or   ")[0])
    assert words == ["regrasp", "approve", "approval-1", "--home", str(home)]
    code, out, _ = said(capsys, *words[1:])
    assert code == 0 and f"regrasp resume run-0001 --home {home} goes on" in out


def test_a_home_with_a_space_is_quoted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = tmp_path / "my lab"
    assert shlex.split(command("approvals", place))[-1] == str(place)
    monkeypatch.setenv("REGRASP_HOME", str(place))
    assert command("approvals", place) == "regrasp approvals"


@pytest.mark.parametrize("why", ["", "  "])
def test_a_rejection_says_why(home: Path, why: str, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = said(capsys, "reject", "approval-1", "--why", why, "--home", str(home), "--json")
    assert code == 2 and json.loads(out)["error"]["where"] == "--why"
    code, out, _ = said(capsys, "reject", "approval-1", "--why", "the table is not clear", "--home", str(home))
    assert code == 0 and "ends it" in out


def test_an_unknown_approval_lists_those_that_exist(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = said(capsys, "approve", "approval-7", "--home", str(home), "--json")
    error = json.loads(out)["error"]
    assert (code, error["where"], error["valid"]) == (2, "ID", "approval-1")
