"""The built-in planner: three rules, no language model.

It is a chat model in form only, so that it fits where a chat model fits. It is a pure function of the message list:

1. The last message that states `stage` and `legal` counts; everything before it is history.
2. Where `repair` is legal, call it: the diagnosis named a change and there is a round left to test it.
3. Else call the first legal tool, with no arguments.
"""

import json
from collections.abc import Sequence
from typing import Any

from langchain_core.callbacks import CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatResult

REASONS = {
    "repair": "Rule 2: the diagnosis names a change and a round is left to test it.",
    "finish": "Rule 3: no repair is legal here.",
}


class BuiltinPlanner(BaseChatModel):
    """Rules in the shape of a chat model; free and deterministic."""

    @property
    def _llm_type(self) -> str:
        return "builtin"

    def bind_tools(self, tools: Sequence[Any], **kwargs: Any) -> "BuiltinPlanner":  # pyright: ignore[reportIncompatibleMethodOverride]
        """Return itself: the messages say what is legal."""
        return self

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        tool = choose(legal_tools(messages))
        arguments = {"reason": REASONS[tool]} if tool in REASONS else {}
        call = {"name": tool, "args": arguments, "id": f"builtin-{len(messages)}", "type": "tool_call"}
        return ChatResult(generations=[ChatGeneration(message=AIMessage(content="", tool_calls=[call]))])


def choose(legal: Sequence[str]) -> str:
    """Rules 2 and 3."""
    return "repair" if "repair" in legal else legal[0]


def legal_tools(messages: Sequence[BaseMessage]) -> list[str]:
    """Rule 1: the tools that the last statement allows.

    Raises:
        ValueError: no message states any.
    """
    for message in reversed(messages):
        if message.type not in ("human", "tool") or not isinstance(message.content, str):
            continue
        try:
            said = json.loads(message.content)
        except ValueError:
            continue  # prose: not a statement of the graph
        if isinstance(said, dict) and said.get("legal"):
            return list(said["legal"])
    raise ValueError("no message states which tools are legal")
