"""The one folder in which everything of the experiments lives."""

import fcntl
import json
import os
import sys
import tempfile
import time
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from pathlib import Path

from store.errors import UserError

DEFAULT = Path("runs")
VARIABLE = "REGRASP_HOME"


class Home:
    """Layout of a home folder; nothing is made before `create`.

    Args:
        path: the folder.
    """

    def __init__(self, path: Path | str) -> None:
        self.path = Path(path).expanduser().absolute()

    @classmethod
    def find(cls, option: Path | str | None = None, environment: Mapping[str, str] = os.environ) -> "Home":
        """The home that --home names, else $REGRASP_HOME, else ./runs."""
        return cls(option or environment.get(VARIABLE) or DEFAULT)

    @property
    def ledger(self) -> Path:
        """The DuckDB file."""
        return self.path / "ledger.duckdb"

    @property
    def checkpoints(self) -> Path:
        """The SQLite file of the planner's checkpoints."""
        return self.path / "checkpoints.sqlite"

    @property
    def lock_file(self) -> Path:
        """Held by the planner that runs in this home."""
        return self.path / "lock"

    def run(self, run_id: str) -> Path:
        """Folder of a run."""
        return self.path / "runs" / run_id

    def job(self, run_id: str, name: str) -> Path:
        """Folder of a job of a run."""
        return self.run(run_id) / "jobs" / name

    def pilot(self, run_id: str, name: str) -> Path:
        """Folder of the traces of a pilot."""
        return self.run(run_id) / "pilots" / name

    def report(self, run_id: str) -> Path:
        """The report of a run."""
        return self.run(run_id) / "report.html"

    def create(self) -> "Home":
        """Make the folder and see that it can be written.

        Raises:
            UserError: naming the folder and what the system said.
        """
        try:
            (self.path / "runs").mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=self.path) as probe:
                probe.write(b"regrasp")
                probe.flush()
        except OSError as error:
            raise UserError(
                f"the home cannot be written: {error.strerror}",
                str(self.path),
                hint=f"name another with --home or ${VARIABLE}",
            ) from error
        return self

    @contextmanager
    def lock(self, patience_s: float = 3.0) -> Generator[None]:
        """Be the only planner in this home until the end of the block; the system frees it after kill -9.

        Raises:
            UserError: naming the process id and command of the holder.
        """
        self.create()
        handle = os.open(self.lock_file, os.O_RDWR | os.O_CREAT, 0o644)
        try:
            deadline = time.monotonic() + patience_s
            while not _try_lock(handle):
                if time.monotonic() >= deadline:
                    raise self._busy(handle)
                time.sleep(0.05)
            holder = json.dumps({"pid": os.getpid(), "command": " ".join(sys.argv)})
            os.ftruncate(handle, 0)
            os.pwrite(handle, holder.encode(), 0)
            try:
                yield
            finally:
                os.ftruncate(handle, 0)
        finally:
            os.close(handle)

    def _busy(self, handle: int) -> UserError:
        text = os.pread(handle, 4096, 0).decode(errors="replace")
        try:
            holder = json.loads(text)
            who = f"process {holder['pid']} ({holder['command']})"
        except (ValueError, KeyError, TypeError):
            who = "another process"
        return UserError(
            f"the home is in use by {who}", str(self.path), hint="wait for it, stop it, or name another --home"
        )


def _try_lock(handle: int) -> bool:
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
