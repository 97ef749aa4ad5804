"""The operator's safety envelope: a TOML file, one limit a line, every limit required."""

import math
import tomllib
from pathlib import Path
from typing import Any

from store.errors import UserError
from store.records import Envelope

FOLDER = Path(__file__).parent / "envelopes"


def default_envelope(task: str) -> Path:
    """The envelope file that ships with a task; a task without one is a UserError."""
    path = FOLDER / f"{task}.toml"
    if not path.is_file():
        valid = sorted(p.stem for p in FOLDER.glob("*.toml"))
        what = f"no envelope ships for task '{task}'"
        raise UserError(what, where="envelope", valid=valid, hint="give --envelope FILE")
    return path


def read_envelope(path: Path) -> Envelope:
    """Read and check an envelope file.

    Raises:
        UserError: names the file, the field and the valid keys.
    """
    keys = list(Envelope.model_fields)
    table = read_toml(path, "envelope")
    for key, value in table.items():
        if key not in keys:
            raise UserError(f"unknown key '{key}'", where=str(path), valid=keys)
        whole = key == "consecutive_failures"
        if isinstance(value, bool) or not isinstance(value, int if whole else (int, float)):
            what = f"{key} must be a {'whole number' if whole else 'number'}"
            raise UserError(what, where=str(path), valid="above 0")
        if not (math.isfinite(value) and value > 0):
            raise UserError(f"{key} = {value} is not a limit", where=str(path), valid="finite and above 0")
    missing = [key for key in keys if key not in table]
    if missing:
        raise UserError(f"{missing[0]} is missing", where=str(path), valid=keys, hint="every limit must be stated")
    return Envelope.model_validate(table)


def read_toml(path: Path, what: str) -> dict[str, Any]:
    """A TOML file as a table; unreadable or malformed files are a UserError that quotes none of their text."""
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError as problem:
        hint = "check the path, or leave the option out for the task's own"
        raise UserError(f"there is no such {what} file", where=str(path), hint=hint) from problem
    except OSError as problem:
        raise UserError(f"the {what} file cannot be read: {problem.strerror}", where=str(path)) from problem
    except UnicodeDecodeError as problem:
        raise UserError(f"the {what} file is not UTF-8 text", where=str(path)) from problem
    except tomllib.TOMLDecodeError as problem:
        raise UserError(f"not valid TOML: {problem}", where=str(path)) from problem
