# pyright: standard
# (pyarrow ships no types)
"""Parquet with a column a signal, or columns of lists."""

from collections.abc import Iterator
from pathlib import Path

from sim.trace.log import Array
from sim.trace.mapping import Mapping
from sim.trace.readers.piece import Piece, column_of
from store.errors import UserError
from store.tables import read_table


def read_parquet(path: Path, mapping: Mapping) -> Iterator[Piece]:
    """One piece."""
    table = read_table(path)
    clock = mapping.clock.column
    if clock and clock not in table.column_names:
        raise UserError(f"there is no column '{clock}'", str(path), table.column_names, "see clock.column in the map")
    values = {f":{row.from_}": column_of(table, row.from_, str(path)) for row in mapping.signal}
    stamps: dict[str, Array] = {key: table[clock].to_numpy() for key in values} if clock else {}
    yield Piece(mapping.file.run or path.stem, values, stamps)
