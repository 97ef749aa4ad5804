"""Spin a cube about the vertical on the palm of the 16-joint hand."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from typing_extensions import override

from sim.models.hand import JOINTS
from sim.tasks.hand_task import HandTask, centred, dropped, lost, mean_effort
from sim.tasks.task import Array, Memory, Moment, Predicate, Signals, Term
from sim.train.config import PPOConfig


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
    training = PPOConfig(
        iterations=120, environments=512, horizon=16, epochs=3, gamma=0.98, entropy=0.0, init_std=0.3,
    )  # fmt: skip

    config: CubeRotateConfig

    def __init__(self, config: CubeRotateConfig | None = None) -> None:
        super().__init__(config or default_config())

    @staticmethod
    @override
    def default_config() -> CubeRotateConfig:
        return default_config()

    @override
    def observe(self, readings: Signals, memory: Memory, start: Mapping[str, Array]) -> dict[str, Array]:
        return {"proprio": np.concatenate(self.see_hand(readings, memory), axis=1), "touch": self.see_touch(readings)}
