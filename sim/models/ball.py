"""A ball that rests on the table."""

from dataclasses import dataclass

import mujoco

BALL = "ball"
"""Its body, free joint and geom."""


@dataclass(frozen=True)
class Ball:
    """Dimensions of the ball; SI units."""

    radius: float = 0.025
    mass: float = 0.08
    friction: float = 0.8
    rolling: float = 0.0005
    """Rolling friction on the table, m: about what a rubber ball on wood has."""


def add_ball(spec: mujoco.MjSpec, ball: Ball) -> None:
    """Add a free ball and its contact pair with `table`, `ball_table`, to a spec that has a table."""
    body = spec.worldbody.add_body(name=BALL, pos=[0, 0, ball.radius])
    body.add_freejoint(name=BALL)
    geom = body.add_geom(
        name=BALL,
        type=mujoco.mjtGeom.mjGEOM_SPHERE,
        size=[ball.radius, 0, 0],
        mass=ball.mass,
        rgba=(0.0, 0.45, 0.70, 1.0),
    )
    geom.contype = geom.conaffinity = 0
    # six dimensions: without rolling friction a ball never comes to rest
    rubbing = [ball.friction, ball.friction, 0.003, ball.rolling, ball.rolling]
    spec.add_pair(name="ball_table", geomname1="table", geomname2=BALL, friction=rubbing, condim=6)
