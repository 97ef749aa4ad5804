"""Servos whose set-point cannot move faster than a given speed."""

from typing_extensions import override

from sim.mechanisms.mechanism import Host, Mechanism, levers, mechanism_knob
from sim.parameters.knob import Ids, Knob
from sim.tasks.task import Array, Task


class VelocityLimit(Mechanism):
    """Slews every set-point at most `speed`, whatever the command asks for.

    The limiter sits before the transport delay and has the same effect behind it, because it does not change in time.
    """

    name = "velocity_limit"
    explanation = (
        "The servo moves its set-point no faster than a limit, so a large step becomes a ramp of constant slope, "
        "while small and slow commands are followed as if it were not there. Neither a delay nor a first-order lag "
        "can imitate that: a lag's slope grows with the step. Bus servos have it as a profile velocity, hobby "
        "servos through their motor. In public logs of a 25 kg hobby servo (servo-sysid, 50 Hz, one session) speed "
        "peaked at 1.93 rad/s, and a limit of 2 rad/s took the error of a fit from .053 to .028 rad and the "
        "held-out one from .037 to .026 rad."
    )
    stepwise = True

    @override
    def knobs(self, task: Task) -> tuple[Knob, ...]:
        meaning = "Fastest that a servo moves its set-point; a slide's is 0.1 m of it per rad."
        return (mechanism_knob("velocity_limit.speed", "rad/s", 2.0, (0.2, 20.0), meaning, "log"),)

    @override
    def bind(self, plant: Host) -> None:
        self._lever = levers(plant) * plant.model.opt.timestep
        self._point = plant.batch.bind("ctrl").copy()
        """Set-points of the last physics step, (n, nu)."""

    @override
    def reset(self, plant: Host, ids: Ids) -> None:
        self._point[ids] = plant.batch.bind("ctrl")[ids]

    @override
    def warm(self, plant: Host, ids: Ids, controls: Array) -> Array:
        reach, slewed = self._reach(plant)[ids], controls.copy()
        for step in range(1, controls.shape[1]):  # as if it had come to rest at the oldest command that is known
            slewed[:, step] = slewed[:, step - 1] + (controls[:, step] - slewed[:, step - 1]).clip(-reach, reach)
        self._point[ids] = slewed[:, -1]
        return slewed

    @override
    def substep(self, plant: Host, commands: Array) -> Array:
        reach = self._reach(plant)
        self._point += (commands - self._point).clip(-reach, reach)
        return self._point

    def _reach(self, plant: Host) -> Array:
        """Furthest that a set-point moves in a physics step, (n, nu)."""
        return plant.values["velocity_limit.speed"][:, None] * self._lever
