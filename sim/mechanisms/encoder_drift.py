"""Encoders whose zero wanders."""

import numpy as np
from typing_extensions import override

from sim.mechanisms.mechanism import Host, Mechanism, levers, mechanism_knob
from sim.parameters.knob import Ids, Knob
from sim.tasks.task import Array, Signals, Task


class EncoderDrift(Mechanism):
    """Every encoder reads `rate` times the time since reset too high, so its servo holds the joint as much too low."""

    name = "encoder_drift"
    explanation = (
        "The zero of an encoder wanders as it warms up, as a magnet shifts or a tendon stretches. Reading and "
        "joint part ways although nothing seems wrong: the servo closes its loop on the encoder, so readings go on "
        "agreeing with commands while the joint itself drifts off, and only the object, the touch or a camera "
        "shows it. A constant bias, which PACE (leggedrobotics/pace-sim2real) fits for each joint, is right at one "
        "moment only. That a drift is steady within an episode is our simplification."
    )

    @override
    def knobs(self, task: Task) -> tuple[Knob, ...]:
        meaning = (
            "Speed at which all joints' readings drift upwards, from zero at reset; a slide's is 0.1 m of it per rad."
        )
        return (mechanism_knob("encoder_drift.rate", "rad/s", 0.01, (-0.05, 0.05), meaning),)

    @override
    def bind(self, plant: Host) -> None:
        self._lever = levers(plant)

    @override
    def command(self, plant: Host, commands: Array) -> Array:
        return commands - self._offset(plant)

    @override
    def warm(self, plant: Host, ids: Ids, controls: Array) -> Array:
        ages = np.arange(controls.shape[1], 0, -1) * plant.model.opt.timestep
        times = np.maximum(plant.batch.bind("time")[ids][:, None] - ages, 0.0)
        drift = plant.values["encoder_drift.rate"][ids][:, None] * times
        return controls - drift[:, :, None] * self._lever

    @override
    def read(self, plant: Host, truth: Signals) -> Signals:
        offset = self._offset(plant)
        drifted = {f"joint_position.{joint}": offset[:, i] for i, joint in enumerate(plant.task.joints)}
        return truth | {name: truth[name] + drifted[name] for name in drifted if name in truth}

    def _offset(self, plant: Host) -> Array:
        """How much too high each encoder reads now, (n, nu)."""
        return (plant.values["encoder_drift.rate"] * plant.batch.bind("time"))[:, None] * self._lever
