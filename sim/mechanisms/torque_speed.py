"""Motors that are weaker the faster they turn."""

import numpy as np
from typing_extensions import override

from sim.mechanisms.mechanism import Host, Mechanism, column, levers, mechanism_knob
from sim.parameters.knob import Knob
from sim.tasks.task import Array, Task


class TorqueSpeed(Mechanism):
    """Limits each servo to `limit` (1 - v / `no_load`) in the direction in which it turns; braking keeps the limit."""

    name = "torque_speed"
    explanation = (
        "A DC motor's back-EMF takes away voltage in proportion to its speed, so the torque that is left falls on "
        "a straight line from the stall torque to zero at the no-load speed; the data sheet of a motor gives both "
        "ends. Fast, far commands end up slower than a constant torque limit says, and a loaded finger slower "
        "still, while slow motion and holding are unchanged. Isaac Lab's DCMotor actuator clips torque on such a "
        "line; TheRobotStudio/SO-ARM100 pull request 141 derived its servo values anew from a DC-motor model after "
        "the shipped ones had blocked transfer."
    )
    stepwise = True

    @override
    def knobs(self, task: Task) -> tuple[Knob, ...]:
        meaning = "No-load speed of the servos (actuator_forcerange); a slide's is 0.1 m of it per rad."
        return (mechanism_knob("torque_speed.no_load", "rad/s", 4.0, (1.5, 40.0), meaning, "log"),)

    @override
    def bind(self, plant: Host) -> None:
        self._lever = levers(plant)

    @override
    def substep(self, plant: Host, commands: Array) -> Array:
        share = plant.batch.bind("qvel")[:, plant.joint_dofs] / (column(plant, "torque_speed.no_load") * self._lever)
        # the parameter `torque` scales the model's own limits in the same field, which is therefore written anew
        limit = column(plant, "torque") * plant.model.actuator_forcerange[:, 1]
        field = plant.batch.expand("actuator_forcerange")
        field[:, :, 0] = -limit * np.clip(1 + share, 0, 1)
        field[:, :, 1] = limit * np.clip(1 - share, 0, 1)
        return commands
