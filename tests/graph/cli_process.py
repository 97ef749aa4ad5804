"""The real command line in real processes: small runs, killed where a test wants it."""

import json
import os
import pty
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from store import approvals
from store.ledger import Ledger

REQUEST = "Push the puck 10 cm with one finger. Friction is 0.5 to 1.2, the servo delay was measured at 11 ms."
SIZES = """
train_iterations = 2
finetune_iterations = 1
panel_episodes = 8
pilot_rollouts = 14
control_rollouts = 3
diagnose_rollouts = 14
"""
TWIN = """
task = "finger_push"
name = "late-twin"
rig = "twin-1"
calibration = "cal-1"
seed = 7

[hidden]
delay = 0.12
"""
COMMAND = (sys.executable, "-P", "-m", "agent.cli.main")
PATIENCE_S = 240.0
"""Longest wait for a stage; generous, for machines that do other things as well."""


class Workplace:
    """A home, a small config and a late twin; the command line runs in it.

    Args:
        folder: an empty folder.
    """

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.folder, self.home = folder, folder / "home"
        (folder / "sizes.toml").write_text(SIZES)
        (folder / "twin.toml").write_text(TWIN)

    @property
    def ledger(self) -> Ledger:
        """The ledger of the home."""
        return Ledger(self.home / "ledger.duckdb")

    @property
    def run_folder(self) -> Path:
        """Folder of the first run."""
        return self.home / "runs" / "run-0001"

    def run_words(self, *more: str) -> list[str]:
        """Words of `regrasp run` with this place's config and twin; a person approves."""
        files = ["--config", str(self.folder / "sizes.toml"), "--twin-spec", str(self.folder / "twin.toml")]
        return ["run", REQUEST, *files, *more]

    def call(self, *words: str) -> subprocess.CompletedProcess[str]:
        """Run a command to its end."""
        return subprocess.run(
            [*COMMAND, *words, "--home", str(self.home)], capture_output=True, text=True, timeout=600,
            stdin=subprocess.DEVNULL,
        )  # fmt: skip

    def start(self, *words: str) -> subprocess.Popen[bytes]:
        """Start a command in a session of its own."""
        with (self.folder / "log.txt").open("ab") as log:
            return subprocess.Popen(
                [*COMMAND, *words, "--home", str(self.home)], stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                start_new_session=True,
            )  # fmt: skip

    def start_on_terminal(self, *words: str) -> "Terminal":
        """Start a command as a person would, on a terminal."""
        return Terminal([*COMMAND, *words, "--home", str(self.home)])

    def wait(self, condition: Callable[[], Any], process: subprocess.Popen[bytes] | None = None) -> None:
        """Wait until a condition holds; a process that ends before it does is an error."""
        until = time.monotonic() + PATIENCE_S
        while not condition():
            ended = process is not None and process.poll() is not None
            assert not ended or condition(), f"ended too early: {(self.folder / 'log.txt').read_text()[-2000:]}"
            assert time.monotonic() < until, "waited in vain"
            time.sleep(0.05)

    def pending(self) -> list[str]:
        """Ids of the approvals that wait."""
        return [a.id for a in approvals.pending(self.ledger)] if (self.home / "ledger.duckdb").exists() else []

    def finish(self, run_id: str = "run-0001") -> dict[str, Any]:
        """Approve and resume until the run is done; its JSON."""
        for _ in range(6):
            for id in self.pending():
                assert self.call("approve", id).returncode == 0
            done = self.call("resume", run_id, "--json")
            assert done.returncode in (0, 3), done.stderr
            if done.returncode == 0:
                return json.loads(done.stdout)
        raise AssertionError("the run does not end")

    def starts(self) -> dict[str, int]:
        """How often each job was started."""
        files = sorted(self.run_folder.glob("jobs/*/starts.jsonl"))
        return {file.parent.name: len(file.read_text().splitlines()) for file in files}

    def traces(self) -> dict[str, int]:
        """Every trace of every pilot and when it was written, ns."""
        return {str(p.relative_to(self.home)): p.stat().st_mtime_ns for p in self.run_folder.glob("pilots/*/*.parquet")}

    def kinds(self) -> list[str]:
        """Kinds of the rows."""
        return [row.kind for row in self.ledger.rows("run-0001")]


class Terminal:
    """A process on a pseudo terminal, in a session of its own.

    Args:
        words: its command.
    """

    def __init__(self, words: Sequence[str]) -> None:
        self.pid, self._terminal = pty.fork()
        if self.pid == 0:
            os.execv(words[0], list(words))
        self.seen = ""

    def read_until(self, text: str, seconds: float = PATIENCE_S) -> None:
        """Read what it prints until a text appears."""
        until = time.monotonic() + seconds
        while text not in self.seen:
            assert time.monotonic() < until, self.seen[-2000:]
            try:
                self.seen += os.read(self._terminal, 4096).decode(errors="replace")
            except OSError as error:
                raise AssertionError(f"it ended: {self.seen[-2000:]}") from error

    def type(self, line: str) -> None:
        """Type a line."""
        os.write(self._terminal, (line + "\n").encode())

    def wait(self) -> int:
        """Read to the end; its exit code."""
        while True:
            try:
                data = os.read(self._terminal, 4096)
            except OSError:
                break  # the terminal hangs up when the last process on it ends
            if not data:
                break
            self.seen += data.decode(errors="replace")
        _, status = os.waitpid(self.pid, 0)
        os.close(self._terminal)
        return os.waitstatus_to_exitcode(status)

    def kill(self) -> None:
        """Kill -9 its process group."""
        os.killpg(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        os.close(self._terminal)


def kill(process: subprocess.Popen[bytes]) -> None:
    """Kill -9 a process group, as a power cut or an impatient person would."""
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
