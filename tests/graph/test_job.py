"""Jobs: done once, attached to after the planner died, killed whole on timeout and cancel."""

import json
import os
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest

from store.errors import UserError
from tools.job import JobError, JobProgress, JobTimeout, run_job, starts
from tools.stop import Cancelled

JOB = textwrap.dedent(
    """
    import json, os, subprocess, sys, time
    from pathlib import Path
    folder = Path(sys.argv[1])
    spec = json.loads((folder / "spec.json").read_text())
    if spec.get("grandchild"):
        child = subprocess.Popen([sys.executable, "-c", "import signal, time; "
                                  "signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(600)"])
        (folder / "grandchild").write_text(str(child.pid))
    for step in range(1, 4):
        with (folder / "progress.jsonl").open("a") as file:
            line = {"t": 0, "step": step, "of": 3, "text": "on", "values": {"success": step / 3}}
            file.write(json.dumps(line) + "\\n")
        (folder / "heartbeat").touch()
        time.sleep(spec["sleep"])
    if spec.get("die"):
        sys.exit("the last words")
    if spec.get("wrong"):
        error = {"what": "bad", "where": "field", "valid": "good", "hint": "mend"}
        (folder / "error.json").write_text(json.dumps(error))
        sys.exit(1)
    (folder / "result.json").write_text(json.dumps({"answer": spec["answer"], "pid": os.getpid()}))
    """
)


@pytest.fixture
def command(tmp_path: Path) -> tuple[str, ...]:
    script = tmp_path / "job.py"
    script.write_text(JOB)
    return (sys.executable, str(script))


def spec(**changes: object) -> dict[str, object]:
    return {"answer": 42, "sleep": 0.01, **changes}


def lives(pid: int) -> bool:
    stat = Path(f"/proc/{pid}/stat")
    return stat.exists() and stat.read_text().rpartition(")")[2].split()[0] != "Z"


def test_a_job_is_done_once_and_reports(tmp_path: Path, command: tuple[str, ...]) -> None:
    seen: list[JobProgress] = []
    folder = tmp_path / "job"
    first = run_job(folder, spec(), timeout_s=30, on_progress=seen.append, command=command)
    again = run_job(folder, spec(), timeout_s=30, command=command)
    assert first == again and first["answer"] == 42
    assert starts(folder) == 1
    assert [(p.step, p.of) for p in seen] == [(1, 3), (2, 3), (3, 3)]


def test_another_spec_clears_the_folder(tmp_path: Path, command: tuple[str, ...]) -> None:
    folder = tmp_path / "job"
    run_job(folder, spec(), timeout_s=30, command=command)
    assert run_job(folder, spec(answer=7), timeout_s=30, command=command)["answer"] == 7
    assert starts(folder) == 2


def test_failure_carries_the_last_words(tmp_path: Path, command: tuple[str, ...]) -> None:
    with pytest.raises(JobError, match="exit code 1.*\n.*the last words"):
        run_job(tmp_path / "job", spec(die=True), timeout_s=30, command=command)


def test_a_users_mistake_stays_one(tmp_path: Path, command: tuple[str, ...]) -> None:
    with pytest.raises(UserError) as caught:
        run_job(tmp_path / "job", spec(wrong=True), timeout_s=30, command=command)
    assert caught.value.as_dict() == {"what": "bad", "where": "field", "valid": "good", "hint": "mend"}


def test_timeout_kills_a_grandchild_that_ignores_sigterm(tmp_path: Path, command: tuple[str, ...]) -> None:
    folder = tmp_path / "job"
    with pytest.raises(JobTimeout, match="limit of 1.5 s"):
        run_job(folder, spec(grandchild=True, sleep=60), timeout_s=1.5, command=command)
    assert not lives(int((folder / "grandchild").read_text()))


def test_cancel_kills_the_job(tmp_path: Path, command: tuple[str, ...]) -> None:
    folder = tmp_path / "job"
    with pytest.raises(Cancelled):
        run_job(folder, spec(sleep=60), timeout_s=60, cancelled=(folder / "progress.jsonl").exists, command=command)
    assert not lives(int((folder / "pid").read_text()))


def test_a_killed_planners_job_lives_on_and_is_attached_to(tmp_path: Path, command: tuple[str, ...]) -> None:
    folder = tmp_path / "job"
    planner = start_planner(folder, command, spec(sleep=0.5))
    wait_for(folder / "progress.jsonl")
    os.killpg(planner.pid, signal.SIGKILL)
    planner.wait()
    pid = int((folder / "pid").read_text())
    assert lives(pid)
    assert run_job(folder, spec(sleep=0.5), timeout_s=30, command=command)["pid"] == pid
    assert starts(folder) == 1


def test_a_job_whose_pid_was_never_written_is_found(tmp_path: Path, command: tuple[str, ...]) -> None:
    folder = tmp_path / "job"
    planner = start_planner(folder, command, spec(sleep=60))
    wait_for(folder / "progress.jsonl")
    os.killpg(planner.pid, signal.SIGKILL)
    planner.wait()
    pid = int((folder / "pid").read_text())
    (folder / "pid").unlink()
    with pytest.raises(Cancelled):
        run_job(folder, spec(sleep=60), timeout_s=30, cancelled=lambda: True, command=command)
    assert not lives(pid)


def test_a_killed_job_starts_over(tmp_path: Path, command: tuple[str, ...]) -> None:
    folder = tmp_path / "job"
    planner = start_planner(folder, command, spec(sleep=60))
    wait_for(folder / "progress.jsonl")
    os.killpg(planner.pid, signal.SIGKILL)
    os.killpg(int((folder / "pid").read_text()), signal.SIGKILL)
    planner.wait()
    with pytest.raises(JobTimeout):
        run_job(folder, spec(sleep=60), timeout_s=3, command=command)
    assert starts(folder) == 2
    assert len((folder / "progress.jsonl").read_text().splitlines()) == 1, "progress of the dead job is gone"


def start_planner(folder: Path, command: tuple[str, ...], given: dict[str, object]) -> subprocess.Popen[bytes]:
    text = (
        "import sys, json; from pathlib import Path; from tools.job import run_job; "
        "run_job(Path(sys.argv[1]), json.loads(sys.argv[2]), timeout_s=60, command=tuple(sys.argv[3:]))"
    )
    return subprocess.Popen(
        [sys.executable, "-c", text, str(folder), json.dumps(given), *command], start_new_session=True
    )


def wait_for(path: Path, seconds: float = 20.0) -> None:
    until = time.monotonic() + seconds
    while not path.exists() or not path.read_text():
        assert time.monotonic() < until, f"{path} did not appear"
        time.sleep(0.02)
