"""The guard and the stage machine."""

import pytest
from langchain_core.messages import AIMessage
from quick_tools import quick_tools

from agent.guard import Call, Fault, check
from agent.stages import LEGAL, NEXT, TERMINAL, first_stage, stage_of
from tools.registry import all_tools


def answer(name: str, **arguments: object) -> AIMessage:
    return AIMessage("", tool_calls=[{"name": name, "args": arguments, "id": "1", "type": "tool_call"}])


def test_the_stage_machine_is_closed_and_covers_every_tool() -> None:
    tools = all_tools()
    assert set(NEXT) == set(tools) == {name for names in LEGAL.values() for name in names}
    assert all(not LEGAL[stage] for stage in TERMINAL)
    stage, seen = first_stage(0), []
    while LEGAL[stage]:
        seen.append(stage)
        stage = NEXT[LEGAL[stage][0]]
    assert seen == ["PLAN", "RANDOMIZE", "TRAIN", "EVALUATE", "APPROVE", "PILOT", "AUDIT", "DIAGNOSE", "DECIDE"]
    assert stage == "NEXT_ROUND" and first_stage(1) == "RANDOMIZE"
    assert stage_of("finish") == "DECIDE"


def test_every_tool_explains_itself_and_takes_no_seed() -> None:
    for tool in all_tools().values():
        function = tool.schema["function"]
        assert function["description"].endswith((".", ":")) and len(function["description"]) > 20
        assert set(function["parameters"]["properties"]) <= {"reason"}


def test_a_legal_call_passes() -> None:
    assert check(answer("finish", reason="no gap"), ["finish"], quick_tools()) == Call(
        "1", "finish", {"reason": "no gap"}
    )


@pytest.mark.parametrize(
    "message, told",
    [
        (answer("train", seed=3), "not yours to set"),
        (answer("train", colour="red"), "takes no argument `colour`"),
        (answer("pilot"), "not legal at this stage. Call `train`"),
        (answer("fly"), "no tool `fly`"),
        (AIMessage("done!"), "Prose does nothing"),
        (AIMessage("", tool_calls=[*answer("train").tool_calls, *answer("train").tool_calls]), "One call per message"),
    ],
)
def test_a_wrong_call_is_told_how_to_mend_it(message: AIMessage, told: str) -> None:
    fault = check(message, ["train"], quick_tools())
    assert isinstance(fault, Fault) and told in fault.why
    assert len(fault.calls) == len(message.tool_calls)


def test_a_wrong_type_is_named() -> None:
    fault = check(answer("finish", reason=["x"]), ["finish"], quick_tools())
    assert isinstance(fault, Fault) and "`reason`" in fault.why
