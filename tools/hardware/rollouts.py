"""One rollout on a driver: the policy in closed loop, or recorded commands again."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from sim.tasks.task import Signals, Task
from sim.touch import Slip, episode_slip
from sim.trace.rollout import Rollout, stack
from sim.train.evaluate import Judged, tally
from sim.train.policy import Policy
from tools.hardware.driver import Driver, Observation

Next = Callable[[Observation], Sequence[float]]


class GatedDriver(Driver, Protocol):
    """A driver behind a gate, which wants to hear how rollouts end."""

    def outcome(self, success: bool | None) -> None:
        """End a rollout; None where it is not judged."""
        ...


@dataclass
class Recorder:
    """What was commanded and measured so far; keeps it when the gate stops the rig."""

    seen: list[Observation] = field(default_factory=list)

    def rollout(self, run: str, source: str, task: Task, index: int, start: Mapping[str, float]) -> Rollout:
        """The record as a trace; commands are those that the gate let through."""
        return Rollout(
            run=run,
            source=source,
            task=task.name,
            index=index,
            times=np.array([o.time_s for o in self.seen]),
            commands=np.array([o.sent for o in self.seen[1:]]),
            signals={s.name: np.array([o.signals[s.name] for o in self.seen]) for s in task.signals},
            start=dict(start),
        )


def sample_start(task: Task, seed: int, index: int) -> dict[str, float]:
    """Start of judged rollout `index`: follows from seed and index alone, whatever the number of rollouts."""
    values = task.sample_start(np.random.default_rng([seed, index]), 1)
    return {name: float(value[0]) for name, value in values.items()}


def drive(driver: Driver, start: Mapping[str, float], index: int, steps: int, next: Next, recorder: Recorder) -> None:
    """Reset and step a driver; every observation goes to the recorder as it comes."""
    recorder.seen.append(driver.reset(start, index))
    for _ in range(steps):
        recorder.seen.append(driver.step(next(recorder.seen[-1])))


def closed_loop(policy: Policy, task: Task, start: Mapping[str, float]) -> Next:
    """Commands of a policy that sees every observation; begins with the first one."""
    session = policy.session(task, 1)
    begun = False

    def next(seen: Observation) -> Sequence[float]:
        nonlocal begun
        readings: Signals = {name: np.array([value]) for name, value in seen.signals.items()}
        if not begun:
            session.reset({name: np.array([value]) for name, value in start.items()}, readings)
            begun = True
        return session.act(readings)[0].tolist()

    return next


def open_loop(commands: NDArray[np.float64]) -> Next:
    """Recorded commands (T, nu), whatever is observed."""
    rows = iter(commands.tolist())
    return lambda _: next(rows)


def succeeded(task: Task, rollout: Rollout) -> bool:
    """The task's success predicate, the same as in simulation."""
    return bool(task.success(*stack([rollout]))[0])


def score(rollouts: Sequence[Rollout]) -> Judged:
    """Success and slip of at least one judged rollout; lengths may differ."""
    slips = [episode_slip({name: values[None] for name, values in r.signals.items()}) for r in rollouts]
    slip = Slip(*(np.concatenate([getattr(s, name) for s in slips]) for name in Slip.__dataclass_fields__))
    return tally(sum(bool(r.success) for r in rollouts), slip)
