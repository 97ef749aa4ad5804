"""Transport delay, servo gain and joint damping."""

from sim.parameters.knob import Ids, Knob, Tunable, Values
from store.records import Parameter


def delay(timestep: float, high: float = 0.15, nominal: float = 0.011) -> Knob:
    """Transport delay between a command and its effect; not a filter constant, which is a lag."""

    def apply(plant: Tunable, ids: Ids, values: Values) -> None:
        samples = plant.model.actuator_history[:, 0].min()
        longest = float(samples * plant.model.opt.timestep)
        # MuJoCo clips a delay that its history cannot hold without a word; we refuse instead
        if values.max(initial=0.0) > longest:
            raise ValueError(f"delay {values.max():.3f} s needs nsample * timestep >= delay, the model holds {longest}")
        plant.batch.expand("actuator_delay")[ids] = values[:, None]

    meaning = "Transport delay from command to actuator, all joints (actuator_delay; zero-order hold of past commands)."
    parameter = Parameter(
        name="delay", unit="s", kind="physics", nominal=nominal, low=0.0, high=high, quantum=timestep, meaning=meaning
    )
    return Knob(parameter, apply)


def servo_gain(nominal: float) -> Knob:
    """Proportional gain of every position servo."""

    def apply(plant: Tunable, ids: Ids, values: Values) -> None:
        plant.batch.expand("actuator_gainprm")[ids, :, 0] = values[:, None]
        plant.batch.expand("actuator_biasprm")[ids, :, 1] = -values[:, None]

    meaning = "Proportional gain of the position servos, all joints (actuator_gainprm[0], actuator_biasprm[1])."
    return Knob(
        Parameter(
            name="kp",
            unit="Nm/rad",
            kind="physics",
            nominal=nominal,
            low=nominal / 4,
            high=nominal * 3,
            scale="log",
            meaning=meaning,
        ),
        apply,
    )


def joint_damping(joints: tuple[str, ...], nominal: float) -> Knob:
    """Viscous damping of the robot's joints."""

    def apply(plant: Tunable, ids: Ids, values: Values) -> None:
        field = plant.batch.expand("dof_damping")
        for joint in joints:
            field[ids, plant.model.jnt_dofadr[plant.model.joint(joint).id]] = values

    meaning = "Viscous damping of the robot's joints, all alike (dof_damping)."
    return Knob(
        Parameter(
            name="damping",
            unit="Nms/rad",
            kind="physics",
            nominal=nominal,
            low=nominal / 5,
            high=nominal * 8,
            scale="log",
            meaning=meaning,
        ),
        apply,
    )
