"""The driver's process over its socket: protocol, mistakes, silence, death of the planner."""

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fake_rig import calls_in
from pilot_fixture import TASK, alive, child_environment, counting_spec, wait_for, write_envelope

from tools.hardware.client import DriverLost, DriverProcess
from tools.hardware.driver import default_spec
from tools.hardware.envelope import read_envelope
from tools.hardware.gate import GateStop
from tools.hardware.rollouts import sample_start

START = sample_start(TASK, 1, 0)


@pytest.fixture
def twin(tmp_path: Path) -> Iterator[DriverProcess]:
    with DriverProcess("twin", write_envelope(tmp_path / "e.toml"), default_spec("finger_push")) as driver:
        yield driver


class Raw:
    """A driver process that a test speaks to by hand, as a lab's own planner would."""

    def __init__(self, tmp_path: Path, heartbeat_s: float = 5.0, **script: Any) -> None:
        spec, self.log = counting_spec(tmp_path, **script)
        envelope = write_envelope(tmp_path / "e.toml", heartbeat_s=heartbeat_s)
        path = tmp_path / "s.sock"
        command = [sys.executable, "-m", "tools.hardware.server", "fake_rig:CountingRig", "--spec", str(spec)]
        command += ["--envelope", str(envelope), "--socket", str(path)]
        self.process = subprocess.Popen(command, env=child_environment(), stderr=subprocess.PIPE)
        wait_for(path.exists)
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        wait_for(lambda: self.socket.connect_ex(str(path)) == 0)
        self.file = self.socket.makefile("rb")
        wait_for(lambda: not path.exists())

    def say(self, line: bytes) -> dict[str, Any]:
        self.socket.sendall(line + b"\n")
        return json.loads(self.file.readline())

    def ask(self, **message: Any) -> dict[str, Any]:
        return self.say(json.dumps(message).encode())

    def end(self) -> tuple[int, list[str]]:
        """Hang up; exit code and calls that the driver saw."""
        self.file.close()
        self.socket.close()
        code = self.process.wait(10)
        assert self.process.stderr is not None
        assert self.process.stderr.read() == b""
        self.process.stderr.close()
        return code, calls_in(self.log)[1:]


def test_a_rollout_over_the_socket(twin: DriverProcess, tmp_path: Path) -> None:
    rig = twin.describe()
    assert (rig.kind, rig.task, rig.joints) == ("twin", "finger_push", TASK.joints)
    assert twin.envelope_hash == read_envelope(tmp_path / "e.toml").content_hash
    seen = twin.reset(START, 0)
    assert seen.time_s == 0.0
    assert seen.sent == ()
    command = [seen.signals[f"joint_position.{joint}"] for joint in TASK.joints]
    for _ in range(5):
        seen = twin.step(command)
    assert seen.sent == tuple(command)
    assert seen.time_s == pytest.approx(0.2)
    twin.outcome(False)
    twin.stop()
    assert twin.process.returncode == 0


def test_nothing_is_left_behind(twin: DriverProcess) -> None:
    twin.reset(START, 0)
    twin.close()
    assert not alive(twin.process.pid)
    with pytest.raises(DriverLost):
        twin.step([0.0, 0.0, 0.0])


def test_a_gate_stop_comes_back_with_its_reason(twin: DriverProcess) -> None:
    twin.reset(START, 0)
    with pytest.raises(GateStop, match="command: command is not a finite number"):
        twin.step([float("nan"), 0.0, 0.0])
    assert twin.process.returncode == 5
    with pytest.raises(DriverLost):
        twin.step([0.0, 0.0, 0.0])


def test_silence_beyond_the_heartbeat_stops_the_twin(tmp_path: Path) -> None:
    envelope = write_envelope(tmp_path / "e.toml", heartbeat_s=0.2)
    with DriverProcess("twin", envelope, default_spec("finger_push")) as twin:
        twin.reset(START, 0)
        twin.process.wait(5)
        assert twin.process.returncode == 5
        with pytest.raises(GateStop, match="heartbeat: silent for 0.2"):
            twin.step([0.0, 0.0, 0.0])


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b"hello", "protocol: a line that is not JSON"),
        (b"[1]", "protocol: a line that is not a JSON object"),
        (b"{}", "protocol: an unknown request"),
        (b'{"do": "set_envelope"}', "protocol: an unknown request"),
        (b'{"do": ["step"]}', "protocol: an unknown request"),
        (b'{"do": "step"}', "protocol: step with the wrong fields"),
        (b'{"do": "step", "command": [0, 0, 0], "envelope": {}}', "protocol: step with the wrong fields"),
        (b'{"do": "step", "command": [NaN, 0, 0]}', "protocol: a line that is not JSON"),
        (b'{"do": "step", "command": [null, 0, 0]}', "command: command is not a finite number"),
        (b'{"do": "step", "command": [0, 0]}', "command: 2 values for 3 joints"),
        (b'{"do": "step", "command": {"a": 1}}', "command: command is not a finite number"),
        (b'{"do": "reset", "start": 3, "index": 0}', "reset: AttributeError"),
        (b'{"do": "outcome", "success": "yes"}', "protocol: an outcome is true, false or null"),
        (b"[" * 100_000, "protocol: a line that is not JSON"),
        (b"x" * 2_000_000, "protocol: a line of more than 1048576 bytes"),
    ],
)
def test_a_message_that_is_none_stops_the_rig(tmp_path: Path, line: bytes, reason: str) -> None:
    raw = Raw(tmp_path)
    raw.ask(do="reset", start={}, index=0)
    try:
        answer = raw.say(line)
        assert answer["stopped_by"].startswith(reason)
    except (BrokenPipeError, ConnectionResetError):
        assert len(line) > 1_000_000  # it hung up in the middle of an endless line
    code, calls = raw.end()
    assert code == 5
    assert calls == ["reset", "stop"]


def test_the_protocol_in_plain_json(tmp_path: Path) -> None:
    raw = Raw(tmp_path)
    assert set(raw.ask(do="describe")["ok"]) == {"rig", "envelope"}
    assert raw.ask(do="reset", start={}, index=0)["ok"]["sent"] == []
    assert raw.ask(do="step", command=[0.0, 0.1, 0.9])["ok"]["sent"] == [0.0, 0.1, 0.5]
    assert raw.ask(do="outcome", success=None) == {"ok": {}}
    assert raw.ask(do="stop") == {"ok": {}}
    assert raw.end() == (0, ["reset", "step", "stop"])


def test_half_a_line_is_no_heartbeat(tmp_path: Path) -> None:
    raw = Raw(tmp_path, heartbeat_s=0.3)
    raw.ask(do="reset", start={}, index=0)
    began = time.monotonic()
    for byte in b'{"do": "step"':
        time.sleep(0.05)
        if raw.process.poll() is not None:
            break
        try:
            raw.socket.sendall(bytes([byte]))
        except BrokenPipeError:
            break
    raw.process.wait(5)
    assert time.monotonic() - began < 2
    assert json.loads(raw.file.readline())["stopped_by"].startswith("heartbeat")
    assert raw.end() == (5, ["reset", "stop"])


def test_a_hang_up_stops_the_rig(tmp_path: Path) -> None:
    raw = Raw(tmp_path)
    raw.ask(do="reset", start={}, index=0)
    raw.ask(do="step", command=[0.0, 0.0, 0.0])
    assert raw.end() == (0, ["reset", "step", "stop"])


def test_a_terminated_driver_process_stops_the_rig(tmp_path: Path) -> None:
    raw = Raw(tmp_path)
    raw.ask(do="reset", start={}, index=0)
    raw.process.terminate()
    assert raw.process.wait(5) == 128 + signal.SIGTERM
    assert raw.end()[1] == ["reset", "stop"]


def test_a_reading_outside_the_envelope_stops_the_rig(tmp_path: Path) -> None:
    raw = Raw(tmp_path, signals={"tip_force": 90.0})
    assert raw.ask(do="reset", start={}, index=0) == {"stopped_by": "tip_force: 90 N, above 60 N"}
    assert raw.end() == (5, ["reset", "stop"])


def test_a_driver_process_whose_planner_never_comes_ends(tmp_path: Path) -> None:
    spec, log = counting_spec(tmp_path)
    envelope = write_envelope(tmp_path / "e.toml")
    starter = (
        "import subprocess, sys; p = subprocess.Popen([sys.executable, '-m', 'tools.hardware.server', "
        f"'fake_rig:CountingRig', '--spec', {str(spec)!r}, '--envelope', {str(envelope)!r}, "
        f"'--socket', {str(tmp_path / 's.sock')!r}]); print(p.pid)\n"
        f"import pathlib, time\nwhile not pathlib.Path({str(tmp_path / 's.sock')!r}).exists(): time.sleep(.01)"
    )
    made = subprocess.run([sys.executable, "-c", starter], env=child_environment(), capture_output=True, check=True)
    wait_for(lambda: not alive(int(made.stdout)), 3)
    assert calls_in(log)[1:] == ["stop"]
    assert not (tmp_path / "s.sock").exists()


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM])
def test_a_planner_killed_mid_rollout_leaves_no_twin(tmp_path: Path, how: signal.Signals) -> None:
    envelope = write_envelope(tmp_path / "e.toml")
    planner = (
        "from pathlib import Path\nfrom tools.hardware.client import DriverProcess\n"
        f"d = DriverProcess('twin', Path({str(envelope)!r}), Path({str(default_spec('finger_push'))!r}))\n"
        f"o = d.reset({START!r}, 0)\nprint(d.process.pid, flush=True)\n"
        "while True: d.step([v for n, v in o.signals.items() if n.startswith('joint_position')])\n"
    )
    process = subprocess.Popen([sys.executable, "-c", planner], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    pid = int(process.stdout.readline())
    time.sleep(0.1)
    assert alive(pid)
    os.kill(process.pid, how)
    began = time.monotonic()
    wait_for(lambda: not alive(pid), 5)
    assert time.monotonic() - began < 0.5
    process.wait()
    process.stdout.close()
