"""Checks a planner's answer before anything happens: one legal call, with arguments that fit its schema."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from langchain_core.messages import AIMessage
from pydantic import ValidationError

from tools.tool import BELONGS_TO_EVALUATOR, Tool

MAX_FAULTS = 3
"""Wrong answers in a row after which the built-in planner answers a step."""


@dataclass(frozen=True)
class Call:
    """A call that may run."""

    id: str
    name: str
    arguments: dict[str, Any]


@dataclass(frozen=True)
class Fault:
    """A wrong answer, and what to tell the planner about it."""

    why: str
    calls: tuple[tuple[str, str], ...]
    """(id, tool name) of every call in the answer; each needs a reply."""


def check(message: AIMessage, legal: Sequence[str], tools: Mapping[str, Tool]) -> Call | Fault:
    """Let one legal, well-formed call through; say how to mend anything else."""
    broken = message.invalid_tool_calls
    ids = tuple((str(c["id"]), str(c["name"])) for c in (*message.tool_calls, *broken))
    allowed = " or ".join(f"`{name}`" for name in legal)
    if not ids:
        return Fault(f"Prose does nothing here. Call {allowed}.", ())
    if broken:
        return Fault(f"The arguments of `{broken[0]['name']}` are not a JSON object. Call {allowed} again.", ids)
    if len(ids) > 1:
        return Fault(f"One call per message, you made {len(ids)}; none of them ran. Call only {allowed}.", ids)
    call = message.tool_calls[0]
    name, arguments = call["name"], call["args"]
    if name not in tools:
        return Fault(f"There is no tool `{name}`. Call {allowed}.", ids)
    if name not in legal:
        return Fault(f"`{name}` is not legal at this stage. Call {allowed}.", ids)
    wrong = _wrong_arguments(tools[name], arguments)
    if wrong:
        return Fault(wrong, ids)
    return Call(str(call["id"]), name, tools[name].arguments.model_validate(arguments).model_dump(mode="json"))


def _wrong_arguments(tool: Tool, arguments: dict[str, Any]) -> str | None:
    try:
        tool.arguments.model_validate(arguments)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        field = ".".join(str(part) for part in first["loc"])
        valid = ", ".join(f"`{name}`" for name in tool.arguments.model_fields) or "none"
        if first["type"] == "extra_forbidden":
            owned = any(word in field for word in BELONGS_TO_EVALUATOR)
            whose = " (seeds, panels, budgets and limits are not yours to set)" if owned else ""
            return f"`{tool.name}` takes no argument `{field}`{whose}. Valid arguments: {valid}. Call it again without."
        return f"Argument `{field}` of `{tool.name}`: {first['msg']}. Valid arguments: {valid}. Call it again."
    return None
