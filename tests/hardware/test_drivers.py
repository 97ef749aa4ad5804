"""Drivers by name, and twins from good and bad specs."""

from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import fake_rig
import pytest
from pilot_fixture import TASK, write_envelope, write_spec

from store.errors import UserError
from tools.hardware import driver as drivers
from tools.hardware.client import DriverLost, DriverProcess
from tools.hardware.driver import default_spec, driver_names, load_driver
from tools.hardware.rollouts import sample_start
from tools.hardware.twin import TwinDriver, read_twin_spec


def test_a_class_is_found_by_module_and_by_entry_point(monkeypatch: pytest.MonkeyPatch) -> None:
    assert isinstance(load_driver("fake_rig:FakeRig"), fake_rig.FakeRig)
    point = EntryPoint("lab", "fake_rig:FakeRig", drivers.ENTRY_POINTS)
    monkeypatch.setattr(drivers, "entry_points", lambda group: [point] if group == drivers.ENTRY_POINTS else [])
    assert driver_names() == ["twin", "lab"]
    assert isinstance(load_driver("lab"), fake_rig.FakeRig)
    assert isinstance(load_driver("twin", default_spec("finger_push")), TwinDriver)


@pytest.mark.parametrize(
    "name", ["allegro", "", "no_such_module:X", "fake_rig:Nothing", "fake_rig:LIMITS", "a:b:c", ":"]
)
def test_unknown_drivers_list_the_valid_ones(name: str) -> None:
    with pytest.raises(UserError, match=r"^driver: .*valid: twin.*module:Class"):
        load_driver(name)


def test_a_class_that_is_no_driver_says_what_it_lacks() -> None:
    with pytest.raises(UserError, match="makes a dict, which lacks describe, reset, step, stop"):
        load_driver("builtins:dict")


@pytest.mark.parametrize(
    ("parts", "says"),
    [
        ({"hidden": "delya = 0.01"}, "unknown key 'delya' in [hidden]; valid: delay"),
        ({"hidden": "delay = 0.7777"}, "[hidden] delay is outside its bounds; valid: 0 to 0.15 s"),
        ({"hidden": "delay = -0.01"}, "[hidden] delay is outside its bounds"),
        ({"hidden": "delay = nan"}, "[hidden] delay is outside its bounds"),
        ({"hidden": 'delay = "7 ms"'}, "[hidden] delay must be a number in s"),
        ({"noise": "delay = 0.01"}, "unknown key 'delay' in [noise]; valid: "),
        ({"hidden": "joint_noise = 0.01", "noise": "joint_noise = 0.01"}, "stands in [hidden] too"),
        ({"task": "juggle"}, "unknown task 'juggle'; valid: "),
        ({"head": "sped = 3"}, "unknown key 'sped'; valid: task, name, rig, calibration, seed, hidden, noise"),
    ],
)
def test_a_bad_spec_names_file_key_and_valid_keys(tmp_path: Path, parts: dict[str, str], says: str) -> None:
    path = write_spec(tmp_path / "spec.toml", **parts)
    envelope = write_envelope(tmp_path / "envelope.toml")
    with pytest.raises(UserError) as here:
        read_twin_spec(path)
    with pytest.raises(UserError) as there:  # the same words come back from the twin's own process
        DriverProcess("twin", envelope, path)
    assert str(there.value) == str(here.value)
    assert str(here.value).startswith(f"{path}: ")
    assert says in str(here.value)
    assert "0.7777" not in str(here.value)
    assert "\n" not in str(here.value)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "task is missing or not text"),
        ('task = "finger_push"\nname = " "', "name is missing"),
        ('task = "finger_push"\nname = "a"\nrig = "b"\ncalibration = "c"\nseed = -1', "seed must be a whole number"),
        ('task = "finger_push"\nname = "a"\nrig = "b"\ncalibration = "c"\nhidden = 3', "hidden must be a table"),
        ("task = ", "not valid TOML"),
    ],
)
def test_a_broken_spec_is_one_line(tmp_path: Path, text: str, says: str) -> None:
    path = tmp_path / "spec.toml"
    path.write_text(text)
    with pytest.raises(UserError, match=says):
        read_twin_spec(path)


def test_missing_files_are_user_errors(tmp_path: Path) -> None:
    envelope = write_envelope(tmp_path / "envelope.toml")
    with pytest.raises(UserError, match="there is no such twin spec file; check the path"):
        DriverProcess("twin", envelope, tmp_path / "none.toml")
    with pytest.raises(UserError, match="there is no such envelope file"):
        DriverProcess("twin", tmp_path / "none.toml", default_spec("finger_push"))
    with pytest.raises(UserError, match="a twin needs a spec"):
        DriverProcess("twin", envelope)
    with pytest.raises(UserError, match="unknown driver 'allegro'"):
        DriverProcess("allegro", envelope)
    with pytest.raises(UserError, match="no twin ships for task 'juggle'"):
        default_spec("juggle")


def test_a_driver_that_dies_at_its_start_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parent))
    with pytest.raises(DriverLost, match=r"ended with code 1 \(FileNotFoundError"):
        DriverProcess("fake_rig:CountingRig", write_envelope(tmp_path / "e.toml"), tmp_path / "none.json")


def rollout(twin: TwinDriver, index: int) -> list[Any]:
    start = sample_start(TASK, 5, index)
    seen = [twin.reset(start, index)]
    target = [seen[0].signals[f"joint_position.{joint}"] for joint in TASK.joints]
    for step in range(40):
        target[step % 3] += 0.05
        seen.append(twin.step(target))
    return seen


def test_a_rollout_depends_on_spec_start_commands_and_index_alone(tmp_path: Path) -> None:
    spec = default_spec("finger_push")
    first = TwinDriver(spec)
    runs = [rollout(first, index) for index in range(3)]
    assert rollout(TwinDriver(spec), 2) == runs[2]
    assert rollout(first, 0) == runs[0]
    assert runs[0] != runs[1]
    other = TwinDriver(write_spec(tmp_path / "other.toml", "delay = 0.1"))
    assert rollout(other, 0)[-1] != runs[0][-1]


def test_a_start_that_the_task_does_not_know_is_refused() -> None:
    with pytest.raises(ValueError, match="a start of finger_push is"):
        TwinDriver(default_spec("finger_push")).reset({"object_x": 0.0}, 0)
