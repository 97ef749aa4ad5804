"""What a task is: signals, starts, commands, observations, rewards and success, as data and pure functions."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any, ClassVar, Literal

import mujoco
import numpy as np
from numpy.typing import NDArray

from sim.parameters.knob import Knob
from sim.train.config import PPOConfig
from store.errors import UserError
from store.records import Channel, Parameter

Array = NDArray[Any]
Signals = dict[str, Array]
Vector = tuple[float, float, float]


@dataclass(frozen=True)
class Signal:
    """One scalar that a plant reports each control step."""

    name: str
    unit: str
    channel: Channel


@dataclass
class Memory:
    """What a controller remembers between control steps, for n episodes side by side."""

    targets: Array
    """Joint targets last commanded, (n, nu), rad."""
    actions: Array
    """The last `Task.history` actions, newest first, (n, history, nu)."""
    previous: Signals = field(default_factory=dict)
    """Readings of the step before, name -> (n,)."""
    steps: Array = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    """Control steps since each episode began, (n,)."""


@dataclass(frozen=True)
class Moment:
    """One control step of n episodes, noise-free: what rewards are computed from."""

    truth: Signals
    """Signals and privileged extras after the step, name -> (n,)."""
    before: Signals
    """The same, one control step earlier."""
    actions: Array
    """(n, nu), as the policy gave them."""
    previous_actions: Array
    """(n, nu), one control step earlier."""
    start: Mapping[str, Array]
    """Start values, the current goal among them, name -> (n,)."""


@dataclass(frozen=True)
class Term:
    """A reward term: its weight and what it measures."""

    weight: float
    value: Callable[[Any, Moment], Array]
    """Called with the task and a moment; returns (n,)."""
    meaning: str


@dataclass(frozen=True)
class Predicate:
    """A yes-or-no question about episodes."""

    test: Callable[[Any, Signals, Mapping[str, Array]], NDArray[np.bool_]]
    """Called with the task, signals and start; returns (n,). For success the signals are whole measured episodes,
    name -> (n, T + 1); for failure they are the truth of one moment, name -> (n,)."""
    meaning: str


@dataclass(frozen=True)
class Marker:
    """A shape that shows a goal in pictures and touches nothing."""

    shape: Literal["sphere", "cylinder", "box", "arrow"]
    position: tuple[float, float, float]
    size: tuple[float, float, float]
    """As MuJoCo's geom_size, m."""
    quat: tuple[float, float, float, float] = (1.0, 0.0, 0.0, 0.0)
    rgba: tuple[float, float, float, float] = (0.84, 0.37, 0.0, 1.0)


class Task(ABC):
    """A task; one subclass a file, its settings in a config dataclass beside it."""

    name: ClassVar[str]
    robot: ClassVar[str]
    description: ClassVar[str]
    joints: ClassVar[tuple[str, ...]]
    fingers: ClassVar[Mapping[str, tuple[str, ...]]]
    """Finger -> its joints from base to tip; a rail or wrist that carries fingers belongs to none."""
    tips: ClassVar[Mapping[str, str]]
    """Finger -> geom of its tip."""
    skins: ClassVar[Mapping[str, tuple[Vector, Vector]]] = {}
    """Finger -> directions out of its pad and along the finger, in the tip's body frame: where taxels can be."""
    item: ClassVar[str]
    """Body of the object that is manipulated."""
    signals: ClassVar[tuple[Signal, ...]]
    knobs: ClassVar[tuple[Knob, ...]]
    suspects: ClassVar[tuple[str, ...]]
    """Physics parameters that a diagnosis tries and that a critic is told."""
    control_period: ClassVar[float]
    """Seconds between commands."""
    timestep: ClassVar[float]
    """Physics step, s; the control period is a whole number of them."""
    steps: ClassVar[int]
    """Control steps in an episode."""
    history: ClassVar[int] = 3
    """Past actions that the policy sees, so that delayed commands stay observable."""
    criterion: ClassVar[str]
    """Success in words, with units."""
    terms: ClassVar[Mapping[str, Term]]
    """Reward terms by name."""
    successes: ClassVar[Mapping[str, Predicate]]
    """An episode has succeeded when all of these hold."""
    failures: ClassVar[Mapping[str, Predicate]]
    """An episode ends when one of these holds."""
    start_names: ClassVar[tuple[str, ...]]
    """Values that define an episode's start: joints, objects and the goal."""
    training: ClassVar[PPOConfig]
    """Tuned settings of its training."""

    def __init__(self, config: Any) -> None:
        self.config = config

    @staticmethod
    @abstractmethod
    def default_config() -> Any:
        """The tuned settings, a frozen dataclass."""

    @property
    def parameters(self) -> dict[str, Parameter]:
        """Parameters that can be varied, by name."""
        return {knob.parameter.name: knob.parameter for knob in self.knobs}

    @property
    def rewards(self) -> dict[str, float]:
        """Weights of the reward terms."""
        return {name: term.weight for name, term in self.terms.items()}

    @property
    def only_finger(self) -> str:
        """The finger that signals without a finger's name, such as `tip_force`, belong to."""
        return next(iter(self.fingers))

    @property
    def substeps(self) -> int:
        """Physics steps in a control step."""
        return round(self.control_period / self.timestep)

    @abstractmethod
    def build(self) -> mujoco.MjSpec:
        """The model; parameters that knobs set need not be at their nominal values yet."""

    @abstractmethod
    def sample_start(self, rng: np.random.Generator, count: int) -> Signals:
        """Starts of `count` episodes: every name in `start_names` -> (count,)."""

    @abstractmethod
    def place(self, start: Mapping[str, Array]) -> dict[str, Array]:
        """Joint positions at starts: joint -> (k, 1), or (k, 7) for a free joint; what is not named stays at zero."""

    @abstractmethod
    def state(self, signals: Signals, rates: Signals) -> tuple[dict[str, Array], dict[str, Array]]:
        """Positions and velocities, joint -> (k, d), that signals and their time derivatives {name: (k,)} speak of."""

    @abstractmethod
    def read(self, sensors: dict[str, Array]) -> Signals:
        """Noise-free signals and privileged extras from MuJoCo sensors {name: (n, dim)}."""

    @abstractmethod
    def target(self, memory: Memory, actions: Array) -> Array:
        """Joint targets (n, nu) for actions (n, nu) in [-1, 1]."""

    @abstractmethod
    def observe(self, readings: Signals, memory: Memory, start: Mapping[str, Array]) -> dict[str, Array]:
        """What the policy sees, from measured signals alone: groups `proprio` and `touch`, each (n, d)."""

    def read_joints(self, sensors: Mapping[str, Array]) -> Signals:
        """The signals `joint_position.<joint>` from the sensors that `add_servo` added."""
        names = [f"joint_position.{joint}" for joint in self.joints]
        return {name: sensors[name][:, 0] for name in names}

    def joint_state(self, signals: Signals, rates: Signals) -> tuple[dict[str, Array], dict[str, Array]]:
        """Positions and velocities of the servo joints, joint -> (k, 1): the robot's part of `state`."""
        positions, velocities = (
            {joint: values[f"joint_position.{joint}"][:, None] for joint in self.joints} for values in (signals, rates)
        )
        return positions, velocities

    def renew(self, readings: Signals, start: Mapping[str, Array]) -> Mapping[str, Array]:
        """Starts with goals replaced where the readings say that they were reached; a pure function."""
        return start

    def goal_markers(self, start: Mapping[str, float]) -> tuple[Marker, ...]:
        """Shapes that show the goal of one episode in pictures."""
        return ()

    def exercise(self, start: Mapping[str, Array], first: Array, time: float) -> Array:
        """Joint targets (n, nu) at a time, s, of a fixed motion that is busy with the object: for tests and bring-up.

        Args:
            start: start values, name -> (n,).
            first: joints at the start, (n, nu), rad.
            time: s since the start.
        """
        phase = 2 * np.pi * 1.2 * time * (1 + 0.1 * np.arange(len(self.joints)))
        return first + 0.25 * np.sin(phase)

    def reward(self, moment: Moment) -> Array:
        """Reward of one control step, (n,): the weighted terms."""
        return sum((term.weight * term.value(self, moment) for term in self.terms.values()), np.zeros(1))

    def success(self, signals: Signals, start: Mapping[str, Array]) -> NDArray[np.bool_]:
        """Whether each episode succeeded; signals are whole measured episodes, name -> (n, T + 1)."""
        return np.logical_and.reduce([one.test(self, signals, start) for one in self.successes.values()])

    def failed(self, truth: Signals, start: Mapping[str, Array]) -> NDArray[np.bool_]:
        """Whether each episode must end now because it can no longer succeed; truth name -> (n,)."""
        return np.logical_or.reduce([one.test(self, truth, start) for one in self.failures.values()])


def stacked(signals: Mapping[str, Array], kind: str, parts: Iterable[str]) -> Array:
    """Signals `<kind>.<part>` side by side, (n, parts)."""
    return np.stack([signals[f"{kind}.{part}"] for part in parts], axis=1)


def upright(x: Array, y: Array, z: Array) -> Array:
    """Positions of a free joint at (x, y, z), not turned, (n, 7)."""
    one, zero = np.ones_like(x), np.zeros_like(x)
    return np.stack([x, y, z, one, zero, zero, zero], axis=1)


def effort(task: Task, moment: Moment) -> Array:
    """Sum of squared actions: a reward term for any task."""
    return np.sum(np.clip(moment.actions, -1, 1) ** 2, axis=1)


def replace_config(config: Any, settings: Mapping[str, float], task: str) -> Any:
    """A copy of a config dataclass with some fields replaced; an unknown or unfit setting is a UserError."""
    valid = [f.name for f in fields(config)]
    for name in settings:
        if name not in valid:
            raise UserError(f"unknown setting '{name}'", where=f"task {task}", valid=valid, hint="")
    return replace(config, **dict(settings))
