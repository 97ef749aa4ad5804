"""Ranges with their anchors, plans and `regrasp plan`."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from schema_check import check

from agent.cli.main import main
from sim.tasks import get_task
from store.errors import UserError
from store.records import Measurement, Parameter
from store.units import for_people, read_unit, spell, unit_of
from tools.options import RunOptions, read_options
from tools.plan import draft_plan, fill_options, make_plan, plan_json, understand
from tools.ranges import PRESETS, anchor_range
from tools.reading import EXAMPLE
from tools.settings import Settings

PARAMETERS = get_task("finger_push").parameters
SCHEMA = Path(__file__).parents[2] / "docs" / "schemas" / "plan.schema.json"


def measured(quantity: str, value: float, low: float | None = None, high: float | None = None) -> Measurement:
    unit = PARAMETERS[quantity].unit
    return Measurement(quantity=quantity, value=value, unit=unit, low=low, high=high, method="stated")


@pytest.mark.parametrize(
    ("ms", "window"),
    [(11, (8, 18)), (20, (15, 32)), (10, (7, 16)), (4, (3, 7)), (0, (0, 0)), (0.4, (0, 1)), (83, (62, 133))],
)
def test_a_measured_delay_anchors_a_window_skewed_upwards(ms: float, window: tuple[float, float]) -> None:
    anchored = anchor_range(measured("delay", ms / 1000), PARAMETERS["delay"])
    assert (anchored.low, anchored.high) == (window[0] / 1000, window[1] / 1000)
    assert (anchored.source, anchored.anchor) == ("measured", "delay")


def test_an_interval_is_widened_by_the_same_drift() -> None:
    anchored = anchor_range(measured("delay", 0.011, 0.010, 0.012), PARAMETERS["delay"], anchor="note-3")
    assert (anchored.low, anchored.high, anchored.anchor) == (0.007, 0.02, "note-3")


@pytest.mark.parametrize(
    ("quantity", "value", "low", "high"),
    [
        ("compliance", 6e-4, 4.5e-4, 8e-4),
        ("friction", 0.8, 0.6, 1.0),
        ("mass", 0.1, 0.09, 0.11),
        ("kp", 3.0, 2.4, 3.6),
        ("object_noise", 0.001, 0.00075, 0.00125),
    ],
)
def test_other_quantities_drift_symmetrically(quantity: str, value: float, low: float, high: float) -> None:
    anchored = anchor_range(measured(quantity, value), PARAMETERS[quantity])
    assert (anchored.low, anchored.high) == pytest.approx((low, high), rel=1e-12)


def test_hard_bounds_clip_and_say_so() -> None:
    anchored = anchor_range(measured("delay", 0.12), PARAMETERS["delay"])
    assert anchored.high == PARAMETERS["delay"].high and "clipped" in anchored.note


def test_a_measurement_in_another_unit_is_refused() -> None:
    with pytest.raises(ValueError, match="delay is in s"):
        anchor_range(Measurement(quantity="delay", value=11, unit="ms", method="stated"), PARAMETERS["delay"])


@settings(deadline=None)
@given(st.sampled_from(sorted(PARAMETERS)), st.floats(0, 1), st.floats(0, 0.3))
def test_an_anchored_range_holds_its_measurement(name: str, share: float, width: float) -> None:
    p: Parameter = PARAMETERS[name]
    value = p.low + share * (p.high - p.low)
    low, high = max(p.low, value - abs(value) * width), min(p.high, value + abs(value) * width)
    anchored = anchor_range(measured(name, value, low, high), p)
    slack = 1e-9 * max(abs(value), 1e-2)
    assert p.low <= anchored.low <= low + slack and high - slack <= anchored.high <= p.high


def plan_of(request: str, **options: Any) -> dict[str, Any]:
    return plan_json(make_plan(RunOptions(request=request, **options)))


def test_the_demo_request() -> None:
    plan = plan_of(EXAMPLE)
    assert (plan["task"], plan["robot"], plan["goal"]) == ("finger_push", "finger", {"distance": 0.1})
    ends = {name: (r["low"], r["high"], r["source"]) for name, r in plan["ranges"].items()}
    assert ends["friction"] == (0.5, 1.2, "request")
    assert ends["delay"] == (0.008, 0.018, "measured")
    assert {name for name, r in ends.items() if r[2] == "preset"} == set(PRESETS) - {"friction", "delay"}
    assert plan["measurements"][0]["quantity"] == "delay" and plan["measurements"][0]["value"] == 0.011
    assert plan["skills"][0]["name"] == "push" and plan["skills"][0]["success"]
    assert plan["not_understood"] == []
    assert plan["budget"]["rollouts"] == 2 * (50 + 5)


def test_the_same_options_give_the_same_hash_and_other_words_another() -> None:
    assert plan_of(EXAMPLE)["hash"] == plan_of(EXAMPLE)["hash"]
    assert plan_of(EXAMPLE)["hash"] != plan_of(EXAMPLE.replace("1.2", "1.3"))["hash"]
    assert plan_of(EXAMPLE)["hash"] != plan_of(EXAMPLE, seed=1)["hash"]


@pytest.mark.parametrize(
    ("words", "parameter", "low", "high", "source"),
    [
        ("friction at most 1.1", "friction", 0.6, 1.1, "request"),
        ("friction at most 0.3", "friction", 0.1, 0.3, "request"),
        ("friction at least 0.5", "friction", 0.5, 1.0, "request"),
        ("friction at least 1.5", "friction", 1.5, 2.0, "request"),
        ("friction fixed at 0.7", "friction", 0.7, 0.7, "request"),
        ("vary damping", "damping", 0.04, 0.0625, "preset"),
        ("delay 5 to 9 ms. The delay was measured at 11 ms", "delay", 0.005, 0.009, "request"),
        ("hold the delay fixed. The delay was measured at 11 ms", "delay", 0.011, 0.011, "measured"),
    ],
)
def test_ranges(words: str, parameter: str, low: float, high: float, source: str) -> None:
    found = plan_of(f"Push the puck. {words}.")["ranges"][parameter]
    assert (found["low"], found["high"], found["source"]) == (pytest.approx(low), pytest.approx(high), source)


def test_a_range_that_misses_its_measurement_says_so() -> None:
    found = plan_of("Push the puck. Delay 5 to 9 ms. The delay was measured at 11 ms.")["ranges"]["delay"]
    assert "does not contain the measured 11 ms" in found["note"] and found["anchor"] == "delay"


def test_what_is_held_or_excluded_is_not_varied() -> None:
    assert "mass" not in plan_of("Push the puck; don't randomise mass")["ranges"]
    assert set(plan_of("Push the puck; friction 0.5 to 1.2; everything else fixed")["ranges"]) == {"friction"}
    assert set(plan_of("Push the puck; vary only mass and kp")["ranges"]) == {"mass", "kp"}


def test_options_beat_words_and_say_so() -> None:
    understood = understand("Push the puck in 10 minutes, two rounds, seed 3, 20 rollouts, on the twin")
    filled, notes = fill_options(understood, {"minutes": 5.0, "rounds": None, "seed": 3, "driver": None})
    assert filled == {"minutes": 5.0, "rounds": 2, "seed": 3, "rollouts": 20, "driver": "twin"}
    assert notes == ("--minutes 5.0 overrides 'minutes 10.0' of the request",)
    options = read_options(rollouts=filled.pop("rollouts"), config=None, request=understood.request, **filled)
    plan = draft_plan(understood, options)
    assert (plan.budget.minutes, plan.budget.rounds, plan.seed, plan.pilot_rollouts) == (5, 2, 3, 20)


def test_a_limit_on_rollouts_shrinks_the_pilots() -> None:
    plan = make_plan(RunOptions(request="Push the puck with at most 40 rollouts", rounds=1))
    assert (plan.pilot_rollouts, plan.budget.rollouts) == (15, 40)
    with pytest.raises(UserError, match="12 rollouts are too few for 2 pilots") as caught:
        make_plan(RunOptions(request="Push the puck with at most 12 rollouts", rounds=1))
    assert caught.value.valid == "18 rollouts or more"
    with pytest.raises(UserError, match="too few"):
        larger = Settings(pilot_rollouts=30)
        make_plan(RunOptions(request="Push the puck with at most 40 rollouts", settings=larger))


def test_the_budget_of_steps_is_that_of_the_trainings() -> None:
    task, settings = get_task("finger_push"), Settings()
    per_iteration = task.training.environments * task.training.horizon
    iterations = task.training.iterations + 2 * settings.finetune_iterations
    assert make_plan(RunOptions(request=EXAMPLE, rounds=2)).budget.env_steps == iterations * per_iteration == 270 * 6144


def run(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as ended:
        main(["plan", *words])
    out, err = capsys.readouterr()
    return int(ended.value.code or 0), out, err


def test_command_prints_json_of_its_schema(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    code, out, _ = run(capsys, EXAMPLE + " Gently.", "--json", "--home", str(tmp_path / "home"), "--seed", "4")
    plan = json.loads(out)
    assert code == 0 and plan["not_understood"] == ["Gently"] and plan["seed"] == 4
    check(plan, json.loads(SCHEMA.read_text(encoding="utf-8")), "plan")
    assert not (tmp_path / "home").exists()


def test_command_shows_people_what_was_understood(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, EXAMPLE + " Gently [really].", "--minutes", "5")
    assert code == 0
    for words in ("8 to 18 ms", "measured", "Not understood: Gently [really]", "Budget: 5 min", "puck within 10 mm"):
        assert words in out


@pytest.mark.parametrize(
    ("words", "where"),
    [
        (("",), "request"),
        (("fold the towel",), "request"),
        (("push the puck; delay -5 ms",), "request"),
        (("push the puck", "--task", "towel"), "--task"),
        (("push the puck", "--rounds", "-1"), "--rounds"),
        (("push the puck", "--minutes", "0"), "--minutes"),
        (("push the puck", "--rollouts", "0"), "--rollouts"),
        (("push the puck", "--driver", "allegro"), "driver"),
        (("push the puck with driver no.such:Hand",), "driver"),
    ],
)
def test_command_names_a_mistake(capsys: pytest.CaptureFixture[str], words: tuple[str, ...], where: str) -> None:
    code, out, _ = run(capsys, *words, "--json")
    error = json.loads(out)["error"]
    assert code == 2 and error["where"] == where and error["what"]
    code, out, err = run(capsys, *words)
    assert code == 2 and out == "" and len(err.strip().splitlines()) == 1


@pytest.mark.parametrize(
    ("text", "factor", "end"),
    [("N m/rad", 1, 7), ("mm/N", 1e-3, 4), ("µs later", 1e-6, 2), ("newtons per metre", 1, 17), ("MS", 1e-3, 2),
     ("N·m·s/rad", 1, 9), ("kg of", 1, 2), ("° ", 0.017453292519943295, 1), ("per cent", 0.01, 8)],
)  # fmt: skip
def test_units(text: str, factor: float, end: int) -> None:
    found = read_unit(text, 0)
    assert found is not None and found[0].factor == pytest.approx(factor) and found[1] == end


@pytest.mark.parametrize("text", ["bananas", "mN m or", "", "7", "MN", "/s"])
def test_what_is_no_unit(text: str) -> None:
    with pytest.raises(ValueError, match="is not a unit"):
        unit_of(text)


def test_amounts_for_people() -> None:
    assert for_people((0.008, 0.018), "s") == ((8.0, 18.0), "ms")
    assert spell((0.5, 1.2), "1") == "0.5 to 1.2"
    assert spell((6e-4,), "m/N") == "0.6 mm/N"
    assert spell((2.0,), "s") == "2 s"
