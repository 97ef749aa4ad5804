"""Delay, lag, gains, friction and calibration of the servos, in common and joint by joint."""

from collections.abc import Mapping
from typing import Literal

import numpy as np

from sim.models.servo import LONGEST_DELAY, Servo
from sim.parameters.knob import Ids, Knob, Tunable, Values, factor, nothing, side_by_side
from store.records import Parameter

DELAY, JOINT_DELAY, JITTER = 0.15, 0.05, 0.04
"""Upper bounds of the common delay, a joint's own share and the jitter, s; the history holds their sum."""
LAG = 0.1
OFFSET = {"rad": 0.1, "m": 0.005}

assert DELAY + JOINT_DELAY + JITTER <= LONGEST_DELAY


def servo_knobs(servos: Mapping[str, Servo], timestep: float, delay: float = 0.011) -> tuple[Knob, ...]:
    """Every parameter of the servos.

    Args:
        servos: joint -> its servo.
        timestep: physics step, s: a delay between two multiples of it is the same simulation.
        delay: nominal transport delay, s.
    """
    return (
        *delays(tuple(servos), timestep, delay),
        lag(),
        *gains(servos),
        *dissipation(servos, "damping", "dof_damping", "Viscous damping", "Nms/rad", (5, 8)),
        *dissipation(servos, "frictionloss", "dof_frictionloss", "Coulomb friction", "Nm", (10, 10)),
        *dissipation(servos, "armature", "dof_armature", "Reflected rotor inertia", "kg m^2", (4, 4)),
        torque_limit(servos),
        *(offset(joint, servo.unit) for joint, servo in servos.items()),
    )


def delays(joints: tuple[str, ...], timestep: float, nominal: float) -> tuple[Knob, ...]:
    """Transport delay between a command and its effect, which is not a filter constant; a joint's own share; jitter."""

    def apply(plant: Tunable, ids: Ids) -> None:
        longest = float(plant.model.actuator_history[:, 0].min() * plant.model.opt.timestep)
        total = total_delay(plant, joints, ids)
        # MuJoCo clips a delay that its history cannot hold without a word; we refuse instead
        if total.size and total.max() + JITTER > longest:
            raise ValueError(
                f"delay {total.max():.3f} s and jitter need nsample * timestep >= delay, the model holds {longest:.3f}"
            )
        plant.batch.expand("actuator_delay")[ids] = total

    def seconds(name: str, value: float, high: float, quantum: float | None, meaning: str) -> Parameter:
        return Parameter(
            name=name, unit="s", kind="physics", nominal=value, low=0.0, high=high, quantum=quantum, meaning=meaning
        )

    common = "Transport delay from command to actuator, all joints (actuator_delay; zero-order hold of past commands)."
    own = "Transport delay of {} beyond the common one, e.g. its place in the bus cycle (actuator_delay)."
    late = "Jitter of the control period: each command comes late by a half-normal time of this spread, s."
    return (
        Knob(seconds("delay", nominal, DELAY, timestep, common), apply),
        *(Knob(seconds(f"delay.{j}", 0.0, JOINT_DELAY, timestep, own.format(j)), apply) for j in joints),
        # the plant adds the jitter anew in every control step; applying takes the last one away
        Knob(seconds("control_jitter", 0.0, JITTER / 3, None, late), apply),
    )


def total_delay(plant: Tunable, joints: tuple[str, ...], ids: Ids) -> Values:
    """Transport delay of every joint without jitter, (k, nu), s."""
    return plant.values["delay"][ids][:, None] + side_by_side(plant, "delay", joints, ids)


def lag() -> Knob:
    """First-order lag of the servos: a filter, which moves at once, not a delay."""

    def apply(plant: Tunable, ids: Ids) -> None:
        plant.batch.expand("actuator_dynprm")[ids, :, 0] = plant.values["lag"][ids][:, None]

    meaning = "Time constant of a first-order lag of the servos' set-point, after the delay (actuator_dynprm[0])."
    return Knob(Parameter(name="lag", unit="s", kind="physics", nominal=0.0, low=0.0, high=LAG, meaning=meaning), apply)


def gains(servos: Mapping[str, Servo]) -> tuple[Knob, ...]:
    """Proportional and derivative gain of the position servos."""
    joints = tuple(servos)
    own = np.array([servo.kp for servo in servos.values()])
    alike, scale = _common(own)

    def apply(plant: Tunable, ids: Ids) -> None:
        values = plant.values
        kp = values["kp"][ids][:, None] * side_by_side(plant, "kp", joints, ids) * scale
        plant.batch.expand("actuator_gainprm")[ids, :, 0] = kp
        plant.batch.expand("actuator_biasprm")[ids, :, 1] = -kp
        plant.batch.expand("actuator_biasprm")[ids, :, 2] = -kp * values["kd"][ids][:, None]

    meaning = "Proportional gain of the position servos{} (actuator_gainprm[0], actuator_biasprm[1])."
    common = _absolute("kp", "Nm/rad", alike, meaning, (4, 3))
    derivative = Parameter(
        name="kd", unit="s", kind="physics", nominal=0.0, low=0.0, high=0.05,
        meaning="Derivative gain of the servos over their proportional gain (actuator_biasprm[2]).",
    )  # fmt: skip
    return (
        Knob(common, apply),
        Knob(derivative, apply),
        *(factor("kp", joint, apply, "Servo gain") for joint in joints),
    )


Field = Literal["dof_damping", "dof_frictionloss", "dof_armature"]


def dissipation(
    servos: Mapping[str, Servo], name: str, field: Field, what: str, unit: str, spread: tuple[float, float]
) -> tuple[Knob, ...]:
    """One property of every joint, in common and joint by joint.

    Args:
        servos: joint -> its servo; `name` is the attribute with the nominal value.
        name: the parameter.
        field: where MuJoCo keeps it.
        what: it, in words.
        unit: SI, where all joints are hinges with one value.
        spread: hard bounds are nominal divided by the first and times the second.
    """
    own = np.array([getattr(servo, name) for servo in servos.values()])
    alike, scale = _common(own)

    def apply(plant: Tunable, ids: Ids) -> None:
        values, target = plant.values, plant.batch.expand(field)
        for joint, each in zip(servos, scale, strict=True):
            dof = plant.model.jnt_dofadr[plant.model.joint(joint).id]
            target[ids, dof] = values[name][ids] * values[f"{name}.{joint}"][ids] * each
        if field == "dof_armature":  # the inverse weights depend on it
            plant.batch.set_const(ids)

    common = _absolute(name, unit, alike, f"{what} of the robot's joints{{}} ({field}).", spread)
    return (Knob(common, apply), *(factor(name, joint, apply, what) for joint in servos))


def torque_limit(servos: Mapping[str, Servo]) -> Knob:
    """Factor on the torque or force that every servo can give."""
    limits = np.array([servo.torque for servo in servos.values()])

    def apply(plant: Tunable, ids: Ids) -> None:
        bound = plant.values["torque"][ids][:, None] * limits
        plant.batch.expand("actuator_forcerange")[ids] = np.stack([-bound, bound], axis=2)

    meaning = "Factor on the torque limit of every servo (actuator_forcerange)."
    return Knob(
        Parameter(
            name="torque", unit="1", kind="physics", nominal=1.0, low=0.1, high=2.0, scale="log", meaning=meaning
        ),
        apply,
    )


def offset(joint: str, unit: Literal["rad", "m"]) -> Knob:
    """Bias of a joint's encoder; the servo closes its loop on it, so the joint stands off by as much."""
    meaning = f"Encoder bias of {joint}: it reads this much too high, and the servo holds the joint this much too low."
    return Knob(
        Parameter(
            name=f"joint_offset.{joint}", unit=unit, kind="physics", nominal=0.0, low=-OFFSET[unit], high=OFFSET[unit],
            meaning=meaning,
        ),
        nothing,
    )  # fmt: skip


def _common(own: Values) -> tuple[float | None, Values]:
    """The value that all joints share, or None, and what a common parameter's value is multiplied with per joint."""
    alike = bool(np.all(own == own[0]))
    return (float(own[0]), np.ones(len(own))) if alike else (None, own)


def _absolute(name: str, unit: str, alike: float | None, meaning: str, spread: tuple[float, float]) -> Parameter:
    """A common parameter: the value itself where all joints share one, else a factor on each joint's own."""
    nominal = 1.0 if alike is None else alike
    return Parameter(
        name=name,
        unit="1" if alike is None else unit,
        kind="physics",
        nominal=nominal,
        low=nominal / spread[0],
        high=nominal * spread[1],
        scale="log",
        meaning=meaning.format(", as a factor on each joint's own" if alike is None else ", all alike"),
    )
