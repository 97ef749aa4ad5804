"""One JSON object a line over a socket, with a deadline for every line."""

import json
import socket
import time
from typing import Any

LONGEST_LINE = 1 << 20


class Silence(Exception):
    """The other side sent no whole line in time."""


class Gone(Exception):
    """The other side closed the connection or died."""


class Garbled(Exception):
    """A line is not one JSON object."""


class Wire:
    """Both ends of the driver protocol speak through one of these."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        self._buffer = bytearray()

    def send(self, message: dict[str, Any], timeout_s: float) -> None:
        """Send one object; numbers that are not finite are a ValueError.

        Raises:
            Gone, Silence: nobody reads.
        """
        line = json.dumps(message, allow_nan=False, separators=(",", ":")).encode() + b"\n"
        try:
            self._connection.settimeout(timeout_s)
            self._connection.sendall(line)
        except TimeoutError as problem:
            raise Silence from problem
        except OSError as problem:
            raise Gone from problem

    def receive(self, timeout_s: float) -> dict[str, Any]:
        """The next object; the whole line must be there within `timeout_s`.

        Raises:
            Silence, Gone, Garbled: there is none.
        """
        deadline = time.monotonic() + timeout_s
        while b"\n" not in self._buffer:
            if len(self._buffer) > LONGEST_LINE:
                raise Garbled(f"a line of more than {LONGEST_LINE} bytes")
            left = deadline - time.monotonic()
            if left <= 0:
                raise Silence
            try:
                self._connection.settimeout(left)
                chunk = self._connection.recv(1 << 16)
            except TimeoutError as problem:
                raise Silence from problem
            except OSError as problem:
                raise Gone from problem
            if not chunk:
                raise Gone
            self._buffer += chunk
        line, _, rest = self._buffer.partition(b"\n")
        self._buffer = rest
        try:
            message = json.loads(line, parse_constant=_refuse)
        except (ValueError, RecursionError) as problem:
            raise Garbled("a line that is not JSON") from problem
        if not isinstance(message, dict):
            raise Garbled("a line that is not a JSON object")
        return message

    def close(self) -> None:
        """Hang up."""
        self._connection.close()


def _refuse(constant: str) -> None:
    raise ValueError(f"{constant} is not JSON")
