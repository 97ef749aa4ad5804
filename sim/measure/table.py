"""A measured force-displacement table: one point in words, arrays, or a CSV file with units in its header."""

import csv
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from store.errors import UserError

Array = NDArray[Any]

UNITS = {
    "force": {"N": 1.0, "mN": 1e-3, "kN": 1e3, "gf": 9.80665e-3, "kgf": 9.80665, "lbf": 4.4482216},
    "displacement": {"m": 1.0, "cm": 1e-2, "mm": 1e-3, "um": 1e-6, "in": 0.0254},
}
"""Quantity -> unit -> factor to SI."""
NUMBER = r"([+-]?\d+(?:\.\d*)?(?:[eE][+-]?\d+)?|[+-]?\.\d+)"


@dataclass(frozen=True)
class ForceTable:
    """Loading of a surface: what force sank it how far, from the first touch on.

    Raises:
        UserError: values that no loading can have; says which row.
    """

    force: Array
    """(k,), N, not falling."""
    displacement: Array
    """(k,), m, rising."""
    name: str = "table"
    """Where it comes from, for messages."""

    def __post_init__(self) -> None:
        force, depth = self.force, self.displacement
        if force.ndim != 1 or force.shape != depth.shape or not len(force):
            raise self._wrong(f"force has the shape {force.shape}, displacement {depth.shape}", "two equal columns")
        if not (np.isfinite(force).all() and np.isfinite(depth).all()):
            raise self._wrong("a value is missing or not finite", "numbers in every row")
        if (force < 0).any() or (depth < 0).any():
            raise self._wrong("a value is negative", "force and displacement count from the first touch, pressing is +")
        back = np.flatnonzero((np.diff(depth) <= 0) | (np.diff(force) < 0))
        if len(back):
            raise self._wrong(
                f"row {back[0] + 2} does not go on from row {back[0] + 1}",
                "rising displacement and force: the loading half of the cycle, repeats averaged",
            )
        if depth[-1] == 0 or force[-1] == 0:
            raise self._wrong("no row has both a force and a displacement", "at least one point such as 3 mm at 5 N")

    def _wrong(self, what: str, valid: str) -> UserError:
        return UserError(what, where=self.name, valid=valid)


def table_of(force: ArrayLike, displacement: ArrayLike) -> ForceTable:
    """A table from values (k,) in N and m."""
    return ForceTable(np.asarray(force, dtype=float), np.asarray(displacement, dtype=float))


def read_table(source: str | Path) -> ForceTable:
    """A table from one point in words, `3 mm at 5 N`, or from a CSV file.

    The file's header names the columns force and displacement with their units: `force_N,displacement_mm`,
    `Force [N]`, `displacement (mm)`; other columns are not read.

    Raises:
        UserError: no such file, a unit that is missing or unknown, a cell that is no number.
    """
    point = re.fullmatch(rf"\s*{NUMBER}\s*([a-zA-Z]*)\s+at\s+{NUMBER}\s*([a-zA-Z]*)\s*", str(source))
    if point:
        depth, length, force, strength = point.groups()
        factors = _factor("force", strength, "stiffness"), _factor("displacement", length, "stiffness")
        return ForceTable(np.array([float(force) * factors[0]]), np.array([float(depth) * factors[1]]), "stiffness")
    path = Path(source)
    if not path.is_file():
        valid = "a CSV file, or one point such as '3 mm at 5 N'"
        raise UserError(f"'{source}' is neither", where="stiffness", valid=valid)
    try:
        with path.open(newline="", encoding="utf-8-sig") as file:
            rows = [row for row in csv.reader(file) if any(cell.strip() for cell in row)]
    except (UnicodeDecodeError, csv.Error) as error:
        raise UserError("cannot be read as CSV", where=str(path), valid="text in UTF-8") from error
    header = rows[0] if rows else []
    columns = [_column(header, quantity, path.name) for quantity in ("force", "displacement")]
    values: list[list[float]] = []
    for number, row in enumerate(rows[1:], start=1):
        try:
            values.append([float(row[index]) * factor for index, factor in columns])
        except (ValueError, IndexError) as error:
            raise UserError(f"row {number} has no number in a column", where=path.name, valid="numbers") from error
    table = np.array(values).reshape(-1, 2)
    return ForceTable(table[:, 0], table[:, 1], path.name)


def _column(header: list[str], quantity: str, name: str) -> tuple[int, float]:
    """Index and factor of a column."""
    found = [i for i, cell in enumerate(header) if cell.strip().lower().startswith(quantity)]
    if len(found) != 1:
        what = f"{len(found)} columns are called {quantity}"
        raise UserError(what, where=name, valid="a header such as force_N,displacement_mm")
    unit = re.sub(r"[\s_\[\]()/]", "", header[found[0]].strip()[len(quantity) :])
    return found[0], _factor(quantity, unit, name)


def _factor(quantity: str, unit: str, name: str) -> float:
    if unit not in UNITS[quantity]:
        what = f"{quantity} has the unknown unit '{unit}'" if unit else f"{quantity} has no unit"
        raise UserError(what, where=name, valid=UNITS[quantity])
    return UNITS[quantity][unit]
