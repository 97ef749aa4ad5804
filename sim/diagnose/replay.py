"""Counterfactual replay: send the real commands through a hypothesis and see how far it strays from what was measured.

Multiple shooting over short windows, each re-synchronised to the measured state, so that a contact-rich rollout cannot
run away. Errors are absolute, scaled by measured noise and clipped, so that one wild sample cannot decide.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.signal import savgol_filter

from sim.plant import Plant
from sim.tasks.task import Array, Signals, Task
from sim.trace.rollout import Rollout

CLIP = 5.0
SMOOTH = 5
"""Samples of the quadratic Savitzky-Golay filter that estimates velocities."""


@dataclass(frozen=True)
class Windows:
    """Short pieces of rollouts, each with the state it starts from."""

    rollout: NDArray[np.intp]
    """Index of the rollout that each window comes from, (k,)."""
    qpos: Array
    """Estimated positions at the start, (k, nq)."""
    qvel: Array
    """Estimated velocities at the start, (k, nv)."""
    past: Array
    """Commands before the start, newest last, (k, h, nu)."""
    commands: Array
    """Commands inside the window, (k, length, nu)."""
    measured: Signals
    """Measured signals after each command, name -> (k, length)."""

    def of(self, rollouts: NDArray[np.intp]) -> "Windows":
        """The windows that come from some rollouts."""
        keep = np.isin(self.rollout, rollouts)
        return Windows(
            self.rollout[keep],
            self.qpos[keep],
            self.qvel[keep],
            self.past[keep],
            self.commands[keep],
            {name: values[keep] for name, values in self.measured.items()},
        )


def cut_windows(plant: Plant, rollouts: list[Rollout], length: int = 10, past: int = 5) -> Windows:
    """Cut rollouts into windows of `length` control steps, `past` earlier commands kept for delays.

    `plant` tells the task and where joints lie in the model's coordinates; its state is not touched.
    """
    task, model = plant.task, plant.model
    smooth = [_smooth(task, r) for r in rollouts]
    owner, at = [], []
    for i, r in enumerate(rollouts):
        starts = range(past, r.steps - length + 1, length)
        owner += [i] * len(starts)
        at += list(starts)
    pick = lambda arrays: np.array([arrays[i][k] for i, k in zip(owner, at, strict=True)])  # noqa: E731
    names = [s.name for s in task.signals]
    signals = {n: pick([s[0][n] for s in smooth]) for n in names}
    rates = {n: pick([s[1][n] for s in smooth]) for n in names}
    positions, velocities = task.state(signals, rates)
    qpos = plant.arrange(np.tile(model.qpos0, (len(at), 1)), positions, model.jnt_qposadr)
    qvel = plant.arrange(np.zeros((len(at), model.nv)), velocities, model.jnt_dofadr)

    def span(values: list[Array], low: int, high: int) -> Array:
        return np.array([values[i][k + low : k + high] for i, k in zip(owner, at, strict=True)])

    commands = [r.commands for r in rollouts]
    return Windows(
        rollout=np.array(owner, dtype=np.intp),
        qpos=qpos,
        qvel=qvel,
        past=span(commands, -past, 0),
        commands=span(commands, 0, length),
        measured={n: span([r.signals[n] for r in rollouts], 1, length + 1) for n in names},
    )


def _smooth(task: Task, rollout: Rollout) -> tuple[Signals, Signals]:
    """Smoothed signals and their time derivatives."""

    def smooth(derivative: int) -> Signals:
        return {
            s.name: np.asarray(savgol_filter(rollout.signals[s.name], SMOOTH, 2, derivative, task.control_period))
            for s in task.signals
        }

    return smooth(0), smooth(1)


def noise_levels(task: Task, repeats: list[Rollout]) -> dict[str, float]:
    """Repeat-to-repeat standard deviation of each signal over identical rollouts, robust to late divergence.

    Median absolute deviation from the mean of the repeats, samples in which a signal is zero throughout left out.
    """
    levels = {}
    for signal in task.signals:
        values = np.stack([r.signals[signal.name] for r in repeats])
        alive = np.abs(values).max(axis=0) > 0
        spread = np.abs(values - values.mean(axis=0))[:, alive]
        unbiased = np.sqrt(len(repeats) / (len(repeats) - 1))
        levels[signal.name] = float(np.median(spread) / 0.6745 * unbiased) if spread.size else 0.0
    return levels


FLOORS = {"rad": 5e-4, "m": 2e-4, "N": 0.02, "m/s": 2e-3, "1": 1e-3}
"""Smallest noise that is believed, by unit: encoders and trackers resolve no finer."""


def error_scales(task: Task, levels: Mapping[str, float]) -> dict[str, float]:
    """Scale of each signal's error: twice its noise, which puts the truth near an error of one half."""
    return {s.name: 2 * max(levels[s.name], FLOORS[s.unit]) for s in task.signals}


def replay_errors(
    plant: Plant, windows: Windows, hypotheses: list[dict[str, float]], scales: Mapping[str, float]
) -> dict[str, Array]:
    """Error of every hypothesis in every window, by group of signals.

    Args:
        plant: a plant of exactly len(hypotheses) * k simulations, sensor noise zero.
        windows: k windows.
        hypotheses: values of the physics parameters.
        scales: error scale by signal.

    Returns:
        group (`joints`, `object`, `force`) -> mean clipped error, (h, k).
    """
    h, k = len(hypotheses), len(windows.rollout)
    if plant.count != h * k:
        raise ValueError(f"the plant has {plant.count} simulations, {h} hypotheses x {k} windows need {h * k}")
    for name in hypotheses[0]:
        plant.set(name, np.repeat([one[name] for one in hypotheses], k))
    tile = lambda array: np.tile(array, (h,) + (1,) * (array.ndim - 1))  # noqa: E731
    plant.unstable[:] = False
    plant.batch.reset()
    plant.set_state(tile(windows.qpos), tile(windows.qvel), tile(windows.past))
    groups = {"joints": "joint_position", "object": "object_position", "force": "tip_force"}
    total = {group: np.zeros((h, k)) for group in groups}
    length = windows.commands.shape[1]
    for step in range(length):
        plant.step(tile(windows.commands[:, step]))
        for group, prefix in groups.items():
            names = [s.name for s in plant.task.signals if s.name.startswith(prefix)]
            for name in names:
                gap = np.abs(plant.truth[name].reshape(h, k) - windows.measured[name][None, :, step])
                total[group] += np.minimum(gap / scales[name], CLIP) / (length * len(names))
    blown = plant.unstable.reshape(h, k)
    return {group: np.where(blown, CLIP, errors) for group, errors in total.items()}
