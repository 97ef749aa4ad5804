"""`regrasp doctor` finds what is wrong, names the mend, and never shows a key."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
import typer
from report_fixture import make_home
from typer.testing import CliRunner

from agent.cli import doctor, opengl
from store.home import Home
from store.ledger import Ledger

HOLD = """
import fcntl, sys, time
file = open(sys.argv[1])
fcntl.flock(file, fcntl.LOCK_EX)
print("held", flush=True)
time.sleep(60)
"""


def app() -> typer.Typer:
    """The command alone."""
    found = typer.Typer()
    found.command()(doctor.doctor)
    return found


@pytest.fixture
def no_render(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rendering tries a process and takes a second; most tests need none."""
    monkeypatch.setattr(opengl, "render_fails", lambda backend: None)


@pytest.mark.usefixtures("no_render")
def test_a_healthy_machine_ends_with_zero(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-secret-value")
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    Ledger(tmp_path / "ledger.duckdb")
    result = CliRunner().invoke(app(), ["--home", str(tmp_path), "--json"])
    assert result.exit_code == 0, result.output
    checks = {check["name"]: check for check in json.loads(result.stdout)["checks"]}
    assert set(checks) == {
        "python", "torch", "mujoco", "opengl", "sysid", "disk", "home", "lock", "ledger", "anthropic key", "openai key",
    }  # fmt: skip
    assert checks["ledger"]["found"].startswith("schema 1, 0 rows")
    assert checks["anthropic key"]["found"] == "ANTHROPIC_API_KEY is set"
    assert checks["openai key"]["mend"] == "export OPENAI_API_KEY=..."
    assert "secret" not in result.output


@pytest.mark.usefixtures("no_render")
def test_a_damaged_ledger_ends_with_two_and_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "ledger.duckdb").write_bytes(b"not a ledger" * 500)
    result = CliRunner().invoke(app(), ["--home", str(tmp_path)])
    assert result.exit_code == 2
    assert "not a ledger; it was left as it is" in result.output
    assert (tmp_path / "ledger.duckdb").read_bytes() == b"not a ledger" * 500


def test_a_truncated_or_changed_ledger_is_found(tmp_path: Path) -> None:
    make_home(tmp_path)
    path = tmp_path / "ledger.duckdb"
    assert doctor.check_ledger(tmp_path).status == "ok"
    content = path.read_bytes()
    path.write_bytes(content[: len(content) // 10])
    assert (check := doctor.check_ledger(tmp_path)).status == "fail" and "damaged" in check.found
    path.write_bytes(content)
    with Ledger(path).transaction() as con:
        con.execute("UPDATE entry SET body = '{}' WHERE id = 'plan-1'")
    assert (check := doctor.check_ledger(tmp_path)).status == "fail" and "broken at plan-1" in check.found


def test_a_newer_ledger_is_named(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "ledger.duckdb")
    with ledger.transaction() as con:
        con.execute("INSERT INTO schema_migration VALUES (99, 'later', now()::TIMESTAMP)")
    check = doctor.check_ledger(tmp_path)
    assert (check.status, "schema 99 is newer" in check.found) == ("fail", True)


def test_a_running_planner_is_named(tmp_path: Path) -> None:
    path = Home(tmp_path).lock_file
    path.write_text('{"pid": 4711, "command": "regrasp run"}')
    assert doctor.check_lock(tmp_path).status == "ok"
    with subprocess.Popen([sys.executable, "-c", HOLD, str(path)], stdout=subprocess.PIPE) as holder:
        assert holder.stdout is not None
        holder.stdout.readline()
        try:
            check = doctor.check_lock(tmp_path)
        finally:
            holder.kill()
    assert check.status == "warn" and "4711" in check.found and check.mend.startswith("regrasp stop")


def test_a_home_that_is_a_file_fails_and_one_to_be_made_does_not(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    assert doctor.check_writable(tmp_path / "file").status == "fail"
    assert doctor.check_writable(tmp_path / "file" / "home").status == "fail"
    made = doctor.check_writable(tmp_path / "new" / "home")
    assert made.status == "ok" and "will be made" in made.found
    assert not (tmp_path / "new").exists()


def test_a_nearly_full_disk_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def usage(_: Path) -> tuple[int, int, int]:
        return shutil_usage(10**10, 10**10 - 10**8, 10**8)

    from shutil import _ntuple_diskusage as shutil_usage  # pyright: ignore[reportAttributeAccessIssue]

    monkeypatch.setattr(doctor.shutil, "disk_usage", usage)
    check = doctor.check_disk(tmp_path)
    assert check.status == "fail" and check.found.startswith("0.1 GB free") and check.mend


def test_an_old_python_fails() -> None:
    assert doctor.check_python((3, 10, 4)) == doctor.Check(
        "python", "fail", "3.10.4, needs 3.11 or newer", "make setup PYTHON=python3.11"
    )


def test_no_opengl_is_a_warning_with_the_packages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MUJOCO_GL", raising=False)
    monkeypatch.setattr(opengl, "render_fails", lambda backend: "ImportError: no library")
    check = doctor.check_opengl()
    assert check.status == "warn" and "egl: ImportError" in check.found and "libosmesa6" in check.mend


def test_the_second_opengl_is_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MUJOCO_GL", raising=False)
    monkeypatch.setattr(opengl, "render_fails", lambda backend: "no library" if backend == "egl" else None)
    check = doctor.check_opengl()
    assert (check.status, check.found) == ("ok", "osmesa renders; egl: no library")


def test_a_backend_that_does_not_exist_is_told_in_one_line() -> None:
    reason = opengl.render_fails("nonsense")
    assert reason is not None and "\n" not in reason and "nonsense" in reason


def test_an_empty_sysid_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    import types

    import mujoco

    empty = types.ModuleType("mujoco.sysid")
    monkeypatch.setattr(mujoco, "sysid", empty, raising=False)
    monkeypatch.setitem(sys.modules, "mujoco.sysid", empty)
    check = doctor.check_sysid()
    assert check.status == "fail" and check.mend.endswith("'mujoco[sysid]'")


def test_a_wrong_mujoco_gl_fails_and_says_unset(tmp_path: Path) -> None:
    import os

    done = subprocess.run(
        [sys.executable, "-c", "from agent.cli.main import main; main()", "doctor", "--home", str(tmp_path), "--json"],
        env={**os.environ, "MUJOCO_GL": "nonsense"}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 2, done.stderr
    checks = {check["name"]: check for check in json.loads(done.stdout)["checks"]}
    assert checks["mujoco"]["status"] == "fail" and checks["mujoco"]["mend"].startswith("unset MUJOCO_GL")
    assert checks["opengl"]["status"] == "warn"


def test_tasks_are_listed_without_opengl_and_say_the_mend(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from agent.cli.tasks import listing

    monkeypatch.delenv("MUJOCO_GL", raising=False)
    monkeypatch.setattr(opengl, "render_fails", lambda backend: "no library")
    found, trouble = listing(tmp_path / "tasks")
    assert [task.picture for task in found] == [None] * len(found)
    assert {task.name: task.control_hz for task in found}["finger_push"] == 25
    assert "sudo apt-get install" in trouble


def test_each_task_has_a_picture(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", "from agent.cli.main import main; main()", "tasks", "--home", str(tmp_path), "--json"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    for task in said["tasks"]:
        if said["pictures"] == "ok":
            assert Path(task["picture"]).read_bytes().startswith(b"\x89PNG")
        else:
            assert "sudo apt-get install" in said["pictures"]
