"""Commands that never arrive."""

import numpy as np
from typing_extensions import override

from sim.mechanisms.mechanism import Host, Mechanism, mechanism_knob
from sim.parameters.knob import Ids, Knob
from sim.tasks.task import Array, Task


class PacketLoss(Mechanism):
    """Loses the command of a control step, to all servos at once, with a given probability; the last one stays."""

    name = "packet_loss"
    explanation = (
        "A bus or network drops a command now and then, and the servos hold the one before it for another control "
        "period. The joints pause at random moments, all together, which no fixed delay or lag imitates; a replay "
        "cannot tell which commands were lost, only how often. A LEAP hand on a 4 Mbps bus lost about 3 % of its "
        "packets (gunchung78/leap-hand-teleop-sim2real); DeXtreme grows the probability of a late action from .05 "
        "to .7 in training (IsaacGymEnvs configuration)."
    )

    @override
    def knobs(self, task: Task) -> tuple[Knob, ...]:
        meaning = "Probability that a command is lost; losses are independent of one another."
        return (mechanism_knob("packet_loss.probability", "1", 0.05, (0.0, 0.6), meaning),)

    @override
    def bind(self, plant: Host) -> None:
        self._last = plant.batch.bind("ctrl").copy()
        """Commands that arrived last, (n, nu)."""

    @override
    def reset(self, plant: Host, ids: Ids) -> None:
        self._last[ids] = plant.batch.bind("ctrl")[ids]

    @override
    def command(self, plant: Host, commands: Array) -> Array:
        lost = plant.rng.random(plant.count) < plant.values["packet_loss.probability"]
        self._last = np.where(lost[:, None], self._last, commands)
        return self._last
