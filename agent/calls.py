"""Ask a chat model for one step, and keep a ledger row of every call of a real one."""

import time
from collections.abc import Sequence
from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, SystemMessage

from agent.stages import Stage
from prompts.loader import load_prompt
from store.hashing import effect_key
from store.records import Plan
from store.records.event import LlmCall
from tools.context import Context
from tools.rows import find_entry
from tools.tool import Tool


def ask(
    context: Context,
    model: BaseChatModel,
    name: str,
    messages: Sequence[BaseMessage],
    stage: Stage,
    tools: Sequence[Tool],
) -> AIMessage | str:
    """Ask a real model for the next call.

    Args:
        context: the round.
        model: the chat model.
        name: provider:model, for the ledger.
        messages: the thread so far.
        stage: where the round is.
        tools: what is legal there; the model is shown nothing else.

    Returns:
        Its answer, or what went wrong with the provider.
    """
    guidance, text = _prompt(context, stage, tools)
    began = time.monotonic()
    failure = ""
    answer: AIMessage | None = None
    try:
        said = model.bind_tools([tool.schema for tool in tools]).invoke([SystemMessage(text), *messages])
        answer = said if isinstance(said, AIMessage) else AIMessage(said.content)
    except Exception as error:  # every provider has its own classes; whatever it was goes into the ledger row below
        failure = f"{type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}"[:300]
    usage = answer.usage_metadata if answer else None
    record = {
        "model": name,
        "prompt": guidance,
        "prompt_version": f"system {load_prompt('system').version}, {guidance} {load_prompt(guidance).version}",
        "stage": stage,
        "round": context.round,
        "asked": [call["name"] for call in answer.tool_calls] if answer else [],
        "failure": failure,
    }
    meta: dict[str, Any] = {"seconds": time.monotonic() - began}
    if usage:
        meta |= {"input_tokens": usage["input_tokens"], "output_tokens": usage["output_tokens"]}
    context.ledger.append("llm_call", LlmCall.model_validate(record), run_id=context.run_id, meta=meta)
    return answer if answer is not None else failure


def note_fallback(context: Context, name: str, stage: Stage, faults: Sequence[str], step: int) -> None:
    """Write that the built-in planner answered a step in the model's place, and why."""
    record = {
        "model": name,
        "stage": stage,
        "round": context.round,
        "answered_by": "builtin",
        "faults": list(faults),
    }
    key = effect_key("fallback", {"round": context.round, "stage": stage, "step": step}, [context.run_id])
    context.ledger.append("llm_call", LlmCall.model_validate(record), run_id=context.run_id, key=key)
    context.on_line(f"{name} failed {len(faults)} times at {stage}; the built-in planner answers this step")


def _prompt(context: Context, stage: Stage, tools: Sequence[Tool]) -> tuple[str, str]:
    """Name of the stage's prompt, and the whole system text."""
    if stage == "PLAN":
        name, inputs = "plan", {"request": context.options.request}
    elif stage == "DECIDE":
        found = find_entry(context, "plan", Plan)
        rounds = found[1].budget.rounds if found else context.options.rounds
        name, inputs = "decide", {"round": str(context.round), "rounds": str(rounds)}
    else:
        name, inputs = "proceed", {}
    listing = "\n".join(f"- `{tool.name}`: {tool.doc}" for tool in tools)
    guidance = load_prompt(name).render(**inputs)
    return name, load_prompt("system").render(stage=stage, tools=listing, guidance=guidance)
