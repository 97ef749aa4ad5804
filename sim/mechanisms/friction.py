"""What mechanisms that add to the friction of joints have in common."""

from abc import abstractmethod

from typing_extensions import override

from sim.mechanisms.mechanism import Host, Mechanism
from sim.tasks.task import Array


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
    def substep(self, plant: Host, commands: Array) -> Array:
        plant.extra_friction[:, plant.joint_dofs] += self.extra(plant)
        return commands
