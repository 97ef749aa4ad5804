"""Every task trained by its tuned settings, three seeds: how well, in how long, and the learning curves as a picture.

Results are kept under HOME/learning, one file a task and seed, so that a bench that was stopped goes on where it was.
"""

import json
import resource
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch

from agent.report.canvas import SERIES
from agent.report.figures import WIDTH, Line, line_figure
from sim.tasks import get_task
from sim.tasks.task import Task
from sim.train.evaluate import evaluate
from sim.train.ppo import train
from store.artifacts import write_text
from store.records import Family, Panel, Range

SEEDS, EPISODES = 3, 400
GOALS: dict[str, tuple[float, float] | None] = {
    "finger_push": (0.95, 2),
    "pinch": (0.90, 6),
    "cube_rotate": (0.70, 20),
    "peg_insert": (0.80, 15),
    "cap_unscrew": None,
    "cube_reorient": None,
}
"""Task -> wanted share of successful episodes and minutes on two cores; None where nobody asked for a number."""
PANEL = 21
"""Seed of the panel, far from those of the trainings."""


def run(home: Path, seeds: int | None, say: Callable[[str], None]) -> dict[str, Any]:
    """Train and judge what has not been yet; all tasks once before the next seed."""
    torch.set_num_threads(2)
    rows = []
    for seed in range(seeds or SEEDS):
        for name in GOALS:
            file = home / "learning" / f"{name}-{seed}.json"
            if not file.exists():
                write_text(file, json.dumps(measure(name, seed, file.with_suffix(""), say)))
            rows.append(json.loads(file.read_text()))
            say(_line(rows[-1]))
    rows.sort(key=lambda row: list(GOALS).index(row["task"]))
    write_text(home / "learning" / "curves.svg", picture(rows))
    return {"episodes": EPISODES, "rows": rows}


def family(task: Task) -> Family:
    """What every training varies: friction, delay, and the object's mass by a fifth."""
    mass = task.parameters["mass"].nominal
    spans = {"friction": (0.5, 1.2), "delay": (0.008, 0.018), "mass": (0.8 * mass, 1.2 * mass)}
    return Family(
        ranges=tuple(
            Range(parameter=name, unit=task.parameters[name].unit, low=low, high=high, source="request")
            for name, (low, high) in spans.items()
        )
    )


def measure(name: str, seed: int, folder: Path, say: Callable[[str], None]) -> dict[str, Any]:
    """One training and its judgement; processor time is what the training would take alone on the machine."""
    task = get_task(name)
    folder.mkdir(parents=True, exist_ok=True)
    curve: list[tuple[float, float]] = []
    began, busy = time.monotonic(), _processor()

    def report(iteration: int, iterations: int, values: dict[str, float]) -> None:
        curve.append((values["env_steps"], values["success"]))
        if iteration % 40 == 0:
            say(f"{name} seed {seed}: iteration {iteration} of {iterations}, success {values['success']:.2f}")

    trained = train(task, family(task), seed=seed, iterations=task.training.iterations, directory=folder, report=report)
    wall, processor = time.monotonic() - began, _processor() - busy
    judged = evaluate(task, family(task), trained.policy, Panel(name="bench", seed=PANEL, episodes=EPISODES))
    return {
        "task": name,
        "seed": seed,
        "success": judged.success.value,
        "interval": [judged.success.low, judged.success.high],
        "env_steps": trained.env_steps,
        "wall_s": wall,
        "two_core_s": processor / 2,
        "diverged": trained.diverged,
        "curve": curve,
    }


def _processor() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def table(result: dict[str, Any]) -> str:
    """One line a training."""
    head = f"{'task':<15}{'seed':<6}{'success':<22}{'goal':<14}{'million steps':<15}{'wall s':<8}processor s / 2"
    return "\n".join([head, *(_line(row) for row in result["rows"])])


def _line(row: dict[str, Any]) -> str:
    goal = GOALS[row["task"]]
    wanted = f"{goal[0]:.2f} in {goal[1]:g} min" if goal else "-"
    low, high = row["interval"]
    share = f"{row['success']:.2f} [{low:.2f}, {high:.2f}]"
    return (
        f"{row['task']:<15}{row['seed']:<6}{share:<22}{wanted:<14}{row['env_steps'] / 1e6:<15.2f}"
        f"{row['wall_s']:<8.0f}{row['two_core_s']:.0f}"
    )


def picture(rows: list[dict[str, Any]]) -> str:
    """Learning curves of every task, a colour a seed, as one SVG; the dotted horizontal is the wanted share."""
    names = list(dict.fromkeys(row["task"] for row in rows))
    columns, high = 2, 240
    parts = []
    for place, name in enumerate(names):
        mine = [row for row in rows if row["task"] == name]
        lines = [
            Line(f"seed {row['seed']}", tuple((steps / 1e6, share) for steps, share in row["curve"]), SERIES[i])
            for i, row in enumerate(mine)
        ]
        goal = GOALS[name]
        if goal:
            last = mine[0]["curve"][-1][0] / 1e6
            lines.append(Line("goal", ((0.0, goal[0]), (last, goal[0])), "#9aa0a6"))
        figure = str(line_figure(name, "control steps, millions", "share of successes", lines, (0.0, 1.0)))
        x, y = (place % columns) * (WIDTH + 30), (place // columns) * high
        parts.append(figure.replace("<svg ", f'<svg x="{x}" y="{y}" width="{WIDTH}" height="226" ', 1))
    width, height = columns * (WIDTH + 30) - 30, -(-len(names) // columns) * high + 24
    key = "".join(
        f'<circle cx="{8 + 90 * i}" cy="{height - 10}" r="4" fill="{SERIES[i]}"/>'
        f'<text x="{18 + 90 * i}" y="{height - 6}" font-size="12" fill="#333">seed {seed}</text>'
        for i, seed in enumerate(sorted({row["seed"] for row in rows}))
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height}" font-family="sans-serif">'
        f'<rect width="100%" height="100%" fill="#fff"/>{"".join(parts)}{key}</svg>\n'
    )
