"""The built-in planner's reading of requests: phrasings, mistakes, and that no word is lost."""

from collections.abc import Mapping
from typing import Any

import pytest

from sim.tasks import TASKS, Task, get_task
from store.errors import UserError
from tools.reading import EXAMPLE, read_request
from tools.reading.tokens import tokenise
from tools.reading.vocabulary import SPOKEN
from tools.understanding import Understanding

TASK: Mapping[str, Task] = {name: get_task(name) for name in TASKS}
PARAMETERS = {name: p for name, p in TASK["finger_push"].parameters.items() if name in SPOKEN}


def read(text: str, task: str | None = None) -> Understanding:
    return read_request(text, TASK, task=task)


def facts(understanding: Understanding) -> dict[str, Any]:
    """Everything understood, in a form that a table can hold."""
    found: dict[str, Any] = {s.parameter: (s.low, s.high) for s in understanding.stated}
    found |= {f"measured {m.quantity}": (m.value, m.low, m.high) for m in understanding.measurements}
    found |= dict(understanding.goal)
    for name in ("minutes", "rollouts", "pilot_rollouts", "rounds", "seed", "driver", "held", "varied"):
        value = getattr(understanding, name)
        if value not in (None, ()):
            found[name] = value
    if not understanding.others:
        found["others"] = False
    if understanding.not_understood:
        found["rest"] = understanding.not_understood
    return found


def approximate(expected: Mapping[str, Any]) -> dict[str, Any]:
    def loose(value: Any) -> Any:
        if isinstance(value, tuple):
            return tuple(loose(part) for part in value)
        return pytest.approx(value, rel=1e-9) if isinstance(value, float) else value

    return {name: loose(value) for name, value in expected.items()}


F = {"friction": (0.5, 1.2)}
D = {"measured delay": (0.011, None, None)}
PHRASINGS: list[tuple[str, dict[str, Any]]] = [
    (EXAMPLE, {"distance": 0.1} | F | D),
    # ranges, each form
    ("Push the puck. Friction is 0.5 to 1.2", F),
    ("push the puck, friction between .5 and 1.2", F),
    ("Slide the puck with friction from 0.5 up to 1.2", F),
    ("Push the puck; mu 0.5-1.2", F),
    ("Push the puck; mu 0.5 – 1.2", F),
    ("push the puck; μ = 0.5..1.2", F),
    ("push the puck; the coefficient of friction lies between 0,5 and 1,2", F),
    ("push the puck; friction: [0.5, 1.2]", F),
    ("push the puck; 0.5 < friction <= 1.2", F),
    ("push the puck with friction at least 0.5 and at most 1.2", F),
    ("push the puck; friction is no less than 0.5 and no more than 1.2", F),
    ("push the puck; friction > 0.5 and < 1.2", F),
    ("push the puck; friction, 0.5 to 1.2", F),
    ("push the puck; minimum friction 0.5, maximum friction 1.2", F),
    ("push the puck; randomise friction from 5e-1 to 12e-1", F),
    ("push the puck; keep the friction between 0.5 and 1.2", F),
    ("Friction varies from 0.5 through 1.2. Push the puck.", F),
    ("push the puck; table friction 0.8±0.1", {"friction": (0.7, 0.9)}),
    ("push the puck; friction 0.8 +/- 0.1", {"friction": (0.7, 0.9)}),
    ("push the puck; grip 0.8 plus or minus 20 %", {"friction": (0.64, 0.96)}),
    ("push the puck; friction 0.8 give or take 0.1", {"friction": (0.7, 0.9)}),
    ("push the puck; vary friction by ±20 %", {"friction": (0.64, 0.96)}),
    ("push the puck; friction within 20 percent of nominal", {"friction": (0.64, 0.96)}),
    ("vary friction by 20 per cent and push the puck", {"friction": (0.64, 0.96)}),
    ("push the puck; friction 80 % to 120 % of nominal", {"friction": (0.64, 0.96)}),
    ("push the puck; friction about 0.8", {"friction": (0.72, 0.88)}),
    ("push the puck; friction approx. .8", {"friction": (0.72, 0.88)}),
    ("push the puck; friction at most 1.2", {"friction": (None, 1.2)}),
    ("push the puck; friction is 0.5 or more", {"friction": (0.5, None)}),
    ("push the puck; friction fixed at 0.8", {"friction": (0.8, 0.8)}),
    # units
    ("push the puck; delay 8 to 18 ms", {"delay": (0.008, 0.018)}),
    ("push the puck; dead time [8, 18] ms", {"delay": (0.008, 0.018)}),
    ("push the puck; delay 0.008 s to 18 ms", {"delay": (0.008, 0.018)}),
    ("push the puck; delay 8000-18000 us", {"delay": (0.008, 0.018)}),
    ("push the puck; delay between 8 and 18 milliseconds", {"delay": (0.008, 0.018)}),
    ("push the puck; delay 8ms..18ms", {"delay": (0.008, 0.018)}),
    ("push the puck; the puck weighs 80 to 120 g", {"mass": (0.08, 0.12)}),
    ("push the puck; mass 0.08 kg to 0.12 kg", {"mass": (0.08, 0.12)}),
    ("push the 50 g puck", {"mass": (0.05, 0.05)}),
    ("push the puck; fingertip compliance 0.4 to 0.8 mm/N", {"compliance": (4e-4, 8e-4)}),
    ("push the puck; compliance 2 to 4 mm under a load of 5 N", {"compliance": (4e-4, 8e-4)}),
    ("push the puck; stiffness 1000 to 2000 N/m", {"compliance": (5e-4, 1e-3)}),
    ("push the puck; stiffness at least 1 N/mm", {"compliance": (None, 1e-3)}),
    ("push the puck; stiffness 2 to 4 Nm/rad", {"kp": (2, 4)}),
    ("push the puck; kp 2.5 to 3.5 N m/rad", {"kp": (2.5, 3.5)}),
    ("push the puck; servo gain 3 ± 0.5 Nm/rad", {"kp": (2.5, 3.5)}),
    ("push the puck; joint damping 0.03-0.08 N·m·s/rad", {"damping": (0.03, 0.08)}),
    ("push the puck; joint noise 1 deg", {"joint_noise": (0.017453292519943295,) * 2}),
    ("push the puck; noise 0.01 rad", {"joint_noise": (0.01, 0.01)}),
    ("push the puck; noise 2 mm", {"object_noise": (0.002, 0.002)}),
    ("push the puck; tactile noise 2 to 10 %", {"force_noise": (0.02, 0.1)}),
    ("push the puck 50 mm", {"distance": 0.05}),
    ("push the puck by 0.1 m", {"distance": 0.1}),
    ("Move the puck ten centimetres", {"distance": 0.1}),
    ("push the puck 4 in in ten minutes", {"distance": 0.1016, "minutes": 10}),
    ("a 10-cm push", {"distance": 0.1}),
    # measurements
    ("push the puck; the servo delay was measured at 11 ms", D),
    ("push the puck; latency is 11 ms (measured)", D),
    ("push the puck; measured lag 11 ms", D),
    ("push the puck; delay 11 ms, as measured", D),
    ("We measured a friction of .8 ± .1. Push the puck.", {"measured friction": (0.8, 0.7, 0.9)}),
    ("push the puck; measured friction between 0.7 and 0.9", {"measured friction": (0.8, 0.7, 0.9)}),
    ("push the puck; measured compliance 3 mm at 5 N", {"measured compliance": (6e-4, None, None)}),
    ("push the puck; measured stiffness 2 N/mm", {"measured compliance": (5e-4, None, None)}),
    ("push the puck; delay measured at 11 ms, friction 0.5 to 1.2", F | D),
    ("push the puck; measured delay 11 ms, friction 0.5 to 1.2", F | D),
    ("push the puck; we measured friction at 0.8 and delay at 11 ms", D | {"measured friction": (0.8, None, None)}),
    ("push the puck; friction 0.8 and delay 11 ms were measured", D | {"measured friction": (0.8, None, None)}),
    ("push the puck; delay 11 ms (±1 ms), measured", {"measured delay": (0.011, 0.01, 0.012)}),
    ("push the puck; delay is between 5 and 20 ms but was measured as 11 ms", D | {"delay": (0.005, 0.02)}),
    # budgets, seeds, drivers
    ("push the puck in 10 minutes with 20 rollouts, two rounds, seed 3, on the twin",
     {"minutes": 10, "pilot_rollouts": 20, "rounds": 2, "seed": 3, "driver": "twin"}),
    ("push the puck within half an hour", {"minutes": 30}),
    ("push the puck in an hour and a half", {"minutes": 60, "rest": ("a half",)}),
    ("push the puck in one and a half hours", {"minutes": 90}),
    ("push the puck; budget: 90 s", {"minutes": 1.5}),
    ("push the puck with at most forty rollouts in total", {"rollouts": 40}),
    ("push the puck; budget: 2 h, 200 rollouts, 3 rounds", {"minutes": 120, "rollouts": 200, "rounds": 3}),
    ("push the puck; budget: 2 h, 20 rollouts per pilot", {"minutes": 120, "pilot_rollouts": 20}),
    ("push the puck, twenty-five rollouts per pilot", {"pilot_rollouts": 25}),
    ("push the puck, half a dozen real rollouts", {"pilot_rollouts": 6}),
    ("push the puck, no repairs", {"rounds": 0}),
    ("push the puck without repair rounds", {"rounds": 0}),
    ("push the puck; rounds: 3; seed = 12", {"rounds": 3, "seed": 12}),
    ("finger push with driver my.hand:Driver", {"driver": "my.hand:Driver"}),
    # what varies
    ("push the puck; don't randomise mass", {"held": ("mass",)}),
    ("push the puck; do not vary mass, compliance or friction", {"held": ("mass", "compliance", "friction")}),
    ("push the puck; keep friction fixed at 0.8", {"friction": (0.8, 0.8)}),
    ("push the puck; friction and mass are fixed", {"held": ("friction", "mass")}),
    ("push the puck without mass randomisation", {"held": ("mass",)}),
    ("push the puck; randomise mass", {"varied": ("mass",)}),
    ("push the puck; vary only friction and delay", {"varied": ("friction", "delay"), "others": False}),
    ("push the puck; friction 0.5 to 1.2; everything else fixed", F | {"others": False}),
    ("push the puck; nothing else varies", {"others": False}),
    # numbers that are no values of what stands beside them
    ("push a 6 cm puck across the table", {"rest": ("a 6 cm",)}),
    ("push the 6 cm wide puck 10 cm", {"distance": 0.1, "rest": ("the 6 cm wide",)}),
    ("push a puck of 6 cm diameter 10 cm across the table", {"distance": 0.1, "rest": ("of 6 cm diameter",)}),
    ("push the puck with a diameter of 6 cm", {"rest": ("with a diameter of 6 cm",)}),
    ("push the puck 10 cm in 2 seconds", {"distance": 0.1, "rest": ("in 2 seconds",)}),
    ("push the puck; the push takes 3 s", {"rest": ("takes 3 s",)}),
    ("push the puck in 90 seconds", {"minutes": 1.5}),
    ("push the puck; each episode lasts 1 minute", {"rest": ("each episode lasts 1 minute",)}),
    ("push the puck; the approval expires in 20 minutes", {"rest": ("the approval expires in 20 minutes",)}),
    ("push the puck; we did 40 rollouts yesterday", {"rest": ("we did 40 rollouts yesterday",)}),
    ("push the puck like in round 2", {"rest": ("like in round 2",)}),
    ("push the puck; in round 3 the friction was 0.5 to 1.2", F | {"rest": ("in round 3",)}),
    ("push the puck; 2 repair rounds", {"rounds": 2}),
    ("push the puck; the friction error is 0.1", {"rest": ("the friction error is 0.1",)}),
    ("push the puck; latency jitter is 3 ms", {"rest": ("latency jitter is 3 ms",)}),
    ("push the puck; delay increased by 5 ms", {"rest": ("delay increased by 5 ms",)}),
    ("push the puck; vary friction by 0.2", {"varied": ("friction",), "rest": ("by 0.2",)}),
    ("push the puck by 10 cm with friction 0.8", {"distance": 0.1, "friction": (0.8, 0.8)}),
    ("push the puck; mass 100 g more than nominal", {"rest": ("mass 100 g more than nominal",)}),
    ("push the puck; add 50 g to the puck", {"rest": ("add 50 g",)}),
    ("push the puck; the hand weighs 300 g", {"rest": ("the hand weighs 300 g",)}),
    ("push the puck; the mass of the finger is 0.2 kg", {"rest": ("the mass of the finger is 0.2 kg",)}),
    ("push the puck; mass 80 to 120 g with one finger", {"mass": (0.08, 0.12)}),
    ("push the puck; the delay was measured at 11 ms 3 hours ago", D | {"rest": ("3 hours ago",)}),
    ("push the puck; the maximum allowed delay is 50 ms", {"delay": (None, 0.05), "rest": ("allowed",)}),
    # tasks
    ("finger_push", {}),
    ("Using my 3-DoF finger, push the puck", {}),
    ("train finger-push", {}),
    ("Teach the finger to slide the puck to the target, please!", {}),
    ("Using a 3-joint finger, nudge the puck", {}),
    # what is handed back
    ("push the puck 10 cm gently to the left", {"distance": 0.1, "rest": ("gently to the left",)}),
    ("push the puck and then rotate the cube", {"rest": ("then rotate the cube",)}),
    ("push the puck; friction 0.5 to 1.2 at 25 degrees", F | {"rest": ("at 25 degrees",)}),
    ("push the puck if friction is 0.5", {"rest": ("if friction is 0.5",)}),
    ("push the puck; the delay is not 11 ms", {"rest": ("the delay is not 11 ms",)}),
    ("push the puck; do not use friction 0.8 and delay 11 ms", {"rest": ("do not use friction 0.8 and delay 11 ms",)}),
    ("push the puck; first-order lag of 20 ms", {"rest": ("first-order lag of 20 ms",)}),
    ("push the puck; camera latency 30 ms", {"rest": ("camera latency 30 ms",)}),
    ("push the puck; joint friction 0.02 Nm", {"rest": ("joint friction 0.02 Nm",)}),
    ("push the puck; friction 2/3", {"rest": ("friction 2/3",)}),
    ("push the puck twice 10 cm", {"rest": ("twice 10 cm",)}),
    ("push the puck; the friction of the 1st object", {"rest": ("the friction of the 1st object",)}),
    ("push the puck; half the friction", {"rest": ("half the friction",)}),
    ("push the puck; friction matters", {"rest": ("friction matters",)}),
    ("push the puck; distance 5 to 10 cm", {"rest": ("distance 5 to 10 cm",)}),
    ("push the puck to within 5 mm of the target", {"rest": ("to within 5 mm",)}),
    ("push the puck on the real robot", {"rest": ("on the real robot",)}),
    ("push the puck; at least 20 rollouts", {"rest": ("at least 20 rollouts",)}),
]  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), PHRASINGS, ids=[text[:60] for text, _ in PHRASINGS])
def test_phrasing(text: str, expected: dict[str, Any]) -> None:
    understood = read(text)
    assert understood.task == "finger_push"
    assert facts(understood) == approximate(expected)


MISTAKES: list[tuple[str, str, str]] = [
    ("", "empty", "finger_push"),
    (" \n\t", "empty", "finger_push"),
    ("fold the towel", "missing: a task", "finger_push"),
    ("Friction is 0.5 to 1.2 and seed 3.", "understood: friction 0.5 to 1.2; seed: 3; missing: a task", "finger_push"),
    ("don't push the puck", "missing: a task", "finger_push"),
    ("push the puck; friction 1.2 to 0.5", "low end", ""),
    ("push the puck; friction between 1.2 and 0.5", "low end", ""),
    ("push the puck; friction at least 1.2 and at most 0.5", "low end", ""),
    ("push the puck; friction [1.2, 0.5]", "low end", ""),
    ("push the puck; delay -5 ms", "negative delay (-5 ms)", "0 to 150 ms"),
    ("push the puck; delay of minus five ms", "negative delay", "0 to 150 ms"),
    ("push the puck; the delay was measured at -11 ms", "negative delay", "0 to 150 ms"),
    ("push the puck; delay 11 ms ± 20 ms", "negative delay", "0 to 150 ms"),
    ("push the puck; delay 3 mm", "delay is a time, but '3 mm'", "ms"),
    ("push the puck; 3 mm delay", "delay is a time", "ms"),
    ("push the puck; friction 0.5 N", "friction is a plain number", ""),
    ("push the puck; mass 0.5 N", "mass is a mass, but '0.5 n'", "g"),
    ("push the puck; compliance 3 mm", "compliance is a compliance", "m/N"),
    ("push the puck; delay 11", "delay needs a unit", "ms"),
    ("push the puck; delay is 11 to 18", "delay needs a unit", "ms"),
    ("push the puck; delay 11 parsecs", "unknown unit 'parsecs'", "ms"),
    ("push the puck 10 furlongs", "unknown unit 'furlongs'", "cm"),
    ("push the puck 10", "distance needs a unit", "cm"),
    ("push the puck 2 m", "out of reach", "20 to 120 mm"),
    ("push the puck -5 cm", "out of reach", "20 to 120 mm"),
    ("push the puck 5 cm. Push the puck 10 cm.", "two different values of distance", ""),
    ("push the puck; friction 9", "friction 9 cannot be simulated", "0.1 to 2"),
    ("push the puck; delay 10 minutes", "delay 600 s", "150 ms"),
    ("push the puck; friction 0.5 to 1.2; friction 0.6 to 1.2", "two different statements about friction", ""),
    ("push the puck; friction 0.5 or 0.8", "two different statements about friction", ""),
    ("push the puck; friction was 0.5 to 1.2 but now it is 0.6", "two different statements about friction", ""),
    ("push the puck; we measured delay 11 ms and 14 ms", "two different measurements", ""),
    ("push the puck; mu 0.8 and friction 0.9", "two different statements about friction", ""),
    ("push the puck; measured delay 11 ms. The delay was measured at 14 ms.", "two different measurements", ""),
    ("push the puck; don't vary friction. Friction 0.5 to 1.2", "both held and varied", ""),
    ("push the puck; vary friction. Friction fixed at 0.8", "both held and varied", ""),
    ("push the puck; friction fixed between 0.5 and 1.2", "cannot be fixed", ""),
    ("push the puck; friction 20 %", "percentage of", ""),
    ("push the puck; joint noise ±0.01 rad", "tolerance of joint_noise or its size", ""),
    ("push the puck; stiffness 0 N/m", "above zero", ""),
    ("push the puck; compliance 3 mm at 0 N", "force above zero", ""),
    ("push the puck; friction 1,000", "can be 1000 or 1.000", ""),
    ("push the puck; delay 8 000 us", "one number or two", ""),
    ("push the puck; friction 1e999", "too large", ""),
    ("push the puck with the Shadow hand", "no robot 'the Shadow hand'", "finger"),
    ("push the puck with two fingers", "no robot 'two fingers'", "finger"),
    ("push the puck on driver foo", "unknown driver 'foo'", "twin"),
    ("push the puck with seed 2.5", "whole number", ""),
    ("push the puck, seed 99999999", "too many", "9999"),
    ("push the puck, seed 3, seed 4", "two different values of seed", ""),
    ("push the puck, 0 rollouts", "whole number from 1", ""),
    ("push the puck in 0 minutes", "no time is left", ""),
    ("push \udc80 puck", "not valid Unicode", ""),
    ("push " * 5000, "25000 characters", "10000"),
]


@pytest.mark.parametrize(("text", "what", "valid"), MISTAKES, ids=[repr(text[:60]) for text, _, _ in MISTAKES])
def test_mistake(text: str, what: str, valid: str) -> None:
    with pytest.raises(UserError) as caught:
        read(text)
    assert what in caught.value.what
    assert valid in caught.value.valid
    assert caught.value.where == "request"
    assert "\n" not in str(caught.value)


def test_a_request_without_a_task_gets_an_example_that_works() -> None:
    for text in ("", "fold the towel"):
        with pytest.raises(UserError) as caught:
            read(text)
        assert EXAMPLE in caught.value.hint
    assert not read(EXAMPLE).not_understood


def test_task_option_beats_the_words() -> None:
    assert read("fold the towel", task="finger_push").not_understood == ("fold the towel",)
    with pytest.raises(UserError) as caught:
        read("push the puck", task="towel")
    assert caught.value.where == "--task" and "finger_push" in caught.value.valid


def test_lag_is_read_as_delay_and_says_so() -> None:
    assert "first-order lag" in read("push the puck; servo lag 11 ms").notes[-1]
    assert not read("push the puck; measured delay 11 ms").notes
    assert "not a delay" in read("push the puck; time constant 11 ms").notes[0]


def test_a_share_of_nominal_says_so() -> None:
    note = "'50 to 120 %' was read as a share of the nominal friction, 0.8"
    assert note in read("push the puck; friction 50 to 120 %").notes


def test_readings_quote_the_request() -> None:
    understood = read(EXAMPLE)
    assert all(r.text in EXAMPLE or r.text == "finger_push" for r in understood.readings)
    assert [r.meaning for r in understood.readings][1:] == [
        "distance: 100 mm",
        "robot: finger",
        "friction 0.5 to 1.2",
        "delay measured: 11 ms",
    ]


@pytest.mark.parametrize(
    ("text", "value"),
    [(".5", 0.5), ("0.5", 0.5), ("0,5", 0.5), ("1e-3", 1e-3), ("1,000,000", 1e6), ("1,000.5", 1000.5), ("12,5", 12.5)],
)
def test_number_formats(text: str, value: float) -> None:
    assert tokenise(text)[0].value == value


@pytest.mark.parametrize("parameter", PARAMETERS.values(), ids=list(PARAMETERS))
def test_every_parameter_can_be_named_as_it_is_called(parameter: Any) -> None:
    unit = "" if parameter.unit == "1" else f" {parameter.unit}"
    understood = read(f"push the puck; {parameter.name} {parameter.low!r} to {parameter.high!r}{unit}")
    assert facts(understood) == {parameter.name: pytest.approx((parameter.low, parameter.high))}
