"""NPZ: arrays by name; never a pickle."""

import zipfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from sim.trace.log import Array
from sim.trace.mapping import Mapping
from sim.trace.readers.piece import Piece, place
from store.errors import UserError


def read_npz(path: Path, mapping: Mapping) -> Iterator[Piece]:
    """One piece; `positions[3]` is column 3 of a two-dimensional array."""
    where = str(path)
    try:
        with np.load(path, allow_pickle=False) as content:
            stamps = _of(content, mapping.clock.column, where) if mapping.clock.column else None
            values = {f":{row.from_}": _of(content, row.from_, where) for row in mapping.signal}
    except FileNotFoundError as error:
        raise UserError("there is no such file", where) from error
    except (zipfile.BadZipFile, EOFError, OSError) as error:
        raise UserError(f"not an NPZ file: {error}", where) from error
    yield Piece(mapping.file.run or path.stem, values, {} if stamps is None else dict.fromkeys(values, stamps))


def _of(content: "np.lib.npyio.NpzFile", source: str, where: str) -> Array:
    name, column = place(source)
    if name not in content.files:
        raise UserError(f"there is no array '{name}'", where, sorted(content.files), "see the map")
    try:
        values = content[name]
    except ValueError as error:
        hint = "save it again as plain numbers"
        raise UserError(f"array '{name}' is a pickle, which is never opened", where, hint=hint) from error
    if values.ndim != (1 if column is None else 2) or (column is not None and column >= values.shape[1]):
        raise UserError(f"array '{name}' has the shape {values.shape}, not what '{source}' asks for", where)
    return np.asarray(values if column is None else values[:, column], dtype=float)
