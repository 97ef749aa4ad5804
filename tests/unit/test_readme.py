"""The commands that the README shows do what it says, where they are cheap."""

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from report_fixture import make_home

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
CHEAP = ("plan", "doctor", "ledger", "approvals")


def shown() -> list[list[str]]:
    """The words of every cheap `regrasp` command in the README's sh blocks."""
    blocks = "\n".join(re.findall(r"```sh\n(.*?)```", README, re.S))
    commands = re.findall(r'^regrasp (?:[^"\n]|"[^"]*")*', blocks, re.M)
    words = [shlex.split(command, comments=True)[1:] for command in commands]
    return [w for w in words if w[0] in CHEAP]


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("home")
    make_home(folder)
    return folder


def test_the_readme_shows_the_commands_that_are_run_here() -> None:
    assert {" ".join(words[:2]) for words in shown() if words[0] == "ledger"} == {
        "ledger list", "ledger template", "ledger sql", "ledger verify", "ledger export",
    }  # fmt: skip
    assert {"plan", "doctor", "approvals"} <= {words[0] for words in shown()}


@pytest.mark.parametrize("words", shown(), ids=lambda words: " ".join(words)[:40])
def test_a_shown_command_works(words: list[str], home: Path, tmp_path: Path) -> None:
    place = ["--home", str(home)] if words[:2] != ["ledger", "template"] and words[0] != "plan" else []
    done = subprocess.run(
        [sys.executable, "-c", "from agent.cli.main import main; main()", *words, *place],
        cwd=tmp_path, env={"PATH": "/usr/bin:/bin", "HOME": str(tmp_path), "PYTHONPATH": str(ROOT)},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip()


def test_links_and_pictures_exist() -> None:
    links = [link for link in re.findall(r"\]\(([^)#]+)\)", README) if "://" not in link]
    assert links and [link for link in links if not (ROOT / link).exists()] == []
