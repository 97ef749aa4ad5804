"""Ingest and audit of long logs: ten million samples as CSV, simulation and hardware, to the first divergence."""

import resource
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv as arrow_csv

ROWS, JOINTS = 1_000_000, 5
"""Rows of a file, and signals in a row; two files make ten million samples."""
PARTS = 617_000
"""Row at which the hardware leaves the simulation."""
WANTED_S = 20.0


def run(home: Path, seeds: int | None, say: Callable[[str], None]) -> dict[str, Any]:
    """Write both files, then time the commands as a user gives them."""
    home.mkdir(parents=True, exist_ok=True)
    for source in ("sim", "real"):
        write(home, source)
    say(f"{2 * ROWS * JOINTS:,} samples in {sum(f.stat().st_size for f in home.glob('*.csv')) / 1e6:.0f} MB of CSV")
    seconds: dict[str, float] = {}
    for source in ("sim", "real"):
        words = [
            "ingest",
            home / f"{source}.csv",
            "--map",
            home / f"{source}.toml",
            "--out",
            home / f"{source}.parquet",
        ]
        seconds[f"ingest {source}"] = timed(words)[0]
    seconds["audit"], answer = timed(
        ["audit", home / "sim.parquet", home / "real.parquet", "--threshold", "pose=0.05", "--json"]
    )
    memory = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    return {"seconds": seconds, "largest_memory_mb": memory, "found": f"pose@step{PARTS}" in answer}


def write(home: Path, source: str) -> None:
    """A log at 1 kHz in milliseconds and degrees, and its map."""
    rng = np.random.default_rng(source == "real")
    time_ms = np.arange(ROWS, dtype=float)
    columns: dict[str, Any] = {"t": time_ms}
    for joint in range(JOINTS):
        angle = 30 * np.sin(2 * np.pi * 1e-3 * (0.3 + 0.1 * joint) * time_ms) + 0.05 * rng.standard_normal(ROWS)
        columns[f"q{joint}"] = np.round(angle + (5.0 if source == "real" else 0.0) * (time_ms >= PARTS), 4)
    arrow_csv.write_csv(pa.table(columns), home / f"{source}.csv")
    lines = ["[file]", 'format = "csv"', f'source = "{source}"', 'run = "long"', "[clock]", 'kind = "stamp"',
             'column = "t"', 'unit = "ms"']  # fmt: skip
    for joint in range(JOINTS):
        lines += ["[[signal]]", f'from = "q{joint}"', f'name = "joint_position.j{joint}"', 'unit = "deg"']
    (home / f"{source}.toml").write_text("\n".join(lines) + "\n")


def timed(words: list[Any]) -> tuple[float, str]:
    """Seconds and output of a command of its own process."""
    began = time.monotonic()
    done = subprocess.run([sys.executable, "-m", "agent", *map(str, words)], capture_output=True, text=True, check=True)
    return time.monotonic() - began, done.stdout


def table(result: dict[str, Any]) -> str:
    """One line a command, the sum, and the memory."""
    lines = [f"{name:<14}{seconds:>8.1f} s" for name, seconds in result["seconds"].items()]
    total = sum(result["seconds"].values())
    lines.append(f"{'together':<14}{total:>8.1f} s   wanted below {WANTED_S:g} s")
    lines.append(f"largest memory of a command {result['largest_memory_mb']:.0f} MB; "
                 f"the divergence was {'found at its row' if result['found'] else 'NOT found'}")  # fmt: skip
    return "\n".join(lines)
