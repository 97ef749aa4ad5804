"""Milliseconds an image: the ray-cast camera with shading, for 64 simulations at once."""

import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

from sim.plant import Plant
from sim.raycast import RayCamera
from sim.tasks import get_task

TASKS, SIZES = ("finger_push", "cube_rotate"), (32, 48)
SIMULATIONS, ROUNDS = 64, 15


def run(home: Path, seeds: int | None, say: Callable[[str], None]) -> dict[str, Any]:
    """Median over some rounds."""
    rows = []
    for name in TASKS:
        task = get_task(name)
        plant = Plant(task, SIMULATIONS)
        plant.reset(task.sample_start(np.random.default_rng(0), SIMULATIONS), seed=0)
        for size in SIZES:
            camera, seconds = RayCamera(plant, size, size), []
            for _ in range(ROUNDS):
                began = time.perf_counter()
                camera.look()
                seconds.append(time.perf_counter() - began)
            rows.append({"task": name, "pixels": size, "ms_per_image": 1e3 * median(seconds) / SIMULATIONS})
            say(_line(rows[-1]))
    return {"simulations": SIMULATIONS, "rows": rows}


def table(result: dict[str, Any]) -> str:
    """One line a task and size."""
    return "\n".join([f"{'task':<14}{'pixels':>8}{'ms/image':>10}", *(_line(row) for row in result["rows"])])


def _line(row: dict[str, Any]) -> str:
    return f"{row['task']:<14}{row['pixels']:>5}^2{row['ms_per_image']:>10.2f}"
