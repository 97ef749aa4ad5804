"""`regrasp robots`: hands by name, and one line with the command when a package is missing."""

import importlib.util
import json
import subprocess
import sys
from pathlib import Path

import pytest
from PIL import Image

from agent.cli.opengl import find_opengl


def regrasp(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "agent", "robots", *words], capture_output=True, text=True, check=False
    )


def test_a_built_in_hand_shows_its_joints_and_actuators() -> None:
    done = regrasp("--robot", "hand", "--json")
    facts = json.loads(done.stdout)
    assert done.returncode == 0 and len(facts["joints"]) == len(facts["actuators"]) == 16
    assert facts["joints"][0] == {"name": "index_0", "low": -0.47, "high": 0.47, "unit": "rad"}


def test_the_list_names_packages() -> None:
    rows = {row["robot"]: row["from"] for row in json.loads(regrasp("--json").stdout)["robots"]}
    assert rows["hand"] == "built in" and rows["allegro"] == "mujoco-menagerie"


@pytest.mark.skipif(
    any(importlib.util.find_spec(name) for name in ("mujoco_menagerie", "gymnasium_robotics")),
    reason="a package with the Shadow hand is installed",
)
def test_a_missing_package_gives_the_pip_command_in_one_line() -> None:
    done = regrasp("--robot", "shadow")
    assert done.returncode == 2 and done.stderr.count("\n") == 1 and "pip install mujoco-menagerie" in done.stderr


def test_an_unknown_robot_names_the_known_ones() -> None:
    done = regrasp("--robot", "octopus")
    assert done.returncode == 2 and "finger, gripper, hand, allegro, leap, shadow" in done.stderr


def test_a_picture_needs_a_robot_and_shows_it(tmp_path: Path) -> None:
    assert regrasp("--out", str(tmp_path / "x.png")).returncode == 2
    if find_opengl()[0] is None:
        pytest.skip("no OpenGL backend renders here")
    assert regrasp("--robot", "gripper", "--out", str(tmp_path / "x.png")).returncode == 0
    colours = Image.open(tmp_path / "x.png").convert("RGB").getcolors(maxcolors=1 << 20)
    assert colours is not None and len(colours) > 50
