"""Presets become families that every task can be trained on."""

import numpy as np
import pytest

from sim.plant import Plant
from sim.randomize.presets import PRESETS, preset
from sim.randomize.sample import sample_family
from sim.tasks import TASKS, get_task
from store.errors import UserError
from store.records import Family


@pytest.mark.parametrize("name", sorted(PRESETS))
@pytest.mark.parametrize("task", sorted(TASKS))
def test_a_plant_takes_what_a_preset_draws(task: str, name: str) -> None:
    chosen = get_task(task)
    family = preset(name, chosen.parameters)
    plant = Plant(chosen, 2, 1, family.mechanisms)
    rng = np.random.default_rng(0)
    for parameter, values in sample_family(family, plant.parameters, rng, 2).items():
        plant.set(parameter, values)
    start = chosen.sample_start(rng, 2)
    readings = plant.reset(start, seed=1).signals
    joints = np.stack([readings[f"joint_position.{joint}"] for joint in chosen.joints], axis=1)
    for step in range(5):
        readings = plant.step(chosen.exercise(start, joints, step * chosen.control_period)).signals
    assert all(np.isfinite(values).all() for values in readings.values()) and not plant.unstable.any()


def test_the_published_numbers() -> None:
    known = get_task("cube_rotate").parameters
    dactyl, textbook = preset("dactyl", known), preset("textbook", known)
    ends = lambda family, name: (family.range_of(name).low, family.range_of(name).high)  # noqa: E731
    nominal = known["friction"].nominal
    assert ends(dactyl, "friction") == pytest.approx((0.7 * nominal, 1.3 * nominal))
    assert ends(dactyl, "size") == (0.95, 1.05) and ends(dactyl, "delay") == (0.0, 0.08)
    assert ends(textbook, "friction") == (0.5, 1.5) and ends(textbook, "delay") == (0.0, 0.02)
    assert preset("none", known) == Family(ranges=())
    assert len([r for r in preset("playground", known).ranges if r.parameter.startswith("joint_offset.")]) == 16


def test_an_unknown_preset_lists_the_known_ones() -> None:
    with pytest.raises(UserError, match="dactyl"):
        preset("isaac", get_task("finger_push").parameters)
