"""MuJoCo's compiled module lists none of its names; without this stub every use of it is an error to pyright."""

from typing import Any

def __getattr__(name: str) -> Any: ...
