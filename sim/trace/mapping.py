"""The map of a file: which of its columns is which signal, in what unit, on what clock. TOML, nothing guessed."""

import re
import tomllib
from math import pi
from pathlib import Path
from typing import Literal, Self

from pydantic import Field, ValidationError, model_validator

from sim.trace.log import LogChannel
from store.errors import UserError
from store.records.record import Record
from store.units import ANGLE, FORCE, LENGTH, MASS, NONE, TIME, TORQUE, Powers, unit_of

OPEN = "?"
"""What a drafted map has wherever a person must decide."""
FORMATS = ("csv", "json", "npz", "parquet", "lerobot")
TIMES = {"s": 1_000_000_000, "ms": 1_000_000, "us": 1_000, "ns": 1}
"""Unit of stamps -> nanoseconds."""
SI: dict[Powers, str] = {
    NONE: "1", LENGTH: "m", MASS: "kg", TIME: "s", ANGLE: "rad", FORCE: "N", TORQUE: "Nm", (0, 0, -1, 1): "rad/s",
    (1, 0, -1, 0): "m/s", (0, 0, -2, 1): "rad/s^2", (1, 0, -2, 0): "m/s^2",
}  # fmt: skip
"""What a unit measures -> the SI unit that its values are turned into."""
CHANNELS: dict[str, LogChannel] = {
    "command": "command", "joint_position": "pose", "joint_velocity": "pose", "object_position": "pose",
    "object_rotation": "pose", "joint_torque": "force", "tip_force": "force", "wrench": "force", "taxel_depth": "force",
    "slip_speed": "slip", "taxel_along": "slip", "taxel_across": "slip",
}  # fmt: skip
"""Kind of a signal, the first part of its name -> its channel."""


class FileSection(Record):
    """What kind of file it is and where its traces come from."""

    format: Literal["csv", "json", "npz", "parquet", "lerobot"]
    source: Literal["sim", "real", "pseudo_real"]
    run: str = Field(default="", description="Name of the run; the file's own name when empty.")
    trials: str = Field(default="", description="JSON: dotted path to a list of trials, one run each.")
    label: str = Field(default="", description="JSON: key of a trial that its run is named after.")


class ClockSection(Record):
    """Where stamps come from."""

    kind: Literal["stamp", "log", "synthetic"]
    column: str = Field(default="", description="Column of the stamps; none for a synthetic clock.")
    unit: str = Field(default="", description="s, ms, us, ns or iso8601.")
    rate_hz: float | None = Field(default=None, gt=0, description="Samples a second of a synthetic clock.")

    @model_validator(mode="after")
    def _whole(self) -> Self:
        if self.kind == "synthetic":
            if self.rate_hz is None or self.column or self.unit:
                raise ValueError("a synthetic clock has rate_hz, and neither column nor unit")
        elif not self.column or self.unit not in (*TIMES, "iso8601") or self.rate_hz is not None:
            raise ValueError(f"a clock of stamps has column and unit ({', '.join(TIMES)}, iso8601), and no rate_hz")
        return self


class SignalRow(Record):
    """One signal: where it is in the file and what it is."""

    from_: str = Field(alias="from", min_length=1)
    name: str = Field(pattern=r"^[A-Za-z][\w]*(\.[\w-]+)*$")
    unit: str
    file: str = Field(default="", description="Another file in the same folder that it is in.")
    channel: LogChannel | None = Field(default=None, description="Only where the name does not tell.")
    sign: Literal[1, -1] = 1
    scale: float = Field(default=1.0, description="Factor on the value before its unit is applied.")
    offset: float = Field(default=0.0, description="Added after that, SI.")
    not_observable: str = Field(default="", description="Why differences in it mean nothing.")

    @property
    def told_channel(self) -> LogChannel | None:
        """The channel that was given, or the one that the name tells."""
        return self.channel or CHANNELS.get(self.name.split(".")[0])

    @property
    def factor(self) -> float:
        """From the file's values to SI."""
        return self.sign * self.scale * si(self.unit)[0]

    @property
    def si_unit(self) -> str:
        """SI unit of the values."""
        return si(self.unit)[1]


class Mapping(Record):
    """A whole map."""

    file: FileSection
    clock: ClockSection
    signal: tuple[SignalRow, ...] = Field(min_length=1)

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        names = [row.name for row in self.signal]
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            raise ValueError(f"two signals are called {', '.join(twice)}")
        for row in self.signal:
            if row.told_channel is None:
                raise ValueError(f"signal {row.name}: its name tells no channel; add channel = command, pose, force, "
                                 "slip or timing")  # fmt: skip
            try:
                si(row.unit)
            except ValueError as error:
                raise ValueError(f"signal {row.name}: {error}") from error
        return self


def si(unit: str) -> tuple[float, str]:
    """Factor to SI and the SI unit of a unit as people write it; also `ticks(4096)`, counts of one turn, and `A`.

    Raises:
        ValueError: it is not a unit.
    """
    counts = re.fullmatch(r"ticks\((\d+)\)", unit)
    if counts and int(counts.group(1)) > 0:
        return 2 * pi / int(counts.group(1)), "rad"
    if unit in ("A", "mA"):
        return {"A": 1.0, "mA": 1e-3}[unit], "A"
    found = unit_of(unit)
    if found.powers not in SI:
        raise ValueError(f"'{unit}' is none of the quantities that traces hold ({', '.join(SI.values())})")
    return found.factor, SI[found.powers]


def read_mapping(path: Path) -> Mapping:
    """Read a map.

    Raises:
        UserError: no such file, no TOML, an unknown key or unit, or something that is still open; names the key.
    """
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise UserError("the map cannot be read", str(path), hint="regrasp map FILE drafts one") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UserError(f"not TOML: {error}", str(path)) from error
    still = _open(content)
    if still:
        what = f"{len(still)} {'keys are' if len(still) > 1 else 'key is'} still open: {', '.join(still[:4])}"
        raise UserError(what, str(path), hint=f'a person must put the truth where it says "{OPEN}"')
    try:
        return Mapping.model_validate(content)
    except ValidationError as error:
        first = error.errors()[0]
        key = ".".join(str(part) for part in first["loc"]) or "the map"
        valid = first.get("ctx", {}).get("expected", "")
        raise UserError(f"{key}: {first['msg'].removeprefix('Value error, ')}", str(path), valid) from error


def _open(content: object, key: str = "") -> list[str]:
    """Keys whose value is still open."""
    if content == OPEN:
        return [key]
    if isinstance(content, dict):
        return [k for name, value in content.items() for k in _open(value, f"{key}.{name}".lstrip("."))]
    if isinstance(content, list):
        return [k for i, value in enumerate(content) for k in _open(value, f"{key}[{i}]")]
    return []
