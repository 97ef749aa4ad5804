"""Push a puck to a target on a table with one three-joint finger."""

from collections.abc import Mapping
from dataclasses import dataclass

import mujoco
import numpy as np
from numpy.typing import NDArray
from typing_extensions import override

from sim.models.finger import JOINTS, TIP_BODY, Finger, add_finger
from sim.models.puck import PUCK_BODY, Puck, add_puck
from sim.models.table import add_table
from sim.parameters import actuation, contact, sensing
from sim.tasks.task import Array, Memory, Signal, Signals, Task
from sim.touch import contact_touch

LONGEST_DELAY = 0.15
TIMESTEP = 0.004
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


class FingerPush(Task):
    """A finger pushes a puck to a target; relative joint targets, touch at the tip, 25 Hz."""

    name = "finger_push"
    robot = "finger"
    description = "A 3-joint finger pushes a 100 g puck to a target on a table."
    joints = JOINTS
    signals = (
        *(Signal(f"joint_position.{name}", "rad", "pose") for name in JOINTS),
        Signal("object_position.x", "m", "pose"),
        Signal("object_position.y", "m", "pose"),
        Signal("tip_force", "N", "force"),
        Signal("slip_speed", "m/s", "slip"),
    )
    control_period = 0.04
    timestep = TIMESTEP
    steps = 50
    criterion = "puck within 10 mm of the target for the last 0.2 s"
    rewards = {"approach": -1.0, "near": 0.5, "at_target": 0.3, "effort": -0.002}
    start_names = ("object_x", "object_y", "goal_x", "goal_y", "tip_x", "tip_y")
    knobs = (
        contact.friction(("puck_table", "puck_tip"), nominal=0.8),
        actuation.delay(TIMESTEP, high=LONGEST_DELAY),
        contact.mass(PUCK_BODY, nominal=0.1, low=0.03, high=0.4),
        contact.compliance("puck_tip", (TIP_BODY, PUCK_BODY)),
        actuation.servo_gain(nominal=Finger().kp),
        actuation.joint_damping(JOINTS, nominal=Finger().damping),
        sensing.JOINT_NOISE,
        sensing.OBJECT_NOISE,
        sensing.FORCE_NOISE,
    )

    config: FingerPushConfig

    def __init__(self, config: FingerPushConfig | None = None) -> None:
        super().__init__(config or default_config())
        self.finger = Finger()
        self.puck = Puck()

    @staticmethod
    @override
    def default_config() -> FingerPushConfig:
        return default_config()

    @override
    def build(self) -> mujoco.MjSpec:
        spec = mujoco.MjSpec()
        spec.modelname = self.name
        spec.compiler.degree = False
        spec.option.timestep = self.timestep
        spec.option.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
        spec.option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
        add_table(spec)
        add_finger(spec, self.finger, delay=0.011, longest_delay=LONGEST_DELAY)
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
    def place(self, start: Mapping[str, Array], qpos: Array) -> None:
        height = np.full_like(start["tip_x"], self.puck.half_height)
        qpos[:, 0:3] = self.finger.joints_for(np.stack([start["tip_x"], start["tip_y"], height], axis=1))
        qpos[:, 3:10] = [0, 0, self.puck.half_height, 1, 0, 0, 0]
        qpos[:, 3], qpos[:, 4] = start["object_x"], start["object_y"]

    @override
    def state(self, signals: Signals, rates: Signals, qpos: Array, qvel: Array) -> None:
        qpos[:, 0:3], qvel[:, 0:3] = _joints(signals), _joints(rates)
        qpos[:, 3:10] = [0, 0, self.puck.half_height, 1, 0, 0, 0]
        qpos[:, 3:5], qvel[:, 3:5] = _puck(signals), _puck(rates)
        qvel[:, 5:9] = 0.0  # a round puck's spin is not measured

    @override
    def read(self, sensors: dict[str, Array]) -> Signals:
        force, slip = contact_touch(sensors["touch"], sensors, moving="tip", other="puck")
        signals = {f"joint_position.{name}": sensors[f"joint_position.{name}"][:, 0] for name in JOINTS}
        signals |= {
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
    def reward(self, after: Signals, actions: Array, start: Mapping[str, Array]) -> Array:
        w = self.rewards
        distance = self._to_goal(after, start)
        return (
            w["approach"] * self._to_push_point(after, start)
            + w["at_target"] * (distance < self.config.tolerance)
            + w["near"] * np.exp(-distance / NEAR)
            + w["effort"] * np.sum(np.clip(actions, -1, 1) ** 2, axis=1)
        )

    @override
    def success(self, signals: Signals, start: Mapping[str, Array]) -> NDArray[np.bool_]:
        goal_x, goal_y = np.asarray(start["goal_x"])[:, None], np.asarray(start["goal_y"])[:, None]
        distance = np.hypot(signals["object_position.x"] - goal_x, signals["object_position.y"] - goal_y)
        return np.asarray((distance[:, -self.config.hold_steps :] < self.config.tolerance).all(axis=1))

    @override
    def failed(self, signals: Signals) -> NDArray[np.bool_]:
        away = np.hypot(signals["object_position.x"], signals["object_position.y"])
        return np.asarray(away > self.config.workspace)

    def _to_goal(self, signals: Signals, start: Mapping[str, Array]) -> Array:
        return np.hypot(signals["object_position.x"] - start["goal_x"], signals["object_position.y"] - start["goal_y"])

    def _to_push_point(self, signals: Signals, start: Mapping[str, Array]) -> Array:
        """Distance of the tip from the point behind the puck, on the line from the goal, m."""
        dx, dy = start["goal_x"] - signals["object_position.x"], start["goal_y"] - signals["object_position.y"]
        length = np.maximum(np.hypot(dx, dy), 1e-6)
        back = self.puck.radius + self.finger.tip_radius
        x = signals["object_position.x"] - back * dx / length
        y = signals["object_position.y"] - back * dy / length
        return np.sqrt(
            (signals["tip_position.x"] - x) ** 2
            + (signals["tip_position.y"] - y) ** 2
            + (signals["tip_position.z"] - self.puck.half_height) ** 2
        )


def _joints(signals: Signals) -> Array:
    return np.stack([signals[f"joint_position.{name}"] for name in JOINTS], axis=1)


def _puck(signals: Signals) -> Array:
    return np.stack([signals["object_position.x"], signals["object_position.y"]], axis=1)
