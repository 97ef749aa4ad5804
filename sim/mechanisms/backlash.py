"""Play between servo and joint."""

import numpy as np
from typing_extensions import override

from sim.mechanisms.mechanism import Host, Mechanism, column, levers, mechanism_knob
from sim.parameters.knob import Knob
from sim.tasks.task import Array, Task


class Backlash(Mechanism):
    """Takes the servo's spring out of a zone of width `gap` around the set-point, where the joint moves freely.

    With the error e = set-point - joint, MuJoCo's servo gives clip(kp e). The torque that turns this into
    clip(kp (e - clip(e, +-gap/2))) goes into `qfrc_applied`. The set-point is the actuator's activation: delayed and
    lagged as the servo's own, and one physics step old. The servo's derivative gain, where it has one, goes on braking
    inside the gap.
    """

    name = "backlash"
    explanation = (
        "Gears, linkages and tendons have play: within a gap the joint is loose, and the servo gets hold of it "
        "only at either side. When commands reverse, the joint waits until the gap is crossed, a hysteresis of the "
        "width of the gap; a steady load such as gravity closes the gap, and then there is none; a finger that is "
        "touched gives way freely. No gain, delay or friction imitates all three. The form is the classical dead "
        "zone in a geared drive (Nordin and Gutman, Controlling mechanical systems with backlash: a survey, "
        "Automatica 2002)."
    )
    stepwise = True

    @override
    def knobs(self, task: Task) -> tuple[Knob, ...]:
        meaning = "Full width of the play between servo and joint (qfrc_applied); a slide's is 0.1 m of it per rad."
        return (mechanism_knob("backlash.gap", "rad", 0.03, (0.0, 0.2), meaning),)

    @override
    def bind(self, plant: Host) -> None:
        self._half = levers(plant) / 2

    @override
    def substep(self, plant: Host, commands: Array) -> Array:
        batch = plant.batch
        error = batch.bind("act") - batch.bind("qpos")[:, plant.joint_addresses]
        gain = batch.expand("actuator_gainprm")[:, :, 0]
        bounds = batch.expand("actuator_forcerange")
        brake = batch.expand("actuator_biasprm")[:, :, 2] * batch.bind("qvel")[:, plant.joint_dofs]
        half = column(plant, "backlash.gap") * self._half
        given, wanted = gain * error + brake, gain * (error - np.clip(error, -half, half)) + brake
        low, high = bounds[:, :, 0], bounds[:, :, 1]
        batch.bind("qfrc_applied")[:, plant.joint_dofs] += wanted.clip(low, high) - given.clip(low, high)
        return commands
