"""Files beside the ledger: written whole or not at all, named relative to the home."""

import errno
import hashlib
import json
import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from store.errors import UserError

FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
"""What the system says of a disk without room: full, at a quota, or at a limit of the file's size."""


def unwritable(error: OSError, path: Path | str) -> UserError:
    """One line for what the system did not let us write."""
    if error.errno in FULL:
        return UserError("the disk is full, or at a quota", str(path), hint="free space, then regrasp resume RUN")
    reason = error.strerror or str(error).splitlines()[0]
    hint = "mend its permissions, or choose another place"
    return UserError(f"the file cannot be written: {reason}", str(path), hint=hint)


def replace(path: Path, write: Callable[[Path], None]) -> None:
    """Let `write` make a draft beside the file, flush it to disk and move it in.

    Raises:
        UserError: naming the file and what the system said; the old file is untouched.
    """
    draft = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write(draft)
        with draft.open("rb+") as handle:
            os.fsync(handle.fileno())
        os.replace(draft, path)
        folder = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)
    except OSError as error:
        raise unwritable(error, path) from error
    finally:
        with suppress(OSError):  # where nothing can be written, nothing is left to remove
            draft.unlink(missing_ok=True)


def write_bytes(path: Path, content: bytes) -> None:
    """Replace a file atomically: readers see the old content or the new, also after kill -9 or power loss."""
    replace(path, lambda draft: _dump(draft, content))


def write_text(path: Path, content: str) -> None:
    """Replace a UTF-8 text file atomically."""
    write_bytes(path, content.encode())


def write_json(path: Path, content: Any) -> None:
    """Replace a JSON file atomically; NaN is a ValueError and leaves the old file."""
    write_bytes(path, (json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False) + "\n").encode())


def read_json(path: Path) -> Any:
    """Content of a JSON file.

    Raises:
        UserError: naming the file and line, when it is missing or not JSON.
    """
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise UserError(f"the file cannot be read: {error.strerror}", str(path)) from error
    except ValueError as error:
        raise UserError(f"this is not JSON: {error}", str(path)) from error


def sha256(path: Path) -> str:
    """Sha-256 of a file's content (hex, 64 characters)."""
    with path.open("rb") as handle:
        return hashlib.file_digest(handle, "sha256").hexdigest()


def relative(path: Path, home: Path) -> str:
    """A path as the ledger stores it: relative to the home, with forward slashes.

    Raises:
        ValueError: when it lies outside the home.
    """
    return path.resolve().relative_to(home.resolve()).as_posix()


def resolve(name: str, home: Path) -> Path:
    """The file that a stored name means.

    Raises:
        ValueError: when the name leads out of the home.
    """
    path = (home / name).resolve()
    path.relative_to(home.resolve())
    return path


def _dump(draft: Path, content: bytes) -> None:
    draft.write_bytes(content)
