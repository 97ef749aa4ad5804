"""What the environment costs on top of the physics: control steps a second against raw Batch.step, in the same run."""

import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

import torch

from sim.environment import Environment
from sim.randomize.presets import preset
from sim.tasks import get_task

TASKS = ("finger_push", "cube_rotate")
SIMULATIONS, STEPS, ROUNDS = 512, 10, 7


def run(home: Path, seeds: int | None, say: Callable[[str], None]) -> dict[str, Any]:
    """Time both in turn, so that neighbours on the machine slow both alike."""
    torch.set_num_threads(1)
    rows = []
    for name in TASKS:
        task = get_task(name)
        env = Environment(task, preset("anchored", task.parameters), SIMULATIONS, seed=0)
        env.seed_episodes(0)
        batch = env.plant.batch
        actions = torch.zeros(SIMULATIONS, len(task.joints)).uniform_(-0.3, 0.3)

        def environment(env: Environment = env, actions: torch.Tensor = actions) -> None:
            env.step(actions)

        def physics(batch: Any = batch, substeps: int = task.substeps) -> None:
            batch.step(nstep=substeps)

        seconds: dict[str, list[float]] = {"environment": [], "physics": []}
        for _ in range(ROUNDS):
            for what, step in (("environment", environment), ("physics", physics)):
                began = time.perf_counter()
                for _ in range(STEPS):
                    step()
                seconds[what].append((time.perf_counter() - began) / STEPS)
        pairs = zip(seconds["environment"], seconds["physics"], strict=True)
        row = {
            "task": name,
            "environment_steps_per_s": SIMULATIONS / median(seconds["environment"]),
            "physics_steps_per_s": SIMULATIONS / median(seconds["physics"]),
            "overhead": median(a / b - 1 for a, b in pairs),
        }
        rows.append(row)
        say(_line(row))
    return {"simulations": SIMULATIONS, "rows": rows}


def table(result: dict[str, Any]) -> str:
    """One line a task."""
    head = f"{'task':<14}{'environment':>14}{'raw physics':>14}  overhead  (steps/s, {result['simulations']} sims)"
    return "\n".join([head, *(_line(row) for row in result["rows"])])


def _line(row: dict[str, Any]) -> str:
    return (
        f"{row['task']:<14}{row['environment_steps_per_s']:>14,.0f}{row['physics_steps_per_s']:>14,.0f}"
        f"  {row['overhead']:.0%}"
    )
