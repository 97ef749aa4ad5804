"""Many copies of one physical plant: commands in, measured signals out, one control step at a time."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import mujoco
import numpy as np
from mujoco.batch import Batch

from sim.look import Look
from sim.mechanisms import get_mechanisms
from sim.mechanisms.mechanism import Mechanism
from sim.parameters.actuation import total_delay
from sim.parameters.knob import Ids, Knob, Tunable, side_by_side
from sim.sensors import Sensors
from sim.tasks.task import Array, Signals, Task
from store.errors import UserError, nearest
from store.records import Parameter

PUSH_DECAY = 0.9
"""What is left of a push after a control step."""


@dataclass(frozen=True)
class Readings:
    """Measured signals of every simulation."""

    time: Array
    """Time since reset, (n,), s."""
    signals: Signals
    """Signal name -> (n,), with sensor noise."""


class Plant:
    """`count` simulations of a task on MuJoCo's Batch, each with its own parameters.

    The same plant trains policies, replays hypotheses and, in its own process with hidden parameters, plays hardware.
    Results do not depend on the number of threads (mujoco.batch).

    Args:
        task: what is simulated.
        count: simulations.
        threads: threads of the physics; 0 is one a core.
        mechanisms: names of the optional physics that is switched on.
    """

    def __init__(self, task: Task, count: int, threads: int = 0, mechanisms: Sequence[str] = ()) -> None:
        self.task = task
        self.mechanisms: list[Mechanism] = get_mechanisms(mechanisms)
        spec = task.build()
        spec.body(task.item).simple = False  # else its centre of mass could not be moved after compilation
        for mechanism in self.mechanisms:
            mechanism.edit(spec, task)
        knobs = [*task.knobs, *(knob for mechanism in self.mechanisms for knob in mechanism.knobs(task))]
        self._knobs = {knob.parameter.name: knob for knob in knobs}
        self.parameters: dict[str, Parameter] = {name: knob.parameter for name, knob in self._knobs.items()}
        """Parameters of the task and of the mechanisms that are switched on, by name."""
        self._resting = {
            name: tuple(_applies(knob for knob in knobs if name.split(".")[0] in knob.rests_on)) for name in self._knobs
        }
        """Parameter -> what must be applied again after it."""
        # one simulation takes every nominal value; its model is what all others start from, shared until they differ
        self._open(spec.compile(), 1, 1)
        for apply in _applies(knobs):
            apply(self, self._all)
        self._open(self.batch.get_model(0), count, threads)
        self.truth: Signals = {}
        self.unstable = np.zeros(count, dtype=bool)
        """Simulations whose state blew up since their last reset."""
        self.rng = np.random.default_rng(0)
        self._sensors = Sensors(task, count, self.values)
        joints = [self.model.joint(name).id for name in task.joints]
        self.joint_addresses = self.model.jnt_qposadr[joints].astype(np.intp)
        self.joint_dofs = self.model.jnt_dofadr[joints].astype(np.intp)
        self._item = self.model.body(task.item).id
        self._push = np.zeros((count, 3))
        self.extra_friction = np.zeros((count, self.model.nv))
        self._stepwise = any(mechanism.stepwise for mechanism in self.mechanisms)
        self._rubbing = any(mechanism.friction for mechanism in self.mechanisms)
        for mechanism in self.mechanisms:
            mechanism.bind(self)

    def set(self, name: str, values: float | Array, ids: Ids | None = None) -> None:
        """Give a parameter to some simulations (all by default); outside the hard bounds is a UserError."""
        if name not in self._knobs:
            valid = nearest(name, sorted(self._knobs))
            raise UserError(f"unknown parameter '{name}'", where=f"task {self.task.name}", valid=valid)
        ids = self._all if ids is None else ids
        knob = self._knobs[name]
        given = np.broadcast_to(np.asarray(values, dtype=float), (len(ids),))
        low, high = knob.parameter.low, knob.parameter.high
        if given.size and not (given.min() >= low and given.max() <= high):
            raise UserError(
                f"{name} {given.min():g} to {given.max():g} {knob.parameter.unit} is outside its bounds",
                where=f"task {self.task.name}",
                valid=[f"{low:g} to {high:g} {knob.parameter.unit}"],
            )
        self.values[name][ids] = given
        knob.apply(self, ids)
        for apply in self._resting[name]:
            apply(self, ids)

    def reset(self, start: Mapping[str, Array], ids: Ids | None = None, seed: int | None = None) -> Readings:
        """Put simulations at starts {name: (k,)}, at rest, holding their own pose; `seed` restarts all chance."""
        ids = self._all if ids is None else ids
        if seed is not None:
            self.rng = np.random.default_rng(seed)
        self.batch.reset(ids, stage=mujoco.mjtStage.mjSTAGE_NONE.value)
        qpos = self.arrange(self.batch.bind("qpos")[ids].copy(), self.task.place(start), self.model.jnt_qposadr)
        hold = qpos[:, self.joint_addresses]
        self.set_state(qpos, np.zeros((len(ids), self.model.nv)), hold[:, None, :], ids)
        self.unstable[ids] = False
        self._push[ids] = 0.0
        truth = self._truth()
        if self.truth:
            for name, values in truth.items():
                self.truth[name][ids] = values[ids]
        else:
            self.truth = truth
        return Readings(self.batch.bind("time").copy(), self._sensors.reset(self._seen(), self.rng, ids))

    def arrange(self, into: Array, joints: Mapping[str, Array], addresses: Array) -> Array:
        """Write {joint: (k, d)} into generalised coordinates (k, n) by the joints' addresses; returns them."""
        for name, values in joints.items():
            at = addresses[self.model.joint(name).id]
            into[:, at : at + values.shape[1]] = values
        return into

    def set_state(self, qpos: Array, qvel: Array, commands: Array, ids: Ids | None = None) -> None:
        """Set positions, velocities and the commands that led there.

        Args:
            qpos: (k, nq).
            qvel: (k, nv).
            commands: (k, h, nu) past commands, one a control step, newest last; older ones repeat the first.
            ids: the simulations, (k,).
        """
        ids = self._all if ids is None else ids
        self.batch.bind("qpos")[ids] = qpos
        self.batch.bind("qvel")[ids] = qvel
        self.batch.bind("ctrl")[ids] = commands[:, -1]
        # every physics step since the oldest sample that the delays can still ask for, oldest first
        ages = np.arange(int(self.model.actuator_history[:, 0].max()), 0, -1)
        back = np.minimum((ages - 1) // self.task.substeps, commands.shape[1] - 1)
        controls = commands[:, commands.shape[1] - 1 - back]
        for mechanism in self.mechanisms:
            mechanism.reset(self, ids)
            controls = mechanism.warm(self, ids, controls)
        self._warm(controls, ids)
        self.batch.forward(ids)

    def step(self, commands: Array) -> Readings:
        """Hold commands (n, nu) for one control period in every simulation."""
        batch = self.batch
        # a servo closes its loop on its encoder, so the joint stands off by as much as that reads wrong
        sent = commands - side_by_side(self, "joint_offset", self.task.joints)
        for mechanism in self.mechanisms:
            sent = mechanism.command(self, sent)
        self._jitter()
        self._shove()
        before = self._warnings()
        batch.bind("ctrl")[:] = sent
        if self._stepwise:
            for _ in range(self.task.substeps - 1):
                self._substep(sent)
                batch.step()
            self._substep(sent)
        # positions and velocities come from the new state; contact forces are those that acted on the way there, since
        # forces at the new state would follow from commands that are not given
        batch.step(nstep=1 if self._stepwise else self.task.substeps, stage=mujoco.mjtStage.mjSTAGE_VEL.value)
        self.unstable |= self._warnings() > before
        self.truth = self._truth()
        return Readings(batch.bind("time").copy(), self._sensors.measure(self._seen(), self.rng))

    def _open(self, model: mujoco.MjModel, count: int, threads: int) -> None:
        self.model, self.count = model, count
        self.batch = Batch(model, count, threads)
        self.look = Look.nominal(count)
        self.values: dict[str, Array] = {
            name: np.full(count, knob.parameter.nominal) for name, knob in self._knobs.items()
        }
        self._all = np.arange(count)
        self._sensordata = self.batch.bind("sensordata")
        self._slices = {
            model.sensor(i).name: slice(model.sensor_adr[i], model.sensor_adr[i] + model.sensor_dim[i])
            for i in range(model.nsensor)
        }

    def _substep(self, sent: Array) -> None:
        """Ask the mechanisms about the coming physics step."""
        self.batch.bind("qfrc_applied")[:] = 0.0
        self.extra_friction[:] = 0.0
        control = sent
        for mechanism in self.mechanisms:
            if mechanism.stepwise:
                control = mechanism.substep(self, control)
        self.batch.bind("ctrl")[:] = control
        if self._rubbing:
            dofs = self.joint_dofs
            self.batch.expand("dof_frictionloss")[:, dofs] = self._friction() + self.extra_friction[:, dofs]

    def _friction(self) -> Array:
        """Coulomb friction of the joints without mechanisms, (n, nu): from the parameters, as their knobs write it."""
        own = self.model.dof_frictionloss[self.joint_dofs] / self._knobs["frictionloss"].parameter.nominal
        parts = side_by_side(self, "frictionloss", self.task.joints)
        return self.values["frictionloss"][:, None] * parts * own

    def _warm(self, controls: Array, ids: Ids) -> None:
        """Fill delay history and lag with the past controls (k, steps, nu): MuJoCo starts both at zero, a jerk."""
        history, dt = self.batch.bind("history"), self.model.opt.timestep
        now, act = self.batch.bind("time")[ids], self.batch.bind("act")
        late = np.rint(total_delay(self, self.task.joints, ids) / dt).astype(int)
        for actuator in range(self.model.nu):
            address, samples = self.model.actuator_historyadr[actuator], self.model.actuator_history[actuator, 0]
            ages = np.arange(samples, 0, -1) * dt  # the newest sample is one step old
            block = history[ids, address : address + 2 + 2 * samples]
            block[:, 1] = samples - 1
            block[:, 2 : 2 + samples] = now[:, None] - ages
            block[:, 2 + samples :] = controls[:, -samples:, actuator]
            history[ids, address : address + 2 + 2 * samples] = block
            act[ids, actuator] = _lagged(controls[:, :, actuator], late[:, actuator], self.values["lag"][ids], dt)

    def _jitter(self) -> None:
        """Let this command come late by a half-normal time where `control_jitter` says so."""
        spread = self.values["control_jitter"]
        if spread.any():
            # three spreads are all that the history has room for
            late = spread * np.minimum(np.abs(self.rng.standard_normal(self.count)), 3.0)
            whole = total_delay(self, self.task.joints, self._all)
            self.batch.expand("actuator_delay")[:] = whole + late[:, None]

    def _shove(self) -> None:
        """Push the object at random where `push` says so; a push dies away by PUSH_DECAY a control step."""
        strength = self.values["push"]
        if strength.any():
            begins = self.rng.random(self.count) < self.values["push_rate"] * self.task.control_period
            fresh = self.rng.standard_normal((self.count, 3)) * (strength * self.values["mass"])[:, None]
            self._push = np.where(begins[:, None], fresh, PUSH_DECAY * self._push)
            self.batch.bind("xfrc_applied")[:, self._item, :3] = self._push

    def _warnings(self) -> Array:
        return self.batch.warning.reshape(self.count, -1).sum(axis=1)

    def _truth(self) -> Signals:
        now = self._sensordata.copy()  # the bound array is live: without a copy, yesterday's signals would change today
        return self.task.read({name: now[:, part] for name, part in self._slices.items()})

    def _seen(self) -> Signals:
        """The truth as it reaches the sensors."""
        seen = self.truth
        for mechanism in self.mechanisms:
            seen = mechanism.read(self, seen)
        return seen


def _applies(knobs: Iterable[Knob]) -> Iterable[Callable[[Tunable, Ids], None]]:
    """What knobs apply, each once: the parts of a parameter share one function."""
    return dict.fromkeys(knob.apply for knob in knobs)


def _lagged(controls: Array, late: Array, lag: Array, dt: float) -> Array:
    """Set-point behind a delay of whole steps and a first-order lag, (k,), after controls (k, steps), newest last."""
    rows, newest = np.arange(len(controls)), controls.shape[1] - 1
    first = controls[rows, np.maximum(newest - late, 0)]
    if not lag.any():
        return first
    decay = np.exp(-dt / np.maximum(lag, 1e-12))
    value = controls[:, 0].astype(float)
    for step in range(controls.shape[1]):
        value += (1 - decay) * (controls[rows, np.maximum(step - late, 0)] - value)
    return value
