"""The driver's process: one driver, one gate, one planner on a Unix socket.

    python -m tools.hardware.server DRIVER [--spec FILE] --envelope FILE --socket PATH

It serves a single connection and ends with it. Exit codes: 0 the planner ended the session or went away (the rig was
stopped first), 2 wrong input ({"error": ...} on stderr), 5 the gate stopped it. Requests and replies, one JSON object a
line, in lockstep:

    {"do": "describe"}                               {"ok": {"rig": {...}, "envelope": "<hash of the limits>"}}
    {"do": "reset", "start": {...}, "index": k}      {"ok": {"time_s": 0.0, "signals": {...}, "sent": []}}
    {"do": "step", "command": [...]}                 {"ok": {"time_s": 0.04, "signals": {...}, "sent": [...]}}
    {"do": "outcome", "success": true|false|null}    {"ok": {}}
    {"do": "stop"}                                   {"ok": {}}, and the process ends

Any reply may be {"stopped_by": "limit: value"} instead; it is the last one.
"""

import argparse
import json
import os
import signal
import socket
import sys
import time
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

from store.errors import UserError
from tools.hardware.driver import Driver, load_driver
from tools.hardware.envelope import read_envelope
from tools.hardware.gate import Gate, GateStop
from tools.hardware.wire import Garbled, Gone, Silence, Wire

ACCEPT_S = 10.0
REPLY_S = 5.0
DONE, WRONG_INPUT, STOPPED = 0, 2, 5
REQUESTS: dict[str, set[str]] = {
    "describe": set(),
    "reset": {"start", "index"},
    "step": {"command"},
    "outcome": {"success"},
    "stop": set(),
}


def serve(gate: Gate, wire: Wire) -> int:
    """Answer one planner until it stops, goes away, falls silent or hits a limit; the rig is stopped in every case."""
    try:
        while True:
            message = _next(gate, wire)
            wire.send({"ok": _answer(gate, message)}, REPLY_S)
            if message["do"] == "stop":
                return DONE
    except Gone:
        return DONE
    except Silence:
        gate.trip("protocol: the planner reads no replies")
        return STOPPED
    except GateStop as stop:
        return _farewell(wire, stop.reason)
    finally:
        gate.stop()


def _next(gate: Gate, wire: Wire) -> dict[str, Any]:
    try:
        message = wire.receive(gate.patience())
    except Silence:
        gate.expire()
        raise
    except Garbled as problem:
        raise _protocol(gate, str(problem)) from problem
    verb = message.get("do")
    if not isinstance(verb, str) or verb not in REQUESTS:
        raise _protocol(gate, "an unknown request")
    if set(message) != REQUESTS[verb] | {"do"}:
        raise _protocol(gate, f"{verb} with the wrong fields")
    return message


def _protocol(gate: Gate, what: str) -> GateStop:
    gate.trip(f"protocol: {what}")
    return GateStop(gate.stopped_by or what)


def _answer(gate: Gate, message: dict[str, Any]) -> dict[str, Any]:
    match message["do"]:
        case "describe":
            return {"rig": gate.describe().model_dump(mode="json"), "envelope": gate.envelope.content_hash}
        case "reset":
            return gate.reset(message["start"], message["index"]).model_dump(mode="json")
        case "step":
            return gate.step(message["command"]).model_dump(mode="json")
        case "outcome":
            gate.outcome(message["success"])
            return {}
        case _:
            gate.stop()
            return {}


def _farewell(wire: Wire, reason: str) -> int:
    try:
        wire.send({"stopped_by": reason}, REPLY_S)
    except (Gone, Silence):
        return STOPPED  # nobody is left to tell; the exit code says it
    return STOPPED


def accept(path: Path, timeout_s: float = ACCEPT_S) -> socket.socket | None:
    """Wait for the one planner; None when it does not come or the process that started us is gone."""
    parent, deadline = os.getppid(), time.monotonic() + timeout_s
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as listener:
        listener.bind(str(path))
        try:
            path.chmod(0o600)
            listener.listen(1)
            listener.settimeout(0.1)
            while time.monotonic() < deadline and os.getppid() == parent:
                try:
                    return listener.accept()[0]
                except TimeoutError:
                    continue
        finally:
            path.unlink(missing_ok=True)
    return None


def run_server(make: Callable[[], Driver], envelope: Path, path: Path) -> int:
    """Make the driver, gate it, serve it; the exit code of the process."""
    signal.signal(signal.SIGTERM, _terminate)
    try:
        limits = read_envelope(envelope)
        driver = make()
    except UserError as problem:
        print(json.dumps({"error": problem.as_dict()}), file=sys.stderr)  # noqa: T201
        return WRONG_INPUT
    gate = Gate(driver, limits)
    try:
        connection = accept(path)
        if connection is None:
            return DONE
        with connection:
            return serve(gate, Wire(connection))
    finally:
        gate.stop()


def parser(**options: Any) -> argparse.ArgumentParser:
    """Options that every driver process takes."""
    made = argparse.ArgumentParser(**options)
    made.add_argument("--envelope", type=Path, required=True, help="the operator's envelope.toml")
    made.add_argument("--socket", type=Path, required=True, help="Unix socket to listen on")
    return made


def _terminate(number: int, frame: FrameType | None) -> None:
    raise SystemExit(128 + number)


def main(arguments: list[str] | None = None) -> int:
    """Serve a driver by name."""
    options = parser(prog="python -m tools.hardware.server", description="Serve one driver behind the gate.")
    options.add_argument("driver", help="twin, an installed driver, or module:Class")
    options.add_argument("--spec", type=Path, help="file that the driver is made from")
    given = options.parse_args(arguments)
    return run_server(lambda: load_driver(given.driver, given.spec), given.envelope, given.socket)


if __name__ == "__main__":
    sys.exit(main())
