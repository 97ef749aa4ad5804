"""Many copies of one physical plant: commands in, measured signals out, one control step at a time."""

from collections.abc import Mapping
from dataclasses import dataclass

import mujoco
import numpy as np
from mujoco.batch import Batch

from sim.parameters.knob import Ids
from sim.tasks.task import Array, Signals, Task
from store.errors import UserError

# which noise level disturbs a signal, by the first part of its name, and whether it scales with the value
NOISE = {
    "joint_position": ("joint_noise", False),
    "object_position": ("object_noise", False),
    "tip_force": ("force_noise", True),
    "slip_speed": ("force_noise", True),
}


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
    """

    def __init__(self, task: Task, count: int, threads: int = 0) -> None:
        self.task = task
        self.count = count
        self.model = task.build().compile()
        self.batch = Batch(self.model, count, threads)
        self.noise: dict[str, Array] = {name: np.zeros(count) for name, _ in NOISE.values()}
        self.values: dict[str, Array] = {}
        self.truth: Signals = {}
        self.unstable = np.zeros(count, dtype=bool)
        """Simulations whose state blew up since their last reset."""
        self._all = np.arange(count)
        self._rng = np.random.default_rng(0)
        self._sensors = self.batch.bind("sensordata")
        self._slices = {
            self.model.sensor(i).name: slice(
                self.model.sensor_adr[i], self.model.sensor_adr[i] + self.model.sensor_dim[i]
            )
            for i in range(self.model.nsensor)
        }
        self._knobs = {knob.parameter.name: knob for knob in task.knobs}
        for knob in task.knobs:
            self.values[knob.parameter.name] = np.full(count, knob.parameter.nominal)
            knob.apply(self, self._all, self.values[knob.parameter.name])

    def set(self, name: str, values: float | Array, ids: Ids | None = None) -> None:
        """Give a parameter to some simulations (all by default); outside the hard bounds is a UserError."""
        if name not in self._knobs:
            raise UserError(f"unknown parameter '{name}'", where=f"task {self.task.name}", valid=sorted(self._knobs))
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
        knob.apply(self, ids, given)
        for other, resting in self._knobs.items():
            if name in resting.rests_on:
                resting.apply(self, ids, self.values[other][ids])

    def reset(self, start: Mapping[str, Array], ids: Ids | None = None, seed: int | None = None) -> Readings:
        """Put simulations at starts {name: (k,)}, at rest, holding their own pose; `seed` restarts the sensor noise."""
        ids = self._all if ids is None else ids
        if seed is not None:
            self._rng = np.random.default_rng(seed)
        self.batch.reset(ids, stage=mujoco.mjtStage.mjSTAGE_NONE.value)
        qpos = self.batch.bind("qpos")
        positions = qpos[ids].copy()
        self.task.place(start, positions)
        hold = positions[:, self._joint_addresses()]
        self.set_state(positions, np.zeros((len(ids), self.model.nv)), hold[:, None, :], ids)
        self.unstable[ids] = False
        return self._measure()

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
        self._warm_history(commands, ids)
        self.batch.forward(ids)

    def step(self, commands: Array) -> Readings:
        """Hold commands (n, nu) for one control period in every simulation."""
        self.batch.bind("ctrl")[:] = commands
        warnings_before = self.batch.warning.sum(axis=tuple(range(1, self.batch.warning.ndim)))
        # the last stage brings sensors up to the new state; they would lag one substep behind
        self.batch.step(nstep=self.task.substeps, stage=mujoco.mjtStage.mjSTAGE_ACC.value)
        warnings_after = self.batch.warning.sum(axis=tuple(range(1, self.batch.warning.ndim)))
        self.unstable |= warnings_after > warnings_before
        return self._measure()

    def _joint_addresses(self) -> Ids:
        return np.array([self.model.joint(name).qposadr[0] for name in self.task.joints])

    def _warm_history(self, commands: Array, ids: Ids) -> None:
        """Fill the delay history with the true past commands: MuJoCo starts it at zero, which is a jerk."""
        history, period, dt = self.batch.bind("history"), self.task.control_period, self.model.opt.timestep
        now = self.batch.bind("time")[ids]
        for actuator in range(self.model.nu):
            address, samples = self.model.actuator_historyadr[actuator], self.model.actuator_history[actuator, 0]
            ages = np.arange(samples, 0, -1) * dt  # the newest sample is one step old
            back = np.minimum(((ages - 1e-9) // period).astype(int), commands.shape[1] - 1)
            block = history[ids, address : address + 2 + 2 * samples]
            block[:, 1] = samples - 1
            block[:, 2 : 2 + samples] = now[:, None] - ages
            block[:, 2 + samples :] = commands[:, commands.shape[1] - 1 - back, actuator]
            history[ids, address : address + 2 + 2 * samples] = block

    def _measure(self) -> Readings:
        now = self._sensors.copy()  # the bound array is live: without a copy, yesterday's signals would change today
        self.truth = self.task.read({name: now[:, part] for name, part in self._slices.items()})
        measured: Signals = {}
        for signal in self.task.signals:
            value = self.truth[signal.name]
            level, relative = NOISE[signal.name.split(".")[0]]
            spread = self.noise[level] * (np.abs(value) if relative else 1.0)
            measured[signal.name] = value + spread * self._rng.standard_normal(self.count)
        return Readings(self.batch.bind("time").copy(), measured)
