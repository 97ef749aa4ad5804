"""What every tool is given: where the run lives, its ledger, its options, and how to report and to stop."""

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from store.ledger import Ledger
from tools.options import RunOptions
from tools.settings import Settings
from tools.stop import Cancelled


@dataclass(frozen=True)
class Progress:
    """How far a piece of work is."""

    name: str
    """Work, e.g. 'train, round 0'."""
    step: int
    of: int
    text: str = ""
    values: Mapping[str, float] = field(default_factory=dict)
    done: bool = False
    """Whether the work has ended; its bar can go."""


def _no_progress(_: Progress) -> None:
    return None


def _no_line(_: str) -> None:
    return None


def _no_report() -> None:
    return None


@dataclass(frozen=True)
class Context:
    """One round of one run."""

    home: Path
    ledger: Ledger
    run_id: str
    round: int
    options: RunOptions
    minutes: float
    """Working time that the run may take, min: its own option, or what a resume allows."""
    on_progress: Callable[[Progress], None] = _no_progress
    """Called as work goes on."""
    on_line: Callable[[str], None] = _no_line
    """Called with one line for each finished stage."""
    write_report: Callable[[], None] = _no_report
    """Builds the run's report from the ledger; tools/ does not know how."""
    cancel: threading.Event = field(default_factory=threading.Event)
    """Set by Ctrl-C and SIGTERM."""

    @property
    def settings(self) -> Settings:
        """Sizes of the run."""
        return self.options.settings

    @property
    def seed(self) -> int:
        """The run's seed; see tools.seeds for what derives from it."""
        return self.options.seed

    @property
    def folder(self) -> Path:
        """HOME/runs/RUN."""
        return self.home / "runs" / self.run_id

    @property
    def stop_file(self) -> Path:
        """A file that `regrasp stop` leaves for the running planner."""
        return self.folder / "stop"

    def job_folder(self, name: str) -> Path:
        """Folder of this round's job of that name."""
        return self.folder / "jobs" / f"round-{self.round}-{name}"

    @property
    def pilot_folder(self) -> Path:
        """Folder of this round's traces."""
        return self.folder / "pilots" / f"round-{self.round}"

    def relative(self, path: Path) -> str:
        """A path as the ledger keeps it: relative to the home, with forward slashes."""
        return path.relative_to(self.home).as_posix()

    @property
    def cancelled(self) -> bool:
        """Whether somebody asked the run to stop."""
        return self.cancel.is_set() or self.stop_file.exists()

    def check(self) -> None:
        """Raise Cancelled when somebody asked the run to stop."""
        if self.cancelled:
            raise Cancelled("stopped on request")
