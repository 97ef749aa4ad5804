# pyright: standard
# (pyarrow ships no types)
"""CSV with a header line, also with lists inside cells; read in blocks, so that a file may be larger than memory."""

from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.csv as arrow_csv

from sim.trace.log import Array
from sim.trace.mapping import Mapping
from sim.trace.readers.piece import Piece, column_of, place
from store.errors import UserError

BLOCK = 4 << 20
"""Bytes that are read at once."""


def read_csv(path: Path, mapping: Mapping) -> Iterator[Piece]:
    """Pieces of one run: the file itself, and the files beside it that the map names."""
    run = mapping.file.run or path.stem
    by_file: dict[str, list[str]] = {}
    for row in mapping.signal:
        by_file.setdefault(row.file, []).append(row.from_)
    for name, sources in by_file.items():
        yield from _read(path.parent / name if name else path, name, sources, mapping.clock.column, run)


def _read(path: Path, name: str, sources: list[str], clock: str, run: str) -> Iterator[Piece]:
    where = str(path)
    wanted = [*dict.fromkeys(place(source)[0] for source in [*sources, *([clock] if clock else [])])]
    try:
        header = arrow_csv.open_csv(path, read_options=arrow_csv.ReadOptions(block_size=1 << 16)).schema.names
        missing = [column for column in wanted if column not in header]
        if missing:
            raise UserError(f"there is no column '{missing[0]}'", where, header, "see the map")
        if len(set(header)) < len(header):
            twice = sorted({column for column in header if header.count(column) > 1 and column in wanted})
            if twice:
                raise UserError(f"two columns are called {', '.join(twice)}", where)
        # everything is read as text first where a cell could be a list or an empty one
        kinds = {column: pa.string() for column in wanted if any(place(s) != (s, None) and place(s)[0] == column
                                                                 for s in sources)}  # fmt: skip
        kinds |= {column: pa.float64() for column in wanted if column not in kinds and column != clock}
        options = arrow_csv.ConvertOptions(
            include_columns=wanted, column_types=kinds, null_values=["", "null", "None", "nan", "NaN", "NA"]
        )
        with arrow_csv.open_csv(
            path, read_options=arrow_csv.ReadOptions(block_size=BLOCK, use_threads=False), convert_options=options
        ) as reader:
            for batch in reader:
                if batch.num_rows:
                    yield _piece(pa.Table.from_batches([batch]), name, sources, clock, run, where)
    except FileNotFoundError as error:
        raise UserError("there is no such file", where) from error
    except pa.ArrowInvalid as error:
        raise UserError(f"cannot be read as CSV: {str(error).splitlines()[0]}", where) from error


def _piece(table: pa.Table, name: str, sources: list[str], clock: str, run: str, where: str) -> Piece:
    values = {f"{name}:{source}": column_of(table, source, where) for source in sources}
    stamps: dict[str, Array] = {key: table[clock].to_numpy() for key in values} if clock else {}
    return Piece(run, values, stamps)
