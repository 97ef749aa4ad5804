"""Diagnose a pilot: replay its rollouts through every hypothesis and give a verdict."""

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sim.diagnose.hypotheses import Scanner, grid, inside, refine
from sim.diagnose.replay import cut_windows, error_scales, noise_levels
from sim.diagnose.verdict import Choice, Evidence, Floor, choose, judge
from sim.plant import Plant
from sim.progress import Progress
from sim.randomize.sample import centre_of
from sim.sensors import RELATIVE
from sim.tasks.task import Task
from sim.trace.resimulate import resimulate
from sim.trace.rollout import Rollout, read_rollout
from store.errors import UserError
from store.records import Diagnosis, Family, Parameter

FIT, HELD_OUT = 8, 10
"""Rollouts that are fitted and that judge."""
GRID = 9
LEAST_REPEATS = 3
SETTLINGS = 2
"""How often the other parameters are settled inside their ranges, for a hypothesis and for the family alike."""
REPLICATES = 6
"""Simulated copies of the logs for the noise floor."""


def diagnose_pilot(
    task: Task,
    family: Family,
    rollouts: list[Path],
    control: list[Path],
    *,
    repair_round: int,
    seed: int,
    progress: Progress,
) -> Diagnosis:
    """Verdict on a pilot's rollouts.

    Args:
        task: the task, with the goal that was piloted.
        family: the family that the policy was trained on.
        rollouts: judged rollouts.
        control: identical repeats, which measure the noise.
        repair_round: round to note in the record.
        seed: seed of the split and the tests.
        progress: progress callback.

    Raises:
        UserError: too few rollouts or repeats to decide anything.
    """
    if len(rollouts) < 4 or len(control) < LEAST_REPEATS:
        raise UserError(
            f"{len(rollouts)} rollouts and {len(control)} repeats are too few to diagnose",
            where="pilot",
            valid=[f"at least 4 rollouts and {LEAST_REPEATS} repeats"],
        )
    rng = np.random.default_rng(seed)
    chosen = [read_rollout(rollouts[i]) for i in rng.permutation(len(rollouts))[: FIT + HELD_OUT]]
    repeats = [read_rollout(path) for path in control]
    levels = noise_levels(task, repeats)
    windows = cut_windows(Plant(task, 1, threads=1), chosen)
    half = len(chosen) * FIT // (FIT + HELD_OUT)
    fit, held_out = np.arange(half), np.arange(half, len(chosen))
    centre = centre_of(family, task.parameters)
    physics = [task.parameters[name] for name in task.suspects]

    scanner = Scanner(task, windows, centre, error_scales(task, levels))
    scans = {}
    for i, parameter in enumerate(physics):
        progress(i, len(physics) + 2, f"replaying {parameter.name}", {})
        scans[parameter.name] = scanner.scan(parameter, _values(parameter, family, centre))
    mean = lambda scan: scan.by_rollout(windows.rollout, fit).mean(axis=1)  # noqa: E731
    progress(len(physics), len(physics) + 2, "refining the best two", {})
    for name in sorted(scans, key=lambda name: mean(scans[name]).min())[:2]:
        for _ in range(SETTLINGS):
            best = float(scans[name].values[np.argmin(mean(scans[name]))])
            scanner.centre = {**scanner.centre, name: best}
            scanner.settle(family, fit, leave=name)
            scans[name] = scanner.scan(scans[name].parameter, _values(scans[name].parameter, family, centre))
        scans[name] = refine(scanner, scans[name], fit)
        scanner.centre = {parameter.name: centre[parameter.name] for parameter in physics}
    settled = [scan for _ in range(SETTLINGS) for scan in scanner.settle(family, fit)]
    evidence = Evidence([*scans.values()], settled, windows.rollout, fit, held_out)
    choice = choose(evidence, family, centre, seed)
    progress(len(physics) + 1, len(physics) + 2, "noise floor by parametric bootstrap", {})
    floor = bootstrap_floor(task, [chosen[i] for i in held_out], choice, levels, seed)
    progress(len(physics) + 2, len(physics) + 2, "verdict", {"steps": scanner.replayed})
    return judge(evidence, choice, floor, family, repair_round=repair_round, seed=seed)


def _values(parameter: Parameter, family: Family, centre: dict[str, float]) -> NDArray[np.float64]:
    """Coarse grid over the hard bounds, the centre, and the current range's own grid."""
    values = [grid(parameter, GRID), np.array([centre[parameter.name]])]
    if r := family.range_of(parameter.name):
        values.append(inside(parameter, r))
    return np.unique(np.concatenate(values))


def bootstrap_floor(task: Task, logs: list[Rollout], choice: Choice, levels: dict[str, float], seed: int) -> Floor:
    """Simulate the logs from the best hypothesis with the measured noise and replay them the same way.

    The same commands and starts are used, so that contact is as frequent as in the real logs (Efron's parametric
    bootstrap; facts of the prototype: true families lie below z = 1.5, missing physics far above).
    """
    best = {**choice.scan.others, choice.scan.parameter.name: choice.value}
    plant = Plant(task, len(logs) * REPLICATES)
    for name, value in best.items():
        plant.set(name, value)
    repeat = lambda rows: np.array([row for row in rows for _ in range(REPLICATES)])  # noqa: E731
    commands = repeat([r.commands for r in logs])
    start = {name: repeat([r.start[name] for r in logs]) for name in logs[0].start}
    simulated = resimulate(plant, start, commands)
    rng = np.random.default_rng(seed)
    copies = []
    for i in range(plant.count):
        signals = {}
        for signal in task.signals:
            clean = simulated[signal.name][i]
            relative = RELATIVE[signal.name.split(".")[0]]
            noise = levels[signal.name] * rng.standard_normal(len(clean))
            signals[signal.name] = clean + noise * (clean != 0 if relative else 1.0)
        log = logs[i // REPLICATES]
        copies.append(Rollout(log.run, "sim", task.name, i, log.times, log.commands, signals, log.start))
    windows = cut_windows(plant, copies)
    scanner = Scanner(task, windows, best, error_scales(task, levels))
    scan = scanner.scan(choice.scan.parameter, np.array([choice.value]))
    errors = scan.by_rollout(windows.rollout, np.arange(len(copies)))[0].reshape(len(logs), REPLICATES)
    replicates = errors.mean(axis=0)
    # the spread of a mean over this many logs, from replicates and from the logs themselves
    spread = max(float(replicates.std(ddof=1)), float(errors.std(ddof=1) / np.sqrt(len(logs))))
    return Floor(float(replicates.mean()), spread)
