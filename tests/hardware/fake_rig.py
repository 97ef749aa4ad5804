"""A tiny rig with two joints that keeps count of every call and misbehaves on request."""

import json
import os
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from store.records import Envelope
from tools.hardware.driver import Observation, Rig

JOINTS = ("a", "b")
SIGNALS = {
    "joint_position.a": "rad",
    "joint_position.b": "rad",
    "object_position.x": "m",
    "object_position.y": "m",
    "tip_force": "N",
}
LIMITS: dict[str, Any] = {
    "tip_force_n": 10.0,
    "joint_speed_rad_s": 6.0,
    "command_jump_rad": 0.1,
    "workspace_m": 0.2,
    "consecutive_failures": 3,
    "wall_time_s": 100.0,
    "heartbeat_s": 0.5,
}
ENVELOPE = Envelope.model_validate(LIMITS)
QUIET = {"object_position.x": 0.01, "object_position.y": 0.0, "tip_force": 1.0}


def rig(**changes: Any) -> Rig:
    facts: dict[str, Any] = {
        "name": "fake",
        "kind": "real",
        "task": "finger_push",
        "joints": JOINTS,
        "signals": SIGNALS,
        "control_period": 0.04,
        "rig": "fake-1",
        "calibration": "cal-1",
    }
    return Rig.model_validate(facts | changes)


class FakeRig:
    """Follows its commands exactly; `faults` holds what the next calls do instead, in order."""

    def __init__(self, faults: Sequence[Any] = ()) -> None:
        self.faults = list(faults)
        self.rig = rig()
        self.calls: list[str] = []
        self.sent: list[tuple[float, ...]] = []
        self.base: tuple[float, ...] = (0.0, 0.0)
        """Target before each command of this rollout."""
        self.violations: list[str] = []
        self.stops = 0
        self.tainted = False
        self.time = 0.0

    def describe(self) -> Rig:
        self.calls.append("describe")
        return self.rig

    def reset(self, start: Mapping[str, float], index: int) -> Observation:
        self._enter("reset")
        self.time, self.base = 0.0, (0.0, 0.0)
        return self._answer()

    def step(self, command: Sequence[float]) -> Observation:
        self._enter("step")
        values = tuple(command)
        self.sent.append(values)
        if len(values) != len(JOINTS) or not all(isinstance(v, float) and abs(v) < 1e9 for v in values):
            self.violations.append(f"command {values}")
        else:
            jump = max(abs(v - b) for v, b in zip(values, self.base, strict=True))
            if jump > LIMITS["command_jump_rad"] * (1 + 1e-9):
                self.violations.append(f"jump of {jump}")
            self.base = values
        self.time += 0.04
        return self._answer()

    def stop(self) -> None:
        self.calls.append("stop")
        self.stops += 1

    def _enter(self, call: str) -> None:
        self.calls.append(call)
        if self.stops or self.tainted:
            self.violations.append(f"{call} after {'a stop' if self.stops else 'a reading outside the envelope'}")

    def _answer(self) -> Observation:
        fault = self.faults.pop(0) if self.faults else None
        signals = {"joint_position.a": self.base[0], "joint_position.b": self.base[1], **QUIET}
        if fault is None:
            return Observation(time_s=self.time, signals=signals)
        self.tainted = True
        if isinstance(fault, BaseException):
            raise fault
        if isinstance(fault, dict):
            time_s = fault.get("time_s", self.time)
            if "spike" in fault:  # a joint that jumps; no limit says where a rollout may begin
                fault = {"joint_position.a": self.base[0] + 50.0}
                if self.calls[-1] == "reset":
                    self.tainted, self.base = False, (50.0, 0.0)
            kept = {k: v for k, v in (signals | fault).items() if v is not None and k != "time_s"}
            return Observation.model_construct(time_s=time_s, signals=kept, sent=())
        return fault


class CountingRig(FakeRig):
    """A 'real' finger_push rig for the server: appends every call to a file, hangs or fails as its spec says."""

    def __init__(self, spec: Path) -> None:
        from sim.tasks import get_task

        super().__init__()
        self.script = json.loads(spec.read_text())
        task = get_task("finger_push")
        self.rig = rig(
            name="counting",
            kind=self.script.get("kind", "real"),
            joints=task.joints,
            signals={s.name: s.unit for s in task.signals},
        )
        self.log = Path(self.script["log"])
        self.note(f"made {os.getpid()}")

    def note(self, line: str) -> None:
        with self.log.open("a") as file:
            file.write(f"{time.monotonic():.4f} {line}\n")

    def reset(self, start: Mapping[str, float], index: int) -> Observation:
        self.note("reset")
        self.time = 0.0
        return self._still()

    def step(self, command: Sequence[float]) -> Observation:
        self.note("step")
        self.time += 0.04
        return self._still()

    def stop(self) -> None:
        self.note("stop")

    def _still(self) -> Observation:
        still = {name: 0.0 for name in self.rig.signals}
        return Observation(time_s=self.time, signals=still | self.script.get("signals", {}))


def calls_in(log: Path) -> list[str]:
    """Calls that a CountingRig saw, without times."""
    return [line.split()[1] for line in log.read_text().splitlines()] if log.exists() else []
