"""Approvals: one use, one claimant, bound to what was approved, gone with time or any change."""

from pathlib import Path

import pytest
from ledger_rows import finish, new_ledger, request, run_record, start

from store import approvals
from store.errors import ApprovalError, NotFoundError
from store.ledger import Ledger

BOUND = {"plan_hash": "plan", "policy": "policy", "driver": "twin", "envelope_hash": "envelope", "rollouts": 60}


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    ledger = new_ledger(tmp_path)
    ledger.new_run(run_record())
    return ledger


def ask(ledger: Ledger, key: str = "ask:0", now: float = 1000.0) -> str:
    return approvals.file(ledger, "run-0001", request(), key, now=now).id


def claim(
    ledger: Ledger, id: str, claimant: str = "pilot", now: float = 1100.0, **changes: object
) -> approvals.Approval:
    return approvals.claim(ledger, id, claimant, now=now, **(BOUND | changes))  # type: ignore[arg-type]


def status(ledger: Ledger, id: str) -> str:
    return approvals.get(ledger, id).status


def test_asked_approved_claimed_used(ledger: Ledger) -> None:
    id = ask(ledger)
    assert [a.id for a in approvals.pending(ledger, now=1001)] == [id]
    assert approvals.decide(ledger, id, True, " Ann ", "looks safe", now=1050).person == "Ann"
    assert approvals.pending(ledger, now=1051) == []
    assert claim(ledger, id).status == "claimed"
    used = approvals.use(ledger, id, 58, now=1200)
    assert (used.status, used.done, used.person, used.claimant, used.why) == ("used", 58, "Ann", "pilot", "looks safe")
    assert approvals.get(ledger, id) == used
    assert [row.id for row in ledger.rows("run-0001", "approval")] == [
        "approval-1", "approval-1.approved", "approval-1.claimed", "approval-1.used",
    ]  # fmt: skip
    assert ledger.verify().ok
    assert ledger.sql("SELECT status, person FROM approval").rows == (("used", "Ann"),)


def test_asking_twice_with_one_key_asks_once(ledger: Ledger) -> None:
    assert ask(ledger) == ask(ledger) == "approval-1"
    assert ask(ledger, "ask:1") == "approval-2"
    approvals.decide(ledger, "approval-1", True, "Ann", now=1001)
    assert approvals.file(ledger, "run-0001", request(), "ask:0").status == "approved"


def test_every_step_may_be_repeated_by_the_one_who_took_it(ledger: Ledger) -> None:
    id = ask(ledger)
    for _ in range(2):
        approvals.decide(ledger, id, True, "Ann", now=1001)
    for _ in range(2):
        claim(ledger, id)
    for _ in range(2):
        approvals.use(ledger, id, 60)
    assert len(ledger.rows("run-0001", "approval")) == 4
    with pytest.raises(ApprovalError, match="used for 60 rollouts"):
        approvals.use(ledger, id, 59)
    with pytest.raises(ApprovalError, match="one use"):
        claim(ledger, id)


def test_the_same_claimant_may_claim_again_after_a_crash_and_nobody_else(ledger: Ledger) -> None:
    id = ask(ledger)
    approvals.decide(ledger, id, True, "Ann", now=1001)
    first = claim(ledger, id)
    assert claim(ledger, id, now=9e9) == first, "a claim that was made in time outlives the expiry"
    with pytest.raises(ApprovalError, match="claimed by pilot"):
        claim(ledger, id, "other")
    assert status(ledger, id) == "claimed"


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("plan_hash", "q"),
        ("policy", "q"),
        ("driver", "real:Hand"),
        ("envelope_hash", "q"),
        ("rollouts", 61),
        ("rollouts", 1),
    ],
)
@pytest.mark.parametrize("already_claimed", [False, True])
def test_any_difference_voids_it_and_names_what_differs(
    ledger: Ledger, name: str, value: object, already_claimed: bool
) -> None:
    id = ask(ledger)
    approvals.decide(ledger, id, True, "Ann", now=1001)
    if already_claimed:
        claim(ledger, id)
    with pytest.raises(ApprovalError, match=f"void: {name} is {value}, approved was {BOUND[name]}"):
        claim(ledger, id, **{name: value})  # type: ignore[arg-type]
    assert status(ledger, id) == "expired"
    assert name in approvals.get(ledger, id).why
    with pytest.raises(ApprovalError, match="expired"):
        claim(ledger, id)
    assert ledger.verify().ok


def test_undecided_and_rejected_cannot_be_claimed(ledger: Ledger) -> None:
    id = ask(ledger)
    with pytest.raises(ApprovalError, match="nobody has decided"):
        claim(ledger, id)
    assert status(ledger, id) == "pending"
    approvals.decide(ledger, id, False, "Ann", "the table is not clear", now=1001)
    with pytest.raises(ApprovalError, match="rejected by Ann .the table is not clear"):
        claim(ledger, id)
    with pytest.raises(ApprovalError, match="rejected"):
        approvals.decide(ledger, id, True, "Bob", now=1002)
    with pytest.raises(ApprovalError, match="rejected"):
        approvals.use(ledger, id, 0)


def test_time_runs_out_for_the_undecided(ledger: Ledger) -> None:
    id = ask(ledger)
    assert approvals.pending(ledger, now=1000 + 3599)
    assert approvals.pending(ledger, now=1000 + 3600) == []
    with pytest.raises(ApprovalError, match="expired 60 min after"):
        approvals.decide(ledger, id, True, "Ann", now=1000 + 3600)
    assert status(ledger, id) == "expired"
    with pytest.raises(ApprovalError, match="expired"):
        approvals.decide(ledger, id, True, "Ann", now=1001)


def test_time_runs_out_for_the_approved(ledger: Ledger) -> None:
    id = ask(ledger)
    approvals.decide(ledger, id, True, "Ann", now=1001)
    with pytest.raises(ApprovalError, match="expired 60 min after"):
        claim(ledger, id, now=1000 + 3600)
    assert status(ledger, id) == "expired"
    assert ledger.verify().ok


def test_somebody_must_be_named(ledger: Ledger) -> None:
    id = ask(ledger)
    with pytest.raises(ApprovalError, match="names the person"):
        approvals.decide(ledger, id, True, "  ", now=1001)
    assert status(ledger, id) == "pending"


def test_an_unknown_approval_lists_those_that_exist(ledger: Ledger) -> None:
    ask(ledger)
    with pytest.raises(NotFoundError, match="no approval 'approval-7'; valid: approval-1"):
        approvals.decide(ledger, "approval-7", True, "Ann")


def test_who_approved_and_when_does_not_change_the_content_of_a_run(tmp_path: Path) -> None:
    contents: list[str] = []
    for name, person, now in (("a", "Ann", 1000.0), ("b", "Bob", 5000.0)):
        ledger = new_ledger(tmp_path / name)
        ledger.new_run(run_record())
        id = ask(ledger, now=now)
        approvals.decide(ledger, id, True, person, now=now + 1)
        claim(ledger, id, f"pilot of {name}", now=now + 2)
        if name == "b":
            claim(ledger, id, f"pilot of {name}", now=now + 3)
        approvals.use(ledger, id, 60)
        contents.append(ledger.content("run-0001"))
    assert contents[0] == contents[1]


def test_eight_processes_race_for_one_claim_and_one_wins(ledger: Ledger) -> None:
    id = ask(ledger)
    approvals.decide(ledger, id, True, "Ann", now=1001)
    code = """
import sys
from store import approvals
from store.errors import ApprovalError
from store.ledger import Ledger
ledger = Ledger(sys.argv[1], patience_s=30)
print("ready", flush=True)
sys.stdin.readline()
try:
    approvals.claim(ledger, sys.argv[2], sys.argv[3], plan_hash="plan", policy="policy", driver="twin",
                    envelope_hash="envelope", rollouts=60, now=1100.0)
    print("won")
except ApprovalError as error:
    assert "claimed by racer" in str(error), error
    print("lost")
"""
    racers = [start(code, ledger.path, id, f"racer-{i}") for i in range(8)]
    for racer in racers:
        assert racer.stdout is not None and racer.stdout.readline() == "ready\n"
    for racer in racers:
        assert racer.stdin is not None
        racer.stdin.write("go\n")
        racer.stdin.flush()
    results = [finish(racer).strip() for racer in racers]
    assert sorted(results) == ["lost"] * 7 + ["won"]
    assert approvals.get(ledger, id).claimant == f"racer-{results.index('won')}"
    assert len(ledger.rows("run-0001", "approval")) == 3
    assert ledger.verify().ok
