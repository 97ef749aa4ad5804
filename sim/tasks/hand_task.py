"""What the tasks of the 16-joint hand with a cube on its palm have in common."""

from collections.abc import Mapping
from typing import ClassVar

import mujoco
import numpy as np
from numpy.typing import NDArray
from typing_extensions import override

from sim.models.cube import CUBE_BODY, Cube, add_cube
from sim.models.hand import FINGERS, JOINTS, LINKS, PALM, TIPS, TOUCHING, Hand, add_hand
from sim.models.table import table_scene
from sim.parameters.contact import Pad
from sim.parameters.inertia import Object
from sim.parameters.standard import Apparatus, standard_knobs
from sim.rotation import about, inverse, log, matrix, product
from sim.tasks.gait import SPIN
from sim.tasks.task import Array, Memory, Moment, Signal, Signals, Task, stacked
from sim.touch import contact_touch

HAND, CUBE = Hand(), Cube()
LOW, HIGH = (np.array([getattr(servo, end) for servo in HAND.servos.values()]) for end in ("low", "high"))
"""Ends of the joints' ranges, rad."""
TIMESTEP, PERIOD = 0.005, 0.04
CRADLE = np.array([0.0, 1.0, 0.7, 0.8] * 3 + [0.9, 0.4, 0.4, 0.6])
"""Joints that surround a cube on the palm, rad."""
SQUEEZE = np.array([0.0, 0.7, 0.5, 0.3] * 3 + [0.1, 0.5, 0.7, 0.7])
"""How far the joints close on a cube, from the cradle, rad."""
RUB = np.array([0.12, 0.0, 0.0, 0.0] * 3 + [0.0, 0.15, 0.0, 0.0])
"""How far the digits then rub it sideways, rad."""
REST = (0.0229, 0.0, HAND.height + 0.0111 + CUBE.half)
"""Where the cube settles on palm and fingers, m."""
DROPPED = HAND.height - 0.01
"""A cube below this height has left the hand, m."""
FURTHEST = 0.08
"""So has one further than this from where it settles, m."""
AXES, QUATERNION = "xyz", "wxyz"


class HandTask(Task):
    """The palm-up hand turns a cube in place: a gait that actions correct, touch at four tips, 25 Hz."""

    robot = "hand"
    joints = JOINTS
    fingers = FINGERS
    tips = TIPS
    skins = dict.fromkeys(TIPS, ((1.0, 0.0, 0.6), (0.0, 0.0, 1.0)))
    item = CUBE_BODY
    control_period = PERIOD
    timestep = TIMESTEP
    signals = (
        *(Signal(f"joint_position.{joint}", "rad", "pose") for joint in JOINTS),
        *(Signal(f"object_position.{axis}", "m", "pose") for axis in AXES),
        *(Signal(f"object_rotation.{part}", "1", "pose") for part in QUATERNION),
        *(Signal(f"tip_force.{finger}", "N", "force") for finger in FINGERS),
        *(Signal(f"slip_speed.{finger}", "m/s", "slip") for finger in FINGERS),
    )
    suspects = ("friction", "delay", "lag", "mass", "compliance", "kp", "damping", "frictionloss", "torque")
    knobs = standard_knobs(
        Apparatus(
            servos=HAND.servos,
            links=LINKS,
            item=Object(CUBE_BODY, (CUBE_BODY,), CUBE.mass, lightest=0.03, heaviest=0.2, extent=CUBE.half),
            surfaces={
                "palm": (f"cube_{PALM}",),
                **{finger: tuple(f"cube_{geom}" for geom in TOUCHING if geom.startswith(finger)) for finger in FINGERS},
            },
            pads={finger: Pad(((f"cube_{tip}", tip, CUBE_BODY),)) for finger, tip in TIPS.items()},
            friction=CUBE.friction,
            compliance=(2e-3, 1e-3, 1e-2),
            rotation=True,
        ),
        TIMESTEP,
        PERIOD,
    )
    step: ClassVar[float] = 0.1
    """Largest change of a joint target in a control step, rad."""
    reach: ClassVar[float] = 0.3
    """How far an action moves a joint target off the gait, rad."""

    @override
    def build(self) -> mujoco.MjSpec:
        spec = table_scene(self.name, self.timestep)
        spec.camera("view").pos = (0.0, -0.3, 0.36)
        add_hand(spec, HAND)
        add_cube(spec, CUBE, TOUCHING, TIPS)
        return spec

    @override
    def sample_start(self, rng: np.random.Generator, count: int) -> Signals:
        scatter = rng.uniform(-1.0, 1.0, size=(3 + len(JOINTS), count))
        start = {"object_x": REST[0] + 0.003 * scatter[0], "object_y": REST[1] + 0.003 * scatter[1]}
        start["object_yaw"] = 0.15 * scatter[2]
        start |= {joint: CRADLE[i] + 0.03 * scatter[3 + i] for i, joint in enumerate(JOINTS)}
        return start

    @override
    def place(self, start: Mapping[str, Array]) -> dict[str, Array]:
        yaw = np.asarray(start["object_yaw"])
        free = np.zeros((len(yaw), 7))
        free[:, 0], free[:, 1], free[:, 2] = start["object_x"], start["object_y"], REST[2] + 0.002
        free[:, 3:] = about(np.tile([0.0, 0.0, 1.0], (len(yaw), 1)), yaw)
        return {CUBE_BODY: free, **{joint: np.asarray(start[joint])[:, None] for joint in JOINTS}}

    @override
    def state(self, signals: Signals, rates: Signals) -> tuple[dict[str, Array], dict[str, Array]]:
        positions, velocities = self.joint_state(signals, rates)
        quaternion, turning = rotation_of(signals), rotation_of(rates)
        quaternion = quaternion / np.linalg.norm(quaternion, axis=1, keepdims=True)
        # a free joint's angular velocity is in the body's frame: twice the vector part of conj(q) dq/dt
        spin = 2 * product(inverse(quaternion), turning)[:, 1:]
        positions[CUBE_BODY] = np.concatenate([position_of(signals), quaternion], axis=1)
        velocities[CUBE_BODY] = np.concatenate([position_of(rates), spin], axis=1)
        return positions, velocities

    @override
    def read(self, sensors: dict[str, Array]) -> Signals:
        signals = self.read_joints(sensors) | {
            f"object_position.{axis}": sensors["cube_position"][:, i] for i, axis in enumerate(AXES)
        }
        signals |= {f"object_rotation.{part}": sensors["cube_quaternion"][:, i] for i, part in enumerate(QUATERNION)}
        for finger, tip in TIPS.items():
            force, slip = contact_touch(sensors[f"touch.{finger}"], sensors, moving=tip, other=CUBE_BODY)
            signals |= {f"tip_force.{finger}": force, f"slip_speed.{finger}": slip}
        signals |= {f"object_spin.{axis}": sensors["cube_rotation"][:, i] for i, axis in enumerate(AXES)}
        return signals

    @override
    def target(self, memory: Memory, actions: Array) -> Array:
        goal = SPIN.targets(self.control_period * memory.steps) + self.reach * np.clip(actions, -1, 1)
        return np.clip(memory.targets + np.clip(goal - memory.targets, -self.step, self.step), LOW, HIGH)

    @override
    def exercise(self, start: Mapping[str, Array], first: Array, time: float) -> Array:
        """All four digits close on the cube and rub it sideways."""
        close = (1 - np.cos(2 * np.pi * time)) / 2
        return first + SQUEEZE * close + RUB * np.sin(2 * np.pi * 2.3 * time)

    def see_hand(self, readings: Signals, memory: Memory) -> list[Array]:
        """The part of `proprio` that every task of the hand has: joints, cube, past actions and gait, near one."""
        joints, before = joints_of(readings), joints_of(memory.previous or readings)
        phase = SPIN.phase(self.control_period * memory.steps)
        turn = product(rotation_of(readings), inverse(rotation_of(memory.previous or readings)))
        return [
            joints - CRADLE,
            5 * (memory.targets - joints),
            5 * (joints - before),
            30 * (position_of(readings) - np.array(REST)),
            matrix(rotation_of(readings)).reshape(len(joints), 9),
            10 * log(turn),
            memory.actions.reshape(len(joints), -1),
            np.stack([np.sin(phase), np.cos(phase)], axis=1),
        ]

    def see_touch(self, readings: Signals) -> Array:
        """The group `touch`: forces of the four tips, compressed."""
        return np.stack([np.tanh(readings[f"tip_force.{finger}"] / 2.0) for finger in FINGERS], axis=1)


def joints_of(signals: Mapping[str, Array]) -> Array:
    """Joint positions (n, 16)."""
    return stacked(signals, "joint_position", JOINTS)


def position_of(signals: Mapping[str, Array]) -> Array:
    """Position of the cube (n, 3)."""
    return stacked(signals, "object_position", AXES)


def rotation_of(signals: Mapping[str, Array]) -> Array:
    """Quaternion of the cube (n, 4)."""
    return stacked(signals, "object_rotation", QUATERNION)


def off_centre(signals: Mapping[str, Array]) -> Array:
    """Distance of the cube from the middle of the palm, (n,), m."""
    return np.hypot(signals["object_position.x"] - REST[0], signals["object_position.y"] - REST[1])


def centred(task: HandTask, moment: Moment) -> Array:
    """Distance of the cube from the middle of the palm, m."""
    return off_centre(moment.truth)


def mean_effort(task: HandTask, moment: Moment) -> Array:
    """Mean squared action."""
    return np.mean(np.clip(moment.actions, -1, 1) ** 2, axis=1)


def lost(task: HandTask, moment: Moment) -> Array:
    """1 in the step in which the cube is dropped."""
    return dropped(task, moment.truth, moment.start).astype(float)


def dropped(task: HandTask, truth: Signals, start: Mapping[str, Array]) -> NDArray[np.bool_]:
    """Whether the cube has left the hand."""
    return np.asarray((truth["object_position.z"] < DROPPED) | (off_centre(truth) > FURTHEST))
