"""Friction that falls with speed."""

import numpy as np
from typing_extensions import override

from sim.mechanisms.friction import Friction
from sim.mechanisms.mechanism import Host, column, levers, mechanism_knob
from sim.parameters.knob import Knob
from sim.tasks.task import Array, Task


class Stribeck(Friction):
    """Adds `torque` exp(-(v / `speed`)^2) to the Coulomb friction of every joint."""

    name = "stribeck"
    explanation = (
        "Lubricated friction is largest at rest and falls as a film builds up, before viscous friction takes over: "
        "the Stribeck curve (R. Stribeck, 1902). A joint with it creeps in jerks at low speed, stops short of its "
        "target and runs freely once it moves. Constant friction plus damping only rises with speed and cannot do "
        "that. The form is that of model M2 of BAM (Rhoban/bam) with exponent two. Measured on joint 7 of a Franka "
        "arm (MaximeSabbah/fer_mujoco_sysid): .52 Nm at .04 rad/s, .47 at .05 and .30 at .15."
    )

    @override
    def knobs(self, task: Task) -> tuple[Knob, ...]:
        torque = "Friction at rest on top of the Coulomb friction (dof_frictionloss); a slide's force is 10 N per Nm."
        speed = "Speed at which the extra friction has fallen to 1/e; a slide's is 0.1 m of it per rad."
        return (
            mechanism_knob("stribeck.torque", "Nm", 0.05, (0.0, 0.4), torque),
            mechanism_knob("stribeck.speed", "rad/s", 0.15, (0.02, 2.0), speed, "log"),
        )

    @override
    def bind(self, plant: Host) -> None:
        self._lever = levers(plant)

    @override
    def extra(self, plant: Host) -> Array:
        velocity = plant.batch.bind("qvel")[:, plant.joint_dofs]
        share = np.exp(-((velocity / (column(plant, "stribeck.speed") * self._lever)) ** 2))
        return column(plant, "stribeck.torque") / self._lever * share
