"""Questions to the ledger in SQL that cannot change anything: not the ledger, not the disk."""

import threading
from dataclasses import dataclass
from typing import Any

import duckdb

from store.errors import LedgerError

_ALLOWED = {duckdb.StatementType.SELECT, duckdb.StatementType.EXPLAIN}
MOST_ROWS = 100_000
"""Rows of an answer; a longer one is for `ledger export`, not for a screen or one JSON object."""
_VALID = "one SELECT, WITH, SHOW, DESCRIBE or EXPLAIN statement"


@dataclass(frozen=True)
class Table:
    """The answer to a query."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]

    def as_dicts(self) -> list[dict[str, Any]]:
        """The rows by column name."""
        return [dict(zip(self.columns, row, strict=True)) for row in self.rows]


def check_query(query: str) -> None:
    """Refuse all but one reading statement, before anything is opened.

    Raises:
        LedgerError: not SQL, not one statement, or not a reading one.
    """
    try:
        statements = duckdb.extract_statements(query)
    except duckdb.Error as error:
        raise _complaint(error) from error
    if len(statements) != 1:
        raise LedgerError(f"a query is one statement, this is {len(statements)}", "query", valid=_VALID)
    if statements[0].type not in _ALLOWED:
        raise LedgerError(f"{statements[0].type.name} is refused: `ledger sql` only reads", "query", valid=_VALID)


def ask(con: duckdb.DuckDBPyConnection, query: str, timeout_s: float) -> Table:
    """Run a checked query on a sandboxed read-only connection.

    Raises:
        LedgerError: what is wrong with the query, that it took too long (it would hold up the run), or that its answer
            is too long.
    """
    timer = threading.Timer(timeout_s, con.interrupt)
    timer.start()
    try:
        cursor = con.execute(query)
        columns = tuple(str(d[0]) for d in cursor.description or ())
        rows = cursor.fetchmany(MOST_ROWS + 1)
    except duckdb.InterruptException as error:
        hint = "ask for less: the run cannot write while a query reads"
        raise LedgerError(f"the query took more than {timeout_s:g} s and was stopped", "query", hint=hint) from error
    except (duckdb.IOException, duckdb.FatalException):
        raise
    except duckdb.Error as error:
        raise _complaint(error) from error
    finally:
        timer.cancel()
        timer.join()
    if len(rows) > MOST_ROWS:
        hint = "add a LIMIT, or write a whole table with `regrasp ledger export FILE`"
        raise LedgerError(f"the answer has more than {MOST_ROWS:,} rows", "query", hint=hint)
    return Table(columns, tuple(tuple(row) for row in rows))


def _complaint(error: duckdb.Error) -> LedgerError:
    text = str(error).split("\n\nLINE")[0]
    return LedgerError(text, "query", hint="`SHOW TABLES` and `DESCRIBE gap` tell what can be asked")
