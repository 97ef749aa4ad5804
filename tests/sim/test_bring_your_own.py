"""docs/bring-your-own-hand.md does what it says: its files are written and its commands run, as they stand."""

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "bring-your-own-hand.md").read_text(encoding="utf-8")
FILES = re.findall(r"```\w+ (\S+)\n(.*?)```", PAGE, re.S)
COMMANDS = [line for block in re.findall(r"```sh\n(.*?)```", PAGE, re.S) for line in block.splitlines()]
REGRASP = ["-c", "from agent.cli.main import main; main()"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("own")
    for name, text in FILES:
        (place / name).write_text(text)
    return place


def test_the_page_has_a_model_a_task_a_check_and_a_training() -> None:
    assert [name for name, _ in FILES] == ["my_hand.xml", "slide_block.py", "check.py", "train.py"]
    assert [shlex.split(command)[:2] for command in COMMANDS] == [
        ["regrasp", "parameters"], ["regrasp", "mechanisms"], ["python", "check.py"], ["python", "train.py"],
    ]  # fmt: skip


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_of_the_page_works(command: str, folder: Path) -> None:
    program, *words = shlex.split(command)
    start = REGRASP if program == "regrasp" else []
    done = subprocess.run(
        [sys.executable, "-W", "error", *start, *words], cwd=folder,
        env={"PATH": "/usr/bin:/bin", "HOME": str(folder), "PYTHONPATH": str(ROOT)},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "slide_block" in done.stdout or "delay" in done.stdout or "success" in done.stdout
