"""A bottle whose cap turns on a screw thread."""

from dataclasses import dataclass

import mujoco
import numpy as np

BOTTLE, CAP = "bottle", "cap"
TURN, RISE = "cap_turn", "cap_rise"
ROTOR = 2e-4
"""Inertia added to the cap's rotation, kg m^2. MuJoCo softens a joint equality by the sum of both joints' inverse
inertias, metres and radians alike; with the cap's own 6e-6 the thread would not carry the cap's weight. Against the
friction of the thread it does not count."""


@dataclass(frozen=True)
class Bottle:
    """Dimensions of bottle, cap and thread; SI units."""

    radius: float = 0.03
    height: float = 0.08
    """Height of the bottle up to the lower edge of the cap, m."""
    cap_radius: float = 0.02
    cap_half_height: float = 0.012
    cap_mass: float = 0.03
    pitch: float = 0.004
    """Rise of the cap per turn, m."""
    turns: float = 0.75
    """Turns after which the cap is off."""
    thread: float = 0.04
    """Friction torque of the thread, Nm."""
    friction: float = 0.8

    @property
    def off(self) -> float:
        """Angle at which the cap is off, rad."""
        return 2 * np.pi * self.turns


def add_bottle(spec: mujoco.MjSpec, bottle: Bottle, at: tuple[float, float] = (0.0, 0.0)) -> None:
    """Add a bottle fixed to the table, with a cap (body and geom `cap`) on a thread.

    The cap has a hinge `cap_turn` and a slide `cap_rise`, coupled by an equality: rise = pitch * angle / 2 pi. The
    thread's friction is the hinge's friction loss, whatever load is on it. "Off" is a count of turns and nothing more:
    a cap that has turned by `turns` counts as off, but the thread goes on, so that the cap stays on its axis and does
    not fall. The hinge ends at zero, where the cap is tight, and a quarter turn past the last one.
    """
    body = spec.worldbody.add_body(name=BOTTLE, pos=[*at, 0])
    cylinder = mujoco.mjtGeom.mjGEOM_CYLINDER
    glass, white = (0.35, 0.70, 0.55, 1.0), (0.0, 0.45, 0.70, 1.0)
    neck = 0.02
    parts = {
        "bottle": (bottle.radius, 0.0, bottle.height - neck),
        "neck": (0.7 * bottle.cap_radius, bottle.height - neck, bottle.height + bottle.cap_half_height),
    }
    for name, (radius, low, high) in parts.items():
        geom = body.add_geom(name=name, type=cylinder, size=[radius, (high - low) / 2, 0], rgba=glass)
        geom.pos = (0, 0, (low + high) / 2)
        geom.contype = geom.conaffinity = 0
    cap = body.add_body(name=CAP, pos=[0, 0, bottle.height + bottle.cap_half_height])
    rise = cap.add_joint(name=RISE, type=mujoco.mjtJoint.mjJNT_SLIDE, axis=(0, 0, 1))
    rise.damping[0] = 1.0
    turn = cap.add_joint(name=TURN, type=mujoco.mjtJoint.mjJNT_HINGE, axis=(0, 0, 1))
    turn.frictionloss, turn.armature, turn.damping[0] = bottle.thread, ROTOR, 1e-4
    turn.range, turn.limited = (0.0, bottle.off + np.pi / 2), mujoco.mjtLimited.mjLIMITED_TRUE
    thread = spec.add_equality(name="thread", type=mujoco.mjtEq.mjEQ_JOINT, name1=RISE, name2=TURN)
    thread.data[:5] = [0.0, bottle.pitch / (2 * np.pi), 0, 0, 0]
    thread.solref[0], thread.solimp = 2 * spec.option.timestep, [0.9999, 0.9999, 0.001, 0.5, 2]
    geom = cap.add_geom(
        name=CAP,
        type=cylinder,
        size=[bottle.cap_radius, bottle.cap_half_height, 0],
        mass=bottle.cap_mass,
        rgba=white,
    )
    geom.contype = geom.conaffinity = 0
    stripe = cap.add_geom(
        name="cap_stripe",  # shows a person how far the cap has turned
        type=mujoco.mjtGeom.mjGEOM_BOX,
        size=[bottle.cap_radius / 2, 0.002, 0.0005],
        pos=[bottle.cap_radius / 2, 0, bottle.cap_half_height],
        mass=0.0,
        rgba=(0.84, 0.37, 0.0, 1.0),
    )
    stripe.contype = stripe.conaffinity = 0
