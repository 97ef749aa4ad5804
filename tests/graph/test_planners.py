"""A good planner, bad ones and none at all: every run ends the same way, and the ledger says who answered."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langgraph.checkpoint.memory import InMemorySaver
from quick_tools import Stage, options, quick_tools

from agent.builtin.planner import BuiltinPlanner, legal_tools
from agent.graph import build_graph
from agent.loop import GateStopped, run_rounds
from store import approvals
from store.errors import ApprovalError
from tools.approve import lapsed
from tools.stop import BudgetReached, WaitingForPerson

STORY = [
    "run", "plan", "note", "training", "evaluation", "approval", "approval", "approval", "approval", "pilot", "note",
    "diagnosis", "gap", "repair", "note", "training", "evaluation", "approval", "approval", "approval", "approval",
    "pilot", "note", "diagnosis", "gap", "repair_effect", "outcome",
]  # fmt: skip


class Scripted(BaseChatModel):
    """A model that answers with what a function makes of the messages."""

    answer: Callable[[list[BaseMessage]], AIMessage]

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def bind_tools(self, tools: Sequence[Any], **kwargs: Any) -> "Scripted":  # pyright: ignore[reportIncompatibleMethodOverride]
        return self

    def _generate(
        self, messages: list[BaseMessage], stop: Any = None, run_manager: Any = None, **kwargs: Any
    ) -> ChatResult:
        return ChatResult(generations=[ChatGeneration(message=self.answer(messages))])


def call(name: str, **arguments: Any) -> dict[str, Any]:
    return {"name": name, "args": arguments, "id": f"call-{name}", "type": "tool_call"}


def says(*calls: dict[str, Any], text: str = "") -> AIMessage:
    return AIMessage(content=text, tool_calls=list(calls))


def broken(_: list[BaseMessage]) -> AIMessage:
    bad = {"name": "train", "args": "{seed: ", "id": "x", "error": "not JSON", "type": "invalid_tool_call"}
    return AIMessage(content="", invalid_tool_calls=[bad])


def fails(_: list[BaseMessage]) -> AIMessage:
    raise ConnectionError("the server is away")


def good(messages: list[BaseMessage]) -> AIMessage:
    return says(call(legal_tools(messages)[0]))


def sloppy(messages: list[BaseMessage]) -> AIMessage:
    """Wrong at first, right when told."""
    told = '"error"' in str(messages[-1].content)
    return says(call(legal_tools(messages)[0])) if told else AIMessage("I shall train it now.")


BAD: dict[str, Callable[[list[BaseMessage]], AIMessage]] = {
    "wrong tool": lambda _: says(call("pilot")),
    "unknown tool": lambda _: says(call("rm_rf", path="/")),
    "chosen seed": lambda messages: says(call(legal_tools(messages)[0], seed=7)),
    "many calls": lambda _: says(call("train"), call("pilot")),
    "malformed": broken,
    "prose": lambda _: AIMessage("The experiment is complete. All tools were called."),
    "provider down": fails,
}


def test_the_builtin_planner_tells_the_whole_story(tmp_path: Path) -> None:
    stage = Stage(tmp_path, BuiltinPlanner())
    last = run_rounds(stage.loop, stage.context)
    assert last.round == 1
    assert stage.kinds() == STORY
    assert stage.ledger.verify().ok


@pytest.mark.parametrize("name", BAD)
def test_a_bad_model_costs_turns_not_the_run(tmp_path: Path, name: str) -> None:
    stage = Stage(tmp_path, Scripted(answer=BAD[name]), given=options(rounds=0))
    run_rounds(stage.loop, stage.context)
    assert [kind for kind in stage.kinds() if kind != "llm_call"] == [*STORY[:13], "outcome"]
    fallbacks = [r.body for r in stage.ledger.rows(stage.run_id, "llm_call") if r.body.get("answered_by") == "builtin"]
    assert fallbacks and all(len(body["faults"]) == 3 for body in fallbacks)
    assert {body["model"] for body in fallbacks} == {"scripted:model"}


def test_a_good_model_needs_no_help(tmp_path: Path) -> None:
    stage = Stage(tmp_path, Scripted(answer=good))
    run_rounds(stage.loop, stage.context)
    calls = [row.body for row in stage.ledger.rows(stage.run_id, "llm_call")]
    assert [kind for kind in stage.kinds() if kind != "llm_call"] == STORY
    assert len(calls) == 18 and not any("answered_by" in body for body in calls)
    assert {body["prompt"] for body in calls} == {"plan", "proceed", "decide"}
    assert calls[0]["prompt_version"] == "system 1, plan 1"


def test_a_model_that_mends_its_mistakes_needs_no_help(tmp_path: Path) -> None:
    stage = Stage(tmp_path, Scripted(answer=sloppy))
    run_rounds(stage.loop, stage.context)
    assert not any("answered_by" in row.body for row in stage.ledger.rows(stage.run_id, "llm_call"))


def test_the_ledger_does_not_know_the_planner(tmp_path: Path) -> None:
    """Apart from the model's own rows, a bad model and the built-in planner leave the same rows."""
    bodies: list[list[Any]] = []
    for name, model in (("a", BuiltinPlanner()), ("b", Scripted(answer=BAD["prose"]))):
        (tmp_path / name).mkdir()
        stage = Stage(tmp_path / name, model, given=options(rounds=0))
        run_rounds(stage.loop, stage.context)
        bodies.append([(r.kind, r.key, r.body) for r in stage.ledger.rows(stage.run_id) if r.kind != "llm_call"])
    assert bodies[0] == bodies[1]


def test_lost_checkpoints_cost_nothing(tmp_path: Path) -> None:
    """Every effect has its key in the ledger, so a run that starts over finds all of them done."""
    stage = Stage(tmp_path, BuiltinPlanner())
    run_rounds(stage.loop, stage.context)
    content = stage.ledger.content(stage.run_id)
    run_rounds(replace(stage.loop, graph=build_graph(InMemorySaver())), stage.context)
    assert stage.ledger.content(stage.run_id) == content


def test_waiting_leaves_an_interrupt_and_the_row_decides(tmp_path: Path) -> None:
    def wait(context: Any, approval: Any) -> None:
        raise WaitingForPerson("later", approval.id)

    stage = Stage(tmp_path, BuiltinPlanner(), decide=wait)
    for _ in range(2):
        with pytest.raises(WaitingForPerson):
            run_rounds(stage.loop, stage.context)
    waiting = approvals.pending(stage.ledger)
    assert len(waiting) == 1
    approvals.decide(stage.ledger, waiting[0].id, False, "Ann", "not today")
    with pytest.raises(GateStopped, match="rejected by Ann: not today"):
        run_rounds(stage.loop, stage.context)
    assert stage.ledger.rows(stage.run_id, "outcome")[0].body["status"] == "rejected"
    assert not stage.ledger.rows(stage.run_id, "pilot")


def test_an_expired_approval_is_asked_for_again(tmp_path: Path) -> None:
    seen: list[str] = []

    def late(context: Any, approval: Any) -> None:
        seen.append(approval.id)
        if len(seen) == 1:
            with pytest.raises(Exception, match="expired"):
                approvals.decide(context.ledger, approval.id, True, "Ann", now=approval.expires + 1)
        else:
            approvals.decide(context.ledger, approval.id, True, "Ann")

    stage = Stage(tmp_path, BuiltinPlanner(), given=options(rounds=0), decide=late)
    run_rounds(stage.loop, stage.context)
    assert len(seen) == 2 and seen[0] != seen[1]
    assert lapsed(stage.context(0)) == 1


def test_an_approval_that_somebody_else_claimed_moves_nothing(tmp_path: Path) -> None:
    def steal(context: Any, approval: Any) -> None:
        bound = approval.request.model_dump(include={"plan_hash", "policy", "driver", "envelope_hash", "rollouts"})
        approvals.decide(context.ledger, approval.id, True, "Ann")
        approvals.claim(context.ledger, approval.id, "thief", **bound)

    stage = Stage(tmp_path, BuiltinPlanner(), given=options(rounds=0), decide=steal)
    for _ in range(2):
        with pytest.raises(ApprovalError, match="claimed by thief"):
            run_rounds(stage.loop, stage.context)
    assert "pilot" not in stage.kinds()


def test_a_gate_stop_ends_the_run_and_is_told(tmp_path: Path) -> None:
    stage = Stage(tmp_path, BuiltinPlanner(), tools=quick_tools(pilot_stopped_by="tip_force: 9 N"))
    with pytest.raises(GateStopped, match="tip_force") as caught:
        run_rounds(stage.loop, stage.context)
    assert caught.value.exit_code == 5
    assert stage.kinds()[-1] == "outcome"


def test_spent_minutes_stop_the_run_and_more_minutes_go_on(tmp_path: Path) -> None:
    stage = Stage(tmp_path, BuiltinPlanner(), given=options(minutes=1), tools=quick_tools(cost_s=25))
    with pytest.raises(BudgetReached, match="1 minutes"):
        run_rounds(stage.loop, stage.context)
    assert "outcome" not in stage.kinds()
    stage.options = options(minutes=60)
    run_rounds(stage.loop, stage.context)
    assert stage.kinds() == STORY
