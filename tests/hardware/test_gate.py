"""The gate lets nothing outside the envelope through and fails closed on everything unexpected."""

import math
from typing import Any

import pytest
from fake_rig import ENVELOPE, JOINTS, QUIET, FakeRig, rig
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tools.hardware.gate import Gate, GateStop


class Clock:
    def __init__(self) -> None:
        self.now = 50.0

    def __call__(self) -> float:
        return self.now


def opened(*faults: Any, **limits: Any) -> tuple[Gate, FakeRig, Clock]:
    clock, driver = Clock(), FakeRig([None, *faults])
    gate = Gate(driver, ENVELOPE.with_changes(**limits), clock)
    gate.reset({"x": 0.0}, 0)
    return gate, driver, clock


def stopped(gate: Gate, driver: FakeRig, command: Any = (0.0, 0.0)) -> str:
    """Send a command that must be stopped, see that the stop latches, return the reason."""
    with pytest.raises(GateStop) as first:
        gate.step(command)
    steps = driver.calls.count("step")
    for again in (lambda: gate.step((0.0, 0.0)), lambda: gate.reset({}, 1), gate.describe, gate.patience):
        with pytest.raises(GateStop) as later:
            again()
        assert later.value.reason == first.value.reason
    with pytest.raises(GateStop):
        gate.outcome(True)
    assert driver.calls.count("step") == steps
    assert driver.stops >= 1
    assert gate.stopped_by == first.value.reason
    return first.value.reason


def test_good_commands_pass_unchanged() -> None:
    gate, driver, _ = opened()
    assert gate.step((0.05, -0.1)).sent == (0.05, -0.1)
    assert gate.step([0.15, 0.0]).sent == (0.15, 0.0)
    assert driver.sent == [(0.05, -0.1), (0.15, 0.0)]
    gate.outcome(True)
    gate.stop()
    assert gate.stopped_by is None
    assert driver.stops == 1


def test_a_jump_is_clamped_towards_the_target() -> None:
    gate, driver, _ = opened(joint_speed_rad_s=100.0)
    assert gate.step((5.0, -0.04)).sent == (0.1, -0.04)
    assert gate.step((5.0, -5.0)).sent == pytest.approx((0.2, -0.14))
    assert not driver.violations


@pytest.mark.parametrize(
    "command",
    [
        (math.nan, 0.0),
        (math.inf, 0.0),
        (0.0,),
        (0.0, 0.0, 0.0),
        (),
        (None, 0.0),
        ("0", 0.0),
        (True, 0.0),
        None,
        "ab",
        3.0,
        {"a": 1},
        (10**400, 0.0),
        ([0.0], 0.0),
    ],
)
def test_a_command_that_is_none_stops(command: Any) -> None:
    gate, driver, _ = opened()
    stopped(gate, driver, command)
    assert driver.calls.count("step") == 0


@pytest.mark.parametrize(
    ("reading", "limit"),
    [
        ({"tip_force": 10.5}, "tip_force: 10.5 N, above 10 N"),
        ({"tip_force": -10.5}, "tip_force"),
        ({"joint_position.a": 0.5}, "joint_speed: 12.5 rad/s, above 6 rad/s"),
        ({"object_position.x": 0.15, "object_position.y": 0.15}, "workspace: 0.2121 m, above 0.2 m"),
        ({"tip_force": math.nan}, "reading: tip_force is missing or not finite"),
        ({"joint_position.b": None}, "reading"),
        ({"time_s": 0.0}, "stale"),
        ({"time_s": math.nan}, "stale"),
    ],
)
def test_readings_outside_the_envelope_stop(reading: dict[str, Any], limit: str) -> None:
    gate, driver, _ = opened(reading)
    assert stopped(gate, driver).startswith(limit)
    assert driver.calls.count("step") == 1


def test_measured_joint_speed_is_watched_where_there_is_one() -> None:
    driver = FakeRig([{"joint_speed.a": -7.0}])
    driver.rig = rig(signals={**driver.rig.signals, "joint_speed.a": "rad/s"})
    gate = Gate(driver, ENVELOPE)
    with pytest.raises(GateStop, match="joint_speed: 7 rad/s"):
        gate.reset({}, 0)


@pytest.mark.parametrize("fault", [RuntimeError("bus off"), ValueError(), KeyError("x"), "text", 7, dict])
def test_a_driver_that_fails_is_stopped(fault: Any) -> None:
    gate, driver, _ = opened(fault)
    assert stopped(gate, driver).startswith("step: ")


@pytest.mark.parametrize("fault", [KeyboardInterrupt(), SystemExit(1)])
def test_an_interrupt_stops_the_rig_and_goes_on(fault: BaseException) -> None:
    gate, driver, _ = opened(fault)
    with pytest.raises(type(fault)):
        gate.step((0.0, 0.0))
    assert driver.stops == 1
    assert stopped(gate, driver) == "step: interrupted"


def test_an_exception_of_the_gate_itself_stops(monkeypatch: pytest.MonkeyPatch) -> None:
    for method in ("_admit", "_inspect", "_check_clock", "_positions", "_describe"):
        gate, driver, _ = opened()
        with monkeypatch.context() as patch:
            patch.setattr(gate, method, lambda *_: 1 / 0)
            assert "ZeroDivisionError" in stopped(gate, driver)


def test_a_clock_that_fails_or_goes_back_stops() -> None:
    gate, driver, clock = opened()
    clock.now -= 1
    assert stopped(gate, driver) == "clock: it went back by 1.000 s"
    gate, driver, clock = opened()
    clock.now = math.nan
    assert stopped(gate, driver).startswith("clock")
    gate, driver, _ = opened()
    gate._clock = lambda: 1 / 0
    assert "ZeroDivisionError" in stopped(gate, driver)


def test_silence_within_a_rollout_stops_and_between_rollouts_does_not() -> None:
    gate, driver, clock = opened()
    clock.now += 0.4
    gate.step((0.0, 0.0))
    assert gate.patience() == pytest.approx(0.5)
    gate.outcome(True)
    clock.now += 20
    assert gate.patience() == pytest.approx(79.6)
    gate.reset({}, 1)
    clock.now += 0.51
    assert stopped(gate, driver).startswith("heartbeat: silent for 0.510 s")


def test_expire_names_what_ran_out() -> None:
    gate, driver, clock = opened()
    clock.now += 0.5
    with pytest.raises(GateStop, match=r"heartbeat: silent for 0\.500 s"):
        gate.expire()
    assert driver.stops == 1
    gate, driver, clock = opened()
    gate.outcome(None)
    clock.now += 100
    with pytest.raises(GateStop, match=r"wall_time: 100\.0 s are over"):
        gate.expire()
    assert driver.stops == 1


def test_wall_time_stops() -> None:
    gate, driver, clock = opened()
    gate.outcome(True)
    clock.now += 101
    assert stopped(gate, driver).startswith("wall_time: 101.0 s, above 100 s")


def test_failures_in_a_row_stop_and_a_success_starts_the_count_again() -> None:
    gate, driver, _ = opened()
    for index, success in enumerate([False, False, True, False, None, False]):
        gate.outcome(success)
        gate.reset({}, index + 1)
    with pytest.raises(GateStop, match="consecutive_failures: 3, limit 3"):
        gate.outcome(False)
    assert stopped(gate, driver).startswith("consecutive_failures")


def test_a_rollout_left_without_an_outcome_counts_as_failed() -> None:
    gate, driver, _ = opened()
    gate.reset({}, 1)
    gate.reset({}, 2)
    with pytest.raises(GateStop, match="consecutive_failures"):
        gate.reset({}, 3)
    assert driver.calls.count("reset") == 3


def test_a_step_outside_a_rollout_stops() -> None:
    driver = FakeRig()
    assert stopped(Gate(driver, ENVELOPE), driver) == "protocol: a step outside a rollout"
    gate, driver, _ = opened()
    gate.outcome(True)
    assert stopped(gate, driver) == "protocol: a step outside a rollout"


@pytest.mark.parametrize(
    ("start", "index"), [({"x": math.nan}, 0), ({"x": None}, 0), (None, 0), ([1], 0), ({}, -1), ({}, True), ({}, "0")]
)
def test_a_start_that_is_none_stops(start: Any, index: Any) -> None:
    driver = FakeRig()
    gate = Gate(driver, ENVELOPE)
    with pytest.raises(GateStop):
        gate.reset(start, index)
    assert "reset" not in driver.calls
    assert driver.stops == 1


@pytest.mark.parametrize("lacking", ["tip_force", "object_position.x", "joint_position.b"])
def test_a_rig_that_cannot_be_watched_is_refused(lacking: str) -> None:
    driver = FakeRig()
    names = ["object_position.x", "object_position.y"] if lacking.startswith("object") else [lacking]
    driver.rig = rig(signals={k: v for k, v in driver.rig.signals.items() if k not in names})
    with pytest.raises(GateStop, match="signals: the rig lacks"):
        Gate(driver, ENVELOPE).reset({}, 0)
    assert "reset" not in driver.calls


def test_the_workspace_centre_is_the_rigs() -> None:
    driver = FakeRig([{"object_position.x": 0.55}])
    driver.rig = rig(workspace_centre={"object_position.x": 0.5})
    Gate(driver, ENVELOPE).reset({}, 0)


def test_a_stop_that_fails_is_said_and_stays_latched(monkeypatch: pytest.MonkeyPatch) -> None:
    gate, driver, _ = opened({"tip_force": 99.0})
    monkeypatch.setattr(driver, "stop", lambda: 1 / 0)
    with pytest.raises(GateStop, match=r"tip_force: 99 N.*driver\.stop failed: ZeroDivisionError"):
        gate.step((0.0, 0.0))
    with pytest.raises(GateStop):
        gate.step((0.0, 0.0))
    assert driver.calls.count("step") == 1
    monkeypatch.undo()
    gate.stop()  # tried again
    assert driver.stops == 1


def test_a_stopped_gate_has_no_way_back() -> None:
    gate, driver, _ = opened()
    gate.stop()
    for again in (lambda: gate.step((0.0, 0.0)), lambda: gate.reset({}, 1), gate.describe, gate.expire):
        with pytest.raises(GateStop, match="session: it has ended"):
            again()
    assert gate.stopped_by is None
    assert "step" not in driver.calls


numbers = st.floats(allow_nan=True, allow_infinity=True) | st.floats(-0.3, 0.3)
junk = st.none() | st.booleans() | st.text(max_size=2) | st.integers()
commands = (
    st.lists(st.floats(-0.3, 0.3), min_size=2, max_size=2)
    | st.lists(numbers, min_size=2, max_size=2)
    | st.lists(numbers | junk, max_size=3)
    | junk
)
broken = st.sampled_from([math.nan, math.inf, None])
faults = st.one_of(
    st.dictionaries(st.sampled_from(["joint_position.a", *QUIET, "time_s"]), broken, min_size=1, max_size=2),
    st.dictionaries(st.sampled_from([*QUIET]), st.sampled_from([1e3, -1e3]), min_size=1, max_size=2),
    st.sampled_from([{"spike": 1}, RuntimeError("bus"), SystemExit(2), KeyboardInterrupt(), "text", 3]),
)
actions = st.one_of(
    st.tuples(st.just("step"), commands),
    st.tuples(st.just("step"), st.lists(st.floats(-0.3, 0.3), min_size=2, max_size=2)),
    st.tuples(st.just("reset"), st.sampled_from([{}, {"x": 0.1}])),
    st.tuples(st.just("reset"), junk),
    st.tuples(st.just("outcome"), st.sampled_from([True, False, None]) | junk),
    st.tuples(st.just("wait"), st.sampled_from([0.0, 0.01, 0.3, 0.6, 200.0, -1.0])),
    st.tuples(st.sampled_from(["describe", "stop", "expire"]), st.none()),
)


@settings(max_examples=1500, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.one_of(st.none(), st.none(), st.none(), faults), max_size=12), st.lists(actions, max_size=25))
def test_no_sequence_gets_a_command_outside_the_envelope_through(
    plan: list[Any], sequence: list[tuple[str, Any]]
) -> None:
    clock, driver = Clock(), FakeRig(plan)
    # speed is judged on readings; let clamped commands run freely so that sequences grow long
    gate = Gate(driver, ENVELOPE.with_changes(joint_speed_rad_s=30.0), clock)
    over = False
    todo: list[tuple[str, Any]] = [("reset", {}), *sequence]
    for index, (verb, argument) in enumerate(todo):
        steps = len(driver.sent)
        try:
            match verb:
                case "wait":
                    clock.now += argument
                case "reset":
                    gate.reset(argument, index)
                case "step":
                    gate.step(argument)
                case "outcome":
                    gate.outcome(argument)
                case _:
                    getattr(gate, verb)()
        except (GateStop, SystemExit, KeyboardInterrupt):
            assert driver.stops >= 1
            over = True
        else:
            assert not over or verb in ("wait", "stop"), "a stopped gate answered"
        over = over or verb == "stop"
        assert not over or len(driver.sent) - steps <= (1 if verb == "step" else 0)
    assert driver.violations == []
    assert all(len(command) == len(JOINTS) for command in driver.sent)
