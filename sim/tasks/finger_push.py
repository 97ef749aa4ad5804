"""Push a puck to a target on a table with one three-joint finger."""

from collections.abc import Mapping
from dataclasses import dataclass

import mujoco
import numpy as np
from numpy.typing import NDArray
from typing_extensions import override

from sim.models.finger import JOINTS, LINKS, TIP_BODY, Finger, add_finger
from sim.models.puck import PUCK_BODY, Puck, add_puck
from sim.models.table import table_scene
from sim.parameters.contact import Pad
from sim.parameters.inertia import Object
from sim.parameters.standard import Apparatus, standard_knobs
from sim.tasks.task import (
    Array,
    Marker,
    Memory,
    Moment,
    Predicate,
    Signal,
    Signals,
    Task,
    Term,
    effort,
    stacked,
    upright,
)
from sim.touch import contact_touch
from sim.train.config import PPOConfig

TIMESTEP = 0.004
CONTROL_PERIOD = 0.04
FINGER, PUCK = Finger(), Puck()
NEAR = 0.03
"""Length over which the reward for being near the target falls to 1/e, m."""


@dataclass(frozen=True)
class FingerPushConfig:
    """Settings of the task; SI units."""

    distance: float = 0.10
    """How far ahead the target lies, m."""
    spread: float = 0.02
    """Half-width of the target's and the puck's uniform scatter, m."""
    tolerance: float = 0.01
    """Success: distance of puck from target at the end, m."""
    hold_steps: int = 5
    """Control steps at the end of the episode for which it must stay there."""
    step: float = 0.12
    """Largest change of a joint target in a control step, rad."""
    workspace: float = 0.25
    """A puck further than this from its start has failed, m."""


def default_config() -> FingerPushConfig:
    """The tuned settings."""
    return FingerPushConfig()


def approach(task: "FingerPush", moment: Moment) -> Array:
    """Distance of the tip from the point behind the puck, on the line from the goal, m."""
    truth, start = moment.truth, moment.start
    dx, dy = start["goal_x"] - truth["object_position.x"], start["goal_y"] - truth["object_position.y"]
    length = np.maximum(np.hypot(dx, dy), 1e-6)
    back = PUCK.radius + FINGER.tip_radius
    x = truth["object_position.x"] - back * dx / length
    y = truth["object_position.y"] - back * dy / length
    return np.sqrt(
        (truth["tip_position.x"] - x) ** 2
        + (truth["tip_position.y"] - y) ** 2
        + (truth["tip_position.z"] - PUCK.half_height) ** 2
    )


def near(task: "FingerPush", moment: Moment) -> Array:
    """Nearness of the puck to the target, 1 on it."""
    return np.exp(-to_goal(moment.truth, moment.start) / NEAR)


def at_target(task: "FingerPush", moment: Moment) -> Array:
    """Whether the puck lies within the tolerance."""
    return (to_goal(moment.truth, moment.start) < task.config.tolerance).astype(float)


def rests_at_target(task: "FingerPush", signals: Signals, start: Mapping[str, Array]) -> NDArray[np.bool_]:
    """Whether the puck stays within the tolerance at the end of the episode."""
    goal = {name: np.asarray(start[name])[:, None] for name in ("goal_x", "goal_y")}
    return np.asarray((to_goal(signals, goal)[:, -task.config.hold_steps :] < task.config.tolerance).all(axis=1))


def left_workspace(task: "FingerPush", truth: Signals, start: Mapping[str, Array]) -> NDArray[np.bool_]:
    """Whether the puck is out of reach."""
    return np.asarray(np.hypot(truth["object_position.x"], truth["object_position.y"]) > task.config.workspace)


def to_goal(signals: Signals, start: Mapping[str, Array]) -> Array:
    """Distance of puck and target, m."""
    return np.hypot(signals["object_position.x"] - start["goal_x"], signals["object_position.y"] - start["goal_y"])


class FingerPush(Task):
    """A finger pushes a puck to a target; relative joint targets, touch at the tip, 25 Hz."""

    name = "finger_push"
    robot = "finger"
    description = "A 3-joint finger pushes a 100 g puck to a target on a table."
    joints = JOINTS
    fingers = {"finger": JOINTS}
    tips = {"finger": "tip"}
    skins = {"finger": ((0.64, 0.0, 0.77), (1.0, 0.0, 0.0))}
    item = PUCK_BODY
    signals = (
        *(Signal(f"joint_position.{name}", "rad", "pose") for name in JOINTS),
        Signal("object_position.x", "m", "pose"),
        Signal("object_position.y", "m", "pose"),
        Signal("tip_force", "N", "force"),
        Signal("slip_speed", "m/s", "slip"),
    )
    control_period = CONTROL_PERIOD
    timestep = TIMESTEP
    steps = 50
    criterion = "puck within 10 mm of the target for the last 0.2 s"
    terms = {
        "approach": Term(-1.0, approach, "Distance of the tip from the point behind the puck, m."),
        "near": Term(0.5, near, "exp(-distance of puck and target / 30 mm)."),
        "at_target": Term(0.3, at_target, "1 while the puck lies within the tolerance."),
        "effort": Term(-0.002, effort, "Sum of squared actions."),
    }
    successes = {"rests_at_target": Predicate(rests_at_target, "The puck stays within the tolerance at the end.")}
    failures = {"left_workspace": Predicate(left_workspace, "The puck is out of reach.")}
    start_names = ("object_x", "object_y", "goal_x", "goal_y", "tip_x", "tip_y")
    suspects = ("friction", "delay", "mass", "compliance", "kp", "damping")
    knobs = standard_knobs(
        Apparatus(
            servos=FINGER.servos,
            links=LINKS,
            item=Object(PUCK_BODY, (PUCK_BODY,), PUCK.mass, lightest=0.03, heaviest=0.4, extent=PUCK.radius),
            surfaces={"table": ("puck_table",), "tip": ("puck_tip",)},
            pads={"finger": Pad((("puck_tip", TIP_BODY, PUCK_BODY),))},
            friction=PUCK.friction,
        ),
        TIMESTEP,
        CONTROL_PERIOD,
    )
    training = PPOConfig()

    config: FingerPushConfig

    def __init__(self, config: FingerPushConfig | None = None) -> None:
        super().__init__(config or default_config())
        self.finger, self.puck = FINGER, PUCK

    @staticmethod
    @override
    def default_config() -> FingerPushConfig:
        return default_config()

    @override
    def build(self) -> mujoco.MjSpec:
        spec = table_scene(self.name, self.timestep)
        spec.option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
        add_finger(spec, self.finger)
        add_puck(spec, self.puck)
        return spec

    @override
    def sample_start(self, rng: np.random.Generator, count: int) -> Signals:
        c = self.config
        scatter = rng.uniform(-c.spread, c.spread, size=(6, count))
        x, y = 0.5 * scatter[0], 0.5 * scatter[1]
        return {
            "object_x": x,
            "object_y": y,
            "goal_x": x + c.distance + 0.5 * scatter[2],
            "goal_y": y + scatter[3],
            "tip_x": x - self.puck.radius - self.finger.tip_radius - 0.015 + 0.3 * scatter[4],
            "tip_y": y + 0.5 * scatter[5],
        }

    @override
    def place(self, start: Mapping[str, Array]) -> dict[str, Array]:
        height = np.full_like(start["tip_x"], self.puck.half_height)
        joints = self.finger.joints_for(np.stack([start["tip_x"], start["tip_y"], height], axis=1))
        puck = self._lying(start["object_x"], start["object_y"])
        return {PUCK_BODY: puck, **{name: joints[:, [i]] for i, name in enumerate(JOINTS)}}

    @override
    def state(self, signals: Signals, rates: Signals) -> tuple[dict[str, Array], dict[str, Array]]:
        positions, velocities = self.joint_state(signals, rates)
        twist = np.zeros((len(rates["object_position.x"]), 6))  # a round puck's spin is not measured
        twist[:, :2] = _puck(rates)
        positions[PUCK_BODY] = self._lying(signals["object_position.x"], signals["object_position.y"])
        velocities[PUCK_BODY] = twist
        return positions, velocities

    def _lying(self, x: Array, y: Array) -> Array:
        """Free-joint positions (n, 7) of pucks that lie flat at x and y, m."""
        return upright(x, y, np.full_like(x, self.puck.half_height))

    @override
    def read(self, sensors: dict[str, Array]) -> Signals:
        force, slip = contact_touch(sensors["touch"], sensors, moving="tip", other="puck")
        signals = self.read_joints(sensors) | {
            "object_position.x": sensors["puck_position"][:, 0],
            "object_position.y": sensors["puck_position"][:, 1],
        }
        signals |= {"tip_force": force, "slip_speed": slip}
        signals |= {f"tip_position.{axis}": sensors["tip_position"][:, i] for i, axis in enumerate("xyz")}
        return signals

    @override
    def target(self, memory: Memory, actions: Array) -> Array:
        low, high = np.array(self.finger.low), np.array(self.finger.high)
        return np.clip(memory.targets + self.config.step * np.clip(actions, -1, 1), low, high)

    @override
    def observe(self, readings: Signals, memory: Memory, start: Mapping[str, Array]) -> dict[str, Array]:
        joints, puck = _joints(readings), _puck(readings)
        tip = self.finger.tip_position(joints)
        goal = np.stack([start["goal_x"], start["goal_y"]], axis=1)
        before = memory.previous or readings
        # scales bring every entry near one
        proprio = [
            joints,
            5 * (memory.targets - joints),
            5 * (joints - _joints(before)),
            20 * (goal - puck),
            20 * (puck - tip[:, :2]),
            20 * (tip[:, 2:] - self.puck.half_height),
            50 * (puck - _puck(before)),
            memory.actions.reshape(len(joints), -1),
        ]
        return {"proprio": np.concatenate(proprio, axis=1), "touch": 0.5 * readings["tip_force"][:, None]}

    @override
    def exercise(self, start: Mapping[str, Array], first: Array, time: float) -> Array:
        reach = 0.11 * (1 - np.cos(np.pi * time)) / 2
        sway = 0.006 * np.sin(2 * np.pi * 1.5 * time)
        height = np.full_like(start["tip_x"], self.puck.half_height)
        return self.finger.joints_for(np.stack([start["tip_x"] + reach, start["tip_y"] + sway, height], axis=1))

    @override
    def goal_markers(self, start: Mapping[str, float]) -> tuple[Marker, ...]:
        return (Marker("cylinder", (start["goal_x"], start["goal_y"], 0.001), (0.012, 0.0005, 0.0)),)


def _joints(signals: Signals) -> Array:
    return stacked(signals, "joint_position", JOINTS)


def _puck(signals: Signals) -> Array:
    return stacked(signals, "object_position", "xy")
