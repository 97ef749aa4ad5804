# pyright: standard
# (pyarrow ships no types)
"""A first map of a file: everything that can be seen in it, and a question mark for what a person must decide."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv as arrow_csv

from sim.trace.mapping import OPEN
from sim.trace.readers.lerobot import data_files, read_info
from store.errors import UserError
from store.tables import read_table

LOOKED_AT = 1 << 20
"""Bytes of a CSV file that are looked at."""
CLOCKS = ("timestamp", "time", "t", "stamp", "time_s", "time_ms", "time_us", "time_ns", "timestamp_us", "timestamp_ns")
ENDINGS = {"_s": "s", "_ms": "ms", "_us": "us", "_ns": "ns"}
FORMATS = {".csv": "csv", ".json": "json", ".npz": "npz", ".parquet": "parquet"}
SKIPPED = ("index", "frame_index", "episode_index", "task_index", "type", "event")
UNITS = {"_rad": "rad", "_deg": "deg", "_m": "m", "_mm": "mm", "_n": "N", "_nm": "Nm", "_rad_s": "rad/s"}


@dataclass(frozen=True)
class Column:
    """A column that was seen."""

    source: str
    """As `from` in a map."""
    name: str
    """Proposed name of the signal; open where it tells nothing."""
    unit: str
    file: str = ""


def draft_map(path: Path) -> str:
    """The text of a map with open places.

    Raises:
        UserError: no such file, or none of the known formats.
    """
    if not path.exists():
        raise UserError("there is no such file", str(path))
    if (path / "meta" / "info.json").is_file():
        return _lerobot(path)
    kind = FORMATS.get(path.suffix.lower())
    if kind is None:
        raise UserError("unknown kind of file", str(path), [*FORMATS, "a LeRobot folder"])
    if kind == "csv":
        return _csv(path)
    if kind == "json":
        return _json(path)
    if kind == "npz":
        return _npz(path)
    table = read_table(path).slice(0, 1000)
    return _text("parquet", *_columns(table, "", _joints(path)))


def _csv(path: Path) -> str:
    joints, seen, clock, notes = _joints(path), [], "", []
    beside = [one for one in sorted(path.parent.glob("*.csv")) if one != path and joints]
    for file in (path, *beside):
        with file.open("rb") as stream:
            head = stream.read(LOOKED_AT)
        whole = head[: head.rfind(b"\n") + 1] or head
        table = arrow_csv.read_csv(pa.BufferReader(whole))
        columns, found, note = _columns(table, "" if file == path else file.name, joints)
        seen += columns
        if file == path:
            clock, notes = found, note
    return _text("csv", seen, clock, notes)


def _json(path: Path) -> str:
    content = json.loads(path.read_bytes())
    trials, label, one = "", "", content
    if isinstance(content, dict):
        for key, value in content.items():
            if isinstance(value, list) and value and isinstance(value[0], dict):
                trials, one = key, value[0]
                label = next((k for k, v in one.items() if isinstance(v, str)), "")
    seen = [Column(key, OPEN, OPEN) for key, value in one.items() if isinstance(value, list) and value]
    rate = next((v for k, v in _leaves(content) if k in ("action_hz", "hz", "fps", "rate_hz")), None)
    extra = [f'trials = "{trials}"', *([f'label = "{label}"'] if label else [])] if trials else []
    return _text("json", seen, "", [], rate=rate, extra=extra)


def _npz(path: Path) -> str:
    seen, clock = [], ""
    with np.load(path, allow_pickle=False) as content:
        for name in content.files:
            try:
                values = content[name]
            except ValueError:
                continue  # a pickle, which is never opened
            if name.lower() in CLOCKS:
                clock = name
            elif values.ndim == 1:
                seen.append(Column(name, OPEN, _unit(name)))
            elif values.ndim == 2:
                seen += [Column(f"{name}[{i}]", OPEN, _unit(name)) for i in range(values.shape[1])]
    return _text("npz", seen, clock, [])


def _lerobot(path: Path) -> str:
    info = read_info(path)
    table, seen = read_table(data_files(path)[0]).slice(0, 10), []
    features: dict[str, Any] = info.get("features", {})
    for name, kind in (("action", "command"), ("observation.state", "joint_position"),
                       ("observation.effort", "joint_torque")):  # fmt: skip
        if name in table.column_names:
            names = features.get(name, {}).get("names") or []
            names = names if isinstance(names, list) else next(iter(names.values()), [])
            width = len(table[name][0].as_py())
            parts = [str(one).removesuffix(".pos") for one in names] if len(names) == width else [OPEN] * width
            seen += [Column(f"{name}[{i}]", f"{kind}.{part}" if part != OPEN else OPEN, OPEN)
                     for i, part in enumerate(parts)]  # fmt: skip
    return _text("lerobot", seen, "", ["values are often normalised, not degrees: see the robot's calibration"],
                 rate=info["fps"])  # fmt: skip


def _columns(table: pa.Table, file: str, joints: list[str]) -> tuple[list[Column], str, list[str]]:
    """Columns of numbers, the clock among them, and what was noticed about it."""
    seen, clock, notes = [], "", []
    for field in table.schema:
        values, name = table[field.name], field.name
        if name.lower() in CLOCKS:
            clock = name
            steps = np.diff(values.drop_null().to_numpy()[:200].astype(float))
            if len(steps):
                notes.append(f"the usual step of '{name}' is {float(np.median(steps)):.6g}")
        elif name.lower() in SKIPPED:
            continue
        elif pa.types.is_floating(field.type) or pa.types.is_integer(field.type):
            seen.append(Column(name, OPEN, _unit(name), file))
        else:
            width = _width(values[0].as_py())
            labels = joints if len(joints) == width else [OPEN] * width
            kind = {"positions": "joint_position", "velocities": "joint_velocity", "torques": "joint_torque"}.get(name)
            kind = "command" if "control" in file or "command" in file or name in ("action", "actions") else kind
            for i, label in enumerate(labels):
                known = kind and label != OPEN
                seen.append(Column(f"{name}[{i}]", f"{kind}.{label}" if known else OPEN, _unit(name), file))
    return seen, clock, notes


def _width(value: Any) -> int:
    """Numbers in a cell that is a list, or a list written as text; 0 for anything else."""
    if isinstance(value, list):
        return len(value)
    if isinstance(value, str) and value.strip().startswith("["):
        try:
            found = json.loads(value)
        except ValueError:
            return 0
        return len(found) if all(isinstance(one, (int, float)) for one in found) else 0
    return 0


def _unit(name: str) -> str:
    return next((unit for ending, unit in UNITS.items() if name.lower().endswith(ending)), OPEN)


def _joints(path: Path) -> list[str]:
    file = path.parent / "joint_list.txt"
    return file.read_text().split() if file.is_file() else []


def _leaves(content: Any) -> list[tuple[str, Any]]:
    if not isinstance(content, dict):
        return []
    return [pair for key, value in content.items() for pair in [(key, value), *_leaves(value)]]


def _text(kind: str, seen: list[Column], clock: str, notes: list[str], rate: Any = None,
          extra: list[str] | None = None) -> str:  # fmt: skip
    lines = [f'# A first map. Put the truth wherever it says "{OPEN}"; delete signals that you do not need.']
    lines += ["[file]", f'format = "{kind}"', f'source = "{OPEN}"  # real, sim or pseudo_real', *(extra or [])]
    lines += ["", "[clock]"]
    lines += [f"# {note}" for note in notes]
    if clock:
        unit = next((u for ending, u in ENDINGS.items() if clock.lower().endswith(ending)), OPEN)
        lines += ['kind = "stamp"', f'column = "{clock}"', f'unit = "{unit}"  # s, ms, us, ns or iso8601']
    else:
        value = f"{float(rate):g}" if rate else f'"{OPEN}"'
        lines += ['kind = "synthetic"  # no stamps were found: such a trace shows no timing', f"rate_hz = {value}"]
    for column in seen:
        lines += ["", "[[signal]]", f'from = "{column.source}"']
        lines += [f'file = "{column.file}"'] if column.file else []
        lines += [f'name = "{column.name}"', f'unit = "{column.unit}"']
    return "\n".join(lines) + "\n"
