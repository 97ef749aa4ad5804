"""Audit a pilot: the same commands in simulation and on hardware, and where the two first part."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from sim.audit.divergence import CHANNELS, first_divergence, noise_thresholds
from sim.plant import Plant
from sim.progress import Progress
from sim.randomize.sample import centre_of
from sim.tasks.task import Signal, Task
from sim.trace.resimulate import resimulate
from sim.trace.rollout import Rollout, read_rollout, row_of, stack, write_rollout
from store.errors import UserError
from store.records import Channel, Divergence, Family

AUDITED = 10
"""Rollouts that are replayed; the failed ones come first."""
FLOORS = {"rad": 0.004, "m": 0.001, "N": 0.1, "m/s": 0.01, "s": 0.004, "1": 0.01}
"""Least threshold, by unit: differences below it matter to nobody."""
INTERVAL = Signal("step_interval", "s", "timing")


def audit_pilot(
    task: Task, family: Family, rollouts: list[Path], control: list[Path], directory: Path, progress: Progress
) -> dict[str, Any]:
    """First divergence per channel of a pilot, with thresholds from its identical repeats.

    Each real rollout's commands are replayed from its start at the family's centre. A channel is reported when at least
    half of the audited rollouts diverge in it; its divergence is that of the median rollout.

    Returns:
        `divergences`, `not_observable`, `thresholds` and `examples`: paths of the real rollout that each divergence is
        of and of its simulated twin; one pair where nothing diverged.

    Raises:
        UserError: fewer than two repeats, so that noise cannot be told from a gap.
    """
    if len(control) < 2 or not rollouts:
        raise UserError(
            f"{len(rollouts)} rollouts and {len(control)} identical repeats cannot be audited",
            where="pilot",
            valid=["at least 1 rollout and 2 repeats"],
        )
    repeats = [_with_interval(read_rollout(path)) for path in control]
    compared = (*task.signals, INTERVAL)
    thresholds = noise_thresholds(stack(repeats)[0], compared, FLOORS)
    read = [(path, read_rollout(path)) for path in rollouts]
    audited = sorted(read, key=lambda pair: bool(pair[1].success))[:AUDITED]
    progress(0, 2, f"replaying {len(audited)} rollouts", {})
    twins = replay_at_centre(task, family, [real for _, real in audited])
    found: dict[Channel, list[tuple[Divergence, int]]] = {}
    for i, ((_, real), twin) in enumerate(zip(audited, twins, strict=True)):
        pair = _with_interval(twin).signals, _with_interval(real).signals
        for channel, divergence in first_divergence(*pair, thresholds, compared, task.control_period).items():
            found.setdefault(channel, []).append((divergence, i))
    typical = {
        channel: sorted(hits, key=lambda hit: hit[0].step)[len(hits) // 2]
        for channel, hits in found.items()
        if 2 * len(hits) >= len(audited)
    }
    shown = [typical[channel] for channel in CHANNELS if channel in typical]
    examples = []
    for i in [at for _, at in shown] or [0]:
        twin = directory / f"sim-{audited[i][1].index:03d}.parquet"
        write_rollout(twin, twins[i], task.signals, task.joints)
        examples.append({"rollout": str(audited[i][0]), "sim": twin.name})
    progress(2, 2, ", ".join(str(divergence) for divergence, _ in shown) or "no divergence", {})
    return {
        "divergences": [divergence.model_dump(mode="json") for divergence, _ in shown],
        "not_observable": [],
        "thresholds": thresholds,
        "examples": examples,
    }


def replay_at_centre(task: Task, family: Family, reals: list[Rollout]) -> list[Rollout]:
    """Simulated twins of real rollouts: the same start and commands, parameters at the family's centre, no noise."""
    plant = Plant(task, len(reals), mechanisms=family.mechanisms)
    for name, value in centre_of(family, plant.parameters).items():
        if plant.parameters[name].kind == "physics" and value != plant.parameters[name].nominal:
            plant.set(name, value)
    _, start = stack(reals)
    signals = resimulate(plant, start, np.stack([r.commands for r in reals]))
    return [
        Rollout(
            run=real.run,
            source="sim",
            task=task.name,
            index=real.index,
            times=np.arange(real.steps + 1) * task.control_period,
            commands=real.commands,
            signals={name: values[i] for name, values in signals.items()},
            start=row_of(start, i),
        )
        for i, real in enumerate(reals)
    ]


def _with_interval(rollout: Rollout) -> Rollout:
    """The rollout with the time since the previous reading as one more signal, before anything is resampled."""
    interval = np.diff(rollout.times, prepend=rollout.times[0] - np.diff(rollout.times[:2]))
    return replace(rollout, signals={**rollout.signals, INTERVAL.name: interval})
