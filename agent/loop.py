"""Rounds of a run, each a thread of its own, resumed from its checkpoint and from the ledger."""

import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.runnables import RunnableConfig
from langgraph.types import Command

from agent import speech
from agent.graph import Deps, Graph, possible
from agent.stages import first_stage
from agent.state import State
from store import approvals
from store.approvals import Approval
from store.errors import ApprovalError
from store.records import GapRow, Plan
from tools.context import Context
from tools.outcome import conclude
from tools.rows import entries, find_entry
from tools.stop import Stop
from tools.tool import Tool

ENDED = ("done", "rejected", "gate")
"""Statuses after which a run does not go on."""


class GateStopped(Stop):
    """The gate ended a pilot, or a person said no."""

    exit_code = 5

    def __init__(self, why: str, status: str) -> None:
        self.status = status
        super().__init__(why)


@dataclass(frozen=True)
class Loop:
    """What drives the rounds of one run."""

    graph: Graph
    model: BaseChatModel
    model_name: str
    tools: Mapping[str, Tool]
    decide: Callable[[Context, Approval], None]
    """Brings a pending approval to a decision, or raises WaitingForPerson."""


def run_rounds(loop: Loop, context_of: Callable[[int], Context]) -> Context:
    """Go through the rounds until the run is done; finished ones cost a look at their checkpoint.

    Args:
        loop: graph, model, tools and who decides.
        context_of: the context of a round.

    Returns:
        The context of the last round.

    Raises:
        Stop: the run stands still for a reason that it names; all but a GateStopped can be resumed.
    """
    round = 0
    while True:
        context = context_of(round)
        state = run_round(loop, context)
        if state["status"] == "repaired":
            round += 1
            continue
        if state["status"] in ("rejected", "gate"):
            conclude(context, state["status"], state["why"])
            raise GateStopped(state["why"], state["status"])
        return context


def run_round(loop: Loop, context: Context) -> State:
    """Begin or go on with one round, to its end."""
    deps = Deps(context, loop.model, loop.model_name, loop.tools)
    config: RunnableConfig = {
        "configurable": {"thread_id": f"{context.run_id}/round-{context.round}"},
        "recursion_limit": 400,
    }
    snapshot = loop.graph.get_state(config)
    given: Any = None if snapshot.values else opening(context, loop.tools)
    while given is not None or snapshot.next:
        if given is None and snapshot.interrupts:
            given = _answer(loop, context, snapshot)
        loop.graph.invoke(given, config, context=deps, durability="sync", version="v2")
        given = None
        snapshot = loop.graph.get_state(config)
    return snapshot.values  # pyright: ignore[reportReturnType]


def opening(context: Context, tools: Mapping[str, Tool]) -> State:
    """The state in which a round begins."""
    stage = first_stage(context.round)
    legal = possible(context, stage, tools)
    history = [
        {"round": gap.round, "success_gap": gap.success_gap, "slip_gap": gap.slip_gap, "verdict": gap.verdict,
         "decision": gap.decision}
        for _, gap in entries(context, "gap", GapRow)
    ]  # fmt: skip
    plan = find_entry(context, "plan", Plan)
    about = {
        "run": context.run_id,
        "round": context.round,
        "rounds": plan[1].budget.rounds if plan else context.options.rounds,
        "request": context.options.request,
        "driver": context.options.driver,
        "history": history,
    }
    return State(
        messages=[speech.brief(about, stage, legal)],
        stage=stage,
        legal=legal,
        faults=0,
        call={},
        approval="",
        rows=[],
        status="running",
        why="",
    )


def _answer(loop: Loop, context: Context, snapshot: Any) -> Command[Any]:
    """Bring the approval to a decision and wake the graph; the row itself is what it then reads."""
    waiting = snapshot.interrupts[0]
    approval = approvals.get(context.ledger, waiting.value["approval"])
    now = time.time()
    if approval.status == "pending" and approval.expires <= now:
        with suppress(ApprovalError):  # raised because it marks the approval as expired, which is what is wanted
            approvals.decide(context.ledger, approval.id, False, "nobody", "its time was over", now)
        approval = approvals.get(context.ledger, approval.id)
    if approval.status == "pending":
        loop.decide(context, approval)
        approval = approvals.get(context.ledger, approval.id)
    return Command(resume={waiting.id: {"status": approval.status}})
