"""Without a fresh, matching approval of a person no call ever reaches a real driver."""

import multiprocessing
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from fake_rig import calls_in
from pilot_fixture import HERE, TASK, Bench, bench, counting_spec, small_policy, write_envelope

from store import approvals
from store.errors import ApprovalError, NotFoundError, UserError
from store.ledger import Ledger
from tools.hardware import client
from tools.hardware.pilot import PilotOrder, run_pilot

DRIVER = "fake_rig:CountingRig"


class Target:
    """An approved pilot of a real rig, and the log of everything that reaches that rig."""

    def __init__(self, tmp_path: Path, **script: Any) -> None:
        self.folder = tmp_path
        self.spec, self.log = counting_spec(tmp_path, **script)
        self.bench: Bench = bench(tmp_path, rollouts=1, control=1, driver=DRIVER, spec=self.spec)
        self.ledger = self.bench.ledger

    def refuses(self, order: PilotOrder, *errors: type[Exception], match: str = "there is no approval") -> None:
        """The order is refused and nothing reaches the rig: neither its class nor a single verb."""
        with pytest.raises(errors, match=match):
            run_pilot(self.ledger, order)
        assert calls_in(self.log) == []
        assert not list(order.folder.glob("*"))


@pytest.fixture
def target(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Target:
    monkeypatch.setenv("PYTHONPATH", str(HERE))
    return Target(tmp_path)


def test_no_approval(target: Target) -> None:
    target.refuses(replace(target.bench.order, approval="approval-99"), NotFoundError)
    target.refuses(replace(target.bench.order, approval=""), NotFoundError)


def test_pending(target: Target) -> None:
    target.refuses(target.bench.ask(approve=None), ApprovalError, match="nobody has decided")


def test_rejected(target: Target) -> None:
    target.refuses(target.bench.ask(approve=False), ApprovalError, match="rejected by Ada")


def test_expired(target: Target) -> None:
    target.refuses(target.bench.ask(expires_minutes=30), ApprovalError, match="expired")


def test_other_policy_in_the_same_file(target: Target) -> None:
    small_policy(seed=1).save(target.bench.order.policy)
    target.refuses(target.bench.order, ApprovalError, match="void: policy")


def test_other_plan(target: Target) -> None:
    target.refuses(replace(target.bench.order, plan_hash="plan-2"), ApprovalError, match="void: plan_hash")


def test_changed_envelope(target: Target) -> None:
    write_envelope(target.bench.order.envelope, tip_force_n=61.0)
    target.refuses(target.bench.order, ApprovalError, match="void: envelope_hash")


def test_other_driver(target: Target) -> None:
    target.refuses(target.bench.ask(driver="twin"), ApprovalError, match="void: driver")


def test_more_rollouts(target: Target) -> None:
    target.refuses(replace(target.bench.order, rollouts=2), ApprovalError, match="void: rollouts")
    target.refuses(target.bench.order, ApprovalError, match="expired")  # a mismatch voids it for good


def test_a_flag_moves_no_real_rig(target: Target) -> None:
    order = target.bench.ask(person="flag --approve twin")
    target.refuses(order, UserError, match="a flag cannot allow driver 'fake_rig:CountingRig'")


def test_a_flag_moves_no_real_rig_that_calls_itself_a_twin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(HERE))
    target = Target(tmp_path, kind="twin")
    target.refuses(target.bench.ask(person="flag --approve twin"), UserError, match="a flag cannot allow")


def test_a_flag_moves_no_twin_that_says_it_is_real(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = bench(tmp_path, person="flag --approve twin")
    describe = client.DriverProcess.describe
    monkeypatch.setattr(client.DriverProcess, "describe", lambda self: describe(self).with_changes(kind="real"))
    with pytest.raises(UserError, match="a flag cannot allow driver 'twin'"):
        run_pilot(made.ledger, made.order)
    assert not list(made.order.folder.glob("*"))


def test_used_twice(target: Target) -> None:
    run_pilot(target.ledger, target.bench.order)
    before = calls_in(target.log)
    again = replace(target.bench.order, folder=target.bench.order.folder.with_name("again"))
    with pytest.raises(ApprovalError, match="it was used for 2 rollouts"):
        run_pilot(target.ledger, again)
    assert calls_in(target.log) == before


def test_claimed_by_another(target: Target) -> None:
    order, request = target.bench.order, target.bench.request
    bound = request.model_dump(include={"plan_hash", "policy", "driver", "envelope_hash", "rollouts"})
    approvals.claim(target.ledger, order.approval, "run-0009/pilot:1", **bound)
    target.refuses(order, ApprovalError, match="claimed by run-0009")


def test_an_envelope_swapped_after_the_claim(target: Target, monkeypatch: pytest.MonkeyPatch) -> None:
    start = client.DriverProcess.__init__

    def swap(self: client.DriverProcess, name: str, envelope: Path, spec: Path | None = None) -> None:
        start(self, name, write_envelope(envelope, tip_force_n=1000.0), spec)

    monkeypatch.setattr(client.DriverProcess, "__init__", swap)
    with pytest.raises(UserError, match="it changed after the approval was claimed"):
        run_pilot(target.ledger, target.bench.order)
    assert calls_in(target.log) == ["made", "stop"]


def test_a_rig_that_does_not_fit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = bench(tmp_path)
    describe = client.DriverProcess.describe
    rig_of = {"task": "juggle", "joints": TASK.joints[::-1], "control_period": 0.02}
    signals = {s.name: s.unit for s in TASK.signals}
    cases = [*rig_of.items(), ("signals", signals | {"tip_force": "lbf"})]
    for key, value in cases:
        monkeypatch.setattr(
            client.DriverProcess, "describe", lambda self, k=key, v=value: describe(self).with_changes(**{k: v})
        )
        with pytest.raises(UserError, match="rig test-twin|rig finger-push-twin"):
            run_pilot(made.ledger, made.order)
    assert not list(made.order.folder.glob("*.parquet"))


def race(ledger: Path, order: PilotOrder, number: int, start: Any, results: Any) -> None:
    os.environ["PYTHONPATH"] = str(HERE)
    order = replace(order, claimant=f"run-{number}", folder=order.folder.with_name(f"racer-{number}"))
    start.wait()
    try:
        run_pilot(Ledger(ledger), order)
        results.put("moved")
    except ApprovalError:
        results.put("refused")


def test_a_race_of_processes_moves_once(target: Target) -> None:
    context = multiprocessing.get_context("spawn")
    start, results = context.Event(), context.Queue()
    arguments = [(target.ledger.path, target.bench.order, number, start, results) for number in range(4)]
    racers = [context.Process(target=race, args=each) for each in arguments]
    for racer in racers:
        racer.start()
    start.set()
    outcomes = sorted(results.get(timeout=120) for _ in racers)
    for racer in racers:
        racer.join()
        racer.close()
    assert outcomes == ["moved", "refused", "refused", "refused"]
    assert calls_in(target.log).count("made") == 1
    assert calls_in(target.log).count("step") == 2 * TASK.steps
