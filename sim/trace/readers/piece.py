# pyright: standard
# (pyarrow ships no types)
"""A stretch of one run as a reader found it, and how a place in a table is written: `column` or `column[3]`."""

import re
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute

from sim.trace.log import Array
from store.errors import UserError

pc: Any = pyarrow.compute  # its functions are made when it is imported


@dataclass(frozen=True)
class Piece:
    """Raw values of some signals of one run; the same run may go on in the next piece."""

    run: str
    values: dict[str, Array]
    """`SignalRow.from` with its file in front, see `SignalRow` -> (n,) float64."""
    stamps: dict[str, Array]
    """The same key -> stamps as the file has them, (n,); empty for a synthetic clock."""


def place(source: str) -> tuple[str, int | None]:
    """Column and element of a place such as `positions[3]`; no element for a plain column."""
    found = re.fullmatch(r"(.+?)\[(\d+)\]", source)
    return (found.group(1), int(found.group(2))) if found else (source, None)


def column_of(table: pa.Table, source: str, where: str) -> Array:
    """A column, or an element of a column of lists (also of lists written as text), (n,) float64.

    Raises:
        UserError: no such column or element, or values that are no numbers.
    """
    name, element = place(source)
    if name not in table.column_names:
        raise UserError(f"there is no column '{name}'", where, table.column_names, "see the map's `from`")
    column = table[name].combine_chunks()
    if element is None:
        return _numbers(column, name, where)
    if pa.types.is_string(column.type) or pa.types.is_large_string(column.type):
        column = pc.split_pattern(pc.utf8_trim(column, "[]() "), ",")
    if pa.types.is_fixed_size_list(column.type):
        column = column.cast(pa.list_(column.type.value_type))
    if not (pa.types.is_list(column.type) or pa.types.is_large_list(column.type)):
        raise UserError(f"column '{name}' holds no lists", where, hint=f"write `{name}` without [{element}]")
    lengths = pc.list_value_length(column).to_numpy(zero_copy_only=False)
    if len(lengths) and not (np.nan_to_num(lengths, nan=0) > element).all():
        row = int(np.flatnonzero(~(np.nan_to_num(lengths, nan=0) > element))[0])
        raise UserError(f"row {row + 1} of '{name}' has no element {element}", where, hint="count from 0")
    return _numbers(pc.list_element(column, element), source, where)


def _numbers(column: pa.Array, name: str, where: str) -> Array:
    if pa.types.is_string(column.type) or pa.types.is_large_string(column.type):
        column = pc.utf8_trim_whitespace(column)
        column = pc.if_else(pc.is_in(column, pa.array(["", "null", "None", "nan", "NaN"])), None, column)
    try:
        return column.cast(pa.float64()).to_numpy(zero_copy_only=False)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
        raise UserError(f"column '{name}' is no number: {str(error).splitlines()[0]}", where) from error
