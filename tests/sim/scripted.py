"""A scripted pilot for tests: pushes by inverse kinematics on a plant with hidden parameters, written as rollouts."""

from pathlib import Path

import numpy as np

from sim.plant import Plant
from sim.tasks.finger_push import FingerPush
from sim.trace.rollout import Rollout, row_of, write_rollout

TASK = FingerPush()


def scripted_pilot(
    folder: Path, hidden: dict[str, float], *, rollouts: int = 18, repeats: int = 5, seed: int = 0
) -> tuple[list[Path], list[Path]]:
    """Paths of `rollouts` different pushes and of `repeats` repeats of the first one."""
    rng = np.random.default_rng(seed)
    count = rollouts + repeats
    starts = TASK.sample_start(rng, rollouts)
    wiggle = rng.uniform(-1, 1, size=(4, rollouts))
    same = np.concatenate([np.arange(rollouts), np.zeros(repeats, dtype=int)])
    start = {name: values[same] for name, values in starts.items()}
    plant = Plant(TASK, count)
    for name, value in hidden.items():
        plant.set(name, value)
    rows = [plant.reset(start, seed=seed).signals]
    commands = []
    for step in range(TASK.steps):
        t = step * TASK.control_period
        reach = 0.11 * (1 - np.cos(2 * np.pi * (0.5 + 0.2 * wiggle[0]) * t)) / 2
        sway = 0.012 * wiggle[1] * np.sin(2 * np.pi * (1.2 + 0.5 * wiggle[2]) * t)
        height = 0.016 + 0.004 * np.sin(2 * np.pi * 1.5 * t + 3 * wiggle[3])
        tip = np.stack([start["tip_x"] + reach[same], start["tip_y"] + sway[same], height[same]], axis=1)
        commands.append(TASK.finger.joints_for(tip))
        rows.append(plant.step(commands[-1]).signals)
    signals = {s.name: np.stack([row[s.name] for row in rows], axis=1) for s in TASK.signals}
    times = np.arange(TASK.steps + 1) * TASK.control_period
    paths = []
    for i in range(count):
        kind, number = ("rollout", i) if i < rollouts else ("control", i - rollouts)
        path = folder / f"{kind}-{number:03d}.parquet"
        own = {name: values[i] for name, values in signals.items()}
        sent = np.stack([command[i] for command in commands])
        rollout = Rollout("run-test", "pseudo_real", TASK.name, number, times, sent, own, row_of(start, i), i % 3 == 0)
        write_rollout(path, rollout, TASK.signals, TASK.joints)
        paths.append(path)
    return paths[:rollouts], paths[rollouts:]
