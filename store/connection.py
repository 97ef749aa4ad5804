"""Short-lived DuckDB connections: open, retry while another process holds the file, translate what goes wrong."""

import random
import re
import threading
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import duckdb

from store.errors import LedgerError

SANDBOX: dict[str, str | bool | int | float | list[str]] = {
    "enable_external_access": "false",
    "autoload_known_extensions": "false",
    "autoinstall_known_extensions": "false",
    "allow_community_extensions": "false",
    "temp_directory": "",
    "memory_limit": "1GB",
    "lock_configuration": "true",
}

_FULL = ("No space left", "File too large", "quota exceeded")
_UNWRITABLE = ("Permission denied", "Operation not permitted", "Read-only file system", "Is a directory")
_DAMAGED = ("Corrupt database", "Could not read enough bytes", "checksum", "Failure while replaying WAL", "invalidated")
_DAMAGED_TYPES = (duckdb.FatalException, duckdb.InternalException, duckdb.SerializationException)

_guards: dict[str, threading.Lock] = {}
_guards_lock = threading.Lock()


def _guard(path: Path) -> threading.Lock:
    """The lock that serialises the threads of this process: DuckDB wants one configuration per file and process."""
    with _guards_lock:
        return _guards.setdefault(str(path.resolve()), threading.Lock())


def explain(error: duckdb.Error, path: Path) -> LedgerError | None:
    """The LedgerError for trouble with the file, or None where the error is about the statement."""
    text = str(error)
    if "Conflicting lock" in text or "Could not set lock" in text:
        holder = re.search(r"PID (\d+)", text)
        pid = f"process {holder[1]}" if holder else "another process"
        return LedgerError(f"the ledger is in use by {pid}", str(path), hint="wait for it, or stop that process")
    if any(mark in text for mark in _FULL):
        return LedgerError(
            "the disk is full (or at a quota), so nothing was written; the rows that were there are safe",
            str(path),
            hint="free some space and run `regrasp resume`",
        )
    if "not a valid DuckDB database" in text:
        return LedgerError("this file is not a ledger; it was left as it is", str(path), hint=_ELSEWHERE)
    if "version number" in text:
        return LedgerError("the file was written by a newer DuckDB; it was left as it is", str(path), hint=_UPDATE)
    if isinstance(error, _DAMAGED_TYPES) or any(mark in text for mark in _DAMAGED):
        return LedgerError(
            f"the ledger file is damaged ({text.splitlines()[0][:160]}); it was left as it is",
            str(path),
            hint="put a copy of it back, or choose another --home",
        )
    if any(mark in text for mark in _UNWRITABLE):
        return LedgerError(
            "the ledger cannot be written here", str(path), hint="mend its permissions, or choose another --home"
        )
    if isinstance(error, duckdb.IOException):
        return LedgerError(f"the ledger cannot be opened: {text.splitlines()[0][:200]}", str(path))
    return None


_ELSEWHERE = "choose another --home, or move the file away"
_UPDATE = "update regrasp, or choose another --home"


@contextmanager
def connect(
    path: Path, patience_s: float, *, write: bool = False, sandbox: bool = False
) -> Generator[duckdb.DuckDBPyConnection]:
    """A connection to an existing ledger file, closed at the end; waits up to `patience_s` for other holders.

    Raises:
        LedgerError: the file is missing, held for longer than `patience_s`, damaged, unwritable or on a full disk.
    """
    deadline = time.monotonic() + patience_s
    guard = _guard(path)
    if not guard.acquire(timeout=max(0.0, patience_s)):
        raise LedgerError("the ledger is in use by another thread of this process", str(path))
    try:
        connection = _open(path, deadline, write=write, sandbox=sandbox)
        try:
            yield connection
        except duckdb.Error as error:
            known = explain(error, path)
            if known is None:
                raise
            raise known from error
        finally:
            connection.close()
    finally:
        guard.release()


def _open(path: Path, deadline: float, *, write: bool, sandbox: bool) -> duckdb.DuckDBPyConnection:
    while True:
        if not path.exists():
            raise LedgerError(
                "there is no ledger here", str(path), hint="start one with `regrasp run`, or name its --home"
            )
        try:
            return duckdb.connect(str(path), read_only=not write, config=SANDBOX if sandbox else {})
        except duckdb.Error as error:
            if "Conflicting lock" not in str(error) and "Could not set lock" not in str(error):
                raise (explain(error, path) or LedgerError(str(error), str(path))) from error
            if time.monotonic() >= deadline:
                raise (explain(error, path) or error) from error
        time.sleep(random.uniform(0.005, 0.020))


@contextmanager
def transaction(path: Path, patience_s: float) -> Generator[duckdb.DuckDBPyConnection]:
    """A write transaction: committed at the end; an exception closes the connection before that, which drops it."""
    with connect(path, patience_s, write=True) as connection:
        connection.execute("BEGIN")
        yield connection
        connection.execute("COMMIT")
