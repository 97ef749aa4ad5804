"""Judge a policy on a panel: closed-loop episodes with seeds that belong to the evaluator."""

from dataclasses import dataclass

import numpy as np

from sim.plant import Plant
from sim.randomize.sample import sample_family
from sim.tasks.task import Array, Signals, Task
from sim.touch import Slip, episode_slip
from sim.trace.rollout import Rollout, row_of
from sim.train.policy import Policy
from store.records import Family, Panel, Rate


@dataclass(frozen=True)
class Judged:
    """Success and slip of judged episodes."""

    success: Rate
    slip_rate: Rate
    slip_fraction: float
    diverged: int
    """Unstable simulations, counted as failures."""


@dataclass(frozen=True)
class Episodes:
    """Whole episodes side by side."""

    start: Signals
    """Start values, name -> (n,)."""
    commands: Array
    """Joint targets, (n, T, nu), rad."""
    signals: Signals
    """Measured signals, name -> (n, T + 1)."""
    unstable: Array
    """(n,) whether the simulation blew up."""


def run_episodes(plant: Plant, policy: Policy, start: Signals, seed: int) -> Episodes:
    """Run one closed-loop episode in every simulation of a plant, parameters as they are set."""
    task = plant.task
    session = policy.session(task, plant.count)
    readings = plant.reset(start, seed=seed).signals
    session.reset(start, readings)
    rows, commands = [readings], []
    for _ in range(task.steps):
        command = session.act(readings)
        readings = plant.step(command).signals
        commands.append(command)
        rows.append(readings)
    signals = {s.name: np.stack([row[s.name] for row in rows], axis=1) for s in task.signals}
    return Episodes(start, np.stack(commands, axis=1), signals, plant.unstable.copy())


def episode(task: Task, policy: Policy, seed: int) -> Rollout:
    """One closed-loop episode in the nominal simulation, from a start that follows from the seed."""
    start = task.sample_start(np.random.default_rng(seed), 1)
    done = run_episodes(Plant(task, 1, threads=1), policy, start, seed)
    return Rollout(
        run="",
        source="sim",
        task=task.name,
        index=seed,
        times=np.arange(task.steps + 1) * task.control_period,
        commands=done.commands[0],
        signals={name: values[0] for name, values in done.signals.items()},
        start=row_of(start, 0),
        success=bool(task.success(done.signals, start)[0]) and not done.unstable.any(),
    )


def evaluate(task: Task, family: Family, policy: Policy, panel: Panel, threads: int = 0) -> Judged:
    """Success and slip of a policy on a panel whose starts and parameters follow from the panel's seed alone."""
    rng = np.random.default_rng(panel.seed)
    plant = Plant(task, panel.episodes, threads, family.mechanisms)
    for name, values in sample_family(family, plant.parameters, rng, panel.episodes).items():
        plant.set(name, values)
    start = task.sample_start(rng, panel.episodes)
    return judge(task, run_episodes(plant, policy, start, seed=panel.seed))


def judge(task: Task, episodes: Episodes) -> Judged:
    """The task's success predicate and the slip rule on whole episodes."""
    won = task.success(episodes.signals, episodes.start) & ~episodes.unstable.astype(bool)
    slip = episode_slip(episodes.signals)
    return tally(int(won.sum()), slip, diverged=int(episodes.unstable.sum()))


def tally(successes: int, slip: Slip, diverged: int = 0) -> Judged:
    """Rates of judged episodes, one a row of `slip`; simulation and hardware are counted here alike."""
    trials = len(slip.event)
    return Judged(
        success=Rate(successes=successes, trials=trials),
        slip_rate=Rate(successes=int(slip.event.sum()), trials=trials),
        slip_fraction=slip.fraction,
        diverged=diverged,
    )
