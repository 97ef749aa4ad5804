"""Runs on the command line: one at a time, stopped cleanly, out of budget, refused, and mistakes in one line."""

import json
import os
import signal
import sys
import time
from pathlib import Path

import pytest
from cli_process import REQUEST, SIZES, Workplace

from agent.cli import main


def said(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    """Run a command in this process: exit code, stdout, stderr."""
    with pytest.raises(SystemExit) as caught:
        main.main(list(words))
    out, err = capsys.readouterr()
    assert isinstance(caught.value.code, int)
    return caught.value.code, out, err


MISTAKES = {
    "task": (["--task", "fly"], "finger_push"),
    "driver": (["--driver", "tape"], "twin"),
    "twin spec": (["--twin-spec", "/nowhere/twin.toml"], "/nowhere/twin.toml"),
    "envelope": (["--envelope", "/nowhere/limits.toml"], "/nowhere/limits.toml"),
    "approve": (["--approve", "everybody"], "ask, twin"),
    "planner": (["--planner", "oracle:x"], "builtin"),
    "planner without model": (["--planner", "openai:"], "names no model"),
    "rounds": (["--rounds", "-1"], "--rounds"),
    "minutes": (["--minutes", "0"], "--minutes"),
    "rollouts": (["--rollouts", "0"], "--rollouts"),
    "not a number": (["--seed", "x"], "--seed"),
    "option": (["--sed", "1"], "--sed"),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_is_one_line_and_writes_nothing(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words, named = MISTAKES[name]
    code, out, err = said(capsys, "run", REQUEST, *words, "--home", str(tmp_path / "home"))
    assert (code, out) == (2, "")
    assert err.startswith("error: ") and err.count("\n") == 1 and named in err
    assert not (tmp_path / "home" / "ledger.duckdb").exists()


def test_a_mistake_as_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = said(capsys, "run", REQUEST, "--task", "fly", "--home", str(tmp_path), "--json")
    assert code == 2
    error = json.loads(out)["error"]
    assert set(error) == {"what", "where", "valid", "hint"} and "fly" in error["what"]


@pytest.mark.parametrize("request_text", ["", "   "])
def test_an_empty_request(request_text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, _, err = said(capsys, "run", request_text, "--home", str(tmp_path))
    assert code == 2 and "empty" in err


@pytest.mark.parametrize("text, named", [("iterations = 3", "train_iterations"), ("train_iterations = 0", "greater"),
                                         ("train_iterations = ", "TOML")])  # fmt: skip
def test_a_wrong_config(text: str, named: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    config = tmp_path / "sizes.toml"
    config.write_text(text)
    code, _, err = said(capsys, "run", REQUEST, "--config", str(config), "--home", str(tmp_path / "home"))
    assert code == 2 and named in err and str(config) in err


def test_a_missing_key_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    monkeypatch.delenv("REGRASP_BASE_URL", raising=False)
    code, _, err = said(capsys, "run", REQUEST, "--planner", "anthropic:m", "--home", str(tmp_path))
    assert code == 2 and "ANTHROPIC_API_KEY" in err


@pytest.mark.parametrize("words", [["resume", "run-0001"], ["stop", "run-0001"], ["approvals"], ["approve", "x"]])
def test_a_home_without_a_ledger(words: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, _, err = said(capsys, *words, "--home", str(tmp_path))
    assert code == 2 and "no ledger" in err and str(tmp_path) in err


def test_help_answers_at_once() -> None:
    import subprocess

    times: list[float] = []
    for _ in range(3):
        began = time.monotonic()
        shown = subprocess.run(
            [str(Path(sys.executable).with_name("regrasp")), "--help"], capture_output=True, text=True, check=True
        )
        times.append(time.monotonic() - began)
        assert "resume" in shown.stdout and "ledger" in shown.stdout
    assert min(times) < 0.4


@pytest.mark.slow
def test_one_run_at_a_time_then_stop_then_sigterm_then_budget_then_refusal(tmp_path: Path) -> None:
    place = Workplace(tmp_path)
    longer = SIZES.replace("train_iterations = 2", "train_iterations = 24", 1)  # still training when it is stopped
    (tmp_path / "sizes.toml").write_text(longer)
    first = place.start(*place.run_words())
    training = place.run_folder / "jobs/round-0-train"
    place.wait((training / "progress.jsonl").exists, first)

    second = place.call(*place.run_words("--json"))
    assert second.returncode == 2
    assert f"process {first.pid}" in json.loads(second.stdout)["error"]["what"]

    assert place.call("stop", "run-0001").returncode == 0
    assert first.wait(60) == 130
    assert job_is_dead(training)
    assert "regrasp resume run-0001" in (tmp_path / "log.txt").read_text()

    again = place.start("resume", "run-0001")
    place.wait(lambda: place.starts()["round-0-train"] == 2, again)
    place.wait((training / "progress.jsonl").exists, again)
    again.send_signal(signal.SIGTERM)
    assert again.wait(60) == 130
    assert job_is_dead(training)
    assert "training" not in place.kinds()

    poor = place.call("resume", "run-0001", "--minutes", "0.01", "--json")
    assert poor.returncode == 4 and json.loads(poor.stdout)["status"] == "budget"

    waits = place.call("resume", "run-0001", "--json")
    assert waits.returncode == 3 and json.loads(waits.stdout)["status"] == "waiting"
    assert "regrasp approve approval-1" in waits.stderr
    assert json.loads(place.call("approvals", "--json").stdout)["approvals"][0]["id"] == "approval-1"
    assert place.call("reject", "approval-1", "--why", "the table is not clear").returncode == 0
    assert place.call("approve", "approval-1").returncode == 2
    ended, once_more = (place.call("resume", "run-0001", "--json") for _ in range(2))
    assert ended.returncode == once_more.returncode == 5
    assert ended.stdout == once_more.stdout
    result = json.loads(ended.stdout)
    assert result["status"] == "rejected" and "the table is not clear" in result["why"]
    assert place.kinds().count("outcome") == 1 and Path(result["report"]).exists()
    assert place.ledger.verify().ok


def job_is_dead(folder: Path) -> bool:
    """Whether nothing is left of a job's process group."""
    try:
        os.killpg(int((folder / "pid").read_text()), 0)
    except ProcessLookupError:
        return True
    return False
