"""Robots by name: the built-in ones hold still, and a package that is missing is named with its command."""

import importlib.util
import sys
from pathlib import Path

import mujoco
import numpy as np
import pytest

from sim.models.robots import BUILT_IN, MENAGERIE, load_robot
from store.errors import UserError

FAKE = """
import mujoco

class MenagerieError(Exception):
    pass

class Robot:
    def __init__(self, name):
        self.name = name

    def spec(self, entry):
        if self.name == "leap_hand":
            raise MenagerieError("no network")
        spec = mujoco.MjSpec()
        spec.modelname = f"{self.name} {entry}"
        return spec

get = Robot
"""


@pytest.mark.parametrize("name", sorted(BUILT_IN))
def test_a_built_in_robot_holds_its_pose_for_a_second(name: str) -> None:
    model = load_robot(name).compile()
    data = mujoco.MjData(model)
    joints = model.actuator_trnid[:, 0]
    data.qpos[model.jnt_qposadr[joints]] = pose = model.jnt_range[joints].mean(axis=1)
    data.ctrl[:] = pose
    mujoco.mj_forward(model, data)
    data.act[:] = pose
    for _ in range(round(1 / model.opt.timestep)):
        mujoco.mj_step(model, data)
    assert np.isfinite(data.qpos).all() and not data.warning.number.any()


@pytest.mark.parametrize("name", sorted(MENAGERIE))
def test_a_missing_package_is_named_with_its_command(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: None)
    with pytest.raises(UserError) as caught:
        load_robot(name)
    assert caught.value.hint == "pip install mujoco-menagerie"


def test_an_unknown_robot_names_the_known_ones() -> None:
    with pytest.raises(UserError, match="finger, gripper, hand, allegro, leap, shadow"):
        load_robot("octopus")


def test_menagerie_is_asked_for_the_right_hand(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "mujoco_menagerie.py").write_text(FAKE)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "mujoco_menagerie", raising=False)
    assert load_robot("allegro").modelname == "wonik_allegro right_hand"
    with pytest.raises(UserError, match="no network.*prefetch leap_hand"):
        load_robot("leap")
    monkeypatch.delitem(sys.modules, "mujoco_menagerie")
