"""A ledger of a million rows: how long the questions of a day take, the opening of the file included."""

import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

from store.ledger import Ledger
from store.records import GapRow, Rate

ROWS, GAPS, ASKED = 1_000_000, 200_000, 9
WANTED_MS = 100.0
QUESTIONS = {
    "the gap query": "SELECT task, round, avg(success_gap) AS gap, count(*) FROM gap GROUP BY ALL ORDER BY ALL",
    "worst gaps": "SELECT id, success_gap, verdict FROM gap ORDER BY success_gap DESC LIMIT 20",
    "gaps of one run": "SELECT id, round, success_gap, slip_gap FROM gap WHERE run_id = 'run-777' ORDER BY round",
    "rows of one kind": "SELECT count(*) FROM entry WHERE kind = 'gap'",
}


def run(home: Path, seeds: int | None, say: Callable[[str], None]) -> dict[str, Any]:
    """Build it and ask each question some times, each in a connection of its own as the command line does."""
    home.mkdir(parents=True, exist_ok=True)
    ledger = Ledger(home / "million.duckdb")
    began = time.monotonic()
    build(ledger)
    say(f"{ROWS:,} rows, {GAPS:,} of them gaps, in {time.monotonic() - began:.0f} s; "
        f"{ledger.path.stat().st_size / 1e6:.0f} MB")  # fmt: skip
    rows = []
    for name, text in QUESTIONS.items():
        taken = []
        for _ in range(ASKED):
            started = time.perf_counter()
            ledger.sql(text)
            taken.append(1e3 * (time.perf_counter() - started))
        rows.append({"question": name, "median_ms": median(taken), "worst_ms": max(taken)})
    return {"rows": ROWS, "gaps": GAPS, "questions": rows}


def build(ledger: Ledger) -> None:
    """One real gap row by the ledger's own way, then copies of it in bulk, spread over tasks, rounds and runs.

    A million appends would take hours in their own transactions; the copies carry made-up hashes, so this ledger would
    not pass `verify`.
    """
    rate = Rate(successes=30, trials=50)
    gap = GapRow(round=0, task="finger_push", policy="p", source="pseudo_real", ranges=(), sim_success=rate,
                 sim_slip=rate, real_success=rate, real_slip=rate, verdict="RECENTRE", decision="")  # fmt: skip
    ledger.append("gap", gap, run_id="run-0001")
    with ledger.transaction() as con:
        con.execute(
            f"""INSERT INTO entry SELECT 1 + i, 'row-' || i, 'run-' || (i // 50), CASE WHEN i % {ROWS // GAPS} = 0
            THEN 'gap' ELSE 'note' END, NULL, body, meta, created, md5(i::VARCHAR), md5((i + 1)::VARCHAR),
            md5(i::VARCHAR) FROM entry, range(1, {ROWS}) AS r(i) WHERE seq = 1"""
        )
        con.execute(
            f"""INSERT INTO gap SELECT gap.* REPLACE ('row-' || i AS id, 'run-' || (i // 50) AS run_id,
            (i // {ROWS // GAPS} % 4)::INTEGER AS round, 'task-' || (i % 6) AS task, random() AS success_gap)
            FROM gap, range({ROWS // GAPS}, {ROWS}, {ROWS // GAPS}) AS r(i)"""
        )


def table(result: dict[str, Any]) -> str:
    """One line a question."""
    head = f"{'question':<20}{'median ms':>12}{'worst ms':>12}   wanted below {WANTED_MS:g} ms"
    rows = [f"{r['question']:<20}{r['median_ms']:>12.1f}{r['worst_ms']:>12.1f}" for r in result["questions"]]
    return "\n".join([head, *rows])
