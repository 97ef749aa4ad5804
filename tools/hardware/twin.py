"""A pretended rig: a MuJoCo plant with hidden parameters, in its own process.

    python -m tools.hardware.twin SPEC.toml --envelope FILE --socket PATH

The spec's hidden values live in that file and in this process alone: no reply, message or error carries one.
"""

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from sim.plant import Plant, Readings
from sim.tasks import get_task
from sim.tasks.task import Task
from store.errors import UserError, nearest
from tools.hardware.driver import Observation, Rig
from tools.hardware.envelope import read_toml
from tools.hardware.server import parser, run_server

WORDS = ("task", "name", "rig", "calibration")
KEYS = (*WORDS, "seed", "hidden", "noise")


class TwinFault(Exception):
    """The plant failed; says how without a number, since numbers of a plant are hidden."""


@dataclass(frozen=True)
class TwinSpec:
    """A twin's file, checked."""

    task: Task
    name: str
    rig: str
    calibration: str
    seed: int
    hidden: dict[str, float] = field(repr=False)
    """Parameter -> value, SI; everything else is nominal."""


def read_twin_spec(path: Path) -> TwinSpec:
    """Read and check a spec.

    Raises:
        UserError: names the file, the key and the valid keys or bounds, never the value.
    """
    table, where = read_toml(path, "twin spec"), str(path)
    for key in table:
        if key not in KEYS:
            raise UserError(f"unknown key '{key}'", where=where, valid=KEYS)
    for key in WORDS:
        if not isinstance(table.get(key), str) or not table[key].strip():
            raise UserError(f"{key} is missing or not text", where=where, valid=KEYS)
    seed = table.get("seed", 0)
    if isinstance(seed, bool) or not isinstance(seed, int) or seed < 0:
        raise UserError("seed must be a whole number", where=where, valid="0 or more")
    try:
        task = get_task(table["task"])
    except UserError as problem:
        raise UserError(problem.what, where=where, valid=problem.valid, hint=problem.hint) from problem
    hidden = _values(table, "hidden", list(task.parameters), task, where)
    sensors = [name for name, parameter in task.parameters.items() if parameter.kind == "sensor"]
    noise = _values(table, "noise", sensors, task, where)
    for name in noise:
        if name in hidden:
            raise UserError(f"[noise] {name} stands in [hidden] too", where=where, hint="state it once")
    return TwinSpec(task, table["name"], table["rig"], table["calibration"], seed, hidden | noise)


def _values(table: dict[str, Any], section: str, valid: list[str], task: Task, where: str) -> dict[str, float]:
    entries = table.get(section, {})
    if not isinstance(entries, dict):
        raise UserError(f"{section} must be a table [{section}]", where=where, valid=valid)
    values: dict[str, float] = {}
    for name, value in entries.items():
        if name not in valid:
            hint = f"regrasp parameters --task {task.name} lists them all"
            raise UserError(f"unknown key '{name}' in [{section}]", where=where, valid=nearest(name, valid), hint=hint)
        parameter = task.parameters[name]
        bounds = f"{parameter.low:g} to {parameter.high:g} {parameter.unit}"
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            raise UserError(f"[{section}] {name} must be a number in {parameter.unit}", where=where, valid=bounds)
        if not parameter.low <= value <= parameter.high:
            raise UserError(f"[{section}] {name} is outside its bounds", where=where, valid=bounds)
        values[name] = float(value)
    return values


class TwinDriver:
    """Driver of one simulated rig; rollout k depends on the spec, its start, its commands and k alone."""

    def __init__(self, spec: Path) -> None:
        self._spec = read_twin_spec(spec)
        self._task = self._spec.task
        self._plant = Plant(self._task, count=1, threads=1)
        for name, value in self._spec.hidden.items():
            try:
                self._plant.set(name, value)
            except (UserError, ValueError) as problem:  # its words hold the value
                what = f"the plant refuses this {name}"
                raise UserError(what, where=str(spec), hint="bring it nearer nominal") from problem

    def describe(self) -> Rig:
        """What the planner may know."""
        return Rig(
            name=self._spec.name,
            kind="twin",
            task=self._task.name,
            joints=self._task.joints,
            signals={signal.name: signal.unit for signal in self._task.signals},
            control_period=self._task.control_period,
            rig=self._spec.rig,
            calibration=self._spec.calibration,
        )

    def reset(self, start: Mapping[str, float], index: int) -> Observation:
        """Begin rollout `index`; sensor noise is seeded with (spec seed, index)."""
        if set(start) != set(self._task.start_names):
            raise ValueError(f"a start of {self._task.name} is {', '.join(self._task.start_names)}")
        seed = int(np.random.SeedSequence([self._spec.seed, index]).generate_state(1)[0])
        place = {name: np.array([start[name]]) for name in self._task.start_names}
        return self._observe("reset", lambda: self._plant.reset(place, seed=seed))

    def step(self, command: Sequence[float]) -> Observation:
        """One control period of simulated time."""
        return self._observe("step", lambda: self._plant.step(np.array([command], dtype=float)))

    def stop(self) -> None:
        """Nothing to do: simulated time stands still between steps."""

    def _observe(self, doing: str, act: Callable[[], Readings]) -> Observation:
        try:
            readings = act()
        except Exception as problem:
            raise TwinFault(f"{type(problem).__name__} in {doing} of the plant") from problem
        if self._plant.unstable[0]:
            raise TwinFault(f"the plant became unstable in {doing}")
        signals = {name: float(value[0]) for name, value in readings.signals.items()}
        return Observation(time_s=float(readings.time[0]), signals=signals)


def main(arguments: list[str] | None = None) -> int:
    """Serve a twin."""
    options = parser(prog="python -m tools.hardware.twin", description="Serve one twin behind the gate.")
    options.add_argument("spec", type=Path, help="the twin's TOML spec")
    given = options.parse_args(arguments)
    return run_server(lambda: TwinDriver(given.spec), given.envelope, given.socket)


if __name__ == "__main__":
    sys.exit(main())
