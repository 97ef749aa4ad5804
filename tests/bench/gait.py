"""The search that found the gait of the hand: CMA-ES over periodic joint motions, scored by spin and drops."""

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import cma
import numpy as np

from sim.models.hand import JOINTS
from sim.plant import Plant
from sim.randomize.sample import sample_family
from sim.tasks.cube_rotate import CubeRotate, turned
from sim.tasks.gait import SPIN, Gait
from sim.tasks.hand_task import HIGH, LOW
from store.records import Family, Range

GENERATIONS, CANDIDATES, REPEATS, STEPS = 60, 32, 4, 200
SPREAD = np.array([[0.3, 0.15, 0.15, 0.08]])
"""What one unit of a candidate means for the columns of a gait, rad."""
FASTEST, DROP = 1.6, 1.0
"""Spin beyond which nothing more is earned, rad/s; price of a drop in the same unit."""
FAMILY = Family(
    ranges=(
        Range(parameter="friction", unit="1", low=0.5, high=1.2, source="request"),
        Range(parameter="delay", unit="s", low=0.008, high=0.018, source="request"),
        Range(parameter="mass", unit="kg", low=0.064, high=0.096, source="request"),
    )
)


def decoded(vector: np.ndarray, around: Gait) -> Gait:
    """The gait that a candidate stands for."""
    table = around.joints + SPREAD * vector[:-1].reshape(len(JOINTS), 4)
    return Gait(around.hertz * float(np.exp(0.2 * vector[-1])), table)


def scores(plant: Plant, task: CubeRotate, gaits: list[Gait], seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Score and share of drops of every gait, over the same starts and parameters."""
    rng = np.random.default_rng(seed)
    repeats = plant.count // len(gaits)
    for name, values in sample_family(FAMILY, plant.parameters, rng, repeats).items():
        plant.set(name, np.tile(values, len(gaits)))
    start = {name: np.tile(v, len(gaits)) for name, v in task.sample_start(rng, repeats).items()}
    plant.reset(start, seed=seed)
    command = np.stack([start[joint] for joint in JOINTS], axis=1)
    lost, rows = np.zeros(plant.count, dtype=bool), [plant.truth]
    for step in range(STEPS):
        time = np.array([step * task.control_period])
        goal = np.repeat(np.concatenate([gait.targets(time) for gait in gaits]), repeats, axis=0)
        command = np.clip(command + np.clip(goal - command, -task.step, task.step), LOW, HIGH)
        plant.step(command)
        lost |= task.failed(plant.truth, start) | plant.unstable
        rows.append(plant.truth)
    signals = {name: np.stack([row[name] for row in rows], axis=1) for name in rows[0] if "rotation" in name}
    speed = task.config.direction * turned(signals) / (STEPS * task.control_period)
    value = np.where(lost, 0.0, np.minimum(speed, FASTEST)) - DROP * lost
    return value.reshape(-1, repeats).mean(axis=1), lost.reshape(-1, repeats).mean(axis=1)


def run(home: Path, seeds: int | None, say: Callable[[str], None]) -> dict[str, Any]:
    """Search on from the present gait."""
    task = CubeRotate()
    plant = Plant(task, CANDIDATES * REPEATS)
    search = cma.CMAEvolutionStrategy(
        np.zeros(4 * len(JOINTS) + 1), 0.4, {"popsize": CANDIDATES, "seed": 1, "verbose": -9}
    )
    began = time.monotonic()
    for generation in range(GENERATIONS):
        asked = search.ask()
        value, lost = scores(plant, task, [decoded(x, SPIN) for x in asked], seed=generation)
        search.tell(asked, list(-value))
        if generation % 5 == 4:
            say(f"{generation + 1} of {GENERATIONS}: mean {value.mean():.2f} rad/s, drops {lost.mean():.0%}, "
                f"{time.monotonic() - began:.0f} s")  # fmt: skip
    # the mean of the search, not its luckiest sample
    found = decoded(np.asarray(search.result.xfavorite), SPIN)
    value, lost = scores(plant, task, [found], seed=10_000)
    return {
        "score": float(value[0]), "drops": float(lost[0]),
        "hertz": found.hertz, "joints": np.round(found.joints, 2).tolist(),
    }  # fmt: skip


def table(result: dict[str, Any]) -> str:
    """The gait as it stands in the task."""
    rows = "\n".join(f"    {row}," for row in result["joints"])
    return f"{result['score']:.2f} rad/s, drops {result['drops']:.0%}\n{result['hertz']:.2f} Hz\n[\n{rows}\n]"
