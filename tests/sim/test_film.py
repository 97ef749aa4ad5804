"""`regrasp film`: frames, speed and size of what it writes, and one line for what it cannot film."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from scripted import TASK, scripted_pilot

from agent.cli import main
from agent.cli.opengl import find_opengl
from sim.train.policy import Policy

LAST_MS = 1000
"""The last frame stays for a second."""


@pytest.fixture(scope="module")
def traces(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    return scripted_pilot(tmp_path_factory.mktemp("pilot"), {}, rollouts=2, repeats=1)[0]


@pytest.fixture(scope="module")
def opengl() -> str:
    """The backend that renders here."""
    backend, reasons = find_opengl()
    if backend is None:
        pytest.skip("no OpenGL backend renders here: " + "; ".join(reasons))
    return backend


def film(*words: str) -> str:
    """What the command says, in a process of its own: MuJoCo chooses its OpenGL backend once."""
    command = [sys.executable, "-m", "agent", "film", *words]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def policy(path: Path, inputs: int) -> Path:
    """An untrained policy that takes so many inputs."""
    weights = (np.zeros((len(TASK.joints), inputs), np.float32),)
    biases = (np.full(len(TASK.joints), 0.1, np.float32),)
    Policy(np.zeros(inputs, np.float32), np.ones(inputs, np.float32), weights, biases).save(path)
    return path


def inputs() -> int:
    """How many inputs a policy of the task has."""
    from sim.control import Controller
    from sim.plant import Plant

    start = TASK.sample_start(np.random.default_rng(0), 1)
    readings = Plant(TASK, 1, 1).reset(start, seed=0).signals
    controller = Controller(TASK, 1)
    controller.reset(start, readings)
    return sum(group.shape[1] for group in controller.observe(readings).values())


@pytest.mark.usefixtures("opengl")
def test_a_moving_picture_runs_at_the_speed_of_the_episode(traces: list[Path], tmp_path: Path) -> None:
    path = tmp_path / "episode.gif"
    said = json.loads(film(*map(str, traces), "--out", str(path), "--json"))
    assert said["film"] == str(path) and said["task"] == "finger_push" and said["seconds"] == 2.0
    assert said["episodes"] == ["pseudo_real 0, success", "pseudo_real 1, failure"]
    assert path.stat().st_size == said["bytes"] < 1_000_000
    with Image.open(path) as moving:
        frames, shown = [], []
        for number in range(getattr(moving, "n_frames", 1)):
            moving.seek(number)
            frames.append(np.asarray(moving.convert("RGB"), dtype=float))
            shown.append(moving.info["duration"])
        assert moving.info["loop"] == 0
    assert len(frames) == TASK.steps + 1 and frames[0].shape == (20 + 240, 2 * 320, 3)
    assert sum(shown) == 1000 * TASK.steps * TASK.control_period + LAST_MS
    picture = frames[len(frames) // 2]
    assert picture[20:].std() > 20 and np.abs(picture[20:, :320] - picture[20:, 320:]).mean() > 0.5
    assert all(np.abs(a - b).max() > 20 for a, b in zip(frames[:-1], frames[1:], strict=True)), "the time is shown"


@pytest.mark.usefixtures("opengl")
def test_a_strip_is_a_png(traces: list[Path], tmp_path: Path) -> None:
    path = tmp_path / "new folder" / "episode.png"
    assert film(str(traces[0]), "--out", str(path), "--strip").strip() == str(path)
    with Image.open(path) as strip:
        assert strip.format == "PNG" and strip.height == 20 + 150 and strip.width > 6 * 200


@pytest.mark.usefixtures("opengl")
def test_a_policy_is_filmed_from_its_seed(tmp_path: Path) -> None:
    file = policy(tmp_path / "policy.npz", inputs())
    words = (str(file), "--task", "finger_push", "--seed", "3")
    for name in ("a.gif", "b.gif"):
        film(*words, "--out", str(tmp_path / name))
    assert (tmp_path / "a.gif").read_bytes() == (tmp_path / "b.gif").read_bytes()
    film(*words[:-1], "4", "--out", str(tmp_path / "b.gif"))
    assert (tmp_path / "a.gif").read_bytes() != (tmp_path / "b.gif").read_bytes()


MISTAKES = {
    "no such file": (["nowhere.parquet"], "nowhere.parquet"),
    "not a rollout": (["NOTES"], "notes.parquet"),
    "form": (["TRACE", "--out", "episode.mp4"], ".gif, .png"),
    "strip that moves": (["TRACE", "--strip", "--out", "episode.gif"], ".png"),
    "task": (["TRACE", "--task", "fold"], "cube_rotate"),
    "other task": (["TRACE", "--task", "cube_rotate"], "no episode of cube_rotate"),
    "too many": (["TRACE"] * 5, "1 to 4"),
    "policy of what": (["POLICY"], "--task TASK"),
    "policy of something else": (["POLICY", "--task", "finger_push"], "does not fit finger_push"),
    "seed": (["TRACE", "--seed", "-1"], "--seed"),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_is_one_line(
    name: str,
    traces: list[Path],
    opengl: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MUJOCO_GL", opengl)
    (tmp_path / "notes.parquet").write_text("not a table")
    files = {
        "TRACE": str(traces[0]),
        "NOTES": str(tmp_path / "notes.parquet"),
        "POLICY": str(policy(tmp_path / "policy.npz", 3)),
    }
    words, named = MISTAKES[name]
    with pytest.raises(SystemExit) as caught:
        main.main(["film", *(files.get(word, word) for word in words), "--home", str(tmp_path / "home")])
    out, err = capsys.readouterr()
    assert (caught.value.code, out) == (2, "")
    assert err.startswith("error: ") and err.count("\n") == 1 and named in err, err
    assert not list(tmp_path.glob("*.gif")) + list(tmp_path.glob("*.png"))
