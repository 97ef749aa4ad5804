"""Who may approve: the flag a twin only, the person at the terminal, or somebody later."""

import io
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from quick_tools import Stage, options

from agent.builtin.planner import BuiltinPlanner
from agent.cli import consent
from agent.cli.consent import FLAG, Consent
from agent.cli.display import Display
from agent.loop import GateStopped, run_rounds
from store import approvals
from store.approvals import Approval
from tools.context import Context
from tools.hardware.driver import Rig
from tools.outcome import findings
from tools.stop import WaitingForPerson


def rig(kind: str) -> Callable[..., Rig]:
    made = Rig.model_validate(
        {"name": "bench-7", "kind": kind, "task": "finger_push", "joints": ["a"], "control_period": 0.04, "rig": "1",
         "signals": {"joint_position.a": "rad"}, "calibration": "1"}
    )  # fmt: skip
    return lambda *_: made


def stage_with(tmp_path: Path, approve: str, *, may_ask: bool) -> Stage:
    decide = Consent(Display(to_stderr=True), may_ask=may_ask)
    return Stage(tmp_path, BuiltinPlanner(), given=options(approve=approve, rounds=0), decide=decide)


def test_the_flag_approves_a_twin_and_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(consent, "describe_rig", rig("twin"))
    stage = stage_with(tmp_path, "twin", may_ask=False)
    run_rounds(stage.loop, stage.context)
    assert approvals.get(stage.ledger, "approval-1").person == FLAG == "flag --approve twin"


@pytest.mark.parametrize("kind", ["real", "replay"])
def test_the_flag_never_approves_anything_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str) -> None:
    monkeypatch.setattr(consent, "describe_rig", rig(kind))
    stage = stage_with(tmp_path, "twin", may_ask=False)
    with pytest.raises(WaitingForPerson) as caught:
        run_rounds(stage.loop, stage.context)
    assert caught.value.approval == "approval-1" and caught.value.exit_code == 3
    assert approvals.get(stage.ledger, "approval-1").status == "pending"
    assert not stage.ledger.rows(stage.run_id, "pilot")


def test_the_flag_does_not_believe_a_driver_that_calls_itself_a_twin(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(consent, "describe_rig", rig("twin"))
    decide = Consent(Display(to_stderr=True), may_ask=False)
    given = options(approve="twin", rounds=0, driver="lab.bench:Liar")
    stage = Stage(tmp_path, BuiltinPlanner(), given=given, decide=decide)
    with pytest.raises(WaitingForPerson):
        run_rounds(stage.loop, stage.context)
    assert approvals.get(stage.ledger, "approval-1").status == "pending"


def test_a_person_at_the_terminal_is_asked_and_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO("yes\n"))
    monkeypatch.setattr("getpass.getuser", lambda: "ann")
    stage = stage_with(tmp_path, "ask", may_ask=True)
    run_rounds(stage.loop, stage.context)
    assert approvals.get(stage.ledger, "approval-1").person == "ann"


def test_no_ends_the_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO("no\n"))
    monkeypatch.setattr("getpass.getuser", lambda: "ann")
    stage = stage_with(tmp_path, "ask", may_ask=True)
    with pytest.raises(GateStopped, match="rejected by ann"):
        run_rounds(stage.loop, stage.context)


def test_no_gap_after_a_repair_is_claimed_before_its_pilot(tmp_path: Path) -> None:
    def first_only(context: Context, approval: Approval) -> None:
        if approval.request.round > 0:
            raise WaitingForPerson("it waits", approval.id)
        approvals.decide(context.ledger, approval.id, True, "ann")

    stage = Stage(tmp_path, BuiltinPlanner(), given=options(rounds=1), decide=first_only)
    with pytest.raises(WaitingForPerson):
        run_rounds(stage.loop, stage.context)
    found = findings(stage.context(0))
    assert len(found["repairs"]) == 1 and found["success_gap_before"] == pytest.approx(0.4)
    assert found["success_gap_after"] is None and found["slip_gap_after"] is None


@pytest.mark.parametrize("answer", ["later\n", "", "perhaps\n"])
def test_anything_else_waits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, answer: str) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO(answer))
    stage = stage_with(tmp_path, "ask", may_ask=True)
    with pytest.raises(WaitingForPerson):
        run_rounds(stage.loop, stage.context)
