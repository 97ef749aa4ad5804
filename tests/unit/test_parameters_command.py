"""`regrasp parameters` and `regrasp mechanisms`: what they list, for people and for machines."""

import json

import pytest
from typer.testing import CliRunner

from agent.cli.main import build_app
from sim.mechanisms import MECHANISMS
from store.errors import UserError


def output(*words: str) -> str:
    done = CliRunner().invoke(build_app(), list(words))
    if done.exception and not isinstance(done.exception, SystemExit):
        raise done.exception
    return done.stdout


def test_the_hand_has_more_than_a_hundred_parameters() -> None:
    listed = json.loads(output("parameters", "--task", "cube_reorient", "--json"))
    assert listed["count"] == len(listed["parameters"]) > 100
    for parameter in listed["parameters"]:
        assert parameter["unit"] and parameter["meaning"]
        assert parameter["low"] <= parameter["nominal"] <= parameter["high"] and parameter["low"] < parameter["high"]
    names = {parameter["name"] for parameter in listed["parameters"]}
    assert {"friction", "friction.thumb", "kp.ring_2", "joint_offset.index_0", "light.x", "observation_delay"} <= names


def test_a_person_sees_unit_bounds_and_meaning() -> None:
    text = output("parameters", "--task", "finger_push", "--mechanism", "backlash", "--preset", "textbook")
    assert "Transport delay from command to actuator" in text
    assert "backlash.gap" in text and "preset textbook" in text


def test_mechanisms_are_explained() -> None:
    listed = json.loads(output("mechanisms", "--json"))["mechanisms"]
    assert [one["name"] for one in listed] == list(MECHANISMS)
    assert all(len(one["explanation"]) > 150 and one["parameters"] for one in listed)
    assert "velocity_limit.speed" in output("mechanisms")


@pytest.mark.parametrize(
    ("words", "valid"),
    [
        (("parameters", "--task", "fold"), "cube_rotate"),
        (("parameters", "--preset", "mine"), "dactyl"),
        (("parameters", "--mechanism", "rust"), "backlash"),
        (("parameters", "--task", "none.py:Mine"), "FILE.py:Class"),
    ],
)
def test_wrong_words_name_the_valid_ones(words: tuple[str, ...], valid: str) -> None:
    with pytest.raises(UserError) as caught:
        output(*words)
    assert valid in str(caught.value.valid)
