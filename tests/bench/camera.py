"""Milliseconds an image: the ray-cast camera for 64 simulations at once, and OpenGL in each of its qualities."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

from agent.cli.opengl import find_opengl
from sim.camera import Renderer
from sim.plant import Plant
from sim.quality import QUALITIES
from sim.raycast import RayCamera
from sim.tasks import get_task

TASKS, SIZES = ("finger_push", "cube_rotate"), (32, 48)
SIMULATIONS, ROUNDS = 64, 15


def run(home: Path, seeds: int | None, say: Callable[[str], None]) -> dict[str, Any]:
    """Median over some rounds."""
    rows: list[dict[str, Any]] = []
    for name in TASKS:
        plant = plant_at_start(name)
        for size in SIZES:
            ms = milliseconds(RayCamera(plant, size, size).look) / SIMULATIONS
            rows.append({"task": name, "camera": "rays", "width": size, "height": size, "ms_per_image": ms})
            say(_line(rows[-1]))
    backend, reasons = find_opengl()
    if backend is None:
        say("no OpenGL: " + "; ".join(reasons))
        return {"simulations": SIMULATIONS, "opengl": None, "rows": rows}
    # in a process of its own: MuJoCo chooses its OpenGL backend once
    environment = {**os.environ, "MUJOCO_GL": backend}
    done = subprocess.run([sys.executable, __file__], env=environment, stdout=subprocess.PIPE, text=True, check=True)
    for row in json.loads(done.stdout):
        rows.append(row)
        say(_line(row))
    return {"simulations": SIMULATIONS, "opengl": backend, "rows": rows}


def opengl() -> list[dict[str, Any]]:
    """A row for each task and quality, with the time that a change of the look takes."""
    rows: list[dict[str, Any]] = []
    for name in TASKS:
        plant = plant_at_start(name)
        qpos = plant.batch.bind("qpos")[0]
        for quality, drawn in QUALITIES.items():
            with Renderer(plant.task, drawn) as renderer:
                row = {"task": name, "camera": quality, "width": drawn.width, "height": drawn.height}
                row["ms_per_image"] = milliseconds(lambda r=renderer, q=qpos: r.picture(q))
                row["ms_per_look"] = milliseconds(lambda r=renderer, p=plant: r.put_on(p.look))
            rows.append(row)
    return rows


def plant_at_start(name: str) -> Plant:
    """Simulations of a task, all the same."""
    task = get_task(name)
    plant = Plant(task, SIMULATIONS)
    plant.reset(task.sample_start(np.random.default_rng(0), SIMULATIONS), seed=0)
    return plant


def milliseconds(what: Callable[[], object]) -> float:
    """Median time of a call, the first one left out."""
    what()
    seconds: list[float] = []
    for _ in range(ROUNDS):
        began = time.perf_counter()
        what()
        seconds.append(time.perf_counter() - began)
    return 1e3 * median(seconds)


def table(result: dict[str, Any]) -> str:
    """One line a task and camera."""
    head = f"{'task':<14}{'camera':<8}{'pixels':>9}{'ms/image':>10}{'ms/look':>9}"
    return "\n".join([head, *(_line(row) for row in result["rows"])])


def _line(row: dict[str, Any]) -> str:
    look = f"{row['ms_per_look']:>9.1f}" if "ms_per_look" in row else ""
    size = f"{row['width']}x{row['height']}"
    return f"{row['task']:<14}{row['camera']:<8}{size:>9}{row['ms_per_image']:>10.2f}{look}"


if __name__ == "__main__":
    sys.stdout.write(json.dumps(opengl()))
