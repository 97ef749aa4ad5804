# pyright: standard
# (pyarrow ships no types)
"""A log in memory and on disk: signals on their own time bases, one canonical long table for every format."""

from dataclasses import dataclass, field
from enum import IntFlag
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from store.errors import UserError
from store.tables import read_table, write_table

Array = NDArray[Any]
NANO = 1_000_000_000
Clock = Literal["stamp", "log", "synthetic"]
"""The sender's own stamp, the recorder's time of arrival, or made from a sample rate: such a clock shows no timing."""
LogChannel = Literal["command", "pose", "force", "slip", "timing"]
CHANNELS: tuple[LogChannel, ...] = ("command", "pose", "force", "slip", "timing")
COLUMNS = ("run", "source", "clock", "t_ns", "channel", "signal", "unit", "value", "quality")


class Quality(IntFlag):
    """What is wrong with a sample; nothing is dropped, everything is flagged."""

    OK = 0
    GAP = 1
    """The time since the sample before is far longer than usual."""
    DUPLICATE = 2
    """Same stamp as the sample before."""
    BACKWARDS = 4
    """Stamped earlier than a sample before it."""
    STUCK = 8
    """The value has not moved for suspiciously long while its command did."""
    MISSING = 16
    """No finite value."""

    @property
    def words(self) -> str:
        """`ok`, or the flags joined by `+`, as the column `quality` holds them."""
        return "+".join(flag.name.lower() for flag in Quality if flag and flag in self and flag.name) or "ok"

    @staticmethod
    def of(words: str) -> "Quality":
        """The flags that `words` names."""
        found = Quality.OK
        for word in words.split("+"):
            found |= Quality[word.upper()]
        return found


@dataclass(frozen=True)
class Series:
    """One signal of a log, SI units."""

    name: str
    """`kind.part`, such as joint_position.elbow, command.elbow, tip_force.thumb."""
    channel: LogChannel
    unit: str
    """SI unit of the values; '1' for a plain number."""
    clock: Clock
    """Clock that `t_ns` is read from."""
    t_ns: Array
    """Stamps, (n,) int64, ns, in the order in which they were recorded."""
    value: Array
    """(n,) float64; NaN where nothing was measured."""
    quality: Array
    """Quality flags of each sample, (n,) uint8."""
    log_ns: Array | None = None
    """When the recorder received each sample, (n,) int64, where the file keeps that besides `t_ns`."""
    publish_ns: Array | None = None
    """When each sample was published, (n,) int64, where the file keeps that besides `t_ns`."""

    @property
    def time(self) -> Array:
        """Stamps in seconds, (n,) float64, counted from zero of the clock."""
        return self.t_ns / NANO

    @property
    def usable(self) -> Array:
        """Samples with a value and a place in time, (n,) bool."""
        wrong = Quality.MISSING | Quality.BACKWARDS | Quality.DUPLICATE
        return (self.quality & wrong) == 0


@dataclass(frozen=True)
class Log:
    """One run of one source: every signal on its own time base."""

    run: str
    source: str
    """'sim', 'real' or 'pseudo_real'."""
    series: dict[str, Series]
    """Signal name -> its series."""
    facts: dict[str, str] = field(default_factory=dict)
    """What travels in the file's metadata: format, mapping, original file, `not_observable.<channel>` -> why."""

    @property
    def not_observable(self) -> dict[str, str]:
        """Channel or signal -> why these traces cannot show it."""
        mark = "not_observable."
        return {key.removeprefix(mark): why for key, why in self.facts.items() if key.startswith(mark)}

    def select(self, *channels: str) -> dict[str, Series]:
        """Series of some channels."""
        return {name: s for name, s in self.series.items() if s.channel in channels}


def to_table(logs: list[Log]) -> pa.Table:
    """Logs as the canonical long table, text columns dictionary-encoded; log_ns and publish_ns where any log has them.

    Facts of every run are kept in the metadata as `<run>/<fact>`.
    """
    parts: dict[str, list[Any]] = {name: [] for name in (*COLUMNS, "log_ns", "publish_ns")}
    facts: dict[str, str] = {}
    for log in logs:
        facts |= {f"{log.run}/{key}": value for key, value in log.facts.items()}
        for s in log.series.values():
            n = len(s.value)
            words = {"run": log.run, "source": log.source, "clock": s.clock, "channel": s.channel, "signal": s.name,
                     "unit": s.unit}  # fmt: skip
            for column, word in words.items():
                parts[column].append(_constant(word, n))
            parts["t_ns"].append(pa.array(s.t_ns.astype(np.int64, copy=False)))
            parts["value"].append(pa.array(s.value.astype(float, copy=False)))
            parts["quality"].append(_qualities(s.quality))
            for column, stamps in (("log_ns", s.log_ns), ("publish_ns", s.publish_ns)):
                parts[column].append(pa.nulls(n, pa.int64()) if stamps is None else pa.array(stamps.astype(np.int64)))
    columns = [name for name in parts if name in COLUMNS or any(chunk.null_count < len(chunk) for chunk in parts[name])]
    table = pa.table({name: pa.chunked_array(parts[name]) for name in columns}).unify_dictionaries()
    return table.replace_schema_metadata(facts)


def write_logs(path: Path, logs: list[Log]) -> None:
    """Write logs as one Parquet file, atomically."""
    write_table(path, to_table(logs))


def read_logs(path: Path | str) -> list[Log]:
    """Read what `write_logs` or a pilot wrote, runs in their order.

    Raises:
        UserError: no such file, not Parquet, or not a canonical long table.
    """
    return from_table(read_table(Path(path)), str(path))


def from_table(table: pa.Table, where: str) -> list[Log]:
    """Logs of a canonical long table; `where` is for messages."""
    missing = [name for name in COLUMNS if name not in table.column_names]
    if missing:
        hint = "regrasp ingest turns other files into such a table"
        raise UserError(f"no canonical trace: it lacks {', '.join(missing)}", where, COLUMNS, hint)
    if table.num_rows == 0:
        raise UserError("the trace has no rows", where)
    code, names = {}, {}
    for column in ("run", "source", "clock", "channel", "signal", "unit", "quality"):
        code[column], names[column] = _codes(table[column])
    flags = np.array([int(Quality.of(words)) for words in names["quality"]], dtype=np.uint8)[code["quality"]]
    t_ns, value = table["t_ns"].to_numpy(), table["value"].to_numpy()
    extra = {name: table[name] for name in ("log_ns", "publish_ns") if name in table.column_names}
    blocks = _blocks(code["run"].astype(np.int64) * len(names["signal"]) + code["signal"])
    metadata = {k.decode(): v.decode() for k, v in (table.schema.metadata or {}).items()}
    found: dict[str, Log] = {}
    for rows in blocks:
        at = rows.start if isinstance(rows, slice) else rows[0]
        first = {column: names[column][code[column][at]] for column in names}
        run = first["run"]
        if run not in found:
            # a pilot's rollout is one run, and writes its facts without the run's name
            facts = {
                k.removeprefix(f"{run}/"): v for k, v in metadata.items() if k.startswith(f"{run}/") or "/" not in k
            }
            found[run] = Log(run, first["source"], {}, facts)
        stamps = {}
        for name, column in extra.items():
            known = column.is_valid().to_numpy()[rows]
            stamps[name] = column.fill_null(0).to_numpy()[rows] if known.all() else None
        found[run].series[first["signal"]] = Series(
            first["signal"], first["channel"], first["unit"], first["clock"], t_ns[rows], value[rows], flags[rows],
            **stamps,
        )  # fmt: skip
    return list(found.values())


def _constant(word: str, n: int) -> pa.DictionaryArray:
    return pa.DictionaryArray.from_arrays(pa.array(np.zeros(n, dtype=np.int32)), pa.array([word]))


def _qualities(flags: Array) -> pa.DictionaryArray:
    values = np.flatnonzero(np.bincount(flags, minlength=256))
    index = np.zeros(256, dtype=np.int32)
    index[values] = np.arange(len(values))
    return pa.DictionaryArray.from_arrays(pa.array(index[flags]), pa.array([Quality(int(v)).words for v in values]))


def _codes(column: pa.ChunkedArray) -> tuple[Array, list[str]]:
    """Index of each row's word, and the words."""
    encoded = column if pa.types.is_dictionary(column.type) else column.dictionary_encode()
    whole = encoded.unify_dictionaries().combine_chunks()
    return whole.indices.to_numpy(), whole.dictionary.to_pylist()


def _blocks(key: Array) -> list[Any]:
    """Rows of each key in order of appearance; as slices where rows of one key lie together, as they are written."""
    cuts = np.flatnonzero(np.diff(key)) + 1
    starts, ends = np.append(0, cuts), np.append(cuts, len(key))
    if len(np.unique(key[starts])) == len(starts):
        return [slice(int(a), int(b)) for a, b in zip(starts, ends, strict=True)]
    order = np.argsort(key, kind="stable")
    return sorted(np.split(order, np.flatnonzero(np.diff(key[order])) + 1), key=lambda rows: int(rows[0]))
