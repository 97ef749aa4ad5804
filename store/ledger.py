"""The ledger: append-only rows in DuckDB, safe to share between processes and to kill at any moment."""

from collections.abc import Generator, Mapping
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

import duckdb

from store import chain, connection, query, verification
from store.chain import Row
from store.errors import NotFoundError
from store.export import check_target, export
from store.hashing import content_hash
from store.kinds import body_of, parse
from store.migrate import prepare, version_of
from store.projection import project
from store.query import Table
from store.records import Record, Run
from store.verification import Verification

__all__ = ["Ledger", "Row", "Table", "Verification"]


class Ledger:
    """A ledger file. No connection outlives a call, so any number of processes may share it.

    Args:
        path: the DuckDB file; created when it does not exist.
        patience_s: how long a call waits for another process that holds the file.
        create: False refuses a file that does not exist.

    Raises:
        LedgerError: the file is newer than this code, damaged, not a ledger, unwritable, or the disk is full.
    """

    def __init__(self, path: Path | str, patience_s: float = 10.0, *, create: bool = True) -> None:
        self.path = Path(path)
        self.patience_s = patience_s
        prepare(self.path, patience_s, create=create)

    def append(
        self,
        kind: str,
        record: Record | Mapping[str, Any],
        *,
        run_id: str,
        key: str | None = None,
        meta: Mapping[str, Any] | None = None,
    ) -> Row:
        """Add a row; when `key` is known already, the stored row is returned and nothing is written.

        Args:
            kind: see `store.kinds.RECORDS`.
            record: what may not differ between two undisturbed runs.
            run_id: the run that it belongs to.
            key: name of the effect that it records.
            meta: what may differ: times, process ids, persons, cost.

        Raises:
            ValueError: the record does not fit its kind, or the key belongs to a row of another kind or run.
        """
        body = body_of(kind, record)
        with self.transaction() as con:
            known = chain.select(con, "key = ?", [key]) if key is not None else []
            if known:
                if (known[0].kind, known[0].run_id) != (kind, run_id):
                    raise ValueError(f"key {key} is {known[0].id} of {known[0].run_id}, not a {kind} of {run_id}")
                return known[0]
            row = chain.insert(con, kind, body, run_id=run_id, key=key, meta=dict(meta or {}))
            project(con, row)
            return row

    def new_run(self, run: Run, meta: Mapping[str, Any] | None = None) -> str:
        """Start a run; returns its id, run-0001 for the first."""
        with self.transaction() as con:
            id = chain.next_id(con, "run")
            return chain.insert(con, "run", body_of("run", run), run_id=id, meta=dict(meta or {}), id=id).id

    def find(self, key: str) -> Row | None:
        """The row of an effect, or None while it has not happened."""
        with self.reading() as con:
            return next(iter(chain.select(con, "key = ?", [key])), None)

    def get(self, id: str) -> Row:
        """One row.

        Raises:
            NotFoundError: (a LookupError) listing the newest ids of that kind.
        """
        with self.reading() as con:
            found = chain.select(con, "id = ?", [id])
            if found:
                return found[0]
            kind = id.rpartition("-")[0]
            near = con.execute("SELECT id FROM entry ORDER BY kind = ? DESC, seq DESC LIMIT 12", [kind]).fetchall()
        raise NotFoundError(f"there is no row {id!r}", str(self.path), valid=[row[0] for row in near] or "none yet")

    def rows(self, run_id: str | None = None, kind: str | None = None) -> list[Row]:
        """Rows in order, of one run and kind or of all."""
        with self.reading() as con:
            return chain.select(con, "run_id = coalesce(?, run_id) AND kind = coalesce(?, kind)", [run_id, kind])

    def record(self, row: Row) -> Record:
        """The record that a row holds."""
        return parse(row.kind, row.body)

    def content(self, run_id: str) -> str:
        """Hash over the ordered (kind, key, body) of a run: equal for a disturbed and an undisturbed run.

        Raises:
            NotFoundError: listing the runs.
        """
        rows = self.rows(run_id)
        if not rows:
            known = [row.run_id for row in self.rows(kind="run")]
            raise NotFoundError(f"there is no run {run_id!r}", str(self.path), valid=known or "none yet")
        return content_hash([[row.kind, row.key, row.body] for row in rows])

    def sql(self, text: str) -> Table:
        """Answer one reading statement; files, settings and extensions are out of its reach.

        Raises:
            LedgerError: anything but one SELECT, WITH, SHOW, DESCRIBE or EXPLAIN, or a query that is wrong or slow.
        """
        query.check_query(text)
        with connection.connect(self.path, self.patience_s, sandbox=True) as con:
            return query.ask(con, text, timeout_s=max(1.0, self.patience_s / 2))

    def verify(self) -> Verification:
        """Recompute the chain and everything derived from it."""
        with self.reading() as con:
            return verification.verify(con)

    def export(self, path: Path | str, *, table: str = "entry", overwrite: bool = False) -> int:
        """Write a table or view as .parquet, .csv, .json or .jsonl; returns the number of rows.

        Raises:
            UserError: an unknown suffix or table, a file that exists, or one that cannot be written.
        """
        check_target(Path(path), overwrite)
        with self.reading() as con:
            return export(con, Path(path), table, overwrite=overwrite)

    @property
    def schema_version(self) -> int:
        """Number of the last migration that the file has seen."""
        with self.reading() as con:
            return version_of(con, self.path)

    def transaction(self) -> AbstractContextManager[duckdb.DuckDBPyConnection]:
        """A write transaction for store/ itself: committed at the end, rolled back by any exception."""
        return connection.transaction(self.path, self.patience_s)

    @contextmanager
    def reading(self) -> Generator[duckdb.DuckDBPyConnection]:
        """A read-only connection; one consistent state of the ledger for all that is asked within."""
        with connection.connect(self.path, self.patience_s) as con:
            con.execute("BEGIN")
            yield con
