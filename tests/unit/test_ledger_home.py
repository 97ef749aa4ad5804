"""The home folder, its lock, and the files in it."""

import json
import os
import signal
from pathlib import Path

import pyarrow as pa
import pytest
from ledger_rows import finish, start

from store import artifacts, tables
from store.errors import UserError
from store.home import Home

HOLDER = """
import sys, time
from store.home import Home
with Home(sys.argv[1]).lock():
    print("held", flush=True)
    sys.stdin.readline()
"""


def test_the_home_is_the_option_else_the_variable_else_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert Home.find("/a", {"REGRASP_HOME": "/b"}).path == Path("/a")
    assert Home.find(None, {"REGRASP_HOME": "/b"}).path == Path("/b")
    assert Home.find(None, {"REGRASP_HOME": ""}).path == tmp_path / "runs"
    assert Home.find(None, {}).ledger == tmp_path / "runs" / "ledger.duckdb"
    assert list(tmp_path.iterdir()) == [], "looking makes nothing"


def test_the_layout(tmp_path: Path) -> None:
    home = Home(tmp_path / "home").create()
    assert home.job("run-0001", "train").relative_to(home.path).as_posix() == "runs/run-0001/jobs/train"
    assert home.pilot("run-0001", "p").relative_to(home.path).as_posix() == "runs/run-0001/pilots/p"
    assert home.report("run-0001").relative_to(home.path).as_posix() == "runs/run-0001/report.html"
    assert home.checkpoints.name == "checkpoints.sqlite"
    assert (home.path / "runs").is_dir()


def test_a_home_that_cannot_be_written_is_one_clear_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(UserError, match="home cannot be written: .*--home") as caught:
        Home(tmp_path / "file" / "home").create()
    assert "\n" not in str(caught.value)


def test_a_second_planner_is_told_who_holds_the_home(tmp_path: Path) -> None:
    holder = start(HOLDER, tmp_path)
    assert holder.stdout is not None and holder.stdin is not None
    holder.stdout.readline()
    with pytest.raises(UserError, match=rf"in use by process {holder.pid} \(-c "), Home(tmp_path).lock(patience_s=0.2):
        raise AssertionError("two planners in one home")
    holder.stdin.write("go\n")
    finish(holder)
    with Home(tmp_path).lock(patience_s=0.2):
        assert json.loads(Home(tmp_path).lock_file.read_text())["pid"] == os.getpid()
    assert Home(tmp_path).lock_file.read_text() == ""


def test_kill_9_frees_the_home(tmp_path: Path) -> None:
    holder = start(HOLDER, tmp_path)
    assert holder.stdout is not None
    holder.stdout.readline()
    os.kill(holder.pid, signal.SIGKILL)
    holder.communicate()
    with Home(tmp_path).lock(patience_s=1):
        pass


def test_files_are_replaced_whole(tmp_path: Path) -> None:
    path = tmp_path / "new" / "result.json"
    artifacts.write_json(path, {"value": 1})
    with pytest.raises(ValueError):
        artifacts.write_json(path, {"value": float("nan")})
    assert artifacts.read_json(path) == {"value": 1}
    artifacts.write_text(path, "é")
    assert artifacts.sha256(path) == "4a99557e4033c3539de2eb65472017cad5f9557f7a0625a09f1c3f6e2ba69c4c"
    assert [p.name for p in path.parent.iterdir()] == ["result.json"]


def test_a_reader_never_sees_half_a_file(tmp_path: Path) -> None:
    path = tmp_path / "table.parquet"
    code = """
import sys
import pyarrow as pa
from pathlib import Path
from store import tables
for i in range(60):
    tables.write_table(Path(sys.argv[1]), pa.table({"i": [i] * 20_000}))
"""
    tables.write_table(path, pa.table({"i": [-1] * 20_000}))
    writer = start(code, path)
    while writer.poll() is None:
        seen = tables.read_table(path)["i"].to_pylist()
        assert len(seen) == 20_000 and len(set(seen)) == 1
    finish(writer)
    assert tables.read_table(path)["i"][0].as_py() == 59


def test_a_write_that_fails_keeps_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    artifacts.write_text(path, "old")
    code = """
import resource, sys
from pathlib import Path
from store import artifacts
from store.errors import UserError
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
try:
    artifacts.write_text(Path(sys.argv[1]), "new" * 1000)
except UserError as error:
    print(error)
"""
    assert "a.txt: the disk is full, or at a quota" in finish(start(code, path))
    assert path.read_text() == "old"
    assert [p.name for p in tmp_path.iterdir()] == ["a.txt"]


def test_bad_files_are_named(tmp_path: Path) -> None:
    bad = tmp_path / "bad"
    with pytest.raises(UserError, match="bad: .*cannot be read"):
        artifacts.read_json(bad)
    with pytest.raises(UserError, match="bad: .*cannot be read"):
        tables.read_table(bad)
    bad.write_text("{")
    with pytest.raises(UserError, match="bad: this is not JSON"):
        artifacts.read_json(bad)
    with pytest.raises(UserError, match="bad: this is not a Parquet file"):
        tables.read_table(bad)


def test_stored_names_stay_within_the_home(tmp_path: Path) -> None:
    name = artifacts.relative(tmp_path / "runs" / "x.parquet", tmp_path)
    assert name == "runs/x.parquet"
    assert artifacts.resolve(name, tmp_path) == (tmp_path / "runs" / "x.parquet").resolve()
    for outside in ("../secret", "/etc/passwd"):
        with pytest.raises(ValueError):
            artifacts.resolve(outside, tmp_path)
    with pytest.raises(ValueError):
        artifacts.relative(Path("/etc/passwd"), tmp_path)
