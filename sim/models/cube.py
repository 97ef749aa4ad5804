"""A free cube with coloured faces, touched by what it is told to through explicit contact pairs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import mujoco

from sim.models.touch_sensors import BODY, SITE, add_contact, add_frame

CUBE_BODY = "cube"
FACES = {"x": (0.84, 0.37, 0.0, 1.0), "y": (0.0, 0.62, 0.45, 1.0), "z": (0.94, 0.89, 0.26, 1.0)}
"""Axis -> colour of the patch on the face that it leaves through: a person sees how the cube turns."""


@dataclass(frozen=True)
class Cube:
    """Dimensions of the cube; SI units."""

    half: float = 0.025
    """Half its side, m."""
    mass: float = 0.08
    friction: float = 0.8


def add_cube(spec: mujoco.MjSpec, cube: Cube, meets: Sequence[str], tips: Mapping[str, str]) -> None:
    """Add a free cube with contact pairs `cube_<geom>`, its frame sensors, and touch of every tip.

    Args:
        spec: the scene; has the geoms and the tips' sites.
        cube: dimensions.
        meets: geoms that it can touch, the tips among them.
        tips: finger -> geom and site of its tip; each gets a contact sensor `touch.<finger>` and frame sensors.
    """
    body = spec.worldbody.add_body(name=CUBE_BODY)
    body.add_freejoint(name=CUBE_BODY)
    geom = body.add_geom(name=CUBE_BODY, type=mujoco.mjtGeom.mjGEOM_BOX, size=[cube.half] * 3, mass=cube.mass)
    geom.rgba = (0.0, 0.45, 0.70, 1.0)
    geom.contype = geom.conaffinity = 0
    for i, colour in enumerate(FACES.values()):
        size, place = [0.7 * cube.half] * 3, [0.0] * 3
        size[i], place[i] = 0.0005, cube.half
        patch = body.add_geom(type=mujoco.mjtGeom.mjGEOM_BOX, size=size, pos=place, rgba=colour, mass=0)
        patch.contype = patch.conaffinity = 0
    sliding = [cube.friction, cube.friction, 0.003, 0.0001, 0.0001]
    for name in meets:
        pair = spec.add_pair(
            name=f"{CUBE_BODY}_{name}", geomname1=name, geomname2=CUBE_BODY, friction=sliding, condim=3
        )
        if name in tips.values():
            pair.solimp = [0.9, 0.9, 0.001, 0.5, 2]
    add_frame(spec, CUBE_BODY, BODY)
    spec.add_sensor(
        name=f"{CUBE_BODY}_quaternion",
        type=mujoco.mjtSensor.mjSENS_FRAMEQUAT,
        objtype=BODY,
        objname=CUBE_BODY,
    )
    for finger, tip in tips.items():
        add_frame(spec, tip, SITE)
        add_contact(spec, f"touch.{finger}", CUBE_BODY, tip)
