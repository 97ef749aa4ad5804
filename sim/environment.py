"""A task on a randomised plant as the vector environment that rsl-rl trains on."""

import numpy as np
import torch
from numpy.typing import NDArray
from rsl_rl.env import VecEnv
from tensordict import TensorDict

from sim.control import Controller
from sim.plant import Plant
from sim.randomize.sample import sample_family
from sim.tasks.task import Array, Moment, Signals, Task
from store.records import Family

DEVICE = "cpu"


class Environment(VecEnv):
    """`count` episodes side by side; parameters are drawn from the family anew at each episode's start.

    Observation groups: `proprio` and `touch` (measured), `privileged` (noise-free signals and true parameters).
    """

    def __init__(self, task: Task, family: Family, count: int, seed: int, threads: int = 0) -> None:
        self.task, self.family = task, family
        self.num_envs, self.num_actions, self.device = count, len(task.joints), DEVICE
        self.max_episode_length, self.cfg = task.steps, {}
        self.plant = Plant(task, count, threads, family.mechanisms)
        self.controller = Controller(task, count)
        self.episode_length_buf = torch.zeros(count, dtype=torch.long)
        self.successes: list[bool] = []
        """Outcomes of episodes since this list was last emptied; none in the first episode length after a new seed,
        when only failures could have ended a whole episode."""
        self.diverged = 0
        """Simulations that became unstable and were reset."""
        self._start = {name: np.zeros(count) for name in task.start_names}
        self._history: dict[str, Array] = {s.name: np.zeros((count, task.steps + 1)) for s in task.signals}
        self._begin(seed)

    def seed_episodes(self, seed: int) -> None:
        """Start every episode afresh, staggered over the episode length, from a new seed."""
        self._begin(seed)
        self._early = self._rng.integers(0, self.task.steps, self.num_envs)
        self.episode_length_buf = torch.from_numpy(self._early.copy())

    def get_observations(self) -> TensorDict:
        """The current observation groups."""
        return self._observation

    def step(self, actions: torch.Tensor) -> tuple[TensorDict, torch.Tensor, torch.Tensor, dict[str, torch.Tensor]]:
        """One control step; episodes that end are reset at once."""
        act = actions.numpy().astype(np.float64)
        before, previous = self.plant.truth, self.controller.memory.actions[:, 0]
        self._readings = self.plant.step(self.controller.command(act)).signals
        self._age += 1
        self.episode_length_buf += 1
        length = self.episode_length_buf.numpy()
        unstable = self.plant.unstable
        failed = self.task.failed(self.plant.truth, self.controller.start) | unstable
        timed_out = (length >= self.task.steps) & ~failed
        moment = Moment(self.plant.truth, before, act, previous, self.controller.start)
        reward = np.where(unstable, 0.0, self.task.reward(moment))
        for name, values in self._history.items():
            values[np.arange(self.num_envs), length] = self._readings[name]
        done = failed | timed_out
        ids = np.flatnonzero(done)
        if len(ids):
            self._close(ids, failed)
            self._reset(ids)
        self._observation = self._observe()
        extras = {"time_outs": torch.from_numpy(timed_out)}
        return self._observation, torch.from_numpy(reward).float(), torch.from_numpy(done), extras

    def _begin(self, seed: int) -> None:
        self._rng, self._age = np.random.default_rng(seed), 0
        self._early = np.zeros(self.num_envs, dtype=np.int64)
        self._reset(np.arange(self.num_envs), seed)
        self._observation = self._observe()

    def _reset(self, ids: NDArray[np.intp], seed: int | None = None) -> None:
        for name, values in sample_family(self.family, self.plant.parameters, self._rng, len(ids)).items():
            self.plant.set(name, values, ids)
        start = self.task.sample_start(self._rng, len(ids))
        self._readings = self.plant.reset(start, ids, seed).signals
        self.controller.reset(start, self._readings, ids)
        for name, values in start.items():
            self._start[name][ids] = values
        self.episode_length_buf[torch.from_numpy(ids)] = 0
        self._early[ids] = 0
        for name, values in self._history.items():
            values[ids, 0] = self._readings[name][ids]

    def _close(self, ids: NDArray[np.intp], failed: NDArray[np.bool_]) -> None:
        """Note the outcome of ended episodes; the staggered first ones are too short to judge."""
        self.diverged += int(self.plant.unstable[ids].sum())
        whole = ids[self._early[ids] == 0]
        if len(whole) and self._age > self.task.steps:
            start = {name: values[whole] for name, values in self._start.items()}
            won = self.task.success({name: values[whole] for name, values in self._history.items()}, start)
            self.successes += (won & ~failed[whole]).tolist()

    def _observe(self) -> TensorDict:
        groups: dict[str, Array] = dict(self.controller.observe(self._readings))
        groups["privileged"] = self._privileged(self.plant.truth)
        tensors = {name: torch.from_numpy(values).float() for name, values in groups.items()}
        return TensorDict(tensors, batch_size=[self.num_envs], device=self.device)

    def _privileged(self, truth: Signals) -> Array:
        columns = [truth[s.name] for s in self.task.signals]
        # suspects alone, whatever the family varies: a critic that is tuned further must keep its inputs
        for name in self.task.suspects:
            parameter = self.plant.parameters[name]
            columns.append((self.plant.values[name] - parameter.low) / (parameter.high - parameter.low))
        return np.stack(columns, axis=1)
