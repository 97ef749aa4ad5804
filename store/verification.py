"""Is the ledger what was written? The chain and all that is derived from it, recomputed."""

from dataclasses import dataclass

import duckdb
from pydantic import ValidationError

from store.approvals import first_broken_approval
from store.chain import first_broken
from store.projection import first_broken_gap


@dataclass(frozen=True)
class Verification:
    """Outcome of a check: `broken` is the id of the first broken row and `fault` says what is wrong with it."""

    ok: bool
    rows: int
    head: str
    broken: str | None = None
    fault: str = ""


def verify(con: duckdb.DuckDBPyConnection) -> Verification:
    """Recompute the chain, table gap and table approval."""
    count = con.execute("SELECT count(*) FROM entry").fetchone()
    head = con.execute("SELECT hash FROM chain_head").fetchone()
    rows, digest = (count[0] if count else 0), (head[0] if head else "")
    for check in (first_broken, first_broken_gap, first_broken_approval):
        try:
            found = check(con)
        except ValidationError as error:
            found = (error.title, f"it does not fit its record: {error.errors()[0]['msg']}")
        if found is not None:
            return Verification(False, rows, digest, found[0], found[1])
    return Verification(True, rows, digest)
