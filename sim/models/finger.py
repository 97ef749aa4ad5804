"""A three-joint finger with a round tactile tip above a table: yaw, shoulder and elbow, position servos."""

from dataclasses import dataclass
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from sim.models.servo import Servo, add_servo

Array = NDArray[Any]


@dataclass(frozen=True)
class Finger:
    """Dimensions and servo of the finger; SI units."""

    base: tuple[float, float, float] = (-0.12, 0.0, 0.12)
    upper: float = 0.13
    """Length of the upper link, m."""
    lower: float = 0.12
    """Length of the lower link to the tip's centre, m."""
    tip_radius: float = 0.012
    low: tuple[float, float, float] = (-1.0, -1.4, 0.1)
    high: tuple[float, float, float] = (1.0, 1.2, 2.7)

    @property
    def servos(self) -> dict[str, Servo]:
        """Joint -> its servo."""
        return {
            joint: Servo(kp=3.0, damping=0.05, armature=0.002, frictionloss=0.01, torque=1.0, low=low, high=high)
            for joint, low, high in zip(JOINTS, self.low, self.high, strict=True)
        }

    def tip_position(self, joints: Array) -> Array:
        """Forward kinematics: joint angles (n, 3) to tip centre (n, 3), m."""
        yaw, shoulder, both = joints[:, 0], joints[:, 1], joints[:, 1] + joints[:, 2]
        reach = self.upper * np.cos(shoulder) + self.lower * np.cos(both)
        height = self.base[2] - self.upper * np.sin(shoulder) - self.lower * np.sin(both)
        return np.stack([self.base[0] + reach * np.cos(yaw), self.base[1] + reach * np.sin(yaw), height], axis=1)

    def joints_for(self, tip: Array) -> Array:
        """Inverse kinematics, elbow up: tip centre (n, 3) within reach to joint angles (n, 3), rad."""
        dx, dy, drop = tip[:, 0] - self.base[0], tip[:, 1] - self.base[1], self.base[2] - tip[:, 2]
        reach = np.hypot(dx, dy)
        square = reach**2 + drop**2
        cosine = (square - self.upper**2 - self.lower**2) / (2 * self.upper * self.lower)
        elbow = np.arccos(np.clip(cosine, -1, 1))
        shoulder = np.arctan2(drop, reach) - np.arctan2(
            self.lower * np.sin(elbow), self.upper + self.lower * np.cos(elbow)
        )
        return np.stack([np.arctan2(dy, dx), shoulder, elbow], axis=1)


JOINTS = ("yaw", "shoulder", "elbow")
TIP_BODY = "fingertip"
LINKS = ("yaw_link", "upper_link", "lower_link", TIP_BODY)


def add_finger(spec: mujoco.MjSpec, finger: Finger) -> None:
    """Add the finger and its servos to a spec whose timestep is set."""
    skin, dark = (0.90, 0.45, 0.13, 1.0), (0.23, 0.25, 0.29, 1.0)
    base = spec.worldbody.add_body(name="finger_base", pos=finger.base)
    _link(base, "column", [0, 0, 0, 0, 0, 0.03], 0.02, dark)
    yaw = base.add_body(name="yaw_link")
    _link(yaw, "yaw_geom", [0, -0.012, 0, 0, 0.012, 0], 0.013, dark)
    upper = yaw.add_body(name="upper_link")
    _link(upper, "upper_geom", [0, 0, 0, finger.upper, 0, 0], 0.010, dark)
    lower = upper.add_body(name="lower_link", pos=[finger.upper, 0, 0])
    _link(lower, "lower_geom", [0, 0, 0, finger.lower, 0, 0], 0.009, dark)
    tip = lower.add_body(name=TIP_BODY, pos=[finger.lower, 0, 0])
    geom = tip.add_geom(
        name="tip", type=mujoco.mjtGeom.mjGEOM_SPHERE, size=[finger.tip_radius, 0, 0], rgba=skin, density=800
    )
    geom.contype = geom.conaffinity = 0  # contacts come from explicit pairs alone
    tip.add_site(name="tip", rgba=(0, 0, 0, 0))

    axes = {"yaw": (yaw, (0, 0, 1)), "shoulder": (upper, (0, 1, 0)), "elbow": (lower, (0, 1, 0))}
    for name, servo in finger.servos.items():
        body, axis = axes[name]
        joint = body.add_joint(name=name, type=mujoco.mjtJoint.mjJNT_HINGE, axis=axis)
        add_servo(spec, joint, servo)


def _link(body: mujoco.MjsBody, name: str, fromto: list[float], radius: float, rgba: tuple[float, ...]) -> None:
    geom = body.add_geom(name=name, type=mujoco.mjtGeom.mjGEOM_CAPSULE, size=[radius, 0, 0], rgba=rgba, density=800)
    geom.fromto = fromto
    geom.contype = geom.conaffinity = 0
