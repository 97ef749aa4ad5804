"""A position servo with what real ones have: transport delay, first-order lag, friction and a torque limit."""

from dataclasses import dataclass
from typing import Literal

import mujoco
import numpy as np


@dataclass(frozen=True)
class Servo:
    """A joint and its servo; SI units, Nm and rad for a hinge, N and m for a slide."""

    kp: float
    damping: float
    """Viscous damping of the joint, Nms/rad or Ns/m."""
    armature: float
    """Reflected rotor inertia, kg m^2 or kg."""
    frictionloss: float
    """Coulomb friction of the joint, Nm or N."""
    torque: float
    """Largest torque or force of the servo, Nm or N."""
    low: float
    """Lower end of the joint's range, rad or m."""
    high: float
    """Upper end of the joint's range, rad or m."""
    unit: Literal["rad", "m"] = "rad"
    """Unit of its position: a hinge or a slide."""


LONGEST_DELAY = 0.25
"""Delay that every command history holds, s: transport delay, the joint's own part and jitter together."""

FIRM = 0.999
"""Constraint impedance of joint friction. MuJoCo's default of .9 lets a joint creep below its friction, at half of .1
Nm by .011 rad/s, and wears away what it sticks with; with .999 it is a hundredth of that."""


def add_servo(spec: mujoco.MjSpec, joint: mujoco.MjsJoint, servo: Servo, delay: float = 0.011) -> None:
    """Give a joint its range, damping and friction, a position servo named like it and `joint_position.<joint>`.

    The servo has a command history (actuator_delay) and a first-order lag (filterexact). With a lag of zero and
    `actearly` the lag is bit-identical to none, so that both can be varied without compiling again.

    Args:
        spec: the scene; its timestep must be set already.
        joint: a named hinge or slide.
        servo: its numbers.
        delay: nominal transport delay, s.
    """
    joint.range, joint.limited = (servo.low, servo.high), mujoco.mjtLimited.mjLIMITED_TRUE
    joint.damping[0], joint.armature, joint.frictionloss = servo.damping, servo.armature, servo.frictionloss
    joint.solimp_friction[:2] = FIRM, FIRM
    actuator = spec.add_actuator(name=joint.name, target=joint.name, trntype=mujoco.mjtTrn.mjTRN_JOINT)
    actuator.set_to_position(kp=servo.kp, timeconst=1.0)
    actuator.dynprm[0], actuator.actearly = 0.0, True
    actuator.forcerange, actuator.forcelimited = (-servo.torque, servo.torque), mujoco.mjtLimited.mjLIMITED_TRUE
    # a history that is too short clips the delay without a word
    actuator.delay, actuator.nsample = delay, int(np.ceil(LONGEST_DELAY / spec.option.timestep)) + 1
    spec.add_sensor(
        name=f"joint_position.{joint.name}",
        type=mujoco.mjtSensor.mjSENS_JOINTPOS,
        objtype=mujoco.mjtObj.mjOBJ_JOINT,
        objname=joint.name,
    )
