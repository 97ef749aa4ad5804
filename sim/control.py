"""From measured signals to commands: what training, evaluation and the pilot on hardware share."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from sim.tasks.task import Array, Memory, Signals, Task


class Controller:
    """Joint targets, past actions, past readings and goals of `count` episodes side by side."""

    def __init__(self, task: Task, count: int) -> None:
        self.task = task
        joints = len(task.joints)
        self.memory = Memory(
            np.zeros((count, joints)), np.zeros((count, task.history, joints)), steps=np.zeros(count, dtype=np.int64)
        )
        self.start: dict[str, Array] = {name: np.zeros(count) for name in task.start_names}
        """Start values; goals that were reached are replaced as the episode goes on."""

    def reset(self, start: Mapping[str, Array], readings: Signals, ids: NDArray[np.intp] | None = None) -> None:
        """Begin episodes: targets are the measured joints, past actions are zero."""
        ids = np.arange(len(self.memory.targets)) if ids is None else ids
        for name in self.task.start_names:
            self.start[name][ids] = start[name]
        for column, joint in enumerate(self.task.joints):
            self.memory.targets[ids, column] = readings[f"joint_position.{joint}"][ids]
        self.memory.actions[ids] = 0.0
        self.memory.steps[ids] = 0
        for name, values in self.memory.previous.items():
            values[ids] = readings[name][ids]

    def observe(self, readings: Signals) -> dict[str, Array]:
        """Observation groups for the policy; replaces goals that were reached, and remembers the readings."""
        self.start = dict(self.task.renew(readings, self.start))
        observation = self.task.observe(readings, self.memory, self.start)
        self.memory.previous = {name: values.copy() for name, values in readings.items()}
        return observation

    def command(self, actions: Array) -> Array:
        """Joint targets (n, nu) for actions (n, nu) in [-1, 1]."""
        self.memory.targets = self.task.target(self.memory, actions)
        clipped = np.clip(actions, -1, 1)[:, None, :]
        self.memory.actions = np.concatenate([clipped, self.memory.actions[:, :-1]], axis=1)
        self.memory.steps = self.memory.steps + 1
        return self.memory.targets.copy()
