"""The ledger, or one table of it, as a file for other tools."""

import os
from contextlib import suppress
from pathlib import Path

import duckdb

from store.errors import NotFoundError, UserError

_FORMATS = {
    ".parquet": "FORMAT parquet",
    ".csv": "FORMAT csv, HEADER true",
    ".json": "FORMAT json, ARRAY true",
    ".jsonl": "FORMAT json",
}


def check_target(path: Path, overwrite: bool) -> None:
    """Refuse an unknown suffix, a missing folder, or a file that exists.

    Raises:
        UserError: naming the valid suffixes or the option that allows it.
    """
    if path.suffix.lower() not in _FORMATS:
        raise UserError(f"cannot export to {path.suffix or 'a file without suffix'}", str(path), valid=_FORMATS)
    if not path.parent.is_dir():
        raise UserError("the folder does not exist", str(path.parent), hint="make it, or name another")
    if path.is_dir() or (path.exists() and not overwrite):
        raise UserError("the file exists", str(path), hint="choose another name, or say --overwrite")


def export(con: duckdb.DuckDBPyConnection, path: Path, table: str, *, overwrite: bool) -> int:
    """Write a table or view; the file appears whole or not at all. Returns the number of rows.

    Raises:
        UserError: no such table, or the file cannot be written.
    """
    check_target(path, overwrite)
    found = con.execute(
        "SELECT table_name FROM information_schema.tables WHERE table_schema = 'main' ORDER BY table_name"
    ).fetchall()
    names = [str(row[0]) for row in found]
    if table not in names:
        raise NotFoundError(f"there is no table {table!r}", "--table", valid=names)
    order = "ORDER BY seq" if table == "entry" else ""
    draft = path.with_name(f".{path.name}.{os.getpid()}.part")
    target = str(draft).replace("'", "''")
    try:
        con.execute(f"COPY (SELECT * FROM \"{table}\" {order}) TO '{target}' ({_FORMATS[path.suffix.lower()]})")
        count = con.execute(f'SELECT count(*) FROM "{table}"').fetchone()
        os.replace(draft, path)
    except (duckdb.IOException, OSError) as error:
        raise UserError(f"the file cannot be written: {str(error).splitlines()[0]}", str(path)) from error
    finally:
        with suppress(OSError):  # where nothing can be written, nothing is left to remove
            draft.unlink(missing_ok=True)
    return int(count[0]) if count else 0
