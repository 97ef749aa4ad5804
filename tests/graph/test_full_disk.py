"""A disk that fills up during a run: one clear line, nothing lost, and the run goes on when there is space."""

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from cli_process import Workplace


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 3 MB."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=3m", "tmpfs", str(folder)], capture_output=True)
    if mounted.returncode != 0:
        pytest.skip("mounting a small disk needs root")
    yield folder
    subprocess.run(["umount", "-l", str(folder)], check=True)


@pytest.mark.slow
def test_a_full_disk_stops_the_run_and_loses_nothing(small_disk: Path) -> None:
    place = Workplace(small_disk)
    full = place.call(*place.run_words("--json"))
    assert full.returncode == 2, full.stderr
    error = json.loads(full.stdout)["error"]
    assert "full" in error["what"] and "Traceback" not in full.stderr
    assert place.ledger.verify().ok
    kept = place.kinds()
    assert kept[0] == "run"

    subprocess.run(["mount", "-o", "remount,size=200m", str(small_disk)], check=True)
    waits = place.call("resume", "run-0001", "--json")
    assert waits.returncode == 3, waits.stderr
    assert place.kinds()[: len(kept)] == kept and "evaluation" in place.kinds()
