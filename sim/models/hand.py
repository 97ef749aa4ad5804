"""A 16-joint Allegro-class right hand from primitives: three fingers and a thumb, four position servos each.

Kinematics are those of the Wonik Allegro hand: palm frame with z along the fingers and x out of the palm.
"""

from dataclasses import dataclass, replace
from itertools import combinations

import mujoco
import numpy as np

from sim.models.servo import Servo, add_servo

FINGERS: dict[str, tuple[str, ...]] = {
    finger: tuple(f"{finger}_{i}" for i in range(4)) for finger in ("index", "middle", "ring", "thumb")
}
"""Finger -> its joints from base to tip."""
TIPS = {finger: f"{finger}_tip" for finger in FINGERS}
"""Finger -> geom, body and site of its tip."""
JOINTS = tuple(joint for joints in FINGERS.values() for joint in joints)
PALM = "palm"
LINKS = (*(f"{joint}_link" for joint in JOINTS), *TIPS.values())
"""Bodies that move."""
TOUCHING = (PALM, *(f"{joint}_link" for joint in JOINTS if joint[-1] in "123"), *TIPS.values())
"""Geoms that an object can meet: the palm, all links beyond the bases, the tips."""

SKIN, DARK, LIGHT = (0.90, 0.45, 0.13, 1.0), (0.23, 0.25, 0.29, 1.0), (0.45, 0.47, 0.52, 1.0)


@dataclass(frozen=True)
class Hand:
    """Servos and pose of the hand; SI units."""

    kp: float = 1.5
    damping: float = 0.06
    armature: float = 0.0015
    frictionloss: float = 0.01
    torque: float = 0.7
    radius: float = 0.011
    """Of the links, m."""
    tip_radius: float = 0.012
    height: float = 0.12
    """Of the palm's face above the floor, m."""
    tilt: float = 0.0
    """How far the fingers point upwards from level, rad."""

    @property
    def servos(self) -> dict[str, Servo]:
        """Joint -> its servo."""
        ranges = zip(JOINTS, (*(FINGER_RANGES * 3), *THUMB_RANGES), strict=True)
        same = Servo(self.kp, self.damping, self.armature, self.frictionloss, self.torque, low=0.0, high=0.0)
        return {joint: replace(same, low=low, high=high) for joint, (low, high) in ranges}


FINGER_RANGES = ((-0.47, 0.47), (-0.196, 1.61), (-0.174, 1.709), (-0.227, 1.618))
THUMB_RANGES = ((0.263, 1.396), (-0.105, 1.163), (-0.189, 1.644), (-0.162, 1.719))


def add_hand(spec: mujoco.MjSpec, hand: Hand) -> None:
    """Add the hand, palm up, and its servos to a spec whose timestep is set.

    The palm's face looks up and its fingers along -x; the origin of the palm frame is at (0, 0, `height`). Fingers meet
    each other beyond their bases, without friction. Nothing else of the hand collides with itself: palm and finger
    bases overlap, which explodes when they do.
    """
    half = np.cos(np.pi / 4 + hand.tilt / 2), np.sin(np.pi / 4 + hand.tilt / 2)
    palm = spec.worldbody.add_body(name=PALM, pos=[0, 0, hand.height], quat=[half[0], 0, -half[1], 0])
    box = palm.add_geom(name=PALM, type=mujoco.mjtGeom.mjGEOM_BOX, size=[0.0204, 0.0565, 0.0475], rgba=LIGHT)
    box.pos = [-0.0093, 0, -0.0475]
    box.contype = box.conaffinity = 0
    for finger, y, tilt in (("index", 0.0435, -1), ("middle", 0.0, 0), ("ring", -0.0435, 1)):
        turn = np.radians(5) * tilt / 2
        base = palm.add_body(name=f"{finger}_0_link", pos=[0, y, 0.0007 if tilt == 0 else -0.001542])
        base.quat = [np.cos(turn), np.sin(turn), 0, 0]
        _finger(spec, hand, finger, base, ((0, 0, 1), (0, 1, 0), (0, 1, 0), (0, 1, 0)), (0.0164, 0.054, 0.0384))
    base = palm.add_body(name="thumb_0_link", pos=[-0.0182, 0.019333, -0.045987])
    base.quat = [0.477714, -0.521334, -0.521334, -0.477714]
    _thumb(spec, hand, base)
    for one, other in combinations(FINGERS.values(), 2):
        for a in one[1:]:
            for b in other[1:]:
                spec.add_pair(name=f"{a}_{b}", geomname1=f"{a}_link", geomname2=f"{b}_link", condim=1)


def _finger(spec: mujoco.MjSpec, hand: Hand, finger: str, base: mujoco.MjsBody, axes: tuple, lengths: tuple) -> None:
    """Base, proximal, medial and distal links along z, the tip at the end."""
    body, drawn = base, (lengths[0], lengths[1], lengths[2], 0.0267)
    for i, (axis, length) in enumerate(zip(axes, drawn, strict=True)):
        if i > 0:
            body = body.add_body(name=f"{finger}_{i}_link", pos=[0, 0, drawn[i - 1]])
        _link(spec, hand, body, f"{finger}_{i}", axis, (0.0, 0.0, length))
    _tip(hand, body, finger, (0.0, 0.0, drawn[3]))


def _thumb(spec: mujoco.MjSpec, hand: Hand, base: mujoco.MjsBody) -> None:
    places = ((-0.027, 0.005, 0.0399), (0.0, 0.0, 0.0177), (0.0, 0.0, 0.0514))
    axes = ((-1, 0, 0), (0, 0, 1), (0, 1, 0), (0, 1, 0))
    body, ends = base, (*places, (0.0, 0.0, 0.0423))
    for i, (axis, end) in enumerate(zip(axes, ends, strict=True)):
        if i > 0:
            body = body.add_body(name=f"thumb_{i}_link", pos=ends[i - 1])
        _link(spec, hand, body, f"thumb_{i}", axis, end)
    _tip(hand, body, "thumb", ends[3])


def _link(
    spec: mujoco.MjSpec,
    hand: Hand,
    body: mujoco.MjsBody,
    joint: str,
    axis: tuple[int, ...],
    end: tuple[float, float, float],
) -> None:
    """A capsule from the body's origin to `end`, and the joint with its servo."""
    geom = body.add_geom(name=f"{joint}_link", type=mujoco.mjtGeom.mjGEOM_CAPSULE, rgba=DARK, density=800)
    geom.size, geom.fromto = [hand.radius, 0, 0], [0, 0, 0, *end]
    geom.contype = geom.conaffinity = 0
    hinge = body.add_joint(name=joint, type=mujoco.mjtJoint.mjJNT_HINGE, axis=axis)
    add_servo(spec, hinge, hand.servos[joint])


def _tip(hand: Hand, body: mujoco.MjsBody, finger: str, at: tuple[float, float, float]) -> None:
    tip = body.add_body(name=TIPS[finger], pos=at)
    geom = tip.add_geom(name=TIPS[finger], type=mujoco.mjtGeom.mjGEOM_SPHERE, rgba=SKIN, density=800)
    geom.size = [hand.tip_radius, 0, 0]
    geom.contype = geom.conaffinity = 0
    tip.add_site(name=TIPS[finger], rgba=(0, 0, 0, 0))
