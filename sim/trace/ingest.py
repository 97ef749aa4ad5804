# pyright: standard
# (pyarrow ships no types)
"""Any file with its map becomes canonical logs; large ones piece by piece, and whole or not at all."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq

from sim.trace.log import NANO, Array, Log, Series, read_logs, to_table
from sim.trace.mapping import TIMES, Mapping, read_mapping
from sim.trace.quality import flag_log
from sim.trace.readers import READERS, Piece
from store.artifacts import replace as replace_file
from store.errors import UserError


def load(path: Path, map_path: Path | None) -> list[Log]:
    """Logs of a file: with its map, or without one where it is a canonical trace already.

    Raises:
        UserError: the file needs a map, or anything that `ingest` refuses.
    """
    if map_path is not None:
        return ingest(path, read_mapping(map_path))
    if path.suffix != ".parquet":
        raise UserError("this file needs a map", str(path), hint=f"regrasp map {path.name} --out MAP.toml drafts one")
    return [flag_log(log) for log in read_logs(path)]


def ingest(path: Path, mapping: Mapping) -> list[Log]:
    """Logs of a whole file, flagged.

    Raises:
        UserError: the file does not hold what the map says; nothing was written.
    """
    pieces: dict[str, list[Log]] = {}
    for log in _logs(path, mapping):
        pieces.setdefault(log.run, []).append(log)
    joined = [_joined(parts) for parts in pieces.values()]
    if not joined:
        raise UserError("the file has no rows", str(path))
    for log in joined:
        _check(log, str(path))
    return [flag_log(log) for log in joined]


def ingest_to(path: Path, mapping: Mapping, out: Path) -> dict[str, int]:
    """Ingest into a Parquet file piece by piece, in bounded memory; returns samples by signal.

    Flags are those that one can tell within a piece and from the stamp before it.
    """
    counts: dict[str, int] = {}

    def write(draft: Path) -> None:
        writer, last = None, {}
        try:
            for log in _logs(path, mapping):
                flagged = flag_log(_after(log, last))
                log = replace(log, series={n: _cut(s, len(log.series[n].value)) for n, s in flagged.series.items()})
                for name, series in log.series.items():
                    last[log.run, name] = series
                    counts[name] = counts.get(name, 0) + len(series.value)
                table = to_table([log])
                writer = writer or pq.ParquetWriter(draft, table.schema, compression="zstd", use_dictionary=False)
                writer.write_table(table.cast(writer.schema))
        finally:
            if writer is not None:
                writer.close()
        if not counts:
            raise UserError("the file has no rows", str(path))

    replace_file(out, write)
    return counts


def _logs(path: Path, mapping: Mapping) -> Iterator[Log]:
    """Pieces as logs in SI, not flagged yet."""
    counted: dict[tuple[str, str], int] = {}
    for piece in READERS[mapping.file.format](path, mapping):
        series, facts = {}, _facts(path, mapping)
        for row in mapping.signal:
            key = f"{row.file}:{row.from_}"
            if key not in piece.values:
                continue
            raw = piece.values[key]
            before = counted.get((piece.run, row.name), 0)
            counted[piece.run, row.name] = before + len(raw)
            assert row.told_channel is not None
            series[row.name] = Series(
                row.name, row.told_channel, row.si_unit, mapping.clock.kind, _stamps(piece, key, mapping, before),
                row.factor * raw + row.offset, np.zeros(len(raw), dtype=np.uint8),
            )  # fmt: skip
        yield Log(piece.run, mapping.file.source, series, facts)


def _stamps(piece: Piece, key: str, mapping: Mapping, before: int) -> Array:
    """Stamps in ns, (n,) int64."""
    clock = mapping.clock
    if clock.kind == "synthetic":
        assert clock.rate_hz is not None
        return np.round((before + np.arange(len(piece.values[key]))) * NANO / clock.rate_hz).astype(np.int64)
    raw = piece.stamps[key]
    if len(raw) != len(piece.values[key]):
        what = f"{len(raw)} stamps and {len(piece.values[key])} values of {key.lstrip(':')} are no pairs"
        raise UserError(what, f"run {piece.run}")
    try:
        if clock.unit == "iso8601":
            return np.asarray(raw, dtype="datetime64[ns]").astype(np.int64)
        if np.issubdtype(raw.dtype, np.integer):
            return raw.astype(np.int64) * TIMES[clock.unit]
        numbers = np.asarray(raw, dtype=float)
    except (TypeError, ValueError) as error:
        raise UserError(f"stamps in '{clock.column}' are not {clock.unit}", f"run {piece.run}") from error
    if not np.isfinite(numbers).all():
        raise UserError(f"{int((~np.isfinite(numbers)).sum())} stamps are missing", f"column {clock.column}")
    return np.round(numbers * TIMES[clock.unit]).astype(np.int64)


def _facts(path: Path, mapping: Mapping) -> dict[str, str]:
    facts: dict[str, str] = {"file": path.name, "format": mapping.file.format}
    if mapping.clock.kind == "synthetic":
        facts["not_observable.timing"] = "its stamps were made from a sample rate"
    for row in mapping.signal:
        if row.not_observable:
            facts[f"not_observable.{row.name}"] = row.not_observable
    return facts


def _joined(parts: list[Log]) -> Log:
    """Pieces of one run, one after the other."""
    series: dict[str, list[Series]] = {}
    for part in parts:
        for name, one in part.series.items():
            series.setdefault(name, []).append(one)
    whole = {}
    for name, ones in series.items():
        arrays: dict[str, Any] = {k: np.concatenate([getattr(one, k) for one in ones]) for k in
                                  ("t_ns", "value", "quality")}  # fmt: skip
        whole[name] = replace(ones[0], **arrays)
    return replace(parts[0], series=whole)


def _check(log: Log, where: str) -> None:
    for name, series in log.series.items():
        if not len(series.value):
            raise UserError(f"{name} has no samples", f"{where}, run {log.run}")
        if not np.isfinite(series.value).any():
            raise UserError(f"{name} has no number at all", f"{where}, run {log.run}", hint="see its `from` in the map")


def _after(log: Log, last: dict[tuple[str, str], Series]) -> Log:
    """The piece with the last sample of the one before it in front, so that stamps can be told from it."""
    series = {}
    for name, one in log.series.items():
        before = last.get((log.run, name))
        if before is not None and len(before.value):
            arrays: dict[str, Any] = {k: np.concatenate([getattr(before, k)[-1:], getattr(one, k)]) for k in
                                      ("t_ns", "value", "quality")}  # fmt: skip
            one = replace(one, **arrays)
        series[name] = one
    return replace(log, series=series)


def _cut(series: Series, length: int) -> Series:
    return replace(series, t_ns=series.t_ns[-length:], value=series.value[-length:], quality=series.quality[-length:])
