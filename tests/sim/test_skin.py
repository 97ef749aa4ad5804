"""Taxels on the tasks' fingertips: they feel what the scalar force feels, and slip is told by the same rule."""

import numpy as np
import pytest

from sim.environment import Environment
from sim.plant import Plant
from sim.randomize.presets import preset
from sim.tasks import TASKS, get_task
from sim.tasks.skin import LAYOUTS, pad_of, rows_of, with_taxels
from sim.tasks.task import Signals, Task
from sim.touch import read_taxels, taxel_slip
from store.errors import UserError

SECONDS = 2.0


def exercised(task: Task, count: int = 8, threads: int = 1) -> Signals:
    """True signals (n, T) of the task's fixed motion."""
    plant = Plant(task, count, threads)
    start = task.sample_start(np.random.default_rng(0), count)
    plant.reset(start, seed=0)
    first = np.stack([plant.truth[f"joint_position.{joint}"] for joint in task.joints], axis=1)
    rows = [plant.truth]
    for step in range(round(SECONDS / task.control_period)):
        plant.step(task.exercise(start, first, step * task.control_period))
        rows.append(plant.truth)
    return {name: np.stack([row[name] for row in rows], axis=1) for name in rows[0]}


@pytest.mark.parametrize(("name", "finger"), [("finger_push", "finger"), ("pinch", "left"), ("cube_rotate", "thumb")])
@pytest.mark.parametrize("layout", sorted(LAYOUTS))
def test_a_pad_feels_the_contact_that_the_tip_has(name: str, finger: str, layout: str) -> None:
    task = get_task(f"{name}+{layout}")
    signals = exercised(task)
    reading = read_taxels(rows_of(signals, finger, layout))
    force = signals.get(f"tip_force.{finger}", signals.get("tip_force"))
    assert force is not None
    firm = force > 0.2
    assert firm.mean() > 0.05 and (reading.force[firm] > 0).mean() > 0.75
    far = force == 0
    assert reading.force[firm].mean() > 1.5 * reading.force[far].mean()


def test_slip_of_a_pad_is_told_by_the_rule_of_every_fingertip() -> None:
    task = get_task("cap_unscrew+4x4")
    signals = exercised(task)
    reading = read_taxels(rows_of(signals, "left", "4x4"))
    both = (signals["tip_force.left"] > 0.2) & (reading.force > 0)
    speed = signals["slip_speed.left"][both]
    assert speed.max() > 0.02 and np.corrcoef(speed, reading.speed[both])[0, 1] > 0.95
    gain = signals["tip_force.left"][both].mean() / reading.force[both].mean()
    assert taxel_slip(rows_of(signals, "left", "4x4"), gain).contact_samples.sum() > 0


@pytest.mark.parametrize("name", ["finger_push", "pinch", "cube_rotate"])
def test_the_physics_does_not_notice_the_taxels_of_a_task(name: str) -> None:
    felt, bare = exercised(get_task(f"{name}+4x4")), exercised(get_task(name))
    for signal in bare:
        if signal.startswith(("joint_position", "object_position")):
            # contacts of the skin alone carry no force, but a solver that meets them may end its work elsewhere within
            # its tolerance, and a grip that slips makes more of that later
            assert np.allclose(felt[signal][:, :10], bare[signal][:, :10], rtol=0, atol=1e-4), signal


def test_the_same_seed_gives_the_same_taxels_for_one_and_two_threads() -> None:
    one, two = (exercised(get_task("finger_push+4x4"), threads=threads) for threads in (1, 2))
    assert np.array_equal(pad_of(one, "finger"), pad_of(two, "finger"))
    assert pad_of(one, "finger").any()


def test_the_policy_feels_the_taxels() -> None:
    plain, felt = get_task("finger_push"), get_task("finger_push+4x6")
    width = [
        Environment(task, preset("none", task.parameters), 4, seed=0).get_observations()["touch"].shape[1]
        for task in (plain, felt)
    ]
    assert width[1] - width[0] == 3 * 24


def test_noise_gain_and_dropout_reach_the_taxels() -> None:
    plant = Plant(get_task("pinch+4x4"), 3, 1)
    plant.set("tactile_gain", np.array([1.0, 2.0, 1.0]))
    plant.set("tactile_dropout", np.array([0.0, 0.0, 0.5]))
    plant.set("force_noise", 0.0)
    task = plant.task
    start = {name: np.repeat(values, 3) for name, values in task.sample_start(np.random.default_rng(0), 1).items()}
    readings = plant.reset(start, seed=0).signals
    first = np.stack([readings[f"joint_position.{joint}"] for joint in task.joints], axis=1)
    seen = readings
    for step in range(20):
        seen = plant.step(task.exercise(start, first, step * task.control_period)).signals
    depth, true = pad_of(seen, "left")[..., 0], pad_of(plant.truth, "left")[..., 0]
    assert true[0].max() > 0 and np.allclose(depth[0], true[0]) and np.allclose(depth[1], 2 * true[1])
    assert (depth[2] == 0).sum() > (true[2] == 0).sum()


def test_unknown_taxels_and_tasks_without_a_pad_are_refused() -> None:
    with pytest.raises(UserError, match="unknown taxels '5x5'; valid: 4x4, 4x6"):
        get_task("pinch+5x5")
    bare = type("Bare", (TASKS["pinch"],), {"skins": {}})
    with pytest.raises(UserError, match="does not say where its fingertips face"):
        with_taxels(bare, "4x4")
