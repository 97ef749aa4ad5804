"""Tasks by name."""

from collections.abc import Mapping

from sim.tasks.finger_push import FingerPush
from sim.tasks.task import Memory, Signal, Task, replace_config
from store.errors import UserError

TASKS: dict[str, type[Task]] = {task.name: task for task in (FingerPush,)}


def get_task(name: str, settings: Mapping[str, float] | None = None) -> Task:
    """The task of that name with some settings replaced.

    Raises:
        UserError: unknown task or setting; names the valid ones.
    """
    if name not in TASKS:
        raise UserError(f"unknown task '{name}'", where="task", valid=sorted(TASKS), hint="regrasp tasks lists them")
    task = TASKS[name]
    return task(replace_config(task.default_config(), settings or {}, name))


__all__ = ["TASKS", "Memory", "Signal", "Task", "get_task"]
