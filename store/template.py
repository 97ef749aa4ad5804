"""An empty ledger row with the unit and meaning of every field, taken from the records themselves."""

import types
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal, Union, get_args, get_origin

from pydantic.fields import FieldInfo

from store.records import GapRow, Record
from store.records.gap import DERIVED


@dataclass(frozen=True)
class TemplateField:
    """One field: its dotted name, type, unit ('' for text) and meaning."""

    name: str
    type: str
    unit: str
    required: bool
    meaning: str


def fields(model: type[Record] = GapRow, prefix: str = "") -> Iterator[TemplateField]:
    """Every field of a record, nested ones after their parent; derived values of a GapRow last."""
    for name, info in model.model_fields.items():
        yield TemplateField(
            prefix + name, _type(info.annotation), _unit(info), info.is_required(), info.description or ""
        )
        inner, many = _inner(info.annotation)
        if inner is not None:
            yield from fields(inner, f"{prefix}{name}{'[]' if many else ''}.")
    if model is GapRow:
        for name, (kind, unit, meaning) in DERIVED.items():
            yield TemplateField(name, kind, unit, False, meaning)


def empty(model: type[Record] = GapRow) -> dict[str, Any]:
    """A row with null in every field; lists hold one empty element to show its fields."""
    row: dict[str, Any] = {}
    for name, info in model.model_fields.items():
        inner, many = _inner(info.annotation)
        value = None if inner is None else empty(inner)
        row[name] = [value] if many and inner is not None else ([] if many else value)
    return row


def _unit(info: FieldInfo) -> str:
    extra: Any = info.json_schema_extra
    return "" if extra is None else str(extra.get("unit", ""))


def _inner(annotation: Any) -> tuple[type[Record] | None, bool]:
    """The record inside an annotation, and whether it is a list of them."""
    if isinstance(annotation, type) and issubclass(annotation, Record):
        return annotation, False
    origin = get_origin(annotation)
    if origin is tuple:
        return _inner(get_args(annotation)[0])[0], True
    if origin in (Union, types.UnionType):
        return next((found for a in get_args(annotation) if (found := _inner(a))[0]), (None, False))
    return None, False


def _type(annotation: Any) -> str:
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Literal:
        return " | ".join(str(a) for a in arguments)
    if origin is tuple:
        return f"list of {_type(arguments[0])}"
    if origin in (Union, types.UnionType):
        return " | ".join("null" if a is type(None) else _type(a) for a in arguments)
    return {"str": "text", "float": "number", "int": "integer", "bool": "yes or no"}.get(
        annotation.__name__, str(annotation.__name__)
    )
