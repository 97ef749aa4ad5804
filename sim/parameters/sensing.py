"""Noise of what the plant reports."""

from sim.parameters.knob import Knob
from store.records import Parameter


def noise(name: str, unit: str, nominal: float, high: float, meaning: str) -> Knob:
    """Standard deviation of one kind of sensor noise; `Plant.noise[name]` is read when signals are measured."""
    parameter = Parameter(name=name, unit=unit, kind="sensor", nominal=nominal, low=0.0, high=high, meaning=meaning)
    return Knob(parameter, lambda plant, ids, values: plant.noise[name].__setitem__(ids, values))


JOINT_NOISE = noise("joint_noise", "rad", 0.002, 0.05, "White noise of joint positions, standard deviation.")
OBJECT_NOISE = noise(
    "object_noise", "m", 0.0005, 0.02, "White noise of the tracked object position, standard deviation."
)
FORCE_NOISE = noise("force_noise", "1", 0.05, 0.5, "Relative white noise of fingertip force and slip speed.")
