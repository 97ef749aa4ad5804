"""Hands by name: the built-in ones, and real ones from packages that a user may have installed."""

import importlib
import importlib.util
from collections.abc import Callable
from pathlib import Path

import mujoco

from sim.models.finger import Finger, add_finger
from sim.models.gripper import Gripper, add_gripper
from sim.models.hand import Hand, add_hand
from store.errors import UserError

MENAGERIE = {"allegro": "wonik_allegro", "leap": "leap_hand", "shadow": "shadow_hand"}
"""Name -> its name in MuJoCo Menagerie; the right hand of each. The package downloads a model when it is first used."""
GYMNASIUM = {"shadow": "envs/assets/hand/reach.xml"}
"""Name -> its file in the package gymnasium-robotics, which brings the meshes with it."""
BUILT_IN: dict[str, Callable[[mujoco.MjSpec], None]] = {
    "finger": lambda spec: add_finger(spec, Finger()),
    "gripper": lambda spec: add_gripper(spec, Gripper()),
    "hand": lambda spec: add_hand(spec, Hand()),
}
ROBOTS = (*BUILT_IN, *MENAGERIE)


def load_robot(name: str) -> mujoco.MjSpec:
    """The robot of that name alone, one of ROBOTS, to put objects, contact pairs and sensors around.

    A real hand keeps the joint and actuator names, the gains and the collision geoms of its package.

    Raises:
        UserError: unknown name; or its package is missing or cannot get the model, with the command that mends it.
    """
    if name in BUILT_IN:
        spec = mujoco.MjSpec()
        spec.modelname, spec.compiler.degree = name, False
        spec.option.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
        BUILT_IN[name](spec)
        return spec
    if name not in MENAGERIE:
        raise UserError(f"unknown robot '{name}'", where="robot", valid=ROBOTS)
    if importlib.util.find_spec("mujoco_menagerie"):
        return _from_menagerie(name)
    if name in GYMNASIUM:
        package = importlib.util.find_spec("gymnasium_robotics")
        if package and package.origin:
            return _from_gymnasium(Path(package.origin).parent / GYMNASIUM[name])
    raise UserError(f"'{name}' needs the package mujoco-menagerie", where="robot", hint="pip install mujoco-menagerie")


def _from_menagerie(name: str) -> mujoco.MjSpec:
    package = importlib.import_module("mujoco_menagerie")
    try:
        return package.get(MENAGERIE[name]).spec("right_hand")
    except package.MenagerieError as error:
        # the wheel holds no models
        hint = f"`mujoco-menagerie prefetch {MENAGERIE[name]}` where there is a network, or MENAGERIE_ROOT=CHECKOUT"
        raise UserError(f"mujoco-menagerie has not got it: {error}", where=f"robot {name}", hint=hint) from error


def _from_gymnasium(path: Path) -> mujoco.MjSpec:
    """The Shadow hand of a scene: without the scene's floor and goal markers, its mount at the origin."""
    spec = mujoco.MjSpec.from_file(str(path))
    spec.delete(spec.body("floor0"))
    spec.delete(spec.geom("floor0"))
    spec.body("robot0:hand mount").pos = [0, 0, 0]
    return spec
