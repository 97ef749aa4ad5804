"""Readers of file formats: each gives pieces of runs as the file has them; `sim.trace.ingest` makes logs of them."""

from collections.abc import Callable, Iterator
from pathlib import Path

from sim.trace.mapping import Mapping
from sim.trace.readers.csv_file import read_csv
from sim.trace.readers.json_file import read_json
from sim.trace.readers.lerobot import read_lerobot
from sim.trace.readers.npz import read_npz
from sim.trace.readers.parquet import read_parquet
from sim.trace.readers.piece import Piece

READERS: dict[str, Callable[[Path, Mapping], Iterator[Piece]]] = {
    "csv": read_csv,
    "json": read_json,
    "npz": read_npz,
    "parquet": read_parquet,
    "lerobot": read_lerobot,
}

__all__ = ["READERS", "Piece"]
