"""Tasks by name."""

import importlib.util
from collections.abc import Mapping
from pathlib import Path

from sim.tasks.cap_unscrew import CapUnscrew
from sim.tasks.cube_reorient import CubeReorient
from sim.tasks.cube_rotate import CubeRotate
from sim.tasks.finger_push import FingerPush
from sim.tasks.peg_insert import PegInsert
from sim.tasks.pinch import Pinch
from sim.tasks.skin import LAYOUTS, with_taxels
from sim.tasks.task import Memory, Signal, Task, replace_config
from store.errors import UserError

TASKS: dict[str, type[Task]] = {
    task.name: task for task in (FingerPush, Pinch, PegInsert, CapUnscrew, CubeRotate, CubeReorient)
}


def get_task(name: str, settings: Mapping[str, float] | None = None) -> Task:
    """The task of that name, or of a file as FILE.py:Class, with some settings replaced.

    NAME+4x4 and NAME+4x6 are the task with that many taxels on every fingertip.

    Raises:
        UserError: unknown task, taxels or setting; names the valid ones.
    """
    name, plus, layout = name.partition("+")
    task = task_from_file(name) if ".py:" in name else TASKS.get(name)
    if task is None:
        valid = [*sorted(TASKS), "FILE.py:Class", *(f"either with +{layout}" for layout in LAYOUTS)]
        raise UserError(f"unknown task '{name}'", where="task", valid=valid, hint="regrasp tasks lists them")
    if plus:
        task = with_taxels(task, layout)
    return task(replace_config(task.default_config(), settings or {}, name))


def task_from_file(name: str) -> type[Task]:
    """The Task class that FILE.py:Class names; the file is run as Python, as a script of the user's own is.

    Raises:
        UserError: no such file, it fails, or the class is missing or no Task.
    """
    file, _, title = name.rpartition(":")
    path = Path(file)
    if not path.is_file():
        raise UserError("there is no such file", where=f"--task {file}", valid="FILE.py:Class")
    spec = importlib.util.spec_from_file_location(path.stem, path)
    if spec is None or spec.loader is None:
        raise UserError("cannot be read as Python", where=f"--task {file}", valid="FILE.py:Class")
    module = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        raise UserError(f"{type(error).__name__}: {error}", where=f"--task {file}", hint="the file fails") from error
    found = {key: value for key, value in vars(module).items() if isinstance(value, type) and issubclass(value, Task)}
    if title not in found:
        raise UserError(f"no task '{title}' in it", where=f"--task {file}", valid=sorted(set(found) - {"Task"}))
    return found[title]


__all__ = ["TASKS", "Memory", "Signal", "Task", "get_task"]
