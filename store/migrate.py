"""Numbered SQL migrations; a new ledger appears complete or not at all."""

import fcntl
import os
import re
from collections.abc import Generator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

import duckdb

from store.connection import connect, explain, transaction
from store.errors import LedgerError

DIRECTORY = Path(__file__).parent / "migrations"
_TABLE = (
    "CREATE TABLE schema_migration (version INTEGER PRIMARY KEY, name VARCHAR NOT NULL, applied TIMESTAMP NOT NULL)"
)


class Migration(NamedTuple):
    """One numbered SQL file."""

    version: int
    name: str
    sql: str


def migrations(directory: Path = DIRECTORY) -> list[Migration]:
    """The migrations of a folder, numbered from 1 without a hole."""
    found = [
        Migration(int(match[1]), match[2], file.read_text(encoding="utf-8"))
        for file in sorted(directory.glob("*.sql"))
        if (match := re.fullmatch(r"(\d{4})_(\w+)\.sql", file.name))
    ]
    if [m.version for m in found] != list(range(1, len(found) + 1)):
        raise ValueError(f"migrations in {directory} are not numbered 1..n: {[m.version for m in found]}")
    return found


def version_of(con: duckdb.DuckDBPyConnection, path: Path) -> int:
    """Schema version of an open ledger.

    Raises:
        LedgerError: when the database is not a ledger.
    """
    known = con.execute("SELECT count(*) FROM duckdb_tables() WHERE table_name = 'schema_migration'").fetchone()
    if known is None or known[0] == 0:
        raise LedgerError(
            "this is a DuckDB file but not a Regrasp ledger; it was left as it is",
            str(path),
            hint="choose another --home, or move the file away",
        )
    row = con.execute("SELECT coalesce(max(version), 0) FROM schema_migration").fetchone()
    return int(row[0]) if row else 0


def prepare(path: Path, patience_s: float, *, create: bool = True, directory: Path = DIRECTORY) -> None:
    """Create the ledger where there is none, bring an older one up to date, refuse a newer one.

    Raises:
        LedgerError: missing (without `create`), newer than this code, damaged, unwritable or on a full disk.
    """
    steps = migrations(directory)
    if create and not path.exists():
        _create(path, steps)
    with connect(path, patience_s) as con:
        version = version_of(con, path)
    if version > len(steps):
        raise LedgerError(
            f"the ledger is newer (version {version}) than this regrasp (version {len(steps)}); it was left as it is",
            str(path),
            hint="update regrasp, or choose another --home",
        )
    for step in steps[version:]:
        with transaction(path, patience_s) as con:
            if version_of(con, path) < step.version:
                _apply(con, step)


def _apply(con: duckdb.DuckDBPyConnection, step: Migration) -> None:
    con.execute(step.sql)
    now = datetime.now(UTC).replace(tzinfo=None)
    con.execute("INSERT INTO schema_migration VALUES (?, ?, ?)", [step.version, step.name, now])


def _create(path: Path, steps: list[Migration]) -> None:
    """Build the ledger beside its place and move it in, one process at a time; kill -9 leaves no half ledger."""
    log = path.with_name(path.name + ".wal")
    if log.exists():
        raise LedgerError(
            f"{path.name} is gone but its write-ahead log is here; both were left as they are",
            str(log),
            hint="put the ledger file back, or choose another --home",
        )
    draft = path.with_name(f".{path.name}.draft")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with _folder_lock(path.parent):
            if path.exists():
                return
            for leftover in (draft, draft.with_name(draft.name + ".wal")):
                leftover.unlink(missing_ok=True)
            with duckdb.connect(str(draft)) as con:
                con.execute(f"BEGIN; {_TABLE}")
                for step in steps:
                    _apply(con, step)
                con.execute("COMMIT; CHECKPOINT")
            os.replace(draft, path)
    except duckdb.Error as error:
        raise (explain(error, path) or LedgerError(str(error), str(path))) from error
    except OSError as error:
        raise LedgerError(
            f"the ledger cannot be created: {error.strerror}", str(path), hint="choose a writable --home"
        ) from error


@contextmanager
def _folder_lock(folder: Path) -> Generator[None]:
    handle = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)
