"""Every mechanism, and every parameter of it, changes what a plant does; threads do not."""

import numpy as np
import pytest

from sim.mechanisms import MECHANISMS, get_mechanism
from sim.plant import Plant
from sim.tasks.finger_push import FINGER, FingerPush
from sim.tasks.task import Array
from store.records import Parameter

TASK = FingerPush()
PARAMETERS = [(name, knob.parameter) for name in MECHANISMS for knob in get_mechanism(name).knobs(TASK)]
SEEN = {"rad": 1e-3, "m": 1e-4, "N": 1e-2, "m/s": 1e-3}
"""What counts as a change, by the unit of a signal."""


def push(plant: Plant) -> Array:
    """Signals (signals, steps, n), in units of SEEN, of a push through the puck, a pause, a retreat and a leap."""
    for noise in ("joint_noise", "object_noise", "force_noise"):
        plant.set(noise, 0.0)
    once = TASK.sample_start(np.random.default_rng(2), 1)
    start = {name: np.repeat(value, plant.count) for name, value in once.items()}
    plant.reset(start, seed=1)
    knots, forward, aside = [0, 15, 25, 35, 36, 50], [0, 0.08, 0.08, 0.03, 0.03, 0.08], [0, 0, 0, 0, 0.12, 0.08]
    rows = []
    for step in range(50):
        tip = np.stack(
            [
                start["tip_x"] + np.interp(step, knots, forward),
                start["tip_y"] + np.interp(step, knots, aside),
                np.full(plant.count, 0.015),
            ],
            axis=1,
        )
        signals = plant.step(FINGER.joints_for(tip)).signals
        rows.append(np.stack([signals[one.name] / SEEN[one.unit] for one in TASK.signals]))
    assert not plant.unstable.any()
    return np.stack(rows, axis=1)


@pytest.mark.parametrize("name", list(MECHANISMS))
def test_every_mechanism_changes_a_rollout(name: str) -> None:
    """Against itself at zero where it has a zero, so that a side effect of its edit of the model does not count."""
    zeros = [parameter.name for owner, parameter in PARAMETERS if owner == name and parameter.low <= 0]
    without = Plant(TASK, 1, 1, (name,) if zeros else ())
    for zero in zeros:
        without.set(zero, 0.0)
    gap = np.abs(push(Plant(TASK, 1, 1, (name,))) - push(without)).max()
    assert gap > 1, f"{name} at its nominal values changes nothing"


@pytest.mark.parametrize(("name", "parameter"), PARAMETERS, ids=lambda one: getattr(one, "name", ""))
def test_every_parameter_of_a_mechanism_changes_a_rollout(name: str, parameter: Parameter) -> None:
    plant = Plant(TASK, 2, 1, (name,))
    plant.set(parameter.name, np.array([parameter.low, parameter.high]))
    rows = push(plant)
    gap = np.abs(rows[:, :, 0] - rows[:, :, 1]).max()
    assert gap > 1, f"{parameter.name} from {parameter.low} to {parameter.high} changes nothing"


def test_all_mechanisms_together_stay_stable_over_their_bounds() -> None:
    """Corners drawn at random: no simulation may blow up (`push` asserts it)."""
    rng = np.random.default_rng(3)
    plant = Plant(TASK, 128, 2, tuple(MECHANISMS))
    for _, parameter in PARAMETERS:
        plant.set(parameter.name, np.where(rng.random(128) < 0.5, parameter.low, parameter.high))
    rows = push(plant)
    assert np.isfinite(rows).all()


def test_same_bits_on_one_and_two_threads_with_every_mechanism() -> None:
    traces = []
    for threads in (1, 2):
        plant = Plant(TASK, 16, threads, tuple(MECHANISMS))
        for _, parameter in PARAMETERS:
            plant.set(parameter.name, np.linspace(parameter.low, parameter.high, 16))
        traces.append(push(plant))
    assert np.array_equal(traces[0], traces[1])
