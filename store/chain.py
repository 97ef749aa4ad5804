"""The append-only chain of rows: each row's hash covers the hash before it."""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import Any

import duckdb

from store.hashing import canonical_json, content_hash

_COLUMNS = "seq, id, run_id, kind, key, body, meta, created, prev_hash, hash, content_hash"


@dataclass(frozen=True)
class Row:
    """One row of the ledger; `created` is UTC."""

    seq: int
    id: str
    run_id: str
    kind: str
    key: str | None
    body: dict[str, Any]
    meta: dict[str, Any]
    created: datetime
    prev_hash: str
    hash: str
    content_hash: str

    def as_dict(self) -> dict[str, Any]:
        """The row as JSON values."""
        return asdict(self) | {"created": self.created.isoformat()}


def insert(
    con: duckdb.DuckDBPyConnection,
    kind: str,
    body: dict[str, Any],
    *,
    run_id: str,
    key: str | None = None,
    meta: dict[str, Any] | None = None,
    id: str | None = None,
) -> Row:
    """Append a row within the caller's transaction."""
    head = con.execute("SELECT seq, hash FROM chain_head").fetchone()
    if head is None:
        raise ValueError("the chain has no head")
    created = datetime.now(UTC)
    row_id = id or next_id(con, kind)
    body_text, meta_text = canonical_json(body), canonical_json(meta or {})
    digest = row_hash(head[1], row_id, run_id, kind, key, body_text, meta_text, created)
    row = (head[0] + 1, row_id, run_id, kind, key, body_text, meta_text, created.replace(tzinfo=None))
    hashes = (head[1], digest, content_hash(body))
    con.execute("INSERT INTO entry VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", [*row, *hashes])
    con.execute("UPDATE chain_head SET seq = ?, hash = ?", [row[0], digest])
    return _row((*row, *hashes))


def next_id(con: duckdb.DuckDBPyConnection, kind: str) -> str:
    """The id that the next row of a kind gets: gap-1, training-2; changes of an approval do not count."""
    count = con.execute("SELECT count(*) FROM entry WHERE kind = ? AND id NOT LIKE '%.%'", [kind]).fetchone()
    number = (count[0] if count else 0) + 1
    return f"run-{number:04d}" if kind == "run" else f"{kind}-{number}"


def row_hash(
    prev_hash: str,
    id: str,
    run_id: str,
    kind: str,
    key: str | None,
    body: str,
    meta: str,
    created: datetime,
) -> str:
    """Hash of a row over the previous hash and its own stored text."""
    stamp = created.replace(tzinfo=None).isoformat(timespec="microseconds")
    return content_hash([prev_hash, id, run_id, kind, key, body, meta, stamp])


def select(con: duckdb.DuckDBPyConnection, where: str = "TRUE", values: Sequence[object] = ()) -> list[Row]:
    """Rows that meet a condition, in order."""
    found = con.execute(f"SELECT {_COLUMNS} FROM entry WHERE {where} ORDER BY seq", list(values)).fetchall()
    return [_row(values) for values in found]


def _row(values: tuple[Any, ...]) -> Row:
    seq, id, run_id, kind, key, body, meta, created, prev_hash, digest, content = values
    stamp = created.replace(tzinfo=UTC)
    return Row(seq, id, run_id, kind, key, json.loads(body), json.loads(meta), stamp, prev_hash, digest, content)


def first_broken(con: duckdb.DuckDBPyConnection) -> tuple[str, str] | None:
    """Id and fault of the first row that does not fit the chain, or None when all of it fits."""
    seq, previous = 0, ""
    cursor = con.execute(f"SELECT {_COLUMNS} FROM entry ORDER BY seq")
    while batch := cursor.fetchmany(1000):
        for found, id, run_id, kind, key, body, meta, created, prev_hash, digest, content in batch:
            seq += 1
            if found != seq:
                return id, f"row {seq} is missing before it"
            if prev_hash != previous:
                return id, "it does not follow the row before it"
            if digest != row_hash(previous, id, run_id, kind, key, body, meta, created):
                return id, "its content was changed after it was written"
            if content != content_hash(json.loads(body)):
                return id, "its content_hash was changed after it was written"
            previous = digest
    heads = con.execute("SELECT seq, hash FROM chain_head").fetchall()
    if heads != [(seq, previous)]:
        return "chain_head", f"the chain ends at row {seq}, its head says {heads}: rows are missing at the end"
    return None
