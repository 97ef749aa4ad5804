"""A two-finger gripper with soft pads on a small gantry: slides x, y, z, a yaw hinge and two finger slides."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import mujoco
import numpy as np
from numpy.typing import NDArray

from sim.models.servo import Servo, add_servo
from sim.models.touch_sensors import BODY, SITE, add_contact, add_frame
from sim.touch import contact_touch

Array = NDArray[Any]
Axis = Literal["x", "y", "z", "yaw"]

FINGERS = {"left": ("finger_left",), "right": ("finger_right",)}
"""Finger -> its joint; the gantry carries both and belongs to neither."""
TIPS = {"left": "left_tip", "right": "right_tip"}
"""Finger -> geom (and body, and site) of its pad."""
SLOTS = 4
"""Contacts of a pad that are read: a flat pad on a flat face touches at up to four corners."""


@dataclass(frozen=True)
class Gripper:
    """Dimensions and servos; SI units. Gantry joints are the world position of the point between the pads."""

    pad: tuple[float, float, float] = (0.004, 0.011, 0.012)
    """Half sizes of a pad: along the closing direction, across it, along the finger, m."""
    length: float = 0.07
    """From the palm to the middle of the pads, m."""
    opening: float = 0.045
    """Largest distance of a pad's face from the middle plane, m."""
    reach: float = 0.15
    """Travel of the gantry to either side, m."""
    lowest: float = 0.014
    """Lowest height of the middle of the pads, m."""
    highest: float = 0.25
    """Greatest height of the middle of the pads, m."""
    swing: float = 1.75
    """Largest yaw to either side, rad."""
    grip: float = 10.0
    """Force limit of a finger's servo, N."""

    def servos(self, axes: Sequence[Axis] = ("x", "y", "z", "yaw")) -> dict[str, Servo]:
        """Joint -> its servo, from the gantry to the fingers."""
        slide = Servo(kp=3000, damping=150, armature=0.5, frictionloss=1.0, torque=40, low=0, high=0, unit="m")
        finger = Servo(
            kp=2000, damping=35, armature=0.1, frictionloss=0.3, torque=self.grip, low=0, high=self.opening, unit="m"
        )
        gantry = {
            "x": replace(slide, low=-self.reach, high=self.reach),
            "y": replace(slide, low=-self.reach, high=self.reach),
            "z": replace(slide, low=self.lowest, high=self.highest),
            "yaw": Servo(
                kp=12, damping=0.4, armature=0.003, frictionloss=0.02, torque=2, low=-self.swing, high=self.swing
            ),
        }
        own = {joint: finger for (joint,) in FINGERS.values()}
        return {f"gantry_{axis}": gantry[axis] for axis in axes} | own


def links(axes: Sequence[Axis]) -> tuple[str, ...]:
    """Bodies of the gripper that move."""
    return (*(f"carriage_{axis}" for axis in axes), *TIPS.values())


def add_gripper(
    spec: mujoco.MjSpec,
    gripper: Gripper,
    axes: Sequence[Axis] = ("x", "y", "z", "yaw"),
    at: tuple[float, float, float] = (0.0, 0.0, 0.0),
) -> None:
    """Add the gripper, its servos and their sensors to a spec; it touches nothing until `add_pads` says so.

    The fingers close along the hand's x axis; a finger's joint is the distance of its pad's face from the middle plane.
    Every moving part is counterbalanced (gravcomp), as a z axis on a spring or a ball screw is.

    Args:
        spec: the scene; its timestep must be set already.
        gripper: dimensions and servos.
        axes: the axes that the gantry has, outermost first.
        at: position of the pads, m, along axes that it has not got; leave the others zero.
    """
    skin, metal, dark = (0.90, 0.45, 0.13, 1.0), (0.62, 0.65, 0.69, 1.0), (0.23, 0.25, 0.29, 1.0)
    servos = gripper.servos(axes)
    palm = gripper.length + 0.02
    masses = {"x": 0.8, "y": 0.6, "z": 0.5, "yaw": 0.3}
    rails = {
        "x": (0.014, 0.03, 0.012),
        "y": (0.03, 0.014, 0.012),
        "z": (0.012, 0.012, 0.05),
        "yaw": (0.06, 0.02, 0.012),
    }
    heights = {"x": palm + 0.10, "y": palm + 0.075, "z": palm + 0.05, "yaw": palm}
    directions = {"x": (1, 0, 0), "y": (0, 1, 0), "z": (0, 0, 1), "yaw": (0, 0, 1)}
    hinge, slide = mujoco.mjtJoint.mjJNT_HINGE, mujoco.mjtJoint.mjJNT_SLIDE

    body = spec.worldbody.add_body(name="gantry", pos=at)
    for axis in axes:
        body = body.add_body(name=f"carriage_{axis}", gravcomp=1.0)
        kind = hinge if axis == "yaw" else slide
        joint = body.add_joint(name=f"gantry_{axis}", type=kind, axis=directions[axis])
        add_servo(spec, joint, servos[joint.name])
        _box(body, f"carriage_{axis}", (0, 0, heights[axis]), rails[axis], dark, masses[axis])
    for finger, side in (("left", -1.0), ("right", 1.0)):
        thick, wide, tall = gripper.pad
        tip = body.add_body(name=TIPS[finger], pos=(side * thick, 0, 0), gravcomp=1.0)
        joint = tip.add_joint(name=f"finger_{finger}", type=slide, axis=(side, 0, 0))
        add_servo(spec, joint, servos[joint.name])
        shank = (gripper.length - tall) / 2
        _box(tip, f"{finger}_shank", (side * 0.003, 0, tall + shank), (0.005, 0.008, shank), metal, 0.06)
        _box(tip, TIPS[finger], (0, 0, 0), gripper.pad, skin, 0.02)
        tip.add_site(name=TIPS[finger], rgba=(0, 0, 0, 0))


def add_pads(spec: mujoco.MjSpec, body: str, geom: str, friction: float = 0.8, condim: int = 3) -> None:
    """Let both pads touch a geom and feel it: pairs `<geom>_<tip>`, sensors `touch.<finger>` and the frames they need.

    Args:
        spec: the scene, with gripper and object.
        body: body of the object.
        geom: the geom that the pads grip.
        friction: sliding coefficient.
        condim: 3, or 4 where a pad touches at one point, as on a ball, and friction must resist spin about the normal.
    """
    for finger, tip in TIPS.items():
        pair = spec.add_pair(name=f"{geom}_{tip}", geomname1=tip, geomname2=geom, condim=condim)
        pair.friction = [friction, friction, 0.005, 0.0001, 0.0001]
        # constant impedance, so that the compliance parameter can be applied exactly through the time constant
        pair.solimp = [0.9, 0.9, 0.001, 0.5, 2]
        add_contact(spec, f"touch.{finger}", geom, tip, SLOTS)
        add_frame(spec, tip, SITE)
    add_frame(spec, body, BODY)


def pad_touch(sensors: Mapping[str, Array], body: str) -> dict[str, Array]:
    """Signals `tip_force.<finger>` and `slip_speed.<finger>` of both pads from the sensors that `add_pads` added.

    The force is the sum of the normal forces over a pad's contacts, (n,) N; the slip speed is the tangential speed at
    the strongest of them, (n,) m/s.
    """
    signals: dict[str, Array] = {}
    for finger, tip in TIPS.items():
        touch = sensors[f"touch.{finger}"].reshape(-1, SLOTS, 10)
        _, slip = contact_touch(touch[:, 0], dict(sensors), moving=tip, other=body)
        signals[f"tip_force.{finger}"] = np.sum(np.where(touch[:, :, 0] > 0, touch[:, :, 1], 0.0), axis=1)
        signals[f"slip_speed.{finger}"] = slip
    return signals


def _box(
    body: mujoco.MjsBody,
    name: str,
    pos: tuple[float, float, float],
    size: tuple[float, float, float],
    rgba: tuple[float, float, float, float],
    mass: float,
) -> None:
    geom = body.add_geom(name=name, type=mujoco.mjtGeom.mjGEOM_BOX, pos=pos, size=size, rgba=rgba, mass=mass)
    geom.contype = geom.conaffinity = 0  # contacts come from explicit pairs alone
