"""Ball, cylinder and connector: they rest, have the mass and inertia of solid bodies, and fit as they say."""

import mujoco
import numpy as np
import pytest

from sim.models.ball import BALL, Ball, add_ball
from sim.models.connector import BLADE, PLUG, Connector, Plug, add_connector
from sim.models.cylinder import CYLINDER, Cylinder, add_cylinder
from sim.models.peg import Hole
from sim.models.table import table_scene


def settled(spec: mujoco.MjSpec, joint: str, push: tuple[float, float, float] = (0, 0, 0)) -> mujoco.MjData:
    """The scene two seconds after the free body was given a velocity, m/s."""
    model = spec.compile()
    data = mujoco.MjData(model)
    at = model.joint(joint).dofadr[0]
    data.qvel[at : at + 3] = push
    for _ in range(round(2 / model.opt.timestep)):
        mujoco.mj_step(model, data)
    assert not data.warning.number.any()
    return data


def test_a_ball_rolls_and_slows_down() -> None:
    spec, ball = table_scene("ball", 0.004), Ball()
    add_ball(spec, ball)
    data = settled(spec, BALL, push=(0.1, 0, 0))
    x, _, z = data.body(BALL).xpos
    assert x > 0.03 and z == pytest.approx(ball.radius, abs=3e-4)
    # sliding becomes rolling at 5/7 of the speed; then rolling friction takes some of it
    speed, turn = data.qvel[0], data.qvel[4]
    assert 0 < speed < 0.9 * 5 / 7 * 0.1 and turn * ball.radius == pytest.approx(speed, rel=0.02)
    assert data.model.body(BALL).mass[0] == ball.mass
    assert data.model.body(BALL).inertia == pytest.approx(0.4 * ball.mass * ball.radius**2 * np.ones(3))


def test_a_cylinder_stands_where_it_was_put() -> None:
    spec, cylinder = table_scene("cylinder", 0.004), Cylinder()
    add_cylinder(spec, cylinder)
    data = settled(spec, CYLINDER)
    assert data.body(CYLINDER).xpos == pytest.approx([0, 0, cylinder.half_height], abs=3e-4)
    assert data.body(CYLINDER).xmat[8] == pytest.approx(1, abs=1e-6)
    upright = 0.5 * cylinder.mass * cylinder.radius**2
    assert min(data.model.body(CYLINDER).inertia) == pytest.approx(upright, rel=1e-6)


@pytest.mark.parametrize(("beside", "goes_in"), [(0.0, True), (0.0006, True), (0.0016, False)])
def test_a_plug_goes_into_a_sharp_socket_within_its_clearance(beside: float, goes_in: bool) -> None:
    plug = Plug()
    socket = Hole(half_widths=plug.blade[:2], clearance=0.0007, depth=0.018, thickness=0.003, rounded=False)
    spec = table_scene("connector", 0.002)
    add_connector(spec, Connector(plug, socket))
    above = socket.depth + 2 * plug.blade[2] + plug.handle[2] + 0.001
    spec.body(PLUG).pos = [beside, 0, above]
    data = settled(spec, PLUG)
    deep = socket.depth - (data.geom(BLADE).xpos[2] - plug.blade[2])
    assert (deep > 0.015) == goes_in
    assert data.model.body(PLUG).mass[0] == pytest.approx(plug.mass)
