"""What the ledger tests share: sample records, raw SQL on the file, Python in a process of its own."""

import subprocess
import sys
from pathlib import Path

import duckdb

from store.ledger import Ledger
from store.records import ApprovalRequest, Divergence, GapRow, Measurement, Range, Rate, Run

ROOT = Path(__file__).parents[2]


def run_record(seed: int = 1) -> Run:
    return Run(request="Push the puck", seed=seed, driver="twin", planner="builtin", approve="ask", rounds=1)


def worked_row() -> GapRow:
    """The textbook's worked rollout. A slip rate of .19 is no share of 50, so slip has counts of its own."""
    return GapRow(
        round=0,
        task="finger_push",
        policy="p0",
        source="real",
        ranges=(
            Range(parameter="friction", unit="1", low=0.5, high=1.2, source="request"),
            Range(parameter="delay", unit="s", low=0.008, high=0.018, source="measured", anchor="delay"),
        ),
        measurements=(
            Measurement(quantity="delay", value=0.011, unit="s", method="stated"),
            Measurement(quantity="compliance", value=0.003 / 5, unit="m/N", method="stated", text="3 mm at 5 N"),
        ),
        sim_success=Rate(successes=81, trials=100),
        sim_slip=Rate(successes=8, trials=100),
        real_success=Rate(successes=31, trials=50),
        real_slip=Rate(successes=19, trials=100),
        divergences=(
            Divergence(channel="pose", signal="puck_x", step=7, time_s=0.14, threshold=0.002, unit="m"),
            Divergence(channel="force", signal="tip_force", step=3, time_s=0.06, threshold=0.2, unit="N"),
        ),
        verdict="RECENTRE",
        decision="Move the delay window and add delay correction; do not touch friction.",
    )


def request(**changes: object) -> ApprovalRequest:
    base = ApprovalRequest(
        round=0,
        plan_hash="plan",
        policy="policy",
        driver="twin",
        envelope_hash="envelope",
        rollouts=60,
        text="The finger moves 60 times.",
        expires_minutes=60,
    )
    return base.with_changes(**changes)


def new_ledger(folder: Path) -> Ledger:
    return Ledger(folder / "ledger.duckdb")


def raw(path: Path, *statements: str) -> list[tuple[object, ...]]:
    """Change the file behind the ledger's back; the answer of the last statement."""
    with duckdb.connect(str(path)) as con:
        for statement in statements:
            con.execute(statement)
        return con.fetchall()


def start(code: str, *arguments: object) -> subprocess.Popen[str]:
    """A Python process of its own in the repository; sys.argv[1:] holds the arguments."""
    return subprocess.Popen(
        [sys.executable, "-c", code, *map(str, arguments)],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def finish(process: subprocess.Popen[str], timeout_s: float = 60) -> str:
    """Its stdout, after it ended well."""
    out, err = process.communicate(timeout=timeout_s)
    assert process.returncode == 0, err
    return out
