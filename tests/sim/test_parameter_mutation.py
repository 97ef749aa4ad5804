"""Every parameter of every task, moved across its bounds, changes a fixed rollout; one without effect fails."""

import numpy as np
import pytest

from sim.plant import Plant
from sim.tasks import TASKS, get_task
from sim.tasks.task import Task

COMPANIONS = {"push": {"push_rate": 10.0}, "push_rate": {"push": 2.0}}
"""Parameters that show only beside another one."""
QUIET = {"joint_noise": 0.0, "object_noise": 0.0, "force_noise": 0.0, "rotation_noise": 0.0}
"""Physics must show without any noise."""


def rollout(task: Task, values: dict[str, float], steps: int = 40, threads: int = 1) -> np.ndarray:
    """Readings (T, n, signals) of fixed starts, commands and seed; busy with the object, parameters as given."""
    plant = Plant(task, 3, threads)
    for name, value in values.items():
        plant.set(name, value)
    rng = np.random.default_rng(3)
    start = task.sample_start(rng, plant.count)
    readings = plant.reset(start, seed=4).signals
    first = np.stack([readings[f"joint_position.{joint}"] for joint in task.joints], axis=1)
    rows = []
    for step in range(steps):
        commands = task.exercise(start, first, step * task.control_period)
        rows.append(np.stack(list(plant.step(commands).signals.values()), axis=1))
    return np.stack(rows)


@pytest.mark.parametrize("task", [get_task(name) for name in sorted(TASKS)], ids=sorted(TASKS))
def test_every_parameter_changes_a_rollout(task: Task) -> None:
    quiet = {name: value for name, value in QUIET.items() if name in task.parameters}
    without_effect = []
    for name, parameter in task.parameters.items():
        if parameter.kind == "visual":
            continue  # pictures: test_raycast.py and test_camera.py
        others = {**quiet, **COMPANIONS.get(name, {})}
        low, high = (rollout(task, {**others, name: value}) for value in (parameter.low, parameter.high))
        if not np.abs(low - high).max() > 1e-6:
            without_effect.append(name)
    assert without_effect == []


@pytest.mark.parametrize("task", [get_task(name) for name in sorted(TASKS)], ids=sorted(TASKS))
def test_the_same_values_give_the_same_bits_on_one_and_two_threads(task: Task) -> None:
    """Without this, the test above could pass by chance."""
    values = {"friction": 0.7, "control_jitter": 0.005, "push": 1.0, "tactile_dropout": 0.1}
    assert np.array_equal(rollout(task, values), rollout(task, values, threads=2))
