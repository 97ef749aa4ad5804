"""What a person sees while a run works: a bar for each job, a line for each finished stage."""

import sys
import time
from types import TracebackType
from typing import Self

from rich.console import Console
from rich.progress import BarColumn, TaskID, TaskProgressColumn, TextColumn, TimeRemainingColumn
from rich.progress import Progress as Bars

from tools.context import Progress

PLAIN_EVERY_S = 10.0
"""Without a terminal: seconds between two lines about the same job."""


class Display:
    """Bars on a terminal, a line now and then without one.

    Args:
        to_stderr: keep stdout free for JSON.
    """

    def __init__(self, *, to_stderr: bool) -> None:
        self.console = Console(file=sys.stderr if to_stderr else sys.stdout, highlight=False, soft_wrap=True)
        self._bars = Bars(
            TextColumn("  {task.description:<20}"),
            BarColumn(bar_width=30),
            TaskProgressColumn(),
            TimeRemainingColumn(),
            TextColumn("{task.fields[text]}"),
            console=self.console,
            transient=True,
            disable=not self.console.is_terminal,
        )
        self._tasks: dict[str, TaskID] = {}
        self._said: dict[str, float] = {}

    def __enter__(self) -> Self:
        self._bars.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._bars.stop()

    def line(self, text: str) -> None:
        """One line about a finished stage."""
        self.console.print(text, markup=False)

    def progress(self, event: Progress) -> None:
        """Move a job's bar."""
        if not self.console.is_terminal:
            self._plain(event)
            return
        if event.done:
            if event.name in self._tasks:
                self._bars.remove_task(self._tasks.pop(event.name))
            return
        text = _text(event)
        if event.name not in self._tasks:
            self._tasks[event.name] = self._bars.add_task(event.name, total=event.of, text=text)
        self._bars.update(self._tasks[event.name], completed=event.step, total=event.of, text=text)

    def pause(self) -> None:
        """Take the bars away while a person is asked."""
        self._bars.stop()

    def go_on(self) -> None:
        """Bring the bars back."""
        self._bars.start()

    def _plain(self, event: Progress) -> None:
        now = time.monotonic()
        if event.done or now - self._said.setdefault(event.name, now) < PLAIN_EVERY_S:
            return
        self._said[event.name] = now
        self.line(f"  {event.name}: {event.step} of {event.of} {_text(event)}".rstrip())


def _text(event: Progress) -> str:
    success = event.values.get("success")
    shown = f"success {success:.2f}" if success is not None else ""
    return " ".join(word for word in (event.text, shown) if word)
