"""The parameters that every task has, from a description of what is in it."""

from collections.abc import Mapping
from dataclasses import dataclass

from sim.models.servo import Servo
from sim.parameters.actuation import servo_knobs
from sim.parameters.contact import Pad, compliances, frictions
from sim.parameters.inertia import Object, gravity, link_masses, object_knobs
from sim.parameters.knob import Knob
from sim.parameters.sensing import push_knobs, sensing_knobs
from sim.parameters.visual import visual_knobs


@dataclass(frozen=True)
class Apparatus:
    """Robot, object and what touches what, by the names of the task's model."""

    servos: Mapping[str, Servo]
    """Joint -> its servo, in the task's order."""
    links: tuple[str, ...]
    """Bodies of the robot that move."""
    item: Object
    surfaces: Mapping[str, tuple[str, ...]]
    """Surface -> contact pairs with the object."""
    pads: Mapping[str, Pad]
    """Finger -> its compliant fingertip."""
    friction: float = 0.8
    compliance: tuple[float, float, float] = (6e-4, 1.5e-4, 5e-3)
    """Nominal, low and high, m/N; the timestep and the masses bound it below."""
    rotation: bool = False
    """Whether the object's rotation is tracked."""


def standard_knobs(parts: Apparatus, timestep: float, control_period: float) -> tuple[Knob, ...]:
    """Contact, inertia, actuation, sensing and looks of an apparatus.

    Args:
        parts: what is in the task.
        timestep: physics step, s.
        control_period: s.
    """
    nominal, low, high = parts.compliance
    return (
        *frictions(parts.surfaces, parts.friction),
        *object_knobs(parts.item),
        *link_masses(parts.links),
        *gravity(),
        *servo_knobs(parts.servos, timestep),
        *compliances(parts.pads, nominal, low, high),
        *push_knobs(),
        *sensing_knobs(tuple(parts.pads), control_period, parts.rotation),
        *visual_knobs(),
    )
