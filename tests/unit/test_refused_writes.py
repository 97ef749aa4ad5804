"""A disk that is full or cannot be written: one line that names the file and what to do, and nothing half written."""

import errno
import json
import os
import shutil
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from report_fixture import make_home

from agent.cli import main
from store.artifacts import write_text
from store.errors import UserError
from store.ledger import Ledger
from tools.job import run_job


def say(code: int) -> Any:
    """A system call that fails with an error number."""

    def fail(*_: Any, **__: Any) -> None:
        raise OSError(code, os.strerror(code))

    return fail


@pytest.mark.parametrize(
    ("code", "says"),
    [(errno.ENOSPC, "the disk is full"), (errno.EFBIG, "the disk is full"), (errno.EROFS, "Read-only")],
)
def test_a_file_that_cannot_be_written_stays_as_it_was(
    code: int, says: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "result.json"
    write_text(path, "old")
    monkeypatch.setattr(Path, "write_bytes", say(code))
    if code == errno.EROFS:
        monkeypatch.setattr(Path, "unlink", say(code))  # a read-only disk refuses that too
    with pytest.raises(UserError, match=says) as caught:
        write_text(path, "new")
    assert caught.value.where == str(path) and caught.value.hint
    assert path.read_text() == "old"


def test_an_export_to_a_read_only_disk_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make_home(tmp_path / "home")
    monkeypatch.setattr(os, "replace", say(errno.EROFS))
    monkeypatch.setattr(Path, "unlink", say(errno.EROFS))
    with pytest.raises(UserError, match="cannot be written"):
        Ledger(tmp_path / "home" / "ledger.duckdb").export(tmp_path / "rows.csv")


def test_a_job_that_found_no_room_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Usage(NamedTuple):
        free: int

    monkeypatch.setattr(shutil, "disk_usage", lambda _: Usage(free=0))
    with pytest.raises(UserError, match="the disk is full: job train") as caught:
        run_job(tmp_path / "train", {}, timeout_s=20, command=("false",))
    assert "resume" in caught.value.hint


def test_checkpoints_that_cannot_be_read_are_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from agent.session import begin
    from store.home import Home
    from tools.options import RunOptions

    home = Home(tmp_path)
    run_id = begin(home, RunOptions(request="Push the puck."))
    home.checkpoints.write_bytes(b"this is no database" * 99)
    with pytest.raises(SystemExit) as caught:
        main.main(["resume", run_id, "--home", str(tmp_path), "--json"])
    error = json.loads(capsys.readouterr().out)["error"]
    assert caught.value.code == 2 and error["where"] == str(home.checkpoints) and "move the file away" in error["hint"]
