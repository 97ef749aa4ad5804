"""What the tasks of the two-finger gripper share: scene, signals, commands and the robot's part of what is seen."""

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import mujoco
import numpy as np
from typing_extensions import override

from sim.models.gripper import FINGERS, TIPS, Axis, Gripper, add_gripper, add_pads, links, pad_touch
from sim.models.table import table_scene
from sim.parameters.contact import Pad
from sim.parameters.inertia import Object
from sim.parameters.standard import Apparatus
from sim.tasks.task import Array, Memory, Moment, Signal, Signals, Task, stacked, upright

TIMESTEP = 0.004
PERIOD = 0.04
SLIDE, TURN, CLOSE = 0.012, 0.25, 0.005
"""Largest change of a target in a control step: of a gantry slide, m, of the yaw, rad, and of a finger, m."""
SUSPECTS = ("friction", "mass", "delay", "lag", "kp", "damping", "compliance", "link_mass", "torque")
GRIP = 2.0
"""Force at which a grip earns most of its reward, N."""


class GripperTask(Task):
    """A gripper on some axes of its gantry handles one object; relative targets, touch at both pads, 25 Hz."""

    robot = "gripper"
    fingers = FINGERS
    tips = TIPS
    skins = {"left": ((1.0, 0.0, 0.0), (0.0, 0.0, -1.0)), "right": ((-1.0, 0.0, 0.0), (0.0, 0.0, -1.0))}
    control_period = PERIOD
    timestep = TIMESTEP
    suspects = SUSPECTS
    axes: ClassVar[tuple[Axis, ...]]
    place_of_pads: ClassVar[tuple[float, float, float]] = (0.0, 0.0, 0.0)
    """Where the pads are along axes that the gantry has not got, m."""

    def __init__(self, config: Any) -> None:
        super().__init__(config)
        self.gripper = type(self).make_gripper()
        servos = self.gripper.servos(self.axes)
        self._low = np.array([servos[joint].low for joint in self.joints])
        self._high = np.array([servos[joint].high for joint in self.joints])
        step = {"gantry_yaw": TURN, "finger_left": CLOSE, "finger_right": CLOSE}
        self._step = np.array([step.get(joint, SLIDE) for joint in self.joints])

    @staticmethod
    def make_gripper() -> Gripper:
        """The gripper of this task."""
        return Gripper()

    @abstractmethod
    def add_objects(self, spec: mujoco.MjSpec) -> None:
        """Add what is handled to a scene with a table."""

    @override
    def build(self) -> mujoco.MjSpec:
        spec = table_scene(self.name, self.timestep)
        spec.option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
        # MuJoCo's friction creeps under load, as soft as the normal force is; a grip holds when friction is the stiffer
        spec.option.impratio = 20
        add_gripper(spec, self.gripper, self.axes, self.place_of_pads)
        self.add_objects(spec)
        add_pads(spec, self.item, self.item)
        return spec

    @override
    def target(self, memory: Memory, actions: Array) -> Array:
        return np.clip(memory.targets + self._step * np.clip(actions, -1, 1), self._low, self._high)

    @override
    def read(self, sensors: dict[str, Array]) -> Signals:
        signals = self.read_joints(sensors)
        position = sensors[f"{self.item}_position"]
        signals |= {f"object_position.{axis}": position[:, i] for i, axis in enumerate("xyz")}
        return signals | pad_touch(sensors, self.item)

    def pads(self, signals: Mapping[str, Array]) -> Array:
        """Point between the pads, (n, 3), m: the gantry's joints are its position in the world."""
        count = len(signals["joint_position.finger_left"])
        middle = np.tile(np.asarray(self.place_of_pads, dtype=float), (count, 1))
        for i, axis in enumerate("xyz"):
            if axis in self.axes:
                middle[:, i] += signals[f"joint_position.gantry_{axis}"]
        return middle

    def see_robot(self, readings: Signals, memory: Memory) -> list[Array]:
        """The robot's part of `proprio`, near one: joints, lag behind targets, motion, past actions."""
        joints, before = (
            stacked(seen, "joint_position", self.joints) for seen in (readings, memory.previous or readings)
        )
        span = (self._high - self._low) / 2
        return [
            (joints - self._low) / span - 1,
            (memory.targets - joints) / self._step,
            (joints - before) / self._step,
            memory.actions.reshape(len(joints), -1),
        ]

    def see_touch(self, readings: Signals) -> Array:
        """The group `touch`: both forces, (n, 2), compressed so that a first touch counts."""
        return np.stack([np.tanh(readings[f"tip_force.{finger}"] / 5.0) for finger in FINGERS], axis=1)


def gripper_joints(axes: Sequence[Axis]) -> tuple[str, ...]:
    """Joints of a gripper on some axes, in the order of its servos."""
    return (*(f"gantry_{axis}" for axis in axes), *(joint for (joint,) in FINGERS.values()))


def gripper_signals(axes: Sequence[Axis], *more: Signal) -> tuple[Signal, ...]:
    """Signals of a gripper and the position of its object; `more` stands after these."""
    joints = (Signal(f"joint_position.{j}", "rad" if "yaw" in j else "m", "pose") for j in gripper_joints(axes))
    return (
        *joints,
        *(Signal(f"object_position.{axis}", "m", "pose") for axis in "xyz"),
        *more,
        *(Signal(f"tip_force.{finger}", "N", "force") for finger in FINGERS),
        *(Signal(f"slip_speed.{finger}", "m/s", "slip") for finger in FINGERS),
    )


def gripper_apparatus(
    axes: Sequence[Axis],
    item: Object,
    surfaces: Mapping[str, tuple[str, ...]],
    gripper: Gripper | None = None,
    friction: float = 0.8,
    rotation: bool = False,
) -> Apparatus:
    """What `standard_knobs` needs to know of a gripper and its object.

    Args:
        axes: of the gantry.
        item: the object; body and gripped geom have one name.
        surfaces: surface -> contact pairs, besides those of the pads.
        gripper: dimensions and servos.
        friction: nominal coefficient.
        rotation: whether the object's rotation is tracked.
    """
    pairs = {finger: f"{item.body}_{tip}" for finger, tip in TIPS.items()}
    return Apparatus(
        servos=(gripper or Gripper()).servos(axes),
        links=links(axes),
        item=item,
        surfaces={**surfaces, **{finger: (pair,) for finger, pair in pairs.items()}},
        pads={finger: Pad(((pairs[finger], tip, item.body),)) for finger, tip in TIPS.items()},
        friction=friction,
        compliance=(4e-4, 2.5e-4, 4e-3),
        rotation=rotation,
    )


def grip(truth: Signals) -> Array:
    """How firmly both pads hold the object, from 0 to 1, (n,)."""
    weaker = np.minimum(truth["tip_force.left"], truth["tip_force.right"])
    return np.tanh(weaker / GRIP)


def hold(task: GripperTask, moment: Moment) -> Array:
    """How firmly both pads press on the object."""
    return grip(moment.truth)


def free_state(signals: Signals, rates: Signals) -> tuple[Array, Array]:
    """Coordinates (n, 7) and velocities (n, 6) of a free object of which only the position is measured."""
    place = stacked(signals, "object_position", "xyz")
    velocity = np.zeros((len(place), 6))
    velocity[:, :3] = stacked(rates, "object_position", "xyz")
    return upright(*place.T), velocity
