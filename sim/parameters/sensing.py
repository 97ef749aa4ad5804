"""What lies between the truth and a reading: noise, bias, gain, dropout, delay."""

from sim.parameters.knob import Knob, nothing
from store.records import Parameter
from store.records.parameter import Kind

OBSERVATION_DELAY = 0.2
"""Upper bound of the delay of readings, s."""
SLIDE_LEVER = 0.1
"""Metres of a slide for a radian of its drive: turns noise of joints, rad, into noise of slides, m."""


def sensing_knobs(fingers: tuple[str, ...], control_period: float, rotation: bool = False) -> tuple[Knob, ...]:
    """Every parameter of the sensors; `sim.sensors` reads them as signals are measured.

    Args:
        fingers: fingers with touch.
        control_period: s; a delay of readings is a whole number of it.
        rotation: whether the object's rotation is tracked.
    """
    knobs = [
        sensor(
            "joint_noise", "rad", 0.002, (0.0, 0.05),
            f"White noise of joint positions, std. deviation; a slide's is {SLIDE_LEVER:g} m of it per rad.",
        ),
        sensor(
            "joint_bias", "rad", 0.0, (0.0, 0.05),
            "Correlated noise of joint positions: drawn for each joint once an episode, standard deviation.",
        ),
        sensor("object_noise", "m", 0.0005, (0.0, 0.02), "White noise of the tracked object position, std. deviation."),
        sensor(
            "object_bias", "m", 0.0, (0.0, 0.02),
            "Correlated noise of the object position: drawn for each axis once an episode, standard deviation.",
        ),
        sensor(
            "force_noise", "1", 0.05, (0.0, 0.5),
            "Relative white noise of fingertip force and slip speed, standard deviation.",
        ),
        sensor("tactile_gain", "1", 1.0, (0.5, 2.0), "Gain of every fingertip's force reading."),
        sensor("tactile_dropout", "1", 0.0, (0.0, 0.5), "Share of touch readings that are lost and read zero."),
        sensor(
            "observation_delay", "s", 0.0, (0.0, OBSERVATION_DELAY),
            "Delay of the tracked object's pose, whole control periods: camera, tracker and transport together.",
            quantum=control_period,
        ),
        sensor(
            "joint_delay", "s", 0.0, (0.0, OBSERVATION_DELAY),
            "Delay of joint and touch readings, whole control periods.", quantum=control_period,
        ),
    ]  # fmt: skip
    if rotation:
        knobs += [
            sensor("rotation_noise", "rad", 0.01, (0.0, 0.2), "White noise of the object's rotation, std. deviation."),
            sensor(
                "rotation_bias", "rad", 0.0, (0.0, 0.2),
                "Correlated noise of the object's rotation: drawn once an episode, standard deviation.",
            ),
        ]  # fmt: skip
    knobs += [
        sensor(
            f"tactile_gain.{f}", "1", 1.0, (0.5, 2.0), f"Gain of {f}'s force reading, as a factor on `tactile_gain`."
        )
        for f in fingers
    ]
    return tuple(knobs)


def push_knobs() -> tuple[Knob, ...]:
    """Random pushes on the object, as in the Dactyl table: they come at a rate, and die away."""
    return (
        sensor(
            "push", "m/s^2", 0.0, (0.0, 5.0),
            "Random pushes on the object, acceleration, standard deviation per axis (xfrc_applied).", kind="physics",
        ),
        sensor("push_rate", "1/s", 1.0, (0.0, 10.0), "How often a push begins, while `push` is above zero.", "physics"),
    )  # fmt: skip


def sensor(
    name: str,
    unit: str,
    nominal: float,
    bounds: tuple[float, float],
    meaning: str,
    kind: Kind = "sensor",
    quantum: float | None = None,
) -> Knob:
    """A parameter that is read as the plant runs."""
    return Knob(
        Parameter(
            name=name, unit=unit, kind=kind, nominal=nominal, low=bounds[0], high=bounds[1], quantum=quantum,
            meaning=meaning,
        ),
        nothing,
    )  # fmt: skip
