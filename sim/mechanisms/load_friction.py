"""Friction that grows with the torque that a gearbox passes on."""

import numpy as np
from typing_extensions import override

from sim.mechanisms.friction import Friction
from sim.mechanisms.mechanism import Host, column, mechanism_knob
from sim.parameters.knob import Knob
from sim.tasks.task import Array, Task


class LoadFriction(Friction):
    """Adds `coefficient` times the servo's torque to the Coulomb friction of its joint."""

    name = "load_friction"
    explanation = (
        "Gear teeth that are pressed harder rub harder, so friction grows with the load: a hand that holds an "
        "object, or an arm held out against gravity, is stickier than the same joint moving free and parks further "
        "from its target. Friction that is fitted without load is then too small with it. The form is that of the "
        "load-dependent model M3 of BAM (Rhoban/bam), with the servo's torque of the last physics step as the "
        "load."
    )

    @override
    def knobs(self, task: Task) -> tuple[Knob, ...]:
        meaning = "Friction over the servo's torque or force (dof_frictionloss += coefficient |actuator_force|)."
        return (mechanism_knob("load_friction.coefficient", "1", 0.2, (0.0, 0.8), meaning),)

    @override
    def bind(self, plant: Host) -> None:
        self._torque = plant.batch.bind("actuator_force")  # an output: it must be bound before the first step

    @override
    def extra(self, plant: Host) -> Array:
        return column(plant, "load_friction.coefficient") * np.abs(self._torque)
