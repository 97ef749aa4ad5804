"""`regrasp tasks`: the tasks that can be asked for, with a picture of each."""

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import typer

from agent.cli.options import HomeOption, JsonOption

SIZE = 640, 480


@dataclass(frozen=True)
class Listed:
    """One task as the list shows it."""

    name: str
    robot: str
    description: str
    control_hz: float
    seconds: float
    parameters: tuple[str, ...]
    picture: str | None
    """Path of a PNG; None where there is no OpenGL to draw one."""


def tasks(home: HomeOption = None, as_json: JsonOption = False) -> None:
    """List the tasks with robot, control rate and a picture each."""
    import json
    from dataclasses import asdict

    from store.home import Home

    found, trouble = listing(Home.find(home).create().path / "tasks")
    if as_json:
        typer.echo(json.dumps({"tasks": [asdict(task) for task in found], "pictures": trouble or "ok"}, indent=2))
        return
    for task in found:
        typer.echo(f"{typer.style(task.name, bold=True)}  ({task.robot}, {task.control_hz:g} Hz, {task.seconds:g} s)")
        typer.echo(f"  {task.description}")
        typer.echo(f"  parameters: {len(task.parameters)} (regrasp parameters --task {task.name})")
        typer.echo(f"  picture: {task.picture or 'none'}")
    if trouble:
        typer.echo(trouble, err=True)


def listing(folder: Path) -> tuple[list[Listed], str]:
    """Every task, its picture in `folder`, and why there are no pictures (empty when there are)."""
    from sim.tasks import TASKS, get_task

    trouble = draw(folder)
    found: list[Listed] = []
    for name in sorted(TASKS):
        task, picture = get_task(name), folder / f"{name}.png"
        found.append(
            Listed(
                name=name,
                robot=task.robot,
                description=task.description,
                control_hz=round(1 / task.control_period, 3),
                seconds=round(task.steps * task.control_period, 3),
                parameters=tuple(sorted(task.parameters)),
                picture=None if trouble else str(picture),
            )
        )
    return found, trouble


def draw(folder: Path) -> str:
    """Render each task to FOLDER/NAME.png; returns why it could not, with the mend, or an empty text.

    In a process of its own: MuJoCo chooses its OpenGL backend once, when it is imported.
    """
    from agent.cli.doctor import check_opengl
    from agent.cli.opengl import find_opengl

    backend, _ = find_opengl()
    if backend is None:
        check = check_opengl()
        return f"{check.found}; mend: {check.mend}"
    folder.mkdir(parents=True, exist_ok=True)
    command = [sys.executable, "-m", "agent.cli.tasks", str(folder)]
    done = subprocess.run(
        command, env={**os.environ, "MUJOCO_GL": backend}, capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        raise RuntimeError(f"{backend} renders, but the tasks do not:\n{done.stderr}")
    return ""


def render(folder: Path) -> None:
    """Render each task with the MUJOCO_GL of this process."""
    from dataclasses import replace

    from sim.camera import render_task
    from sim.quality import QUALITIES
    from sim.tasks import TASKS, get_task

    quality = replace(QUALITIES["people"], width=SIZE[0], height=SIZE[1])
    for name in TASKS:
        render_task(get_task(name), folder / f"{name}.png", quality)


if __name__ == "__main__":
    render(Path(sys.argv[1]))
