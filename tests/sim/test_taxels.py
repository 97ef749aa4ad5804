"""Taxel pads of the simulator: how many light up, what they say, and that the physics does not notice them."""

from typing import Literal

import mujoco
import numpy as np
import pytest

from sim.models.taxels import Taxels, add_taxels, feel_early
from sim.touch import read_taxels, shape_taxels

PLATE, RADIUS, HALF = 0.03, 0.012, 0.004
STIFF = 5e-5
"""Compliance of a hard pad, m/N."""


def pad(
    tip: Literal["sphere", "box"], layout: Taxels | None = None, early: bool = True, taxels: bool = True
) -> tuple[mujoco.MjModel, mujoco.MjData]:
    """A tip that slides along x and presses down, its pad facing down, on a plate; x is along the finger."""
    layout = layout or Taxels()
    spec = mujoco.MjSpec()
    spec.option.timestep, spec.option.gravity = 0.002, [0, 0, 0]
    spec.worldbody.add_geom(
        name="plate", type=mujoco.mjtGeom.mjGEOM_BOX, size=[0.1, 0.1, PLATE], contype=0, conaffinity=0
    )
    height = RADIUS if tip == "sphere" else HALF
    body = spec.worldbody.add_body(name="tip", pos=[0, 0, PLATE + height])
    for axis in ((1, 0, 0), (0, 1, 0), (0, 0, 1)):
        body.add_joint(type=mujoco.mjtJoint.mjJNT_SLIDE, axis=axis)
    kind = mujoco.mjtGeom.mjGEOM_SPHERE if tip == "sphere" else mujoco.mjtGeom.mjGEOM_BOX
    geom = body.add_geom(name="tip", type=kind, size=[RADIUS, 0.012, HALF], mass=0.05)
    geom.contype = geom.conaffinity = 0
    pair = spec.add_pair(name="pair", geomname1="tip", geomname2="plate", condim=3)
    pair.solimp, pair.solref = [0.9, 0.9, 0.001, 0.5, 2], [np.sqrt(STIFF * 0.05 / 0.1), 1]
    if taxels:
        add_taxels(spec, "finger", "tip", layout, facing=(0, 0, -1), along=(1, 0, 0))
    if early:
        feel_early(spec, ["pair"], layout.skin)
    model = spec.compile()
    return model, mujoco.MjData(model)


def seen(model: mujoco.MjModel, data: mujoco.MjData, layout: Taxels | None = None) -> np.ndarray:
    """Taxels (rows, columns, 3) now."""
    layout = layout or Taxels()
    mujoco.mj_forward(model, data)
    return shape_taxels(data.sensor("taxels.finger").data, layout.rows, layout.columns)


def press(model: mujoco.MjModel, data: mujoco.MjData, force: float) -> None:
    data.qfrc_applied[2] = -force
    for _ in range(1000):
        mujoco.mj_step(model, data)


@pytest.mark.parametrize(
    ("tip", "skin", "lit"), [("sphere", 0.0, 0), ("sphere", 0.001, 4), ("sphere", 0.002, 12), ("box", 0.0, 16)]
)
def test_a_skin_gives_a_stiff_round_tip_a_footprint(tip: Literal["sphere", "box"], skin: float, lit: int) -> None:
    layout = Taxels(skin=skin)
    model, data = pad(tip, layout, early=False)
    press(model, data, 2.0)
    assert (seen(model, data, layout)[..., 0] > 0).sum() == lit


def test_depth_grows_from_nothing_as_the_skin_is_touched() -> None:
    deepest = {}
    for early in (True, False):
        model, data = pad("sphere", early=early)
        rows = []
        for gap in np.linspace(0.003, 0.0001, 13):
            data.qpos[2] = gap
            rows.append(seen(model, data)[..., 0].max())
        deepest[early] = np.array(rows)
        assert data.nefc == 0, "the core carries no force before it is touched"
    assert np.abs(np.diff(deepest[True])).max() < 0.0004 and deepest[True][-1] == pytest.approx(0.0016, abs=2e-4)
    assert deepest[False].max() == 0


@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("tip", ["sphere", "box"])
def test_speeds_are_those_of_sliding_along_and_across_the_finger(tip: Literal["sphere", "box"], axis: int) -> None:
    model, data = pad(tip)
    data.qpos[2], data.qvel[axis] = -1e-4, -0.08  # the sensor gives magnitudes
    taxels = seen(model, data)
    reading = read_taxels(taxels[None, None])
    assert reading.speed[0, 0] == pytest.approx(0.08, rel=0.02)
    hardest = np.unravel_index(taxels[..., 0].argmax(), (4, 4))
    assert taxels[*hardest, 1 + axis] == pytest.approx(0.08, rel=0.02)


def test_rows_run_along_the_finger_and_six_columns_across() -> None:
    layout = Taxels(rows=4, columns=6)
    model, _ = pad("sphere", layout)
    mesh = model.geom_dataid[model.geom("taxels.finger").id]
    turn = np.zeros(9)
    mujoco.mju_quat2Mat(turn, model.mesh_quat[mesh])
    points = model.mesh_vert @ turn.reshape(3, 3).T + model.mesh_pos[mesh]
    grid = points.reshape(4, 6, 3)
    assert np.linalg.norm(points, axis=1) == pytest.approx(RADIUS + layout.skin, abs=1e-6)
    assert (np.diff(grid[..., 0], axis=0) > 0).all() and (np.abs(np.diff(grid[..., 1], axis=1)) > 0).all()
    assert (points[:, 2] < 0).all()


def test_the_physics_does_not_notice_the_taxels() -> None:
    tracks = []
    for taxels in (True, False):
        model, data = pad("sphere", early=taxels, taxels=taxels)
        data.qpos[2], data.qvel[0] = 0.004, 0.1
        data.qfrc_applied[2] = -0.5
        track = []
        for _ in range(300):
            mujoco.mj_step(model, data)
            track.append(data.qpos.copy())
        tracks.append(np.array(track))
    assert np.array_equal(*tracks)


def test_what_does_not_fit_is_refused() -> None:
    with pytest.raises(ValueError, match="does not fit"):
        pad("sphere", Taxels(rows=8, columns=8, pitch=0.006))
    with pytest.raises(ValueError, match="larger than the face"):
        pad("box", Taxels(pitch=0.01))
    with pytest.raises(ValueError, match="two rows"):
        pad("box", Taxels(rows=1))
