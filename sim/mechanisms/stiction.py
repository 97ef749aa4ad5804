"""Joints that stick when they have rested."""

import numpy as np
from typing_extensions import override

from sim.mechanisms.friction import Friction
from sim.mechanisms.mechanism import Host, column, levers, mechanism_knob
from sim.parameters.knob import Ids, Knob
from sim.tasks.task import Array, Task

REST = 0.02
"""Speed below which a joint rests, rad/s."""


class Stiction(Friction):
    """Adds `torque` (1 - exp(-rest / `dwell`)) to the Coulomb friction of a joint that has rested for some time."""

    name = "stiction"
    explanation = (
        "A joint that has stood still needs an extra torque to break away, the more the longer it has stood, as "
        "contacts settle and grease is pressed out; once it moves the extra is gone. Small corrections after a "
        "pause are swallowed, then the joint jumps. Unlike the Stribeck curve it depends on time at rest, not on "
        "speed alone: that static friction rises with the time of stationary contact is a classical measurement "
        "(Rabinowicz, 1950s). Stickiness of some kind is plain in public logs: the elbow of an SO-101 arm follows "
        "small reversals with a correlation of only .41 (isaac-sim2real/sage)."
    )

    @override
    def knobs(self, task: Task) -> tuple[Knob, ...]:
        torque = "Extra torque to break away after a long rest (dof_frictionloss); a slide's force is 10 N per Nm."
        dwell = "Time at rest after which 63 % of the extra torque is there."
        return (
            mechanism_knob("stiction.torque", "Nm", 0.08, (0.0, 0.5), torque),
            mechanism_knob("stiction.dwell", "s", 0.1, (0.01, 2.0), dwell, "log"),
        )

    @override
    def bind(self, plant: Host) -> None:
        self._lever = levers(plant)
        self._rest = np.zeros((plant.count, len(self._lever)))
        """Time for which each joint has rested, (n, nu), s."""

    @override
    def warm(self, plant: Host, ids: Ids, controls: Array) -> Array:
        # it has rested since the command last moved; without a move, as at reset, for as long as it takes
        dt = plant.model.opt.timestep
        moved = np.abs(np.diff(controls, axis=1)) > REST * dt * self._lever
        steps = 1 + np.argmax(moved[:, ::-1], axis=1)
        self._rest[ids] = np.where(moved.any(axis=1), steps * dt, np.inf)
        return controls

    @override
    def extra(self, plant: Host) -> Array:
        resting = np.abs(plant.batch.bind("qvel")[:, plant.joint_dofs]) < REST * self._lever
        self._rest = np.where(resting, self._rest + plant.model.opt.timestep, 0.0)
        share = 1 - np.exp(-self._rest / column(plant, "stiction.dwell"))
        return column(plant, "stiction.torque") / self._lever * share
