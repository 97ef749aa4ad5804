# pyright: standard
# (pyarrow ships no types)
"""Parquet tables beside the ledger: written whole or not at all."""

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from store.artifacts import replace
from store.errors import UserError


def write_table(path: Path, table: pa.Table) -> None:
    """Replace a Parquet file atomically."""
    # numbers seldom repeat: looking for a dictionary of them takes most of the time
    words = [f.name for f in table.schema if pa.types.is_string(f.type) or pa.types.is_dictionary(f.type)]

    def write(draft: Path) -> None:
        pq.write_table(table, draft, compression="zstd", compression_level=1, use_dictionary=words)  # pyright: ignore

    replace(path, write)


def read_table(path: Path) -> pa.Table:
    """A Parquet file as a table.

    Raises:
        UserError: the file is missing or not Parquet.
    """
    try:
        return pq.ParquetFile(path).read()
    except FileNotFoundError as error:
        raise UserError("the file cannot be read: it is not there", str(path)) from error
    except OSError as error:
        raise UserError(f"the file cannot be read: {str(error).splitlines()[0]}", str(path)) from error
    except pa.ArrowInvalid as error:
        raise UserError(f"this is not a Parquet file: {str(error).splitlines()[0]}", str(path)) from error
