"""The typed table `gap`: what people ask of the GapRows, written with them."""

from typing import Any

import duckdb

from store.chain import Row, select
from store.records.gap import GapRow


def columns(row: Row) -> dict[str, Any]:
    """Columns of the table `gap` for one row of the chain."""
    gap = GapRow.model_validate(row.body)
    success, slip, first = gap.success_gap_interval, gap.slip_gap_interval, gap.first_divergence
    return {
        "id": row.id,
        "run_id": row.run_id,
        "round": gap.round,
        "task": gap.task,
        "policy": gap.policy,
        "source": gap.source,
        "sim_success": gap.sim_success.value,
        "real_success": gap.real_success.value,
        "success_gap": gap.success_gap,
        "success_gap_low": success[0],
        "success_gap_high": success[1],
        "sim_slip": gap.sim_slip.value,
        "real_slip": gap.real_slip.value,
        "slip_gap": gap.slip_gap,
        "slip_gap_low": slip[0],
        "slip_gap_high": slip[1],
        "sim_slip_fraction": gap.sim_slip_fraction,
        "real_slip_fraction": gap.real_slip_fraction,
        "sim_trials": gap.sim_success.trials,
        "real_trials": gap.real_success.trials,
        "first_divergence": None if first is None else str(first),
        "verdict": gap.verdict,
        "decision": gap.decision,
    }


def project(con: duckdb.DuckDBPyConnection, row: Row) -> None:
    """Write the projection of a row that was just appended, where its kind has one."""
    if row.kind == "gap":
        found = columns(row)
        marks = ", ".join("?" for _ in found)
        con.execute(f"INSERT INTO gap ({', '.join(found)}) VALUES ({marks})", list(found.values()))


def first_broken_gap(con: duckdb.DuckDBPyConnection) -> tuple[str, str] | None:
    """Id and fault of the first row of `gap` that its chain row does not give, or None."""
    cursor = con.execute("SELECT * FROM gap")
    names = [str(d[0]) for d in cursor.description or ()]
    stored: dict[str, dict[str, Any]] = {}
    for values in cursor.fetchall():
        found = dict(zip(names, values, strict=True))
        stored[str(found["id"])] = found
    for row in select(con, "kind = 'gap'"):
        found = stored.pop(row.id, None)
        if found is None:
            return row.id, "it is missing from table gap"
        expected = columns(row)
        wrong = [name for name in names if found[name] != expected.get(name)]
        if wrong:
            return row.id, f"table gap differs from it in {', '.join(wrong)}"
    if stored:
        return min(stored), "it is in table gap but not in the chain"
    return None
