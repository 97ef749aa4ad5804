"""The slip rule, over fingers and over taxels, in simulation and on hardware alike."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sim.touch import SlipRule, calibrate, episode_slip, read_taxels, shape_taxels, slip_of, taxel_slip

FORCE = np.array([[0, 1, 1, 1, 0, 1], [0, 0.1, 0.1, 0.1, 0, 0], [0, 1, 1, 1, 0, 0], [1, 0, 1, 0, 1, 0]], dtype=float)
SPEED = np.array(
    [[0, 0.1, 0.1, 0, 0, 0.1], [9, 9, 9, 9, 9, 9], [0, 0.1, 0, 0.1, 0, 0], [1, 1, 1, 1, 1, 1]], dtype=float
)


def test_slip_rule_needs_force_speed_and_length() -> None:
    slip = slip_of(FORCE, SPEED, SlipRule(f0=0.2, v0=0.05, k=2))
    assert slip.event.tolist() == [True, False, False, False]
    assert slip.contact_samples.tolist() == [4, 0, 3, 3]
    assert slip.slip_samples.tolist() == [3, 0, 2, 3]
    assert slip.fraction == pytest.approx(0.8)


@settings(deadline=None)
@given(st.integers(1, 4), st.integers(1, 30), st.integers(0, 2**32 - 1))
def test_an_event_is_a_run_of_k_slipping_samples(k: int, length: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    force, speed = rng.uniform(0, 0.4, (1, length)), rng.uniform(0, 0.1, (1, length))
    slipping = "".join("x" if f > 0.2 and v > 0.05 else "." for f, v in zip(force[0], speed[0], strict=True))
    assert bool(slip_of(force, speed, SlipRule(k=k)).event[0]) == ("x" * k in slipping)


def test_an_episode_slips_when_any_finger_does() -> None:
    still = {"tip_force.thumb": np.ones_like(FORCE), "slip_speed.thumb": np.zeros_like(FORCE)}
    both = episode_slip({"tip_force.index": FORCE, "slip_speed.index": SPEED, **still, "object_position.x": FORCE})
    one = slip_of(FORCE, SPEED)
    assert both.event.tolist() == one.event.tolist()
    assert both.contact_samples.tolist() == (one.contact_samples + 6).tolist()
    assert both.slip_samples.tolist() == one.slip_samples.tolist()


def test_a_lone_finger_needs_no_name_and_a_hand_without_touch_never_slips() -> None:
    lone, one = episode_slip({"tip_force": FORCE, "slip_speed": SPEED}), slip_of(FORCE, SPEED)
    assert (lone.event.tolist(), lone.fraction) == (one.event.tolist(), one.fraction)
    blind = episode_slip({"object_position.x": FORCE})
    assert blind.event.tolist() == [False] * 4 and blind.fraction == 0
    with pytest.raises(ValueError, match="missing for index"):
        episode_slip({"tip_force.index": FORCE})


def stream(force: np.ndarray, speed: np.ndarray, row: int, column: int) -> np.ndarray:
    """Taxels (n, T, 4, 6, 3) of a hardware pad in N: all the force at one place, the speed along the finger."""
    taxels = np.zeros((*force.shape, 4, 6, 3))
    taxels[..., row, column, 0], taxels[..., row, column, 1] = force, speed
    return taxels


@settings(deadline=None)
@given(st.integers(0, 3), st.integers(0, 5))
def test_taxels_are_judged_by_the_same_rule_wherever_they_are_pressed(row: int, column: int) -> None:
    taxels = stream(FORCE, SPEED, row, column)
    got, want = taxel_slip(taxels), slip_of(FORCE, SPEED)
    assert got.event.tolist() == want.event.tolist() and got.slip_samples.tolist() == want.slip_samples.tolist()
    reading = read_taxels(taxels)
    assert np.array_equal(reading.force, FORCE)
    assert np.array_equal(reading.centre[FORCE > 0], np.tile([row, column], ((FORCE > 0).sum(), 1)))
    assert np.array_equal(reading.centre[FORCE == 0], np.tile([1.5, 2.5], ((FORCE == 0).sum(), 1)))
    assert reading.area.max() == pytest.approx(1 / 24)


@settings(deadline=None)
@given(st.integers(0, 2**32 - 1), st.floats(10, 1e4))
def test_depths_become_the_force_that_calibrated_them(seed: int, stiffness: float) -> None:
    depth = np.random.default_rng(seed).uniform(0, 1e-3, (2, 5, 4, 4))
    taxels = np.stack([depth, 0 * depth, 0 * depth], axis=-1)
    force = stiffness * depth.sum(axis=(2, 3))
    gain = calibrate(taxels, force)
    assert gain == pytest.approx(stiffness) and read_taxels(taxels, gain).force == pytest.approx(force)


def test_a_sensor_row_becomes_rows_and_columns() -> None:
    values = np.arange(2 * 3 * 4 * 6).reshape(2, 72)
    taxels = shape_taxels(values, 4, 6)
    assert taxels.shape == (2, 4, 6, 3)
    assert taxels[0, 1, 2].tolist() == [8, 24 + 8, 48 + 8]


def test_bad_arrays_are_refused() -> None:
    with pytest.raises(ValueError, match="shape"):
        read_taxels(np.zeros((4, 4, 3)))
    with pytest.raises(ValueError, match="finite"):
        read_taxels(np.full((1, 1, 4, 4, 3), np.nan))
    with pytest.raises(ValueError, match="calibrate"):
        calibrate(np.zeros((1, 1, 4, 4, 3)), np.ones((1, 1)))
