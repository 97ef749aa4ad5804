"""Drive a run from the command line: signals, bars, the person, and what is printed at the end."""

import json
import signal
import sys
import threading
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

from agent.cli.advice import command
from agent.cli.consent import Consent
from agent.cli.display import Display
from agent.cli.ending import print_ending
from agent.session import Voice, drive, results
from store.errors import NotFoundError, UserError
from store.home import Home
from store.ledger import Ledger


def drive_and_tell(home: Home, run_id: str, *, as_json: bool, minutes: float | None, notes: Sequence[str] = ()) -> int:
    """Drive a run and print what came of it; returns the exit code. The caller holds the home's lock."""
    display = Display(to_stderr=as_json)
    consent = Consent(display, may_ask=sys.stdin.isatty() and not as_json)
    with display, _signals(display) as cancel:
        resume = command(f"resume {run_id}", home.path)
        display.line(f"{run_id} in {home.path} (Ctrl-C stops it, {resume} goes on)")
        for note in notes:
            display.line(f"note: {note}")
        try:
            ending = drive(home, run_id, Voice(consent, display.progress, display.line, cancel), minutes)
        except BaseException:
            display.line(f"nothing is lost; {resume} goes on")
            raise
    if as_json:
        sys.stdout.write(json.dumps(results(ending), ensure_ascii=False) + "\n")
    print_ending(display.console, ending)
    return ending.exit_code


def existing(home: Path | None) -> tuple[Home, Ledger]:
    """A home that has a ledger, and the ledger.

    Raises:
        UserError: nothing was ever run there.
    """
    place = Home.find(home)
    if not place.ledger.exists():
        raise NotFoundError("there is no ledger here", where=str(place.path), hint="name the folder with --home")
    return place, Ledger(place.ledger, create=False)


def is_running(home: Home) -> bool:
    """Whether a planner holds the home."""
    try:
        with home.lock(patience_s=0.0):
            return False
    except UserError:
        return True


@contextmanager
def _signals(display: Display) -> Generator[threading.Event]:
    """Ctrl-C and SIGTERM set the event; a second one kills at once."""
    cancel = threading.Event()

    def stop(number: int, _: FrameType | None) -> None:
        cancel.set()
        signal.signal(number, signal.SIG_DFL)
        display.line("stopping; once more kills at once")

    before = {number: signal.signal(number, stop) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield cancel
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
