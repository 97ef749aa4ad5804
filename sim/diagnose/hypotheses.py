"""The hypotheses: each physics parameter alone over its bounds, everything else settled inside its range."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sim.diagnose.replay import Windows, replay_errors
from sim.plant import Plant
from sim.tasks.task import Task
from store.records import Family, Parameter, Range

Array = NDArray[Any]


@dataclass(frozen=True)
class Scan:
    """Error of one parameter at increasing values, in every window."""

    parameter: Parameter
    values: Array
    """(v,) increasing, SI."""
    errors: Array
    """(v, k) error of each window, mean over groups of signals."""
    others: dict[str, float] = field(default_factory=dict)
    """Values of the other physics parameters while this one was scanned."""

    def by_rollout(self, owner: NDArray[np.intp], rollouts: NDArray[np.intp]) -> Array:
        """Mean error of each rollout's windows, (v, len(rollouts))."""
        return np.stack([self.errors[:, owner == r].mean(axis=1) for r in rollouts], axis=1)

    def joined(self, other: "Scan") -> "Scan":
        """Both scans of the same parameter in one, values increasing, none twice."""
        values = np.concatenate([self.values, other.values])
        errors = np.concatenate([self.errors, other.errors])
        _, order = np.unique(values, return_index=True)
        return Scan(self.parameter, values[order], errors[order], self.others)


def grid(parameter: Parameter, count: int, low: float | None = None, high: float | None = None) -> Array:
    """At most `count` values from low to high (the hard bounds by default), spaced by the parameter's scale.

    Values are whole quanta where the parameter has one: between two of them the simulator sees no difference.
    """
    low, high = parameter.low if low is None else low, parameter.high if high is None else high
    if parameter.scale == "log":
        values = np.exp(np.linspace(np.log(low), np.log(high), count))
    else:
        values = np.linspace(low, high, count)
    if parameter.quantum:
        values = np.unique(np.round(values / parameter.quantum)) * parameter.quantum
    return values.clip(parameter.low, parameter.high)


def inside(parameter: Parameter, r: Range, count: int = 5) -> Array:
    """Values inside a range: its own grid and both its ends."""
    values = np.append(grid(parameter, count, r.low, r.high), [r.low, r.high])
    return np.unique(values[(values >= r.low) & (values <= r.high)])


class Scanner:
    """Replays windows under hypotheses, in plants of bounded size."""

    def __init__(self, task: Task, windows: Windows, centre: dict[str, float], scales: dict[str, float]) -> None:
        self.task, self.windows, self.scales = task, windows, scales
        self.centre = {name: centre[name] for name in task.suspects}
        self.replayed = 0
        """Control steps simulated so far."""

    def scan(self, parameter: Parameter, values: Array) -> Scan:
        """Error of each value of one parameter in each window."""
        k = len(self.windows.rollout)
        plant = Plant(self.task, len(values) * k)
        hypotheses = [{**self.centre, parameter.name: float(value)} for value in values]
        groups = replay_errors(plant, self.windows, hypotheses, self.scales)
        self.replayed += plant.count * self.windows.commands.shape[1]
        others = {name: value for name, value in self.centre.items() if name != parameter.name}
        return Scan(parameter, np.asarray(values, dtype=float), np.mean(list(groups.values()), axis=0), others)

    def settle(self, family: Family, rollouts: NDArray[np.intp], leave: str = "") -> list[Scan]:
        """Move the centre to the best value inside each range, one parameter after the other.

        A parameter that sits wrong inside its own range would otherwise pull the estimate of another one along.

        Args:
            family: ranges; the hard bounds and what is not varied stay out of it.
            rollouts: rollouts that may be looked at.
            leave: parameter to leave where it is.

        Returns:
            The scans made on the way.
        """
        scans = []
        for r in family.ranges:
            if r.parameter in self.centre and r.parameter != leave:
                parameter = self.task.parameters[r.parameter]
                values = np.unique(np.append(inside(parameter, r), self.centre[r.parameter]))
                scans.append(self.scan(parameter, values))
                errors = scans[-1].by_rollout(self.windows.rollout, rollouts).mean(axis=1)
                self.centre[r.parameter] = float(values[np.argmin(errors)])
        return scans


def refine(scanner: Scanner, scan: Scan, rollouts: NDArray[np.intp], passes: int = 2, count: int = 7) -> Scan:
    """Search finer between the neighbours of the best value, some passes over.

    Args:
        scanner: replays the windows.
        scan: coarse scan.
        rollouts: rollouts that may be looked at.
        passes: how often to zoom in.
        count: values in each pass.
    """
    for _ in range(passes):
        best = int(np.argmin(scan.by_rollout(scanner.windows.rollout, rollouts).mean(axis=1)))
        low, high = scan.values[max(best - 1, 0)], scan.values[min(best + 1, len(scan.values) - 1)]
        scan = scan.joined(scanner.scan(scan.parameter, grid(scan.parameter, count, low, high)))
    return scan
