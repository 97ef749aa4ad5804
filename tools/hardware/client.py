"""The planner's end: starts a driver's process, speaks to its gate, and leaves nothing behind."""

import json
import math
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO, Any, Self

from store.errors import UserError
from tools.hardware.driver import Observation, Rig, find_driver
from tools.hardware.gate import GateStop
from tools.hardware.server import WRONG_INPUT
from tools.hardware.wire import Garbled, Gone, Silence, Wire

START_S = 60.0
REPLY_S = 60.0
LEAVE_S = 3.0


class DriverLost(Exception):
    """The driver's process died or no longer answers."""


class DriverProcess:
    """A driver behind its gate, in a process of its own; use it as a context manager.

    Args:
        name: driver name or module:Class.
        envelope: the operator's file; read by the driver's process, which enforces it.
        spec: file that the driver is made from; read by the driver's process alone.

    Raises:
        UserError: unknown driver, or a wrong envelope or spec.
    """

    def __init__(self, name: str, envelope: Path, spec: Path | None = None) -> None:
        if name != "twin":
            find_driver(name)
        elif spec is None:
            raise UserError("a twin needs a spec", where="driver twin", hint="give --twin-spec FILE")
        self.envelope_hash = ""
        self._said = ""
        self._errors: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 (closed by close)
        folder = Path(tempfile.mkdtemp(prefix="regrasp-"))
        path = folder / "driver.sock"
        module = ["tools.hardware.twin", str(spec)] if name == "twin" else ["tools.hardware.server", name]
        extra = [] if name == "twin" or spec is None else ["--spec", str(spec)]
        # -P: a folder called `tools` where the user stands must not be taken for ours. A session of its own: Ctrl-C
        # reaches the planner, which then stops the rig in order
        command = [sys.executable, "-P", "-m", *module, *extra, "--envelope", str(envelope), "--socket", str(path)]
        self.process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=self._errors, start_new_session=True
        )
        try:
            self._wire = Wire(self._connect(path))
        except BaseException:
            self._end()
            raise
        finally:
            shutil.rmtree(folder, ignore_errors=True)  # the server unlinks its socket at the same time

    def describe(self) -> Rig:
        """The rig; `envelope_hash` then holds the hash of the limits that its gate enforces."""
        answer = self._ask("describe")
        self.envelope_hash = str(answer["envelope"])
        return Rig.model_validate(answer["rig"])

    def reset(self, start: Mapping[str, float], index: int) -> Observation:
        """Begin rollout `index`."""
        return Observation.model_validate(self._ask("reset", start=dict(start), index=index))

    def step(self, command: Sequence[float]) -> Observation:
        """Send one command; raises GateStop when the gate has stopped the rig."""
        numbers = [float(value) for value in command]
        # JSON has no NaN: null says it, and the gate stops on it
        return Observation.model_validate(self._ask("step", command=[v if math.isfinite(v) else None for v in numbers]))

    def outcome(self, success: bool | None) -> None:
        """End a rollout; None where it is not judged."""
        self._ask("outcome", success=success)

    def stop(self) -> None:
        """End the session in the rig's safe state, and its process."""
        if self.process.poll() is None:
            self._ask("stop")
        self.close()

    def close(self) -> None:
        """Hang up, which stops the rig, and wait for its process to end; may be called twice."""
        self._wire.close()
        self._end()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _ask(self, verb: str, **fields: Any) -> dict[str, Any]:
        try:
            answer = self._exchange({"do": verb, **fields})
        except (Gone, Silence, Garbled) as problem:
            self.close()
            words = f"{type(problem).__name__.lower()} during {verb}"
            raise DriverLost(f"the driver's process is lost: {words}{self._last_words()}") from problem
        if "stopped_by" in answer:
            self.close()
            raise GateStop(str(answer["stopped_by"]))
        return answer["ok"]

    def _exchange(self, message: dict[str, Any]) -> dict[str, Any]:
        try:
            self._wire.send(message, REPLY_S)
        except Gone:
            return self._wire.receive(REPLY_S)  # it hung up after saying why
        return self._wire.receive(REPLY_S)

    def _connect(self, path: Path) -> socket.socket:
        deadline = time.monotonic() + START_S
        while time.monotonic() < deadline:
            if self.process.poll() is not None:
                raise self._refusal()
            connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            try:
                connection.connect(str(path))
                return connection
            except (FileNotFoundError, ConnectionRefusedError):
                connection.close()  # it is still starting
                time.sleep(0.01)
            except BaseException:
                connection.close()
                raise
        raise DriverLost(f"the driver's process did not listen within {START_S:g} s")

    def _refusal(self) -> Exception:
        self._end()
        lines = self._said.splitlines()
        if self.process.returncode == WRONG_INPUT and lines and lines[-1].startswith('{"error"'):
            return UserError(**json.loads(lines[-1])["error"])
        return DriverLost(f"the driver's process ended with code {self.process.returncode}{self._last_words()}")

    def _last_words(self) -> str:
        lines = self._said.splitlines()
        return f" ({lines[-1]})" if lines else ""

    def _end(self) -> None:
        """Wait for the process; one that does not end by itself is asked to, then made to."""
        for patience, act in ((LEAVE_S, self.process.terminate), (LEAVE_S, self.process.kill)):
            try:
                self.process.wait(patience)
                break
            except subprocess.TimeoutExpired:
                act()
        self.process.wait()
        if not self._errors.closed:
            self._errors.seek(0)
            self._said = self._errors.read().decode(errors="replace").strip()
            self._errors.close()
