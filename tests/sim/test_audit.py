"""First divergence: found where it was put, absent where nothing differs, thresholds from repeats."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scripted import TASK, scripted_pilot

from sim.audit.divergence import first_divergence, first_run, noise_thresholds
from sim.audit.pilot import audit_pilot
from sim.tasks.task import Signal
from sim.trace.rollout import read_rollout
from store.errors import UserError
from store.records import Divergence, Family, Range

SIGNALS = (Signal("angle", "rad", "pose"), Signal("force", "N", "force"), Signal("slip", "m/s", "slip"))
LIMITS = {"angle": 0.01, "force": 0.2, "slip": 0.02}
FAMILY = Family(ranges=(Range(parameter="delay", unit="s", low=0.008, high=0.018, source="measured"),))


def flat(length: int = 40) -> dict[str, np.ndarray]:
    return {s.name: np.zeros(length) for s in SIGNALS}


@given(step=st.integers(0, 30), size=st.floats(1.1, 50), name=st.sampled_from(sorted(LIMITS)))
def test_an_injected_divergence_is_found_at_its_step(step: int, size: float, name: str) -> None:
    real = flat()
    real[name][step:] += size * LIMITS[name]
    found = first_divergence(flat(), real, LIMITS, SIGNALS, period=0.04)
    (divergence,) = found.values()
    assert (divergence.signal, divergence.step) == (name, step)
    assert divergence.time_s == pytest.approx(step * 0.04)


@given(st.integers(0, 36), st.floats(0.2, 100))
def test_shorter_spikes_are_outliers(step: int, size: float) -> None:
    real = flat()
    real["force"][step : step + 2] += size
    assert first_divergence(flat(), real, LIMITS, SIGNALS, period=0.04) == {}


def test_signals_that_diverge_together_are_ties_and_channels_stay_apart() -> None:
    real = flat()
    real["angle"][5:] = real["force"][5:] = 1.0
    real["slip"][9:] = 1.0
    found = first_divergence(flat(), real, LIMITS, SIGNALS, period=0.04)
    assert {c: d.step for c, d in found.items()} == {"pose": 5, "force": 5, "slip": 9}
    assert found["pose"].ties == ("force",)


@given(st.lists(st.booleans(), min_size=1, max_size=30), st.integers(1, 4))
def test_first_run_agrees_with_a_plain_search(values: list[bool], length: int) -> None:
    plain = next((i for i in range(len(values) - length + 1) if all(values[i : i + length])), None)
    assert first_run(np.array(values), length) == plain


def test_thresholds_hold_what_repeats_differ_by() -> None:
    rng = np.random.default_rng(0)
    repeats = {s.name: rng.normal(0, 0.1, (6, 200)) for s in SIGNALS}
    floors = {"rad": 1e-3, "N": 1e-3, "m/s": 1e-3}
    limits = noise_thresholds(repeats, SIGNALS, floors)
    assert all(0.25 < limit < 0.6 for limit in limits.values())
    calm = noise_thresholds({s.name: np.zeros((6, 10)) for s in SIGNALS}, SIGNALS, floors)
    assert calm == {"angle": 1e-3, "force": 1e-3, "slip": 1e-3}


def test_a_delayed_plant_diverges_early_and_a_true_one_nowhere_before_contact(tmp_path: Path) -> None:
    for name, hidden in {"late": {"delay": 0.08}, "true": {"delay": 0.013}}.items():
        (tmp_path / name).mkdir()
        rollouts, control = scripted_pilot(tmp_path / name, hidden)
        result = audit_pilot(TASK, FAMILY, rollouts, control, tmp_path / name, lambda *_: None)
        divergences = [Divergence.model_validate(d) for d in result["divergences"]]
        assert "timing" not in {d.channel for d in divergences}
        if name == "late":
            assert min(d.step for d in divergences) <= 4
            twin = read_rollout(tmp_path / name / result["examples"][0]["sim"])
            assert twin.source == "sim" and twin.steps == TASK.steps
        else:
            assert divergences == []


def test_an_audit_without_repeats_is_refused(tmp_path: Path) -> None:
    rollouts, _ = scripted_pilot(tmp_path, {}, rollouts=2, repeats=1)
    with pytest.raises(UserError, match="repeats"):
        audit_pilot(TASK, FAMILY, rollouts, [], tmp_path, lambda *_: None)


def test_a_rollout_survives_the_file(tmp_path: Path) -> None:
    rollouts, _ = scripted_pilot(tmp_path, {}, rollouts=2, repeats=1)
    rollout = read_rollout(rollouts[1])
    assert rollout.task == "finger_push" and rollout.source == "pseudo_real" and rollout.success is False
    assert rollout.commands.shape == (TASK.steps, 3) and set(rollout.start) == set(TASK.start_names)
    assert all(len(values) == TASK.steps + 1 for values in rollout.signals.values())
    assert rollout.times == pytest.approx(np.arange(TASK.steps + 1) * 0.04)
    (tmp_path / "broken.parquet").write_bytes(b"PAR1 and nothing else")
    with pytest.raises(UserError, match=r"broken\.parquet"):
        read_rollout(tmp_path / "broken.parquet")
