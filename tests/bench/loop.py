"""The whole loop on the default twin, several seeds: is the gap after the repair below half of the gap before?"""

import json
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

REQUEST = "Push the puck 10 cm with one finger. Friction is 0.5 to 1.2, the servo delay was measured at 11 ms."
SEEDS = 5


def run(home: Path, seeds: int | None, say: Callable[[str], None]) -> dict[str, Any]:
    """Run the demo request once a seed, each in a home of its own."""
    rows = []
    for seed in range(seeds or SEEDS):
        began = time.monotonic()
        command = [sys.executable, "-m", "agent", "run", REQUEST, "--approve", "twin", "--json"]
        command += ["--home", str(home / f"seed-{seed}"), "--seed", str(seed)]
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True)
        if done.returncode != 0:
            raise RuntimeError(f"seed {seed} ended with exit code {done.returncode}: {done.stdout[-500:]}")
        row = {"seed": seed, "seconds": round(time.monotonic() - began, 1), **json.loads(done.stdout)}
        rows.append({**row, "halved": row["success_gap_after"] < row["success_gap_before"] / 2})
        say(_line(rows[-1]))
    return {"request": REQUEST, "rows": rows, "halved": sum(row["halved"] for row in rows), "seeds": len(rows)}


def table(result: dict[str, Any]) -> str:
    """One line a seed and the count."""
    head = f"{'seed':<6}{'gap before':<12}{'gap after':<11}{'slip before':<13}{'slip after':<12}{'seconds':<9}halved"
    lines = [head, *(_line(row) for row in result["rows"])]
    return "\n".join([*lines, f"gap halved in {result['halved']} of {result['seeds']} seeds"])


def _line(row: dict[str, Any]) -> str:
    return (
        f"{row['seed']:<6}{row['success_gap_before']:<12.2f}{row['success_gap_after']:<11.2f}"
        f"{row['slip_gap_before']:<13.2f}{row['slip_gap_after']:<12.2f}{row['seconds']:<9.0f}{row['halved']}"
    )
