"""One rollout in memory and on disk: the canonical long table of commands and measured signals."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from sim.tasks.task import Signal
from store.errors import UserError
from store.tables import read_table, write_table

Array = NDArray[Any]
NANO = 1_000_000_000


@dataclass(frozen=True)
class Rollout:
    """What was commanded and what was measured in one episode."""

    run: str
    source: str
    """'sim', 'real' or 'pseudo_real'."""
    task: str
    index: int
    times: Array
    """Stamps of the readings, (T + 1,), s after the start."""
    commands: Array
    """Joint targets, (T, nu), rad; command k was sent right after reading k."""
    signals: dict[str, Array]
    """Measured signals, name -> (T + 1,), in the task's units."""
    start: dict[str, float]
    """Start values by the task's start names; the goal is among them."""
    success: bool | None = None
    """Outcome by the task's predicate; None when it was not judged."""

    @property
    def steps(self) -> int:
        """Control steps T."""
        return len(self.commands)


def write_rollout(path: Path, rollout: Rollout, signals: tuple[Signal, ...], joints: tuple[str, ...]) -> None:
    """Write a rollout as Parquet (run, source, clock, t_ns, channel, signal, unit, value, quality), atomically.

    Start, task, index and outcome travel in the file's metadata.
    """
    stamps = np.round(rollout.times * NANO).astype(np.int64)
    parts = [(stamps, s.channel, s.name, s.unit, rollout.signals[s.name]) for s in signals]
    parts += [(stamps[:-1], "command", f"command.{j}", "rad", rollout.commands[:, i]) for i, j in enumerate(joints)]
    count = sum(len(part[0]) for part in parts)
    spread = lambda column: np.concatenate([np.full(len(part[0]), part[column]) for part in parts])  # noqa: E731
    table = pa.table(
        {
            "run": pa.array([rollout.run] * count, pa.string()),
            "source": pa.array([rollout.source] * count, pa.string()),
            "clock": pa.array(["stamp"] * count, pa.string()),
            "t_ns": np.concatenate([part[0] for part in parts]),
            "channel": spread(1),
            "signal": spread(2),
            "unit": spread(3),
            "value": np.concatenate([part[4] for part in parts]),
            "quality": pa.array(["ok"] * count, pa.string()),
        }
    )
    outcome = "" if rollout.success is None else str(bool(rollout.success))
    facts = {"task": rollout.task, "index": str(rollout.index), "success": outcome}
    facts |= {f"start.{name}": repr(float(value)) for name, value in rollout.start.items()}
    write_table(path, table.replace_schema_metadata(facts))


def read_rollout(path: Path | str) -> Rollout:
    """Read what `write_rollout` wrote; a file that is not one is a UserError."""
    table = read_table(Path(path))
    facts = {key.decode(): value.decode() for key, value in (table.schema.metadata or {}).items()}
    if "task" not in facts or table.num_rows == 0:
        raise UserError("not a rollout file", where=str(path), hint="rollouts are written by pilots and replays")
    name, value = np.asarray(table["signal"]), table["value"].to_numpy()
    stamp, channel = table["t_ns"].to_numpy(), np.asarray(table["channel"])
    columns = {str(n): value[name == n] for n in dict.fromkeys(name.tolist())}
    signals = {n: v for n, v in columns.items() if not n.startswith("command.")}
    commands = np.stack([v for n, v in columns.items() if n.startswith("command.")], axis=1)
    first = next(iter(signals))
    return Rollout(
        run=table["run"][0].as_py(),
        source=table["source"][0].as_py(),
        task=facts["task"],
        index=int(facts["index"]),
        times=stamp[(name == first) & (channel != "command")] / NANO,
        commands=commands,
        signals=signals,
        start={key.removeprefix("start."): float(v) for key, v in facts.items() if key.startswith("start.")},
        success=None if facts["success"] == "" else facts["success"] == "True",
    )


def stack(rollouts: list[Rollout]) -> tuple[dict[str, Array], dict[str, Array]]:
    """Signals {name: (n, T + 1)} and starts {name: (n,)} of rollouts of equal length."""
    signals = {name: np.stack([r.signals[name] for r in rollouts]) for name in rollouts[0].signals}
    start = {name: np.array([r.start[name] for r in rollouts]) for name in rollouts[0].start}
    return signals, start


def row_of(values: Mapping[str, Array], index: int) -> dict[str, float]:
    """One element of every array, as plain floats."""
    return {name: float(array[index]) for name, array in values.items()}
