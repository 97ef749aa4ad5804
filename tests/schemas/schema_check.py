"""Check a JSON value against one of docs/schemas/."""

import re
from typing import Any


def check(value: Any, schema: dict[str, Any], where: str) -> None:
    """The few JSON Schema keywords that our schema uses."""
    kinds = {"object": dict, "array": list, "string": str, "number": (int, float), "integer": int, "null": type(None)}
    if "enum" in schema:
        assert value in schema["enum"], where
    if "type" in schema:
        types = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
        assert any(isinstance(value, kinds[t]) for t in types), f"{where} is {value!r}"
    if "pattern" in schema:
        assert re.search(schema["pattern"], value), where
    if isinstance(value, dict):
        assert set(schema.get("required", ())) <= set(value), where
        known, others = schema.get("properties", {}), schema.get("additionalProperties", True)
        for name, part in value.items():
            assert name in known or others is not False, f"{where}.{name} is not in the schema"
            check(part, known.get(name, others if isinstance(others, dict) else {}), f"{where}.{name}")
    if isinstance(value, list):
        for i, part in enumerate(value):
            check(part, schema.get("items", {}), f"{where}[{i}]")
