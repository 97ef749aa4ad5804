"""What an optional piece of physics is: its parameters and the places at which it may step in."""

from abc import ABC
from collections.abc import Callable
from typing import ClassVar, Literal, Protocol

import mujoco
import numpy as np
from numpy.typing import NDArray

from sim.parameters.knob import Ids, Knob, Tunable, nothing
from sim.parameters.sensing import SLIDE_LEVER
from sim.tasks.task import Array, Signals, Task
from store.records import Parameter


class Host(Tunable, Protocol):
    """What a mechanism may read and write of the plant that it is part of."""

    task: Task
    count: int
    """Simulations, n."""
    rng: np.random.Generator
    """The one source of chance, so that a seed gives the same episode again."""
    joint_dofs: NDArray[np.intp]
    """Degree of freedom of each of the task's joints, (nu,)."""
    joint_addresses: NDArray[np.intp]
    """Index in qpos of each of the task's joints, (nu,)."""
    extra_friction: Array
    """Coulomb friction on top of the parameters', (n, nv), Nm or N; zero before each physics step's `substep` calls,
    written into the model after them, so that mechanisms add up."""


class Mechanism(ABC):
    """An optional piece of physics, one object for each plant that has it; every hook does nothing by default.

    A plant calls the hooks of its mechanisms in the order of the registry. Parameters keep their values in
    `plant.values`, so most mechanisms read them there as they run.
    """

    name: ClassVar[str]
    explanation: ClassVar[str]
    """What it is, what it looks like in a log and where it is described; one paragraph for a person."""
    stepwise: ClassVar[bool] = False
    """Whether `substep` must be called."""
    friction: ClassVar[bool] = False
    """Whether it adds to `plant.extra_friction`."""

    def knobs(self, task: Task) -> tuple[Knob, ...]:
        """Its parameters in a task; none where the task has nothing that it could act on."""
        return ()

    def edit(self, spec: mujoco.MjSpec, task: Task) -> None:
        """Change the model before it is compiled; a UserError where the task has nothing that it could act on."""

    def bind(self, plant: Host) -> None:
        """Allocate state, (n, ...), once the model is compiled."""

    def reset(self, plant: Host, ids: Ids) -> None:
        """Set the state of simulations `ids` that were put at rest, holding `ctrl`; called after that was written."""

    def warm(self, plant: Host, ids: Ids, controls: Array) -> Array:
        """Set the state of simulations from the commands that led there, after `reset`; all the same where they rest.

        Args:
            plant: where.
            ids: the simulations, (k,).
            controls: commands of the physics steps before now without this mechanism, oldest first, (k, steps, nu).

        Returns:
            The controls that reached the actuators with it, (k, steps, nu).
        """
        return controls

    def command(self, plant: Host, commands: Array) -> Array:
        """Commands (n, nu) of one control step as they arrive at the servos."""
        return commands

    def substep(self, plant: Host, commands: Array) -> Array:
        """Controls (n, nu) of the coming physics step; may add to `qfrc_applied` and `extra_friction`."""
        return commands

    def read(self, plant: Host, truth: Signals) -> Signals:
        """Signals {name: (n,)} as the sensors have them, before noise; `truth` itself must stay as it is."""
        return truth


def mechanism_knob(
    name: str,
    unit: str,
    nominal: float,
    bounds: tuple[float, float],
    meaning: str,
    scale: Literal["linear", "log"] = "linear",
    apply: Callable[[Tunable, Ids], None] = nothing,
) -> Knob:
    """A mechanism's parameter; without `apply` it is read from `plant.values` as the plant runs."""
    parameter = Parameter(
        name=name,
        unit=unit,
        kind="physics",
        nominal=nominal,
        low=bounds[0],
        high=bounds[1],
        scale=scale,
        meaning=meaning,
    )
    return Knob(parameter, apply)


def levers(plant: Host) -> Array:
    """What turns rad into each joint's unit, (nu,): 1 for a hinge, SLIDE_LEVER metres for a slide.

    A torque, Nm, becomes a slide's force, N, when it is divided by it.
    """
    hinge = plant.model.jnt_type[plant.model.dof_jntid[plant.joint_dofs]] == mujoco.mjtJoint.mjJNT_HINGE
    return np.where(hinge, 1.0, SLIDE_LEVER)


def column(plant: Host, name: str) -> Array:
    """A parameter's values as a column, (n, 1)."""
    return plant.values[name][:, None]


def rest_pose(spec: mujoco.MjSpec) -> tuple[mujoco.MjModel, mujoco.MjData]:
    """The model so far with its kinematics where every joint is at zero, to find out where things are."""
    model = spec.copy().compile()
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    return model, data
