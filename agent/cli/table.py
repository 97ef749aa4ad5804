"""Rows of words as aligned columns."""

from collections.abc import Sequence


def columns(rows: Sequence[Sequence[str]]) -> list[str]:
    """One line a row, columns two spaces apart; the last one runs on."""
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]) - 1)]
    return [
        "  ".join([*(word.ljust(width) for word, width in zip(row, widths, strict=False)), row[-1]]) for row in rows
    ]
