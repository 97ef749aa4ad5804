"""Flags, resampling, lags and clocks on signals whose truth is known."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import ArrayLike

from sim.trace.align import find_clock, find_lag, sample
from sim.trace.log import NANO, LogChannel, Quality, Series
from sim.trace.quality import counts, flag
from store.errors import UserError


def made(times: ArrayLike, value: ArrayLike, channel: LogChannel = "pose", name: str = "x") -> Series:
    stamps = np.round(np.asarray(times) * NANO).astype(np.int64)
    return Series(
        name, channel, "rad", "stamp", stamps, np.asarray(value, dtype=float), np.zeros(len(stamps), np.uint8)
    )


def wave(times: np.ndarray) -> np.ndarray:
    """A chirp from .3 to 2 Hz."""
    return np.sin(2 * np.pi * (0.3 * times + 0.5 * 1.7 / 30 * times**2))


def test_gaps_duplicates_backwards_and_missing_samples_are_flagged() -> None:
    times = np.array([0.00, 0.02, 0.04, 0.04, 0.06, 0.05, 0.08, 0.20, 0.22])
    value = np.array([0, 1, 2, 3, np.nan, 5, 6, 7, 8.0])
    flagged = flag(made(times, value))
    want = {3: Quality.DUPLICATE, 4: Quality.MISSING, 5: Quality.BACKWARDS, 7: Quality.GAP}
    assert {i: Quality(int(q)) for i, q in enumerate(flagged.quality) if q and i != 6} == want
    assert counts(flagged)["duplicate"] == 1 and np.array_equal(flagged.value, value, equal_nan=True)


def test_a_value_is_stuck_only_while_its_command_moves() -> None:
    times = np.arange(500) * 0.02
    command = made(times, np.where(times < 5, 0.0, wave(times)), "command")
    still = made(times, np.zeros(500))
    flags = flag(still, command).quality & Quality.STUCK
    assert flags.all()  # one stretch of one value, and the command moved during it
    resting = made(times, np.where(times < 5, 0.0, wave(times - 0.05)))
    assert not (flag(resting, command).quality & Quality.STUCK)[260:].any()
    assert not (flag(still).quality & Quality.STUCK).any()


def test_commands_are_held_and_states_run_between_their_samples() -> None:
    times = np.array([0.0, 1.0, 2.0])
    at = np.array([-0.1, 0.0, 0.5, 1.0, 1.9, 2.5, 3.5])
    held = sample(made(times, [1, 2, 3], "command"), at)
    assert np.array_equal(held, [np.nan, 1, 1, 2, 2, 3, np.nan], equal_nan=True)
    between = sample(made(times, [1, 2, 3]), at)
    assert np.array_equal(between, [np.nan, 1, 1.5, 2, 2.9, np.nan, np.nan], equal_nan=True)


def test_bad_samples_are_not_interpolated_through() -> None:
    series = flag(made(np.arange(5) * 0.1, [0, 1, np.nan, 3, 4]))
    assert sample(series, np.array([0.2]))[0] == pytest.approx(2.0)


@settings(deadline=None, max_examples=25)
@given(st.floats(-0.2, 0.2), st.integers(0, 1000))
def test_an_injected_lag_is_recovered_within_its_interval(lag: float, seed: int) -> None:
    rng = np.random.default_rng(seed)
    times = np.arange(1500) * 0.02
    first = made(times, wave(times))
    second = made(times, wave(times - lag) + 0.02 * rng.standard_normal(len(times)))
    found = find_lag(first, second)
    assert found is not None and found.seconds == pytest.approx(lag, abs=0.004)
    assert found.interval[0] - 0.002 <= lag <= found.interval[1] + 0.002 and found.correlation > 0.98


@settings(deadline=None, max_examples=15)
@given(st.floats(-0.1, 0.1), st.floats(-2e-3, 2e-3), st.integers(0, 1000))
def test_an_injected_offset_and_drift_of_a_clock_are_recovered(offset: float, drift: float, seed: int) -> None:
    rng = np.random.default_rng(seed)
    times = np.arange(4000) * 0.01
    first = made(times, wave(0.7 * times))
    shown = times + offset + drift * times  # what the other clock reads at the same moments
    second = made(shown, wave(0.7 * times) + 0.01 * rng.standard_normal(len(times)))
    fit = find_clock(first, second)
    assert fit.offset == pytest.approx(offset, abs=0.008) and fit.drift == pytest.approx(drift, abs=2e-4)
    assert fit.drift_interval[0] - 1e-4 <= drift <= fit.drift_interval[1] + 1e-4


def test_what_does_not_move_has_no_lag_and_no_clock() -> None:
    times = np.arange(200) * 0.02
    still = made(times, np.zeros(200))
    assert find_lag(still, made(times, wave(times))) is None
    with pytest.raises(UserError, match="moves in 0 of 8 windows"):
        find_clock(still, still)
    with pytest.raises(UserError, match="never overlap"):
        find_lag(made(times, wave(times)), made(times + 100, wave(times)))
