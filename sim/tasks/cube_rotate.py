"""Spin a cube about the vertical on the palm of the 16-joint hand."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from typing_extensions import override

from sim.models.hand import JOINTS
from sim.tasks.gait import Gait
from sim.tasks.hand_task import HIGH, LOW, HandTask, centred, dropped, lost, mean_effort
from sim.tasks.task import Array, Memory, Moment, Predicate, Signals, Term
from sim.train.config import PPOConfig

GAIT = Gait(1.88, np.array([
    [-0.33, -0.68, -0.86, -0.01],
    [1.48, -0.21, -0.82, 0.19],
    [0.83, -0.4, 0.1, 0.01],
    [1.02, 0.32, 0.09, -0.1],
    [0.43, 0.4, 0.38, 0.3],
    [0.93, -0.65, 0.37, 0.16],
    [-0.2, -0.42, 0.13, 0.05],
    [0.57, -0.52, 0.2, 0.24],
    [0.19, 0.84, -0.11, -0.1],
    [1.85, 0.52, 0.82, 0.29],
    [1.2, -0.24, 0.46, 0.33],
    [0.98, -0.06, -0.35, -0.14],
    [1.09, -0.61, 0.53, 0.03],
    [0.83, -0.05, 0.72, 0.15],
    [0.83, -0.47, 0.17, -0.01],
    [0.12, 0.29, -0.73, -0.28],
]))  # fmt: skip
"""Open-loop finger gait that turns the cube clockwise, found by CMA-ES; `regrasp bench gait` searches on from it."""


@dataclass(frozen=True)
class CubeRotateConfig:
    """Settings of the task; SI units."""

    speed: float = 1.0
    """Success: mean spin about the vertical over the episode, rad/s."""
    fastest: float = 2.0
    """Spin beyond which nothing more is earned, rad/s."""
    direction: float = -1.0
    """Sense of the spin seen from above: -1 clockwise, to which a right hand's thumb is made; 1 counter-clockwise."""


def default_config() -> CubeRotateConfig:
    """The tuned settings."""
    return CubeRotateConfig()


def spin(task: "CubeRotate", moment: Moment) -> Array:
    """Spin of the cube about the vertical in the wanted sense, clipped, rad/s."""
    config = task.config
    return np.clip(config.direction * moment.truth["object_spin.z"], -config.fastest, config.fastest)


def tumbling(task: "CubeRotate", moment: Moment) -> Array:
    """Spin of the cube about level axes, clipped, rad/s."""
    return np.minimum(np.hypot(moment.truth["object_spin.x"], moment.truth["object_spin.y"]), 5.0)


def spun(task: "CubeRotate", signals: Signals, start: Mapping[str, Array]) -> NDArray[np.bool_]:
    """Whether the cube turned far enough about the vertical over the whole episode."""
    return np.asarray(task.config.direction * turned(signals) >= task.config.speed * task.control_period * task.steps)


def turned(signals: Mapping[str, Array]) -> Array:
    """How far the cube turned about the vertical, (n,), rad, over episodes (n, T + 1)."""
    w, x, y, z = (signals[f"object_rotation.{part}"] for part in "wxyz")
    yaw = np.unwrap(np.arctan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z)), axis=1)
    return yaw[:, -1] - yaw[:, 0]


class CubeRotate(HandTask):
    """Spin about the vertical, ten seconds."""

    name = "cube_rotate"
    description = "A 16-joint hand spins an 80 g cube about the vertical on its palm."
    steps = 250
    criterion = "cube turns at 1 rad/s or more about the vertical, mean over 10 s, and is never dropped"
    terms = {
        "spin": Term(1.0, spin, "Spin about the vertical, clipped, rad/s."),
        "centred": Term(-8.0, centred, "Distance from the middle of the palm, m."),
        "tumbling": Term(-0.06, tumbling, "Spin about level axes, rad/s."),
        "effort": Term(-0.05, mean_effort, "Mean squared action."),
        "lost": Term(-10.0, lost, "1 when the cube is dropped."),
    }
    successes = {"spun": Predicate(spun, "The cube turned at the wanted mean speed about the vertical.")}
    failures = {"dropped": Predicate(dropped, "The cube has left the hand.")}
    start_names = ("object_x", "object_y", "object_yaw", *JOINTS)
    reach = 0.3
    """How far an action moves a joint target off the gait, rad."""
    training = PPOConfig(
        iterations=160, environments=512, horizon=16, epochs=4, gamma=0.98, entropy=0.0, init_std=0.3,
    )  # fmt: skip

    config: CubeRotateConfig

    def __init__(self, config: CubeRotateConfig | None = None) -> None:
        super().__init__(config or default_config())

    @staticmethod
    @override
    def default_config() -> CubeRotateConfig:
        return default_config()

    @override
    def target(self, memory: Memory, actions: Array) -> Array:
        goal = GAIT.targets(self.control_period * memory.steps) + self.reach * np.clip(actions, -1, 1)
        return np.clip(memory.targets + np.clip(goal - memory.targets, -self.step, self.step), LOW, HIGH)

    @override
    def observe(self, readings: Signals, memory: Memory, start: Mapping[str, Array]) -> dict[str, Array]:
        phase = GAIT.phase(self.control_period * memory.steps)
        clock = np.stack([np.sin(phase), np.cos(phase)], axis=1)
        return {
            "proprio": np.concatenate([*self.see_hand(readings, memory), clock], axis=1),
            "touch": self.see_touch(readings),
        }
