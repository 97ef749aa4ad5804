"""Pilots on a real twin: traces, resume, gate stops, death of the planner."""

import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fake_rig import calls_in
from pilot_fixture import HERE, TASK, alive, bench, child_environment, counting_spec, small_policy, wait_for
from pilot_fixture import write_envelope as envelope_file

from sim.touch import slip_of
from sim.trace.rollout import read_rollout, stack
from store import approvals
from store.errors import ApprovalError, UserError
from store.records import Pilot
from tools.hardware.client import DriverLost
from tools.hardware.gate import GateStop
from tools.hardware.pilot import items, run_pilot
from tools.hardware.rollouts import sample_start


class Interrupted(Exception):
    pass


def traces(folder: Path) -> dict[str, bytes]:
    """Content of every trace, without what a file's metadata may add."""
    found = {}
    for path in sorted(folder.glob("*.parquet")):
        r = read_rollout(path)
        signals = b"".join(values.tobytes() for values in r.signals.values())
        found[path.name] = r.times.tobytes() + r.commands.tobytes() + signals + repr((r.start, r.success)).encode()
    return found


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> tuple[Pilot, dict[str, bytes]]:
    """Result and traces of a pilot that nothing disturbs."""
    made = bench(tmp_path_factory.mktemp("whole"))
    return run_pilot(made.ledger, made.order), traces(made.order.folder)


def test_order_of_rollouts() -> None:
    assert [(i.file, i.index) for i in items(3, 2)] == [
        ("rollout-000.parquet", 0),
        ("control-000.parquet", 3),
        ("control-001.parquet", 4),
        ("rollout-001.parquet", 1),
        ("rollout-002.parquet", 2),
    ]


def test_a_pilot_from_claim_to_result(tmp_path: Path) -> None:
    made = bench(tmp_path)
    shown: list[tuple[int, int, str]] = []
    pilot = run_pilot(made.ledger, made.order, lambda *step: shown.append(step))
    folder = made.order.folder
    assert [step[:2] for step in shown] == [(k, 5) for k in range(1, 6)]
    assert (pilot.rollouts, pilot.control_rollouts, pilot.stopped_by) == (3, 2, None)
    assert (pilot.source, pilot.rig, pilot.calibration) == ("pseudo_real", "twin-1", "cal-1")
    assert pilot.artifact == f"runs/{made.order.run_id}/pilots/round-0"
    approval = approvals.get(made.ledger, made.order.approval)
    assert (approval.status, approval.done, approval.claimant) == ("used", 5, made.order.claimant)

    judged = [read_rollout(folder / f"rollout-{k:03d}.parquet") for k in range(3)]
    for index, rollout in enumerate(judged):
        assert (rollout.index, rollout.source, rollout.steps) == (index, "pseudo_real", TASK.steps)
        assert rollout.start == sample_start(TASK, 11, index)
        assert np.allclose(np.diff(rollout.times), TASK.control_period)
    signals, start = stack(judged)
    assert pilot.success.successes == TASK.success(signals, start).sum()
    slip = slip_of(signals["tip_force"], signals["slip_speed"])
    assert pilot.slip_rate.successes == slip.event.sum()
    assert pilot.slip_fraction == slip.fraction

    for k in range(2):
        repeat = read_rollout(folder / f"control-{k:03d}.parquet")
        assert repeat.success is None
        assert repeat.start == judged[0].start
        assert np.array_equal(repeat.commands, judged[0].commands)
        assert not np.array_equal(repeat.signals["joint_position.yaw"], judged[0].signals["joint_position.yaw"])
    assert run_pilot(made.ledger, made.order) == pilot  # nothing moves again


@pytest.mark.parametrize("after", [1, 2, 4, 5])
def test_an_interrupted_pilot_goes_on_with_the_same_traces(
    tmp_path: Path, after: int, undisturbed: tuple[Pilot, dict[str, bytes]]
) -> None:
    made = bench(tmp_path)

    def interrupt(done: int, of: int, text: str) -> None:
        if done == after:
            raise Interrupted

    with pytest.raises(Interrupted):
        run_pilot(made.ledger, made.order, interrupt)
    folder = made.order.folder
    kept = {path: path.stat().st_mtime_ns for path in folder.glob("*.parquet")}
    assert len(kept) == after
    steps: list[int] = []
    assert run_pilot(made.ledger, made.order, lambda done, of, text: steps.append(done)) == undisturbed[0]
    assert steps == list(range(after + 1, 6))
    assert all(path.stat().st_mtime_ns == stamp for path, stamp in kept.items())
    assert traces(folder) == undisturbed[1]


def test_a_crash_between_the_last_trace_and_the_result_repeats_nothing(tmp_path: Path) -> None:
    made = bench(tmp_path)
    expected = run_pilot(made.ledger, made.order)
    (made.order.folder / "result.json").unlink()
    shown: list[Any] = []
    assert run_pilot(made.ledger, made.order, lambda *step: shown.append(step)) == expected
    assert shown == []


def test_a_gate_stop_is_a_result_with_partial_use(tmp_path: Path) -> None:
    limits = envelope_file(tmp_path / "tight.toml", consecutive_failures=2)
    made = bench(tmp_path, rollouts=5, envelope=limits)
    pilot = run_pilot(made.ledger, made.order)
    assert pilot.stopped_by == "consecutive_failures: 2, limit 2"
    assert (pilot.rollouts, pilot.success.successes, pilot.control_rollouts) == (2, 0, 2)
    approval = approvals.get(made.ledger, made.order.approval)
    assert (approval.status, approval.done) == ("used", 4)
    names = {path.name for path in made.order.folder.glob("*.parquet")}
    assert names == {"rollout-000.parquet", "rollout-001.parquet", "control-000.parquet", "control-001.parquet"}
    shown: list[Any] = []
    assert run_pilot(made.ledger, made.order, lambda *step: shown.append(step)) == pilot
    assert shown == []


def test_failures_in_a_row_count_across_a_crash(tmp_path: Path) -> None:
    limits = envelope_file(tmp_path / "tight.toml", consecutive_failures=2)
    made = bench(tmp_path, rollouts=5, control=0, envelope=limits)

    def interrupt(done: int, of: int, text: str) -> None:
        raise Interrupted

    with pytest.raises(Interrupted):
        run_pilot(made.ledger, made.order, interrupt)
    pilot = run_pilot(made.ledger, made.order)
    assert (pilot.rollouts, pilot.stopped_by) == (2, "consecutive_failures: 2, limit 2")


def test_a_rollout_that_the_policy_drove_into_a_limit_is_a_failed_one(tmp_path: Path) -> None:
    policy = tmp_path / "wild.npz"
    small_policy(drift=5.0).save(policy)
    limits = envelope_file(tmp_path / "tight.toml", joint_speed_rad_s=2.0)
    made = bench(tmp_path, policy=policy, envelope=limits)
    pilot = run_pilot(made.ledger, made.order)
    assert pilot.stopped_by is not None
    assert pilot.stopped_by.startswith("joint_speed: ")
    assert (pilot.rollouts, pilot.success.successes, pilot.control_rollouts) == (1, 0, 0)
    assert approvals.get(made.ledger, made.order.approval).done == 1
    cut = read_rollout(made.order.folder / "stopped-rollout-000.parquet")
    assert 0 < cut.steps < TASK.steps
    assert cut.success is False
    assert not list(made.order.folder.glob("rollout-*"))


def test_a_stop_before_anything_could_be_judged_is_raised_and_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONPATH", str(HERE))
    spec, log = counting_spec(tmp_path, signals={"object_position.x": 3.0})
    made = bench(tmp_path, driver="fake_rig:CountingRig", spec=spec)
    for _ in range(2):
        with pytest.raises(GateStop, match=r"workspace: 3 m, above 0\.5 m; not a single rollout could be judged"):
            run_pilot(made.ledger, made.order)
    assert calls_in(log) == ["made", "reset", "stop"]
    assert approvals.get(made.ledger, made.order.approval).done == 0


def test_a_real_rig_runs_when_a_person_allowed_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(HERE))
    spec, log = counting_spec(tmp_path)
    made = bench(tmp_path, rollouts=1, control=1, driver="fake_rig:CountingRig", spec=spec)
    pilot = run_pilot(made.ledger, made.order)
    assert (pilot.source, pilot.rig) == ("real", "fake-1")
    assert calls_in(log).count("step") == 2 * TASK.steps
    assert calls_in(log)[-1] == "stop"


@pytest.mark.parametrize("dies_after", [1, 3])
def test_planner_killed_mid_rollout_and_resumed(
    tmp_path: Path, dies_after: int, undisturbed: tuple[Pilot, dict[str, bytes]]
) -> None:
    made = bench(tmp_path / "killed")
    planner = (
        "import sys, time\nsys.path.insert(0, sys.argv[1])\n"
        "from store.ledger import Ledger\nfrom pathlib import Path\nfrom pilot_fixture import bench\n"
        "import tools.hardware.client as client\nfrom tools.hardware.pilot import run_pilot\n"
        "from dataclasses import replace\nimport pilot_fixture\n"
        "start = client.DriverProcess.describe\n"
        "def describe(self):\n    print(self.process.pid, flush=True)\n    return start(self)\n"
        "client.DriverProcess.describe = describe\n"
        "step = client.DriverProcess.step\n"
        "def slow(self, command):\n    time.sleep(.002)\n    return step(self, command)\n"
        "client.DriverProcess.step = slow\n"
        "order = pilot_fixture.order_in(Path(sys.argv[2]), sys.argv[3])\n"
        "run_pilot(Ledger(order.home / 'ledger.duckdb'), order)\n"
    )
    arguments = [sys.executable, "-c", planner, str(HERE), str(tmp_path / "killed"), made.order.approval]
    process = subprocess.Popen(arguments, stdout=subprocess.PIPE, text=True, env=child_environment())
    assert process.stdout is not None
    twin = int(process.stdout.readline())
    folder = made.order.folder
    wait_for(lambda: len(list(folder.glob("*.parquet"))) == dies_after)
    time.sleep(0.05)
    os.kill(process.pid, signal.SIGKILL)
    began = time.monotonic()
    wait_for(lambda: not alive(twin), 5)
    assert time.monotonic() - began < 0.5
    process.wait()
    process.stdout.close()
    finished = sorted(folder.glob("*.parquet"))
    assert len(finished) == dies_after
    assert all(read_rollout(path).steps == TASK.steps for path in finished)
    assert approvals.get(made.ledger, made.order.approval).status == "claimed"
    assert run_pilot(made.ledger, made.order) == undisturbed[0]
    assert traces(folder) == undisturbed[1]


def test_a_driver_process_that_dies_is_no_result(tmp_path: Path) -> None:
    made = bench(tmp_path)

    def kill(done: int, of: int, text: str) -> None:
        if done == 1:
            children = Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()
            for child in children:
                if b"tools.hardware.twin" in Path(f"/proc/{child}/cmdline").read_bytes():
                    os.kill(int(child), signal.SIGKILL)

    with pytest.raises(DriverLost):
        run_pilot(made.ledger, made.order, kill)
    assert run_pilot(made.ledger, made.order).rollouts == 3


def test_another_rig_cannot_finish_a_pilot(tmp_path: Path) -> None:
    made = bench(tmp_path)

    def interrupt(done: int, of: int, text: str) -> None:
        raise Interrupted

    with pytest.raises(Interrupted):
        run_pilot(made.ledger, made.order, interrupt)
    spec = tmp_path / "moved.toml"
    assert made.order.spec is not None
    spec.write_text(made.order.spec.read_text().replace("cal-1", "cal-2"))
    with pytest.raises(UserError, match="calibration was cal-1"):
        run_pilot(made.ledger, replace(made.order, spec=spec))
    facts = json.loads((made.order.folder / "pilot.json").read_text())
    assert facts["calibration"] == "cal-1"


def test_a_folder_of_traces_is_no_approval(tmp_path: Path) -> None:
    made = bench(tmp_path)
    run_pilot(made.ledger, made.order)
    other = made.ask()
    with pytest.raises(UserError, match="it holds the pilot of"):
        run_pilot(made.ledger, other)
    facts = made.order.folder / "pilot.json"
    facts.write_text(facts.read_text().replace(made.order.approval, other.approval))
    with pytest.raises(ApprovalError):
        run_pilot(made.ledger, other)
