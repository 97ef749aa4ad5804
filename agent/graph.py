"""The graph of one round: think, guard, act, approve, hardware.

think -> guard -> act -> think ...                     a planner's step
-> act -> approve -> think              a pilot is asked for: interrupt until a person decides
-> hardware -> think                    the pilot itself, in a node of its own
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, cast

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.graph import START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.runtime import Runtime
from langgraph.types import Command, interrupt

from agent import speech
from agent.builtin.planner import BuiltinPlanner
from agent.calls import ask, note_fallback
from agent.guard import MAX_FAULTS, Fault, check
from agent.stages import LEGAL, NEXT, TERMINAL, Stage
from agent.state import State
from store import approvals
from store.errors import ApprovalError
from store.ledger import Row
from store.records import Pilot
from tools.approve import lapsed
from tools.context import Context
from tools.hardware.gate import GateStop
from tools.spending import check_budget
from tools.summary import summary
from tools.tool import Tool

MAX_LAPSED = 3
"""Approvals of one round that may run out or be voided before the run stops."""
Graph = CompiledStateGraph[State, "Deps", State, State]


@dataclass(frozen=True)
class Deps:
    """What the nodes need besides the state."""

    context: Context
    model: BaseChatModel
    model_name: str
    tools: Mapping[str, Tool]


def think(state: State, runtime: Runtime[Deps]) -> Command[Literal["guard"]]:
    """Ask the planner for the next call; after too many wrong ones the built-in planner answers this step."""
    deps = runtime.context
    deps.context.check()
    messages, stage = state["messages"], state["stage"]
    builtin = isinstance(deps.model, BuiltinPlanner)
    if builtin or state["faults"] >= MAX_FAULTS:
        if not builtin:
            wrong = [str(message.content) for message in messages if _is_fault(message)][-state["faults"] :]
            note_fallback(deps.context, deps.model_name, stage, wrong, len(messages))
        answer = BuiltinPlanner().invoke(messages)
        return Command(goto="guard", update={"messages": [answer]})
    tools = [deps.tools[name] for name in state["legal"]]
    said = ask(deps.context, deps.model, deps.model_name, messages, stage, tools)
    if isinstance(said, str):
        said = AIMessage(f"(no answer: {said})")
    return Command(goto="guard", update={"messages": [said]})


def guard(state: State, runtime: Runtime[Deps]) -> Command[Literal["think", "act", "hardware"]]:
    """Let one legal call through; answer anything else with what was wrong and how to mend it."""
    deps = runtime.context
    stage, legal = state["stage"], state["legal"]
    answer = cast(AIMessage, state["messages"][-1])
    checked = check(answer, legal, deps.tools)
    if isinstance(checked, Fault):
        replies = [speech.refusal(id, name, checked.why, stage, legal) for id, name in checked.calls]
        update = {"messages": replies or [speech.reminder(checked.why, stage, legal)], "faults": state["faults"] + 1}
        return Command(goto="think", update=update)
    check_budget(deps.context, deps.tools[checked.name])
    call = {"id": checked.id, "name": checked.name, "arguments": checked.arguments}
    return Command(goto="hardware" if checked.name == "pilot" else "act", update={"call": call})


def act(state: State, runtime: Runtime[Deps]) -> Command[Literal["think", "approve", "__end__"]]:
    """Run the call that the guard let through; every effect has a key, so running it again changes nothing."""
    deps = runtime.context
    deps.context.check()
    row, update = _run(state, deps)
    if state["call"]["name"] == "request_approval":
        return Command(goto="approve", update={**update, "approval": row.id})
    if update["stage"] in TERMINAL:
        status = "done" if update["stage"] == "DONE" else "repaired"
        return Command(goto="__end__", update={**update, "status": status})
    return Command(goto="think", update=update)


def approve(state: State, runtime: Runtime[Deps]) -> Command[Literal["think", "approve", "__end__"]]:
    """Wait for a person; what counts afterwards is the approval row, not the answer that woke the graph."""
    interrupt({"approval": state["approval"]})
    context = runtime.context.context
    approval = approvals.get(context.ledger, state["approval"])
    if approval.status == "rejected":
        why = f"{approval.id} was rejected by {approval.person}" + (f": {approval.why}" if approval.why else "")
        return Command(goto="__end__", update={"status": "rejected", "why": why})
    if approval.status == "expired":
        return _ask_again(state, context, f"{approval.id} expired: {approval.why}")
    if approval.status == "pending":
        return Command(goto="approve")
    return Command(goto="think")


def hardware(state: State, runtime: Runtime[Deps]) -> Command[Literal["think", "__end__"]]:
    """Claim the approval and run the pilot under it."""
    deps = runtime.context
    deps.context.check()
    try:
        row, update = _run(state, deps)
    except ApprovalError as error:
        if approvals.get(deps.context.ledger, state["approval"]).status != "expired":
            raise  # claimed or used by somebody else: asking again would get the same answer
        return _ask_again(state, deps.context, str(error))
    except GateStop as stop:
        return Command(goto="__end__", update={"status": "gate", "why": f"the gate stopped it: {stop.reason}"})
    pilot = cast(Pilot, deps.context.ledger.record(row))
    if pilot.stopped_by:
        why = f"the gate stopped it: {pilot.stopped_by}"
        return Command(goto="__end__", update={**update, "status": "gate", "why": why})
    return Command(goto="think", update=update)


def build_graph(saver: BaseCheckpointSaver[Any] | None) -> Graph:
    """The graph of a round."""
    graph = StateGraph(State, context_schema=Deps)
    graph.add_node("think", think)
    graph.add_node("guard", guard)
    graph.add_node("act", act)
    graph.add_node("approve", approve)
    graph.add_node("hardware", hardware)
    graph.add_edge(START, "think")
    return graph.compile(checkpointer=saver)


def possible(context: Context, stage: Stage, tools: Mapping[str, Tool]) -> list[str]:
    """The tools of a stage that are possible now."""
    return [name for name in LEGAL[stage] if tools[name].refused(context) is None]


def _run(state: State, deps: Deps) -> tuple[Row, dict[str, Any]]:
    """Run the call; the row and the update that follows from it."""
    call = state["call"]
    tool = deps.tools[call["name"]]
    row = tool.run(deps.context, tool.arguments.model_validate(call["arguments"]))
    words = summary(deps.context.ledger, row)
    stage = NEXT[tool.name]
    legal = possible(deps.context, stage, deps.tools)
    if tool.name not in ("request_approval", "report"):
        deps.context.on_line(f"{tool.name}: {words}")
    message = speech.result(call["id"], tool.name, {"row": row.id, "summary": words}, stage, legal)
    update = {"messages": [message], "stage": stage, "legal": legal, "faults": 0, "rows": [*state["rows"], row.id]}
    return row, update


def _ask_again(state: State, context: Context, why: str) -> Command[Any]:
    """Back to APPROVE with a new request, unless that has happened too often."""
    if lapsed(context) >= MAX_LAPSED:
        return Command(goto="__end__", update={"status": "gate", "why": why})
    context.on_line(f"{why}; a new approval is needed")
    message = speech.reminder(why, "APPROVE", LEGAL["APPROVE"])
    if state["call"]["name"] == "pilot":  # the call itself still waits for its reply
        message = speech.refusal(state["call"]["id"], "pilot", why, "APPROVE", LEGAL["APPROVE"])
    update = {"messages": [message], "stage": "APPROVE", "legal": list(LEGAL["APPROVE"]), "faults": 0}
    return Command(goto="think", update=update)


def _is_fault(message: Any) -> bool:
    return message.type in ("human", "tool") and '"error": ' in str(message.content)[:12]
