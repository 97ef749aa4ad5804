"""What a servo does with a command: transport delay, first-order lag, velocity limit and play, told apart by a fit."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product

import numpy as np

from sim.trace.align import sample, usual_interval
from sim.trace.log import Array, Log
from store.errors import UserError

FINE = 4
"""Steps of the model in one interval of the log."""
GRIDS: dict[str, tuple[float, ...]] = {
    "delay": (0.0, 0.02, 0.04, 0.06, 0.08, 0.1, 0.13, 0.16, 0.2),
    "lag": (0.0, 0.02, 0.04, 0.06, 0.09, 0.13, 0.18, 0.25),
    "velocity_limit": (0.3, 0.6, 1.0, 1.5, 2.0, 3.0, 4.5, 7.0, np.inf),
    "backlash": (0.0, 0.01, 0.02, 0.04, 0.08),
}
"""Parameter -> values that are tried first: s, s, rad/s, rad."""
PASSES = 9
"""How often the neighbourhood of the best is searched."""
WORTH = 0.03
"""A parameter is kept where leaving it out raises the error on rollouts that were not fitted by this share."""
WINDOWS, DRAWS = 12, 400


@dataclass(frozen=True)
class Servo:
    """Parameters of the model q' = clip((u(t - delay) - q) / lag, velocity_limit), seen through play."""

    delay: float = 0.0
    """s."""
    lag: float = 0.0
    """s."""
    velocity_limit: float = np.inf
    """rad/s."""
    backlash: float = 0.0
    """Width of the play, rad."""


@dataclass(frozen=True)
class Fit:
    """A fitted servo."""

    servo: Servo
    intervals: dict[str, tuple[float, float]]
    """95 % interval of every parameter that was fitted, by drawing stretches of the log again."""
    error: float
    """Root mean square error, rad."""
    without: dict[str, float]
    """Parameter -> error of the best servo that lacks it, rad."""
    steady_error: float
    """Mean of |position - command| where the command has rested for long, rad."""

    def shows(self, name: str) -> bool:
        """Whether the log tells the parameter from none."""
        return self.without[name] > (1 + WORTH) * self.error


@dataclass(frozen=True)
class Recording:
    """One run of one joint on an even grid, command and position side by side."""

    step: float
    """s."""
    command: Array
    position: Array


def recordings(logs: Sequence[Log], joint: str) -> list[Recording]:
    """Runs of a joint, each on the grid of its position's usual interval.

    Raises:
        UserError: no command or no position of that joint, or nothing moves.
    """
    found = []
    for log in logs:
        names = f"command.{joint}", f"joint_position.{joint}"
        missing = [name for name in names if name not in log.series]
        if missing:
            raise UserError(f"run {log.run} has no {missing[0]}", "measure", joints(log), "see the map")
        command, position = (log.series[name] for name in names)
        step = usual_interval(position)
        if not step > 0:
            raise UserError(f"{names[1]} of run {log.run} has fewer than two samples", "measure")
        good = position.time[position.usable]
        grid = np.arange(good[0], good[-1] + step / 2, step)
        told, seen = sample(command, grid), sample(position, grid)
        known = np.isfinite(told) & np.isfinite(seen)
        if known.sum() > 10:
            found.append(Recording(step, told[known], seen[known]))
    if not found or not any(np.ptp(one.command) > 0 and np.ptp(one.position) > 0 for one in found):
        hint = "record it while the joint is told to move"
        raise UserError(f"{joint} never moves, so nothing can be told: NOT_IDENTIFIABLE", "measure", hint=hint)
    return found


def joints(log: Log) -> list[str]:
    """Joints with a command and a position."""
    names = [name.removeprefix("command.") for name in log.series if name.startswith("command.")]
    return [name for name in names if f"joint_position.{name}" in log.series]


def simulate(recording: Recording, servos: Sequence[Servo]) -> Array:
    """Positions of every servo under the recorded command, (s, n), from the recorded start at rest."""
    columns = {name: np.array([getattr(servo, name) for servo in servos]) for name in GRIDS}
    count, n, h = len(servos), len(recording.command), recording.step / FINE
    late = np.rint(columns["delay"] / h).astype(int)
    told = np.repeat(recording.command, FINE)
    share = 1 - np.exp(-h / np.maximum(columns["lag"], 1e-9))
    most, half = columns["velocity_limit"] * h, columns["backlash"] / 2
    q = np.full(count, recording.position[0])
    seen, out = q.copy(), np.empty((count, n))
    for k in range(n * FINE):
        if k % FINE == 0:
            out[:, k // FINE] = seen
        goal = told[np.maximum(k - late, 0)]
        q = q + np.clip(share * (goal - q), -most, most)
        # what is measured behind a play moves only once the play is used up
        seen = np.clip(seen, q - half, q + half)
    return out


def fit_servo(
    runs: Sequence[Recording], names: Sequence[str] = ("delay", "lag", "velocity_limit"), seed: int = 0
) -> Fit:
    """Fit the named parameters together: a coarse grid, then ever finer neighbourhoods of the best.

    Args:
        runs: recordings of one joint.
        names: parameters that are free; the others are absent.
        seed: of the bootstrap.
    """
    best, gaps, tried, errors = _refined(runs, names)
    error = float(np.sqrt(errors.mean(axis=1).min()))
    without = {
        name: float(np.sqrt(_refined(runs, [n for n in names if n != name])[3].mean(axis=1).min())) for name in names
    }
    picks = np.random.default_rng(seed).integers(0, errors.shape[1], size=(DRAWS, errors.shape[1]))
    winners = [tried[int(i)] for i in np.argmin(errors[:, picks].mean(axis=2), axis=0)]
    intervals = {}
    for name in names:
        drawn = np.array([getattr(one, name) for one in [best, *winners]])
        low, high = np.quantile(drawn, [0.025, 0.975], method="nearest")
        margin = max(gaps[name], runs[0].step / FINE if name == "delay" else 0.0)
        intervals[name] = (max(0.0, float(low) - margin), float(high) + margin)
    return Fit(best, intervals, error, without, _steady(runs))


def _refined(runs: Sequence[Recording], names: Sequence[str]) -> tuple[Servo, dict[str, float], list[Servo], Array]:
    """The best servo, the last spacing of each parameter, all that was tried and its squared errors by stretch, (s, w).

    The neighbourhood moves with the best, and halves when the best stays: delay, lag and play lie in one long valley.
    """
    best, (tried, errors) = _search(runs, {name: GRIDS[name] for name in names})
    least = float(errors.mean(axis=1).min())
    gaps = {name: _gap(GRIDS[name], getattr(best, name)) for name in names}
    for _ in range(PASSES):
        spans = {name: _around(getattr(best, name), gaps[name]) for name in names}
        found, (more, off) = _search(runs, spans)
        tried, errors = [*tried, *more], np.concatenate([errors, off])
        if off.mean(axis=1).min() < least and found != best:
            best, least = found, float(off.mean(axis=1).min())
        else:
            gaps = {name: gap / 2 for name, gap in gaps.items()}
    return best, gaps, tried, errors


def _search(runs: Sequence[Recording], spans: Mapping[str, Sequence[float]]) -> tuple[Servo, tuple[list[Servo], Array]]:
    """The best of all combinations, all of them, and their squared errors by stretch, (s, w)."""
    servos = [Servo(**dict(zip(spans, values, strict=True))) for values in product(*spans.values())]
    parts = []
    for run in runs:
        off = simulate(run, servos) - run.position
        # a joint that hangs below its command all the time is not slow for that
        off = (off - off.mean(axis=1, keepdims=True)) ** 2
        for stretch in np.array_split(np.arange(off.shape[1]), max(1, WINDOWS // len(runs))):
            parts.append(off[:, stretch].mean(axis=1))
    errors = np.stack(parts, axis=1)
    return servos[int(np.argmin(errors.mean(axis=1)))], (servos, errors)


def _gap(values: Sequence[float], best: float) -> float:
    """Distance to the farther neighbour of a value on its first grid."""
    at = values.index(best)
    ends = [abs(values[i] - best) for i in (at - 1, at + 1) if 0 <= i < len(values) and np.isfinite(values[i])]
    return max((end for end in ends if np.isfinite(end)), default=values[at - 1])


def _around(best: float, gap: float) -> tuple[float, ...]:
    """Values about the best; about an infinite one, it and some that might do as well."""
    if np.isinf(best):
        return (2 * gap, 4 * gap, np.inf)
    return tuple(sorted({max(0.0, best + share * gap) for share in (-1.0, -0.5, 0.0, 0.5, 1.0)} - {0.0} | {best}))


def _steady(runs: Sequence[Recording], rest: float = 0.5) -> float:
    """Mean distance from the command where it has not moved for `rest` seconds, rad; NaN where it never rests."""
    found = []
    for run in runs:
        need = round(rest / run.step)
        still = np.concatenate([[False], np.abs(np.diff(run.command)) < 1e-6])
        length = np.zeros(len(still), dtype=int)
        for i in range(1, len(still)):
            length[i] = length[i - 1] + 1 if still[i] else 0
        found.append(np.abs(run.position - run.command)[length >= need])
    every = np.concatenate(found)
    return float(every.mean()) if len(every) else float("nan")


def thinned(runs: Sequence[Recording], most: int = 1500) -> list[Recording]:
    """The stretches with the most motion, so that a long log that mostly rests costs no more than a short one."""
    total = sum(len(run.command) for run in runs)
    if total <= most:
        return list(runs)
    pieces = []
    for run in runs:
        for start in range(0, len(run.command) - 50, 150):
            part = slice(start, start + 150)
            pieces.append(replace(run, command=run.command[part], position=run.position[part]))
    pieces.sort(key=lambda one: -np.abs(np.diff(one.command)).sum())
    return pieces[: max(1, most // 150)]
