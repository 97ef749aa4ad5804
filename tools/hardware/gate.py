"""The last thing between a command and a motor: limits, a latch, and a stop on anything unexpected."""

import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from numbers import Real

from store.records import Envelope
from tools.hardware.driver import Driver, Observation, Rig


class GateStop(Exception):
    """The gate has stopped the rig; `reason` begins with the limit's name and holds the value seen."""

    def __init__(self, reason: str) -> None:
        self.reason = reason
        super().__init__(reason)


class _Limit(Exception):
    """A limit was reached; becomes the reason of a GateStop."""


class Gate:
    """Wraps any driver, in the driver's process, for one session.

    Clamped, because a shorter move towards the same target is safe: `command_jump_rad`.
    Stopped: tip force, joint speed, workspace, a command that is not finite or has the wrong length, readings that
    are missing, not finite or stale, silence of the planner, failures in a row, wall time, and any exception of the
    driver or of the gate itself. A stop calls `driver.stop()` and latches: this gate lets nothing through again.
    """

    def __init__(self, driver: Driver, envelope: Envelope, clock: Callable[[], float] = time.monotonic) -> None:
        self.envelope = envelope
        self._driver = driver
        self._clock = clock
        self._opened = self._heard = clock()
        self._rig: Rig | None = None
        self._closed = False
        self._safe = False
        self._reason: str | None = None
        self._active = False
        self._failures = 0
        self._target: tuple[float, ...] = ()
        self._last: Observation | None = None

    @property
    def stopped_by(self) -> str | None:
        """The limit that ended the session, or None."""
        return self._reason

    def patience(self) -> float:
        """Seconds until the planner's silence becomes a stop: the heartbeat in a rollout, else the wall time left."""
        with self._fail_closed("patience"):
            wall, beat = self._left()
            return max(0.0, min(wall, beat))

    def describe(self) -> Rig:
        """The driver's rig; refused where it lacks a signal that the envelope needs."""
        with self._fail_closed("describe"):
            return self._describe()

    def reset(self, start: Mapping[str, float], index: int) -> Observation:
        """Begin rollout `index`; one that was left without an outcome counts as failed."""
        with self._fail_closed("reset"):
            self._check_clock()
            if self._active:
                self._count(False)
            if isinstance(index, bool) or not isinstance(index, int) or index < 0:
                raise _Limit(f"protocol: rollout index {index!r}")
            begin = {str(name): _finite(f"start {name}", value) for name, value in start.items()}
            self._describe()
            self._last = None
            seen = self._driver.reset(begin, index)
            self._inspect(seen)
            self._target = tuple(self._positions(seen))
            self._active = True
            self._heard = self._clock()
            return seen.with_changes(sent=())

    def step(self, command: Sequence[float]) -> Observation:
        """Check and clamp a command, let it through, check what came of it."""
        with self._fail_closed("step"):
            self._check_clock()
            if not self._active:
                raise _Limit("protocol: a step outside a rollout")
            sent = self._admit(command)
            self._target = sent
            seen = self._driver.step(sent)
            self._inspect(seen)
            self._heard = self._clock()
            return seen.with_changes(sent=sent)

    def outcome(self, success: bool | None) -> None:
        """End a rollout; None where it is not judged. Too many failures in a row end the session."""
        with self._fail_closed("outcome"):
            self._check_clock()
            if success not in (True, False, None):
                raise _Limit("protocol: an outcome is true, false or null")
            self._active = False
            self._count(success)
            self._heard = self._clock()

    def expire(self) -> None:
        """Stop because the planner's `patience` is over."""
        with self._fail_closed("silence"):
            wall, beat = self._left()
            if beat < wall:
                raise _Limit(f"heartbeat: silent for {self.envelope.heartbeat_s - beat:.3f} s")
            raise _Limit(f"wall_time: {self.envelope.wall_time_s - wall:.1f} s are over")

    def trip(self, reason: str) -> None:
        """Stop the rig for a reason; the first reason stays."""
        self._closed = True
        self._active = False
        if self._reason is None:
            self._reason = reason
        if self._safe:
            return
        try:
            self._driver.stop()
            self._safe = True
        except Exception as problem:  # a rig that does not stop must be said out loud; stays latched
            self._reason = f"{self._reason}; driver.stop failed: {type(problem).__name__}: {problem}"

    def stop(self) -> None:
        """End the session in the driver's safe state."""
        if not self._closed or not self._safe:
            self._closed = True
            self._active = False
            self._driver.stop()
            self._safe = True

    @contextmanager
    def _fail_closed(self, doing: str) -> Iterator[None]:
        if self._closed:
            raise GateStop(self._reason or "session: it has ended")
        try:
            yield
        except Exception as problem:
            self.trip(doing)  # first the rig, then the words
            after = (self._reason or "").removeprefix(doing)
            self._reason = (str(problem) if isinstance(problem, _Limit) else f"{doing}: {_words(problem)}") + after
            raise GateStop(self._reason) from problem
        except BaseException:
            self.trip(f"{doing}: interrupted")
            raise

    def _describe(self) -> Rig:
        if self._rig is None:
            rig = self._driver.describe()
            if not isinstance(rig, Rig):
                raise TypeError(f"the driver describes itself with a {type(rig).__name__}")
            positions = [f"joint_position.{joint}" for joint in rig.joints]
            lacking = [name for name in positions if name not in rig.signals]
            lacking += [f"{kind}.*" for kind in ("tip_force", "object_position") if not _named(rig.signals, kind)]
            if lacking:
                raise _Limit(f"signals: the rig lacks {', '.join(lacking)}, so its envelope cannot be enforced")
            self._rig = rig
        return self._rig

    def _left(self) -> tuple[float, float]:
        """Seconds of wall time and of heartbeat that are left; outside a rollout there is no heartbeat."""
        now = self._clock()
        wall = self._opened + self.envelope.wall_time_s - now
        return wall, self._heard + self.envelope.heartbeat_s - now if self._active else math.inf

    def _check_clock(self) -> None:
        now = self._clock()
        if not now >= self._heard:
            raise _Limit(f"clock: it went back by {self._heard - now:.3f} s")
        if now - self._opened > self.envelope.wall_time_s:
            raise _Limit(f"wall_time: {now - self._opened:.1f} s, above {self.envelope.wall_time_s:g} s")
        if self._active and now - self._heard > self.envelope.heartbeat_s:
            raise _Limit(f"heartbeat: silent for {now - self._heard:.3f} s, above {self.envelope.heartbeat_s:g} s")

    def _count(self, success: bool | None) -> None:
        if success is not None:
            self._failures = 0 if success else self._failures + 1
        if self._failures >= self.envelope.consecutive_failures:
            raise _Limit(f"consecutive_failures: {self._failures}, limit {self.envelope.consecutive_failures}")

    def _admit(self, command: Sequence[float]) -> tuple[float, ...]:
        values = [_finite("command", value) for value in command]
        if len(values) != len(self._target):
            raise _Limit(f"command: {len(values)} values for {len(self._target)} joints")
        most = self.envelope.command_jump_rad
        return tuple(min(max(new, old - most), old + most) for new, old in zip(values, self._target, strict=True))

    def _positions(self, seen: Observation) -> list[float]:
        return [seen.signals[f"joint_position.{joint}"] for joint in self._describe().joints]

    def _inspect(self, seen: Observation) -> None:
        rig = self._describe()
        if not isinstance(seen, Observation):
            raise TypeError(f"the driver answered with a {type(seen).__name__}")
        for name in rig.signals:
            if name not in seen.signals or not math.isfinite(seen.signals[name]):
                raise _Limit(f"reading: {name} is missing or not finite")
        if self._last is not None and not seen.time_s > self._last.time_s:
            raise _Limit(f"stale: the rig's time stays at {seen.time_s:.3f} s")
        for name in _named(rig.signals, "tip_force"):
            self._below("tip_force", abs(seen.signals[name]), self.envelope.tip_force_n, "N")
        self._below("joint_speed", self._speed(seen), self.envelope.joint_speed_rad_s, "rad/s")
        away = [seen.signals[n] - rig.workspace_centre.get(n, 0.0) for n in _named(rig.signals, "object_position")]
        self._below("workspace", math.hypot(*away), self.envelope.workspace_m, "m")
        self._last = seen

    def _speed(self, seen: Observation) -> float:
        measured = _named(self._describe().signals, "joint_speed")
        if measured:
            return max(abs(seen.signals[name]) for name in measured)
        if self._last is None:
            return 0.0
        passed = seen.time_s - self._last.time_s
        moved = zip(self._positions(seen), self._positions(self._last), strict=True)
        return max(abs(now - before) for now, before in moved) / passed

    @staticmethod
    def _below(limit: str, value: float, most: float, unit: str) -> None:
        if not value <= most:
            raise _Limit(f"{limit}: {value:.4g} {unit}, above {most:g} {unit}")


def _named(signals: Mapping[str, str], kind: str) -> list[str]:
    return [name for name in signals if name.split(".")[0] == kind]


def _finite(what: str, value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, Real) or not math.isfinite(value):
        raise _Limit(f"{what.split()[0]}: {what} is not a finite number")
    return float(value)


def _words(problem: Exception) -> str:
    return " ".join(f"{type(problem).__name__}: {problem}".split())
