"""Pinch a cylinder that stands on the table, lift it and hold it in the air."""

from collections.abc import Mapping
from dataclasses import dataclass

import mujoco
import numpy as np
from numpy.typing import NDArray
from typing_extensions import override

from sim.models.cylinder import CYLINDER, Cylinder, add_cylinder
from sim.models.gripper import Axis
from sim.parameters.inertia import Object
from sim.parameters.standard import standard_knobs
from sim.tasks.gripper_task import (
    PERIOD,
    TIMESTEP,
    GripperTask,
    free_state,
    grip,
    gripper_apparatus,
    gripper_joints,
    gripper_signals,
    hold,
)
from sim.tasks.task import Array, Marker, Memory, Moment, Predicate, Signals, Term, effort, stacked, upright
from sim.train.config import PPOConfig

AXES: tuple[Axis, ...] = ("x", "y", "z")
NEAR, RISE = 0.04, 0.03
"""Lengths over which the rewards for reaching the object and for lifting it fall to 1/e, m."""


@dataclass(frozen=True)
class PinchConfig:
    """Settings of the task; SI units."""

    lift: float = 0.06
    """How high above its place the object is to be held, m."""
    tolerance: float = 0.015
    """Success: height of the object over or under that, m."""
    hold_steps: int = 10
    """Control steps at the end of the episode for which it must be there."""
    spread: float = 0.03
    """Half-width of the uniform scatter of the object, m."""
    workspace: float = 0.12
    """An object further than this from the middle has failed, m."""


def default_config() -> PinchConfig:
    """The tuned settings."""
    return PinchConfig()


def reach(task: "Pinch", moment: Moment) -> Array:
    """Nearness of the point between the pads to the object's middle."""
    offset = task.pads(moment.truth) - _object(moment.truth)
    return np.exp(-np.linalg.norm(offset, axis=1) / NEAR)


def lift(task: "Pinch", moment: Moment) -> Array:
    """Nearness of the object's height to the goal, once it is gripped."""
    short = np.abs(moment.truth["object_position.z"] - moment.start["goal_z"])
    return grip(moment.truth) * np.exp(-short / RISE)


def at_goal(task: "Pinch", moment: Moment) -> Array:
    """Whether the object is at the height that counts."""
    return (np.abs(moment.truth["object_position.z"] - moment.start["goal_z"]) < task.config.tolerance).astype(float)


def held(task: "Pinch", signals: Signals, start: Mapping[str, Array]) -> NDArray[np.bool_]:
    """The object stays at the goal's height to the end."""
    short = np.abs(signals["object_position.z"] - np.asarray(start["goal_z"])[:, None])
    return np.asarray((short[:, -task.config.hold_steps :] < task.config.tolerance).all(axis=1))


def lost(task: "Pinch", truth: Signals, start: Mapping[str, Array]) -> NDArray[np.bool_]:
    """The object has left the workspace."""
    return np.asarray(np.hypot(truth["object_position.x"], truth["object_position.y"]) > task.config.workspace)


class Pinch(GripperTask):
    """Two fingers grip a 100 g cylinder, lift it 60 mm and hold it."""

    name = "pinch"
    description = "A two-finger gripper pinches a 100 g cylinder on the table, lifts it 60 mm and holds it."
    axes = AXES
    joints = gripper_joints(AXES)
    item = CYLINDER
    signals = gripper_signals(AXES)
    steps = 60
    criterion = "object within 15 mm of 60 mm above its place for the last 0.4 s"
    terms = {
        "reach": Term(0.3, reach, "exp(-distance of pads and object / 40 mm)."),
        "grip": Term(0.3, hold, "tanh(force of the weaker pad / 2 N)."),
        "lift": Term(1.0, lift, "exp(-height missing / 30 mm), times grip."),
        "at_goal": Term(0.5, at_goal, "1 while the object is at the height that counts."),
        "effort": Term(-0.004, effort, "Sum of squared actions."),
    }
    successes = {"held": Predicate(held, "The object stays at the goal's height at the end.")}
    failures = {"lost": Predicate(lost, "The object is out of reach.")}
    start_names = ("object_x", "object_y", "goal_z", "pads_x", "pads_y", "pads_z", "opening")
    training = PPOConfig(iterations=120)
    knobs = standard_knobs(
        gripper_apparatus(
            AXES,
            Object(CYLINDER, (CYLINDER,), Cylinder().mass, lightest=0.05, heaviest=0.3, extent=Cylinder().half_height),
            {"table": ("cylinder_table",)},
        ),
        TIMESTEP,
        PERIOD,
    )

    config: PinchConfig

    def __init__(self, config: PinchConfig | None = None) -> None:
        super().__init__(config or default_config())
        self.cylinder = Cylinder()

    @staticmethod
    @override
    def default_config() -> PinchConfig:
        return default_config()

    @override
    def add_objects(self, spec: mujoco.MjSpec) -> None:
        add_cylinder(spec, self.cylinder)

    @override
    def sample_start(self, rng: np.random.Generator, count: int) -> Signals:
        c = self.config
        u = rng.uniform(-1, 1, size=(6, count))
        return {
            "object_x": c.spread * u[0],
            "object_y": c.spread * u[1],
            "goal_z": np.full(count, self.cylinder.half_height + c.lift),
            "pads_x": 0.02 * u[2],
            "pads_y": 0.02 * u[3],
            "pads_z": 0.1 + 0.01 * u[4],
            "opening": 0.035 + 0.005 * u[5],
        }

    @override
    def exercise(self, start: Mapping[str, Array], first: Array, time: float) -> Array:
        """Goes to the object, grips it, lifts it and shakes it."""
        go, close, lift = (float(np.clip((time - begin) / 0.4, 0, 1)) for begin in (0.0, 0.4, 0.8))
        shake = 0.01 * lift * np.sin(2 * np.pi * 3 * time)
        wanted = np.zeros_like(first)
        wanted[:, 0], wanted[:, 1] = start["object_x"] + shake, start["object_y"] + shake
        wanted[:, 2] = self.cylinder.half_height + 0.05 * lift
        wanted[:, 3:] = first[:, 3:] * (1 - close)
        path = first + go * (wanted - first)
        path[:, 3:] = wanted[:, 3:]
        return path

    @override
    def place(self, start: Mapping[str, Array]) -> dict[str, Array]:
        height = np.full_like(start["object_x"], self.cylinder.half_height)
        return {
            "gantry_x": start["pads_x"][:, None],
            "gantry_y": start["pads_y"][:, None],
            "gantry_z": start["pads_z"][:, None],
            "finger_left": start["opening"][:, None],
            "finger_right": start["opening"][:, None],
            CYLINDER: upright(start["object_x"], start["object_y"], height),
        }

    @override
    def state(self, signals: Signals, rates: Signals) -> tuple[dict[str, Array], dict[str, Array]]:
        positions, velocities = self.joint_state(signals, rates)
        positions[CYLINDER], velocities[CYLINDER] = free_state(signals, rates)
        return positions, velocities

    @override
    def observe(self, readings: Signals, memory: Memory, start: Mapping[str, Array]) -> dict[str, Array]:
        item, before = _object(readings), _object(memory.previous or readings)
        parts = [
            *self.see_robot(readings, memory),
            20 * (item - self.pads(readings)),
            20 * (np.asarray(start["goal_z"]) - item[:, 2])[:, None],
            50 * (item - before),
        ]
        return {"proprio": np.concatenate(parts, axis=1), "touch": self.see_touch(readings)}

    @override
    def goal_markers(self, start: Mapping[str, float]) -> tuple[Marker, ...]:
        size = (self.cylinder.radius, 0.001, 0.0)
        return (Marker("cylinder", (start["object_x"], start["object_y"], start["goal_z"]), size),)


def _object(signals: Mapping[str, Array]) -> Array:
    return stacked(signals, "object_position", "xyz")
