"""Canonical JSON and the hashes built on it."""

import hashlib
import json
from typing import Any


def canonical_json(value: Any) -> str:
    """JSON with sorted keys and no spaces; NaN and infinity raise ValueError."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def content_hash(value: Any) -> str:
    """Sha-256 of the canonical JSON of a value (hex, 64 characters)."""
    return hashlib.sha256(canonical_json(value).encode()).hexdigest()


def effect_key(tool: str, arguments: dict[str, Any], parents: list[str]) -> str:
    """Name of one effect: the same tool, arguments and parent rows always give the same key.

    Args:
        tool: name of the tool that causes the effect.
        arguments: its arguments, JSON values.
        parents: ids of the ledger rows that the effect builds on.
    """
    return f"{tool}:{content_hash([tool, arguments, parents])[:16]}"
