"""Child processes that do the work: start, attach, watch, cancel.

A job lives in its own process group and outlives a planner that was killed. It inherits a locked file
(`job.lock`), so the kernel knows whether it still lives, whatever its pid; the next planner attaches to it.
"""

import fcntl
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from store.artifacts import write_text
from store.errors import UserError
from store.hashing import canonical_json
from tools.stop import Cancelled

POLL_S = 0.1
SILENCE_S = 120.0
"""A job whose heartbeat stands still for so long hangs."""
TERM_S = 3.0
"""Time between SIGTERM and SIGKILL."""
LEAST_ROOM = 1_000_000
"""Bytes on the disk below which a job that left no result is taken to have wanted room."""


class JobError(Exception):
    """A job failed; the message holds its own words or the end of its stderr."""


class JobTimeout(JobError):
    """A job ran past its limit and was killed."""


@dataclass(frozen=True)
class JobProgress:
    """One line of a job's progress.jsonl."""

    step: int
    of: int
    text: str
    values: dict[str, float]


def run_job(
    directory: Path,
    spec: dict[str, Any],
    *,
    timeout_s: float,
    on_progress: Callable[[JobProgress], None] = lambda _: None,
    cancelled: Callable[[], bool] = lambda: False,
    command: tuple[str, ...] = (sys.executable, "-P", "-m", "sim.job"),
) -> dict[str, Any]:
    """Do a job once: return its finished result, attach to it where it still runs, or start it.

    Args:
        directory: the job's folder; made when missing.
        spec: its spec.json; a folder that holds another spec is cleared first.
        timeout_s: hard limit on its wall time; beyond it the whole process group is killed.
        on_progress: called for each line of progress.
        cancelled: polled; when true the job is killed and Cancelled raised.
        command: program that takes the folder as its last argument.

    Raises:
        JobError: it failed. UserError: by a mistake that the user can mend. JobTimeout: it ran past the limit.
        Cancelled: it was cancelled.
    """
    directory.mkdir(parents=True, exist_ok=True)
    same = _read_json(directory / "spec.json") == json.loads(canonical_json(spec))
    lock = _take_lock(directory)
    if lock is None and not same:
        _kill_group(directory)
        lock = _take_lock(directory)
    if lock is not None and same and (directory / "result.json").exists():
        os.close(lock)
        return _result(directory)
    child: subprocess.Popen[bytes] | None = None
    if lock is not None:
        try:
            child = _start(directory, spec, lock, command)
        finally:
            os.close(lock)
    _watch(directory, child, timeout_s, on_progress, cancelled)
    if (directory / "result.json").exists():
        return _result(directory)
    if child is None and not (directory / "error.json").exists():
        # It was attached to and died without a word, perhaps killed together with the last planner.
        return run_job(
            directory, spec, timeout_s=timeout_s, on_progress=on_progress, cancelled=cancelled, command=command
        )
    raise _failure(directory, child)


def starts(directory: Path) -> int:
    """How often a job was started; a job that was attached to counts once."""
    path = directory / "starts.jsonl"
    return len(path.read_text().splitlines()) if path.exists() else 0


def _take_lock(directory: Path) -> int | None:
    """The job's lock, or None while a living job holds it."""
    handle = os.open(directory / "job.lock", os.O_RDWR | os.O_CREAT, 0o644)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(handle)
        return None
    return handle


def _start(directory: Path, spec: dict[str, Any], lock: int, command: tuple[str, ...]) -> subprocess.Popen[bytes]:
    for entry in directory.iterdir():
        if entry.name in ("job.lock", "starts.jsonl"):
            continue
        if entry.is_dir():
            shutil.rmtree(entry)
        else:
            entry.unlink()
    write_text(directory / "spec.json", canonical_json(spec))
    (directory / "heartbeat").touch()
    with (directory / "stdout.log").open("wb") as out, (directory / "stderr.log").open("wb") as err:
        child = subprocess.Popen(
            [*command, str(directory)],
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=err,
            start_new_session=True,
            pass_fds=(lock,),
        )
    write_text(directory / "pid", str(child.pid))
    with (directory / "starts.jsonl").open("a") as file:
        file.write(json.dumps({"pid": child.pid, "t": time.time()}) + "\n")
    return child


def _watch(
    directory: Path,
    child: subprocess.Popen[bytes] | None,
    timeout_s: float,
    on_progress: Callable[[JobProgress], None],
    cancelled: Callable[[], bool],
) -> None:
    """Wait for the end of the job, reporting its progress; kill it on cancel, timeout or silence."""
    began = time.monotonic() - _age(directory, attached=child is None)
    beat, heard = 0.0, time.monotonic()
    tail = _Tail(directory / "progress.jsonl")
    while True:
        over = child.poll() is not None if child else _lock_is_free(directory)
        for line in tail.read():
            on_progress(line)
        if over:
            return
        now = time.monotonic()
        latest = _mtime(directory / "heartbeat")
        if latest != beat:
            beat, heard = latest, now
        reason = None
        if cancelled():
            reason = "cancel"
        elif now - began > timeout_s:
            reason = "timeout"
        elif now - heard > SILENCE_S:
            reason = "silence"
        if reason:
            _kill_group(directory, child)
        if reason == "cancel":
            raise Cancelled(f"job {directory.name} was cancelled")
        if reason == "timeout":
            raise JobTimeout(f"job {directory.name} ran past its limit of {timeout_s:g} s and was killed")
        if reason == "silence":
            raise JobTimeout(f"job {directory.name} showed no sign of life for {SILENCE_S:.0f} s and was killed")
        time.sleep(POLL_S)


class _Tail:
    """Whole new lines of a growing progress file."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._offset = 0

    def read(self) -> list[JobProgress]:
        if not self._path.exists():
            return []
        with self._path.open("rb") as file:
            file.seek(self._offset)
            data = file.read()
        whole = data[: data.rfind(b"\n") + 1]
        self._offset += len(whole)
        lines = [json.loads(line) for line in whole.splitlines() if line.strip()]
        return [JobProgress(x["step"], x["of"], x.get("text", ""), x.get("values", {})) for x in lines]


def _kill_group(directory: Path, child: subprocess.Popen[bytes] | None = None) -> None:
    """SIGTERM, then SIGKILL, to the whole process group of the job; returns when its lock is free."""
    pid = child.pid if child else _pid(directory)
    for number in (signal.SIGTERM, signal.SIGKILL):
        try:
            os.killpg(pid, number)
        except ProcessLookupError:
            break
        until = time.monotonic() + TERM_S
        while time.monotonic() < until and _group_lives(pid, child):
            time.sleep(0.02)
    until = time.monotonic() + TERM_S
    while not _lock_is_free(directory):
        if time.monotonic() > until:
            raise JobError(f"job {directory.name} (process group {pid}) cannot be killed")
        time.sleep(0.02)


def _group_lives(pid: int, child: subprocess.Popen[bytes] | None) -> bool:
    """Whether the group still has a member; our own child is reaped on the way."""
    if child:
        child.poll()
    try:
        os.killpg(pid, 0)
    except ProcessLookupError:
        return False
    return True


def _pid(directory: Path) -> int:
    """Pid of the living job, which leads its process group."""
    text = (directory / "pid").read_text() if (directory / "pid").exists() else ""
    if text:
        return int(text)
    # The planner died between starting the job and writing its pid: look for it by its command line.
    for entry in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = entry.read_bytes().split(b"\0")
        except OSError:
            continue  # that process has just ended
        if os.fsencode(directory) in words:
            return int(entry.parent.name)
    raise JobError(f"job {directory.name} still runs and its process cannot be found; end it by hand")


def _lock_is_free(directory: Path) -> bool:
    handle = _take_lock(directory)
    if handle is None:
        return False
    os.close(handle)
    return True


def _age(directory: Path, *, attached: bool) -> float:
    """Seconds that an attached job has already run."""
    return max(0.0, time.time() - _mtime(directory / "spec.json")) if attached else 0.0


def _mtime(path: Path) -> float:
    return path.stat().st_mtime if path.exists() else 0.0


def _read_json(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else None


def _result(directory: Path) -> dict[str, Any]:
    return _read_json(directory / "result.json")


def _failure(directory: Path, child: subprocess.Popen[bytes] | None) -> Exception:
    """What a failed job said: the user's mistake in its words, or the end of its stderr."""
    error = _read_json(directory / "error.json")
    if error is not None and error.get("hint") != "see stderr":
        return UserError(error["what"], error.get("where", ""), error.get("valid", ""), error.get("hint", ""))
    code = f" with exit code {child.returncode}" if child else ""
    what = error["what"] if error else f"ended{code} and left no result"
    if shutil.disk_usage(directory).free < LEAST_ROOM:
        what = f"the disk is full: job {directory.name} could not write its result"
        return UserError(what, str(directory), hint="free space, then regrasp resume RUN")
    log = directory / "stderr.log"
    tail = log.read_text(errors="replace").strip().splitlines()[-8:] if log.exists() else []
    return JobError(f"job {directory.name}: {what}" + "".join(f"\n  {line}" for line in tail))
