"""Whether a task notices a parameter at all between two of its values."""

import numpy as np

from sim.plant import Plant
from sim.tasks.task import Task

SECONDS = 2.0


def felt(task: Task, name: str, low: float, high: float, mechanisms: tuple[str, ...] = ()) -> bool:
    """Whether the task's fixed motion (`Task.exercise`) gives other signals at one end of a range than at the other.

    Both ends see the same starts, commands and noise, so a difference of a single bit is one.

    Args:
        task: the task.
        name: a parameter of it or of the mechanisms.
        low: one end, SI.
        high: the other, SI.
        mechanisms: that are switched on.
    """
    ends = []
    for value in (low, high):
        plant = Plant(task, 2, 1, mechanisms)
        plant.set(name, value)
        start = task.sample_start(np.random.default_rng(0), 2)
        readings = plant.reset(start, seed=0).signals
        first = np.stack([plant.truth[f"joint_position.{joint}"] for joint in task.joints], axis=1)
        rows = [readings]
        for step in range(round(SECONDS / task.control_period)):
            rows.append(plant.step(task.exercise(start, first, step * task.control_period)).signals)
        ends.append({signal: np.stack([row[signal] for row in rows]) for signal in readings})
    return any(not np.array_equal(ends[0][signal], ends[1][signal]) for signal in ends[0])
