"""A cylinder lying on the table, touched by table and fingertip through explicit contact pairs."""

from dataclasses import dataclass

import mujoco

from sim.models.touch_sensors import BODY, SITE, add_contact, add_frame

PUCK_BODY = "puck"


@dataclass(frozen=True)
class Puck:
    """Dimensions of the puck; SI units."""

    radius: float = 0.03
    half_height: float = 0.015
    mass: float = 0.1
    friction: float = 0.8


def add_puck(spec: mujoco.MjSpec, puck: Puck) -> None:
    """Add a free puck, its contact pairs with `table` and `tip`, and its sensors to a spec that has both geoms."""
    body = spec.worldbody.add_body(name=PUCK_BODY, pos=[0, 0, puck.half_height])
    body.add_freejoint(name=PUCK_BODY)
    geom = body.add_geom(
        name=PUCK_BODY,
        type=mujoco.mjtGeom.mjGEOM_CYLINDER,
        size=[puck.radius, puck.half_height, 0],
        mass=puck.mass,
        rgba=(0.0, 0.45, 0.70, 1.0),
    )
    geom.contype = geom.conaffinity = 0
    sliding = [puck.friction, puck.friction, 0.003, 0.0001, 0.0001]
    spec.add_pair(name="puck_table", geomname1="table", geomname2=PUCK_BODY, friction=sliding, condim=3)
    # constant impedance 0.9, so that the compliance parameter can be applied exactly through the time constant
    pad = spec.add_pair(name="puck_tip", geomname1="tip", geomname2=PUCK_BODY, friction=sliding, condim=3)
    pad.solimp = [0.9, 0.9, 0.001, 0.5, 2]

    add_contact(spec, "touch", PUCK_BODY, "tip")
    add_frame(spec, PUCK_BODY, BODY)
    add_frame(spec, "tip", SITE)
