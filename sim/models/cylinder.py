"""An upright cylinder that stands on the table."""

from dataclasses import dataclass

import mujoco

CYLINDER = "cylinder"
"""Its body, free joint and geom."""


@dataclass(frozen=True)
class Cylinder:
    """Dimensions of the cylinder; SI units."""

    radius: float = 0.02
    half_height: float = 0.03
    mass: float = 0.1
    friction: float = 0.8


def add_cylinder(spec: mujoco.MjSpec, cylinder: Cylinder) -> None:
    """Add a free cylinder and its contact pair with `table`, `cylinder_table`, to a spec that has a table."""
    body = spec.worldbody.add_body(name=CYLINDER, pos=[0, 0, cylinder.half_height])
    body.add_freejoint(name=CYLINDER)
    geom = body.add_geom(
        name=CYLINDER,
        type=mujoco.mjtGeom.mjGEOM_CYLINDER,
        size=[cylinder.radius, cylinder.half_height, 0],
        mass=cylinder.mass,
        rgba=(0.0, 0.45, 0.70, 1.0),
    )
    geom.contype = geom.conaffinity = 0
    sliding = [cylinder.friction, cylinder.friction, 0.003, 0.0001, 0.0001]
    spec.add_pair(name="cylinder_table", geomname1="table", geomname2=CYLINDER, friction=sliding, condim=3)
