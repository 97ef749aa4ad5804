"""What the graph says to a planner: JSON in messages, the same for the built-in planner and for a chat model."""

import json
from collections.abc import Sequence
from typing import Any

from langchain_core.messages import HumanMessage, ToolMessage

from agent.stages import Stage


def brief(content: dict[str, Any], stage: Stage, legal: Sequence[str]) -> HumanMessage:
    """The message that opens a round."""
    return HumanMessage(_text({**content, "stage": stage, "legal": list(legal)}))


def reminder(error: str, stage: Stage, legal: Sequence[str]) -> HumanMessage:
    """The answer to prose."""
    return HumanMessage(_text({"error": error, "stage": stage, "legal": list(legal)}))


def result(call_id: str, tool: str, content: dict[str, Any], stage: Stage, legal: Sequence[str]) -> ToolMessage:
    """The result of a call."""
    return ToolMessage(_text({**content, "stage": stage, "legal": list(legal)}), tool_call_id=call_id, name=tool)


def refusal(call_id: str, tool: str, error: str, stage: Stage, legal: Sequence[str]) -> ToolMessage:
    """The answer to a wrong call."""
    text = _text({"error": error, "stage": stage, "legal": list(legal)})
    return ToolMessage(text, tool_call_id=call_id, name=tool or "unknown", status="error")


def _text(content: dict[str, Any]) -> str:
    return json.dumps(content, ensure_ascii=False)
