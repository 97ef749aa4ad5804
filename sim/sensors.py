"""From the truth to readings: bias, delay, gain, dropout and noise of every signal, in all simulations at once."""

from collections.abc import Mapping

import numpy as np

from sim.parameters.knob import Ids
from sim.parameters.sensing import OBSERVATION_DELAY, SLIDE_LEVER
from sim.rotation import small_turn
from sim.tasks.task import Array, Signals, Task

TAXELS = ("taxel_depth", "taxel_along", "taxel_across")
RELATIVE = {"tip_force": True, "slip_speed": True, "joint_position": False, "object_position": False,
            "object_rotation": False, **dict.fromkeys(TAXELS, True)}  # fmt: skip
"""Kind of signal, the first part of its name -> whether its noise is a share of its value."""


class Sensors:
    """Readings of `count` simulations; the columns of its arrays are the task's signals in their order."""

    def __init__(self, task: Task, count: int, values: Mapping[str, Array]) -> None:
        self._values = values
        self._names = [signal.name for signal in task.signals]
        kinds = [name.split(".")[0] for name in self._names]
        column = lambda *which: np.array([i for i, kind in enumerate(kinds) if kind in which], dtype=int)  # noqa: E731
        self._joints, self._touch = column("joint_position"), column("tip_force", "slip_speed", *TAXELS)
        self._forces, self._place, self._rotation = (
            column("tip_force", "taxel_depth"),
            column("object_position"),
            column("object_rotation"),
        )
        lever = {signal.name: SLIDE_LEVER if signal.unit == "m" else 1.0 for signal in task.signals}
        self._lever = np.array([lever[self._names[i]] for i in self._joints])
        self._offsets = [f"joint_offset.{self._names[i].removeprefix('joint_position.')}" for i in self._joints]
        fingers = [(*self._names[i].split("."), task.only_finger)[1] for i in self._forces]
        self._gains = [f"tactile_gain.{finger}" for finger in fingers]
        self._period = task.control_period
        past = 1 + round(OBSERVATION_DELAY / task.control_period)
        self._past = np.zeros((count, past, len(kinds)))
        """True readings of the last control steps, newest first."""
        self._bias = np.zeros((count, len(kinds)))
        """Unit normal numbers, drawn once an episode."""
        self._row = np.zeros((count, len(kinds)))
        self._all = np.arange(count)

    def reset(self, truth: Signals, rng: np.random.Generator, ids: Ids) -> Signals:
        """First readings of new episodes; other simulations keep theirs."""
        now = self._matrix(truth)[ids]
        self._bias[ids] = rng.standard_normal(now.shape)
        self._past[ids] = now[:, None, :]
        self._row[ids] = self._read(now, rng, ids)
        return self._named()

    def measure(self, truth: Signals, rng: np.random.Generator) -> Signals:
        """Readings of all simulations one control step later."""
        now = self._matrix(truth)
        self._past[:, 1:] = self._past[:, :-1]
        self._past[:, 0] = now
        self._row = self._read(now, rng, self._all)
        return self._named()

    def _matrix(self, truth: Signals) -> Array:
        return np.stack([truth[name] for name in self._names], axis=1)

    def _named(self) -> Signals:
        return {name: self._row[:, i] for i, name in enumerate(self._names)}

    def _read(self, now: Array, rng: np.random.Generator, ids: Ids) -> Array:
        level = lambda name: self._values[name][ids][:, None]  # noqa: E731
        row = self._late(now, ids)
        white = rng.standard_normal(row.shape)
        joints, place, touch = self._joints, self._place, self._touch
        row[:, joints] += np.stack([self._values[name][ids] for name in self._offsets], axis=1)
        spread = level("joint_noise") * white[:, joints] + level("joint_bias") * self._bias[ids][:, joints]
        row[:, joints] += spread * self._lever
        row[:, place] += level("object_noise") * white[:, place] + level("object_bias") * self._bias[ids][:, place]
        if len(touch):
            row[:, touch] *= 1 + level("force_noise") * white[:, touch]
            own = np.stack([self._values[name][ids] for name in self._gains], axis=1)
            row[:, self._forces] *= level("tactile_gain") * own
            if self._values["tactile_dropout"].any():
                row[:, touch] *= rng.random((len(row), len(touch))) >= level("tactile_dropout")
        if len(self._rotation):
            turn = level("rotation_noise") * white[:, self._rotation]
            turn += level("rotation_bias") * self._bias[ids][:, self._rotation]
            row[:, self._rotation] = small_turn(row[:, self._rotation], turn[:, :3])
        return row

    def _late(self, now: Array, ids: Ids) -> Array:
        """The signals as old as their delay makes them, a copy."""
        late = {"joint_delay": np.concatenate([self._joints, self._touch]),
                "observation_delay": np.concatenate([self._place, self._rotation])}  # fmt: skip
        row = now.copy()
        for name, columns in late.items():
            age = np.rint(self._values[name][ids] / self._period).astype(int)
            if age.any():
                past = self._past[ids]
                row[:, columns] = past[np.arange(len(past)), age][:, columns]
        return row
