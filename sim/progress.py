"""How long work tells of its progress."""

from collections.abc import Callable

Progress = Callable[[int, int, str, dict[str, float]], None]
"""Called with (step, of, text, values)."""
