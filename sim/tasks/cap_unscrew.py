"""Unscrew the cap of a bottle by turning, letting go, turning back and gripping again."""

from collections.abc import Mapping
from dataclasses import dataclass

import mujoco
import numpy as np
from numpy.typing import NDArray
from typing_extensions import override

from sim.models.bottle import CAP, RISE, TURN, Bottle, add_bottle
from sim.models.gripper import Axis
from sim.parameters.inertia import Object
from sim.parameters.standard import standard_knobs
from sim.tasks.gripper_task import (
    PERIOD,
    TIMESTEP,
    GripperTask,
    gripper_apparatus,
    gripper_joints,
    gripper_signals,
)
from sim.tasks.task import Array, Memory, Moment, Predicate, Signal, Signals, Term, effort
from sim.train.config import PPOConfig

AXES: tuple[Axis, ...] = ("yaw",)
FAST = 2.5
"""Speed of the cap above which more earns nothing, rad/s."""
BEYOND = 0.2
"""How far past the end turning still pays, rad, so that noise does not decide whether the cap is off."""


@dataclass(frozen=True)
class CapUnscrewConfig:
    """Settings of the task; SI units."""

    turns: float = 0.75
    """Turns after which the cap is off; the wrist turns 0.56 of a turn from end to end."""


def default_config() -> CapUnscrewConfig:
    """The tuned settings."""
    return CapUnscrewConfig()


def turn(task: "CapUnscrew", moment: Moment) -> Array:
    """Speed of the cap, as a share of the fastest that pays; turning it back costs as much."""
    moved = (moment.truth["cap_angle"] - moment.before["cap_angle"]) / task.control_period
    return np.clip(moved / FAST, -1, 1) * (moment.before["cap_angle"] < task.bottle.off + BEYOND)


def opened(task: "CapUnscrew", moment: Moment) -> Array:
    """How far the cap is open, from 0 to 1."""
    return np.clip(moment.truth["cap_angle"] / task.bottle.off, 0, 1)


def off(task: "CapUnscrew", moment: Moment) -> Array:
    """Whether the cap is off."""
    return (moment.truth["cap_angle"] > task.bottle.off).astype(float)


def came_off(task: "CapUnscrew", signals: Signals, start: Mapping[str, Array]) -> NDArray[np.bool_]:
    """The cap has turned far enough at the end, counted turn by turn since the start, when it was tight."""
    turned = np.unwrap(_part_turn(signals), axis=1)
    return np.asarray(turned[:, -3:].mean(axis=1) > task.bottle.off)


def torn(task: "CapUnscrew", truth: Signals, start: Mapping[str, Array]) -> NDArray[np.bool_]:
    """The thread has been torn off: the cap is nowhere near where its rotation puts it."""
    rise = truth["object_position.z"] - task.closed_height
    return np.asarray(np.abs(rise - task.bottle.pitch * truth["cap_angle"] / (2 * np.pi)) > task.bottle.pitch)


class CapUnscrew(GripperTask):
    """A gripper with a wrist turns a cap off its thread; the wrist cannot turn far enough in one go."""

    name = "cap_unscrew"
    description = "A two-finger gripper with a wrist unscrews a cap by three quarters of a turn, with regrasps."
    axes = AXES
    joints = gripper_joints(AXES)
    item = CAP
    place_of_pads = (0.0, 0.0, Bottle().height + Bottle().cap_half_height)
    signals = gripper_signals(AXES, *(Signal(f"object_rotation.{axis}", "1", "pose") for axis in "wxyz"))
    steps = 120
    criterion = "cap turned by 0.75 turns"
    terms = {
        "turn": Term(1.0, turn, "Speed of the cap / 2.5 rad/s, clipped at 1."),
        "opened": Term(0.3, opened, "Share of the way to off."),
        "off": Term(0.5, off, "1 while the cap is off."),
        "effort": Term(-0.004, effort, "Sum of squared actions."),
    }
    successes = {"came_off": Predicate(came_off, "The cap has turned as far as takes it off.")}
    failures = {"torn": Predicate(torn, "The cap is a whole pitch away from where its thread holds it.")}
    start_names = ("yaw", "opening")
    training = PPOConfig(iterations=240)
    knobs = standard_knobs(
        gripper_apparatus(
            AXES,
            # on its thread the cap turns and rises: where its mass lies along that axis changes nothing
            Object(
                CAP, (CAP,), Bottle().cap_mass, lightest=0.02, heaviest=0.06, extent=Bottle().cap_half_height,
                sizes=(0.95, 1.05), shifts="xy",
            ),
            {},
            rotation=True,
        ),
        TIMESTEP,
        PERIOD,
    )  # fmt: skip

    config: CapUnscrewConfig

    def __init__(self, config: CapUnscrewConfig | None = None) -> None:
        super().__init__(config or default_config())
        self.bottle = Bottle(turns=self.config.turns)
        self.closed_height = self.bottle.height + self.bottle.cap_half_height

    @staticmethod
    @override
    def default_config() -> CapUnscrewConfig:
        return default_config()

    @override
    def add_objects(self, spec: mujoco.MjSpec) -> None:
        add_bottle(spec, self.bottle)
        spec.add_sensor(
            name="cap_angle", type=mujoco.mjtSensor.mjSENS_JOINTPOS, objtype=mujoco.mjtObj.mjOBJ_JOINT, objname=TURN
        )
        body, quaternion = mujoco.mjtObj.mjOBJ_XBODY, mujoco.mjtSensor.mjSENS_FRAMEQUAT
        spec.add_sensor(name="cap_quaternion", type=quaternion, objtype=body, objname=CAP)

    @override
    def read(self, sensors: dict[str, Array]) -> Signals:
        signals = super().read(sensors)
        signals |= {f"object_rotation.{axis}": sensors["cap_quaternion"][:, i] for i, axis in enumerate("wxyz")}
        return signals | {"cap_angle": sensors["cap_angle"][:, 0]}

    @override
    def sample_start(self, rng: np.random.Generator, count: int) -> Signals:
        return {
            "yaw": rng.uniform(-0.6, 0.6, count),
            "opening": self.bottle.cap_radius + rng.uniform(0.002, 0.008, count),
        }

    @override
    def place(self, start: Mapping[str, Array]) -> dict[str, Array]:
        opening = start["opening"][:, None]
        return {"gantry_yaw": start["yaw"][:, None], "finger_left": opening, "finger_right": opening}

    @override
    def state(self, signals: Signals, rates: Signals) -> tuple[dict[str, Array], dict[str, Array]]:
        positions, velocities = self.joint_state(signals, rates)
        angle, per_radian = self.angle(signals), self.bottle.pitch / (2 * np.pi)
        # d(angle)/dt of a rotation about z, from the quaternion's rates
        w, z = signals["object_rotation.w"], signals["object_rotation.z"]
        speed = 2 * (w * rates["object_rotation.z"] - z * rates["object_rotation.w"])
        positions |= {TURN: angle[:, None], RISE: per_radian * angle[:, None]}
        velocities |= {TURN: speed[:, None], RISE: per_radian * speed[:, None]}
        return positions, velocities

    @override
    def observe(self, readings: Signals, memory: Memory, start: Mapping[str, Array]) -> dict[str, Array]:
        angle, before = _part_turn(readings), _part_turn(memory.previous or readings)
        moved = np.mod(angle - before + np.pi, 2 * np.pi) - np.pi
        # whole turns are not told apart here: the rise does it, which is noisy, and the policy may weigh it
        rise = (readings["object_position.z"] - self.closed_height) / self.bottle.pitch
        parts = [
            *self.see_robot(readings, memory),
            np.stack([np.cos(angle), np.sin(angle), 5 * moved, 2 * rise], axis=1),
        ]
        return {"proprio": np.concatenate(parts, axis=1), "touch": self.see_touch(readings)}

    def angle(self, signals: Mapping[str, Array]) -> Array:
        """How far the cap has turned, rad: its rotation, with whole turns told apart by how far it has risen."""
        part = _part_turn(signals)
        rise = 2 * np.pi * (signals["object_position.z"] - self.closed_height) / self.bottle.pitch
        return part + 2 * np.pi * np.round((rise - part) / (2 * np.pi))


def _part_turn(signals: Mapping[str, Array]) -> Array:
    """Rotation of the cap about its axis, rad, whole turns left out."""
    return 2 * np.arctan2(signals["object_rotation.z"], signals["object_rotation.w"])
