"""The verdict on pilots with one hidden fault, and the statistics behind it."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scripted import TASK, scripted_pilot

from sim.diagnose.pilot import diagnose_pilot
from sim.diagnose.repair import apply_repair, propose
from sim.diagnose.verdict import sign_flip_p_value
from store.errors import UserError
from store.records import Diagnosis, Family, GapRow, Range, Rate

FAMILY = Family(
    ranges=(
        Range(parameter="friction", unit="1", low=0.5, high=1.2, source="request"),
        Range(parameter="delay", unit="s", low=0.008, high=0.018, source="measured", anchor="delay"),
    )
)
GAP = GapRow(
    round=0,
    task="finger_push",
    policy="p",
    source="pseudo_real",
    ranges=FAMILY.ranges,
    sim_success=Rate(successes=190, trials=200),
    sim_slip=Rate(successes=20, trials=200),
    real_success=Rate(successes=30, trials=50),
    real_slip=Rate(successes=10, trials=50),
)


def verdict_on(folder: Path, hidden: dict[str, float]) -> Diagnosis:
    rollouts, control = scripted_pilot(folder, hidden)
    return diagnose_pilot(TASK, FAMILY, rollouts, control, repair_round=0, seed=1, progress=lambda *_: None)


@pytest.mark.parametrize(
    ("parameter", "value"),
    [
        ("delay", 0.06),
        ("delay", 0.032),
        ("friction", 0.25),
        ("friction", 1.8),
        ("mass", 0.25),
        ("kp", 1.8),
        ("damping", 0.2),
        ("compliance", 3e-3),
    ],
)
def test_a_hidden_fault_outside_its_range_is_named(tmp_path: Path, parameter: str, value: float) -> None:
    diagnosis = verdict_on(tmp_path, {parameter: value})
    assert diagnosis.verdict in ("RECENTRE", "WIDEN"), diagnosis
    assert diagnosis.target == parameter
    assert diagnosis.estimate is not None and diagnosis.interval is not None
    assert abs(diagnosis.estimate - value) <= 0.15 * value or diagnosis.interval[0] <= value <= diagnosis.interval[1]
    repair = propose(diagnosis, GAP, FAMILY, TASK.parameters)
    assert repair is not None and repair.target == parameter and repair.round == 1
    repaired = apply_repair(FAMILY, repair, "diagnosis-1").range_of(parameter)
    assert repaired is not None and repaired.source == "repair" and repaired.anchor == "diagnosis-1"
    assert repaired.low <= value * 1.1 and value * 0.9 <= repaired.high


@pytest.mark.parametrize("hidden", [{}, {"friction": 0.65}, {"delay": 0.016, "friction": 1.0}])
def test_a_plant_inside_the_family_is_no_gap(tmp_path: Path, hidden: dict[str, float]) -> None:
    diagnosis = verdict_on(tmp_path, hidden)
    assert diagnosis.verdict == "NO_GAP", diagnosis
    assert propose(diagnosis, GAP, FAMILY, TASK.parameters) is None


def test_same_logs_and_seed_give_the_same_diagnosis(tmp_path: Path) -> None:
    rollouts, control = scripted_pilot(tmp_path, {"delay": 0.05})
    twice = [
        diagnose_pilot(TASK, FAMILY, rollouts, control, repair_round=0, seed=4, progress=lambda *_: None)
        for _ in range(2)
    ]
    assert twice[0] == twice[1]


def test_too_few_rollouts_are_refused(tmp_path: Path) -> None:
    rollouts, control = scripted_pilot(tmp_path, {}, rollouts=2, repeats=1)
    with pytest.raises(UserError, match="too few"):
        diagnose_pilot(TASK, FAMILY, rollouts, control, repair_round=0, seed=0, progress=lambda *_: None)


@given(st.lists(st.floats(-1, 1), min_size=6, max_size=20))
def test_sign_flip_p_values_are_probabilities_and_one_sided(gains: list[float]) -> None:
    gain = np.array(gains)
    up, down = sign_flip_p_value(gain, 0, 500), sign_flip_p_value(-gain, 0, 500)
    assert 0 < up <= 1 and 0 < down <= 1
    if gain.mean() > 0:
        assert up <= down + 0.1


def test_sign_flip_test_is_calibrated() -> None:
    rng = np.random.default_rng(0)
    values = [sign_flip_p_value(rng.standard_normal(10), i, 500) for i in range(400)]
    assert 0.02 < np.mean(np.array(values) < 0.05) < 0.09
