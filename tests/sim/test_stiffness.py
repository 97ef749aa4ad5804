"""A force-displacement table becomes a contact of MuJoCo that sinks as the table says."""

from pathlib import Path

import mujoco
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sim.measure.stiffness import PairSettings, contact_force, fit_stiffness
from sim.measure.table import UNITS, read_table, table_of
from store.errors import UserError

RADIUS, MASS, TIMESTEP = 0.012, 0.05, 0.001


def pressed(settings_of: PairSettings | None, forces: np.ndarray) -> tuple[np.ndarray, float]:
    """Depths, m, to which a round tip sinks into a plate under forces, N, and the inverse weight, 1/kg."""
    spec = mujoco.MjSpec()
    spec.option.timestep, spec.option.gravity = TIMESTEP, [0, 0, 0]
    spec.worldbody.add_geom(name="plate", type=mujoco.mjtGeom.mjGEOM_PLANE, size=[1, 1, 1], contype=0, conaffinity=0)
    body = spec.worldbody.add_body(name="tip", pos=[0, 0, RADIUS])
    body.add_joint(name="tip", type=mujoco.mjtJoint.mjJNT_SLIDE, axis=[0, 0, 1])
    tip = body.add_geom(name="tip", type=mujoco.mjtGeom.mjGEOM_SPHERE, size=[RADIUS, 0, 0], mass=MASS)
    tip.contype = tip.conaffinity = 0
    pair = spec.add_pair(name="pair", geomname1="plate", geomname2="tip", condim=3)
    if settings_of is not None:
        pair.solref, pair.solimp = settings_of.solref, settings_of.solimp
    model = spec.compile()
    data = mujoco.MjData(model)
    depths = []
    for force in forces:
        data.qfrc_applied[0] = -force
        for _ in range(1500):
            mujoco.mj_step(model, data)
        depths.append(-data.qpos[0])
    return np.array(depths), float(model.body_invweight0[model.body("tip").id, 0])


INVERSE_WEIGHT = pressed(None, np.zeros(0))[1]


@settings(max_examples=30, deadline=None)
@given(st.floats(1e-5, 1e-1), st.floats(0.1, 100), st.integers(1, 12))
def test_a_linear_spring_comes_back(compliance: float, force: float, count: int) -> None:
    forces = force * np.arange(1, count + 1) / count
    found = fit_stiffness(table_of(forces, compliance * forces))
    assert found.compliance == pytest.approx(compliance) and found.spring == pytest.approx(1 / compliance)
    assert found.points == count and not found.stiffens
    assert found.rms_error == (None if count == 1 else pytest.approx(0, abs=1e-9 * force))


@settings(max_examples=10, deadline=None)
@given(
    first=st.floats(0.05, 0.4), last=st.floats(0.7, 0.95), width=st.floats(1e-3, 5e-3), middle=st.floats(0.3, 0.7),
    power=st.floats(1.0, 4.0),
)  # fmt: skip
def test_a_stiffening_contact_comes_back(first: float, last: float, width: float, middle: float, power: float) -> None:
    depth = np.linspace(0, width, 16)
    force = contact_force(depth, 1.0, (first, last, width, middle, power))
    force *= 5.0 / force[-1]
    found = fit_stiffness(table_of(force, depth))
    assert found.curve is not None and found.curve.rms_error < 0.02 * 5.0
    assert found.curve.force(depth) == pytest.approx(force, abs=0.06 * 5.0)


@settings(max_examples=10, deadline=None)
@given(st.lists(st.floats(1e-5, 1e-3), min_size=5, max_size=12), st.floats(0.5, 20))
def test_the_curve_is_never_worse_than_the_line(steps: list[float], top: float) -> None:
    depth = np.cumsum(steps)
    found = fit_stiffness(table_of(top * (depth / depth[-1]) ** 2, depth))
    assert found.curve is not None and found.rms_error is not None
    assert found.curve.rms_error <= found.rms_error * (1 + 1e-6)


def test_mujoco_sinks_3_mm_at_5_newton() -> None:
    found = fit_stiffness(read_table("3 mm at 5 N"))
    assert found.compliance == pytest.approx(6e-4) and found.rms_error is None and found.curve is None
    forces = np.array([1.0, 5.0, 8.0])
    depths, _ = pressed(found.pair(INVERSE_WEIGHT, TIMESTEP), forces)
    assert depths == pytest.approx(6e-4 * forces, rel=1e-6)


def test_mujoco_sinks_as_a_stiffening_table_says_within_the_stated_error() -> None:
    """Rubber that stiffens with the 1.5th power of the depth, as a round pad does (Hertz)."""
    depth = np.linspace(0.25e-3, 2.5e-3, 10)
    force = 6.0 * (depth / depth[-1]) ** 1.5
    found = fit_stiffness(table_of(force, depth))
    assert found.stiffens and found.curve is not None and found.rms_error is not None
    assert found.curve.rms_error < 0.2 * found.rms_error
    for straight, law, stated in (
        (False, found.curve.force, found.curve.rms_error),
        (True, lambda x: found.spring * x, found.rms_error),
    ):
        depths, _ = pressed(found.pair(INVERSE_WEIGHT, TIMESTEP, straight=straight), force)
        assert law(depths) == pytest.approx(force, rel=1e-4)  # MuJoCo follows the fitted law exactly
        measured = np.interp(depths, depth, force)
        assert np.sqrt(np.mean((measured - force) ** 2)) < 1.3 * stated + 0.02


def test_a_contact_too_stiff_for_the_timestep_is_refused() -> None:
    found = fit_stiffness(table_of([5.0], [1e-5]))
    with pytest.raises(UserError, match="timestep"):
        found.pair(INVERSE_WEIGHT, TIMESTEP)
    with pytest.raises(UserError, match="make no curve"):
        found.pair(INVERSE_WEIGHT, 1e-6, straight=False)


@pytest.mark.parametrize(
    "header", ["force_N,displacement_mm", "Force [N],Displacement (mm)", "t,displacement_mm,force_N"]
)
def test_a_file_is_read_with_its_units(tmp_path: Path, header: str) -> None:
    rows = ["0,0,0", "1,0.6,1", "2,1.2,2"] if header.startswith("t") else ["0,0", "1,0.6", "2,1.2"]
    (tmp_path / "pad.csv").write_text("\n".join([header, *rows, ""]))
    table = read_table(tmp_path / "pad.csv")
    assert table.force.tolist() == [0, 1, 2] and table.displacement == pytest.approx([0, 6e-4, 1.2e-3])
    assert fit_stiffness(table).compliance == pytest.approx(6e-4)


@settings(deadline=None)
@given(st.sampled_from(sorted(UNITS["force"])), st.sampled_from(sorted(UNITS["displacement"])))
def test_every_unit_can_be_said(strength: str, length: str) -> None:
    table = read_table(f"3 {length} at 5 {strength}")
    assert table.force == pytest.approx([5 * UNITS["force"][strength]])
    assert table.displacement == pytest.approx([3 * UNITS["displacement"][length]])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("force,displacement_mm\n1,1", "force has no unit; valid: N, mN"),
        ("force_kp,displacement_mm\n1,1", "unknown unit 'kp'"),
        ("force_N,displacement_ft\n1,1", "unknown unit 'ft'"),
        ("force_N\n1", "0 columns are called displacement"),
        ("force_N,displacement_mm\n1,", "row 1 has no number"),
        ("force_N,displacement_mm\n1,nan", "not finite"),
        ("force_N,displacement_mm\n1,1\n-2,2", "negative"),
        ("force_N,displacement_mm\n1,1\n2,1", "row 2 does not go on from row 1"),
        ("force_N,displacement_mm\n2,1\n1,2", "row 2 does not go on"),
        ("force_N,displacement_mm\n0,0", "no row has both"),
        ("force_N,displacement_mm\n", "two equal columns"),
        ("", "0 columns"),
    ],
)
def test_a_bad_file_is_refused(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "pad.csv").write_text(text)
    with pytest.raises(UserError) as caught:
        read_table(tmp_path / "pad.csv")
    assert message in str(caught.value)


def test_what_is_neither_point_nor_file_is_refused() -> None:
    with pytest.raises(UserError, match="3 mm at 5 N"):
        read_table("rather soft")
    with pytest.raises(UserError, match="no unit"):
        read_table("3 at 5")
