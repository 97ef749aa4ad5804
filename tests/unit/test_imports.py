"""The house stands: imports point down, names resolve here, files are short, `--help` is quick."""

import ast
import importlib.util
import statistics
import subprocess
import sys
import sysconfig
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
FLOORS = ("agent", "tools", "prompts", "sim", "store")
MAY_IMPORT = {
    "agent": {"agent", "tools", "prompts", "sim", "store"},
    "tools": {"tools", "prompts", "sim", "store"},
    "prompts": {"prompts"},
    "sim": {"sim", "store"},
    "store": {"store"},
}
LONGEST = 400
HELP_S = 0.4


def sources(*folders: str) -> list[Path]:
    """Python files under some folders of the repository."""
    return [path for folder in folders for path in sorted((ROOT / folder).rglob("*.py"))]


def imported(path: Path) -> Iterator[tuple[int, str]]:
    """Line and first name of every import, also of those inside functions."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"), str(path))):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name.split(".")[0]) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}:{node.lineno} imports relatively"
            yield node.lineno, (node.module or "").split(".")[0]


@pytest.mark.parametrize("floor", FLOORS)
def test_imports_point_down(floor: str) -> None:
    wrong = [
        f"{path.relative_to(ROOT)}:{line} imports {name}"
        for path in sources(floor)
        for line, name in imported(path)
        if name in FLOORS and name not in MAY_IMPORT[floor]
    ]
    assert wrong == []


def test_only_the_agent_knows_language_models() -> None:
    models = {
        "langchain",
        "langchain_core",
        "langgraph",
        "langchain_openai",
        "langchain_anthropic",
        "openai",
        "anthropic",
    }
    wrong = [
        f"{path.relative_to(ROOT)}:{line} imports {name}"
        for path in sources("tools", "sim", "store", "prompts")
        for line, name in imported(path)
        if name in models
    ]
    assert wrong == []


@pytest.mark.parametrize("floor", FLOORS)
def test_no_name_of_ours_resolves_into_site_packages(floor: str) -> None:
    spec = importlib.util.find_spec(floor)
    assert spec is not None and spec.origin is not None
    origin = Path(spec.origin).resolve()
    assert origin == ROOT / floor / "__init__.py"
    for kind in ("purelib", "platlib"):
        assert not origin.is_relative_to(Path(sysconfig.get_path(kind)).resolve())
        assert not (Path(sysconfig.get_path(kind)) / floor).exists()


def test_no_file_is_long() -> None:
    lengths = {p.relative_to(ROOT).as_posix(): len(p.read_text().splitlines()) for p in sources(*FLOORS, "tests")}
    assert {name: lines for name, lines in lengths.items() if lines > LONGEST} == {}


def test_no_vague_names() -> None:
    vague = {"utils", "util", "helpers", "helper", "common", "manager", "misc"}
    assert [p.relative_to(ROOT).as_posix() for p in sources(*FLOORS) if vague & {*p.parts, p.stem}] == []


def test_help_is_quick() -> None:
    command = [sys.executable, "-c", "import sys; from agent.cli.main import main; sys.exit(main())", "--help"]
    seconds: list[float] = []
    for _ in range(7):
        began = time.perf_counter()
        done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)
        seconds.append(time.perf_counter() - began)
        assert done.returncode == 0, done.stderr
        assert "run" in done.stdout
    assert statistics.median(seconds[1:]) < HELP_S, seconds
