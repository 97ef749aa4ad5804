"""What mechanisms that add to the friction of joints have in common."""

from abc import abstractmethod

import mujoco
import numpy as np
from typing_extensions import override

from sim.mechanisms.mechanism import Host, Mechanism
from sim.tasks.task import Array, Task

FIRM = 0.999
"""Constraint impedance of joint friction. MuJoCo's default of .9 lets a joint creep below its friction: at half of .1 Nm on
the finger by .011 rad/s, which would wear away what a joint sticks with; with .999 it is a hundredth of that."""


class Friction(Mechanism):
    """Adds `extra` to the Coulomb friction of the joints in every physics step.

    MuJoCo's implicit friction constraint turns it into a torque, so nothing chatters about zero speed.
    """

    stepwise = True
    friction = True

    @abstractmethod
    def extra(self, plant: Host) -> Array:
        """Friction on top of the parameters' in the coming physics step, (n, nu), Nm or N."""

    @override
    def edit(self, spec: mujoco.MjSpec, task: Task) -> None:
        for joint in task.joints:
            spec.joint(joint).solimp_friction[:2] = np.array([FIRM, FIRM])

    @override
    def substep(self, plant: Host, commands: Array) -> Array:
        plant.extra_friction[:, plant.joint_dofs] += self.extra(plant)
        return commands
