"""What a task is: signals, starts, commands, observations, rewards and success, as data and pure functions."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any, ClassVar

import mujoco
import numpy as np
from numpy.typing import NDArray

from sim.parameters.knob import Knob
from store.errors import UserError
from store.records import Channel, Parameter

Array = NDArray[Any]
Signals = dict[str, Array]


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


class Task(ABC):
    """A task; one subclass a file, its settings in a config dataclass beside it."""

    name: ClassVar[str]
    robot: ClassVar[str]
    description: ClassVar[str]
    joints: ClassVar[tuple[str, ...]]
    signals: ClassVar[tuple[Signal, ...]]
    knobs: ClassVar[tuple[Knob, ...]]
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
    rewards: ClassVar[dict[str, float]]
    """Reward terms and weights."""
    start_names: ClassVar[tuple[str, ...]]
    """Values that define an episode's start: joints, objects and the goal."""

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
    def substeps(self) -> int:
        """Physics steps in a control step."""
        return round(self.control_period / self.timestep)

    @abstractmethod
    def build(self) -> mujoco.MjSpec:
        """The model at nominal parameters."""

    @abstractmethod
    def sample_start(self, rng: np.random.Generator, count: int) -> Signals:
        """Starts of `count` episodes: every name in `start_names` -> (count,)."""

    @abstractmethod
    def place(self, start: Mapping[str, Array], qpos: Array) -> None:
        """Write starts into generalised positions (k, nq), in place."""

    @abstractmethod
    def state(self, signals: Signals, rates: Signals, qpos: Array, qvel: Array) -> None:
        """Write the state (k, nq), (k, nv) that measured signals and their time derivatives {name: (k,)} speak of."""

    @abstractmethod
    def read(self, sensors: dict[str, Array]) -> Signals:
        """Noise-free signals and privileged extras from MuJoCo sensors {name: (n, dim)}."""

    @abstractmethod
    def target(self, memory: Memory, actions: Array) -> Array:
        """Joint targets (n, nu) for actions (n, nu) in [-1, 1]."""

    @abstractmethod
    def observe(self, readings: Signals, memory: Memory, start: Mapping[str, Array]) -> dict[str, Array]:
        """What the policy sees, from measured signals alone: groups `proprio` and `touch`, each (n, d)."""

    @abstractmethod
    def reward(self, after: Signals, actions: Array, start: Mapping[str, Array]) -> Array:
        """Reward of one control step (n,), from noise-free signals."""

    @abstractmethod
    def success(self, signals: Signals, start: Mapping[str, Array]) -> NDArray[np.bool_]:
        """Whether each episode succeeded; signals are whole episodes, name -> (n, T+1)."""

    @abstractmethod
    def failed(self, signals: Signals) -> NDArray[np.bool_]:
        """Whether each episode must end now because it can no longer succeed; signals name -> (n,)."""


def replace_config(config: Any, settings: Mapping[str, float], task: str) -> Any:
    """A copy of a config dataclass with some fields replaced; an unknown or unfit setting is a UserError."""
    valid = [f.name for f in fields(config)]
    for name in settings:
        if name not in valid:
            raise UserError(f"unknown setting '{name}'", where=f"task {task}", valid=valid, hint="")
    return replace(config, **dict(settings))
