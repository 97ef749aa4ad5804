"""JSON: an object with arrays, or a list of such objects, one trial each."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from sim.trace.log import Array
from sim.trace.mapping import Mapping
from sim.trace.readers.piece import Piece
from store.errors import UserError


def read_json(path: Path, mapping: Mapping) -> Iterator[Piece]:
    """A piece for each trial; runs are named `<label>-<number>` where there are several."""
    where = str(path)
    try:
        content = json.loads(path.read_bytes())
    except FileNotFoundError as error:
        raise UserError("there is no such file", where) from error
    except (json.JSONDecodeError, UnicodeDecodeError) as error:
        raise UserError(f"not JSON: {error}", where) from error
    trials = _at(content, mapping.file.trials, where) if mapping.file.trials else [content]
    if not isinstance(trials, list) or not trials:
        raise UserError(f"'{mapping.file.trials}' is no list of trials", where, hint="see file.trials in the map")
    for index, trial in enumerate(trials):
        label = str(_at(trial, mapping.file.label, where)) if mapping.file.label else mapping.file.run or path.stem
        run = f"{label}-{index}" if mapping.file.trials else label
        stamps = _array(_at(trial, mapping.clock.column, where), mapping.clock.column, where) \
            if mapping.clock.column else None  # fmt: skip
        values = {}
        for row in mapping.signal:
            values[f":{row.from_}"] = _array(_at(trial, row.from_, where), row.from_, f"{where}, run {run}")
        yield Piece(run, values, {} if stamps is None else dict.fromkeys(values, stamps))


def _at(content: Any, keys: str, where: str) -> Any:
    """What a dotted path leads to."""
    for key in keys.split("."):
        if not isinstance(content, dict) or key not in content:
            valid = sorted(content) if isinstance(content, dict) else []
            raise UserError(f"there is no '{key}' on the way to '{keys}'", where, valid, "see the map")
        content = content[key]
    return content


def _array(values: Any, name: str, where: str) -> Array:
    """Numbers, null as NaN; samples in lists of one are taken out."""
    if not isinstance(values, list):
        raise UserError(f"'{name}' is no list of samples", where)
    flat = [one[0] if isinstance(one, list) and len(one) == 1 else one for one in values]
    try:
        return np.array([np.nan if one is None else one for one in flat], dtype=float)
    except (TypeError, ValueError) as error:
        hint = "lists of several numbers a sample need one signal each"
        raise UserError(f"'{name}' holds something that is no number", where, hint=hint) from error
