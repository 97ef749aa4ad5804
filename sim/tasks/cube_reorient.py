"""Turn a cube on the palm of the 16-joint hand to one goal orientation after the other."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from typing_extensions import override

from sim.look import COLOURS
from sim.models.cube import CUBE_BODY, FACES
from sim.models.hand import JOINTS
from sim.rotation import about, angle_between, inverse, log, matrix, product
from sim.tasks.hand_task import (
    REST,
    HandTask,
    centred,
    dropped,
    lost,
    mean_effort,
    rotation_of,
)
from sim.tasks.task import Array, Marker, Memory, Moment, Predicate, Signals, Term
from sim.train.config import PPOConfig

GOAL = ("goal_w", "goal_x", "goal_y", "goal_z")
NEAR = 0.3
"""Angle over which the reward for being near the goal falls to 1/e, rad."""
SHOWN_AT, SHOWN_HALF = (-0.09, 0.06, REST[2] + 0.08), 0.02
"""Where pictures show the goal, beside the cube, and half the side of what shows it, m."""


@dataclass(frozen=True)
class CubeReorientConfig:
    """Settings of the task; SI units."""

    tolerance: float = 0.1
    """A goal is reached within this angle, rad."""
    goals: float = 3.0
    """Success: goals reached in an episode."""
    furthest: float = 1.57
    """Largest angle from one goal to the next, rad."""
    tumble: float = 0.0
    """How far the axis of a goal's turn may lean from the vertical, rad; pi is any rotation at all."""


def default_config() -> CubeReorientConfig:
    """The tuned settings."""
    return CubeReorientConfig()


def near(task: "CubeReorient", moment: Moment) -> Array:
    """Nearness to the goal, 1 on it."""
    return np.exp(-off_goal(moment.truth, moment.start) / NEAR)


def off(task: "CubeReorient", moment: Moment) -> Array:
    """Angle between cube and goal, rad."""
    return off_goal(moment.truth, moment.start)


def reached(task: "CubeReorient", moment: Moment) -> Array:
    """1 while the goal is reached; the next observation brings a new one."""
    return (off_goal(moment.truth, moment.start) < task.config.tolerance).astype(float)


def off_goal(signals: Mapping[str, Array], start: Mapping[str, Array]) -> Array:
    """Angle between the cube and the current goal, (n,), rad."""
    return angle_between(rotation_of(signals), goal_of(start))


def goal_of(start: Mapping[str, Array]) -> Array:
    """Quaternion of the current goal, (n, 4)."""
    return np.stack([np.asarray(start[name]) for name in GOAL], axis=1)


def reaches_goals(task: "CubeReorient", signals: Signals, start: Mapping[str, Array]) -> NDArray[np.bool_]:
    """Whether enough goals were reached, one after the other, as `renew` hands them out."""
    now = {name: np.asarray(values) for name, values in start.items()}
    for step in range(next(iter(signals.values())).shape[1]):
        now = task.renew({name: values[:, step] for name, values in signals.items()}, now)
    return np.asarray(now["goals_reached"] >= task.config.goals)


class CubeReorient(HandTask):
    """Goal orientations within 0.1 rad; a new one as soon as one is reached."""

    name = "cube_reorient"
    description = "A 16-joint hand turns an 80 g cube on its palm to goal orientations, one after the other."
    steps = 250
    criterion = (
        "three goal orientations reached within 0.1 rad in 10 s, one after the other, and the cube never dropped"
    )
    terms = {
        "near": Term(1.0, near, "exp(-angle to the goal / 0.3 rad)."),
        "off": Term(-0.3, off, "Angle to the goal, rad."),
        "reached": Term(10.0, reached, "1 when the goal is reached."),
        "centred": Term(-8.0, centred, "Distance from the middle of the palm, m."),
        "effort": Term(-0.05, mean_effort, "Mean squared action."),
        "lost": Term(-10.0, lost, "1 when the cube is dropped."),
    }
    successes = {"reaches_goals": Predicate(reaches_goals, "Enough goals were reached, one after the other.")}
    failures = {"dropped": Predicate(dropped, "The cube has left the hand.")}
    start_names = ("object_x", "object_y", "object_yaw", *JOINTS, *GOAL, "goal_seed", "goals_reached")
    training = PPOConfig(
        iterations=240, environments=512, horizon=16, epochs=3, gamma=0.98, entropy=0.0, init_std=0.3,
    )  # fmt: skip

    config: CubeReorientConfig

    def __init__(self, config: CubeReorientConfig | None = None) -> None:
        super().__init__(config or default_config())

    @staticmethod
    @override
    def default_config() -> CubeReorientConfig:
        return default_config()

    @override
    def sample_start(self, rng: np.random.Generator, count: int) -> Signals:
        start = super().sample_start(rng, count)
        start["goal_seed"] = rng.integers(0, 2**31, count).astype(float)
        start["goals_reached"] = np.zeros(count)
        cube = self.place(start)[CUBE_BODY][:, 3:]
        return start | dict(zip(GOAL, self._next_goal(cube, start).T, strict=True))

    @override
    def renew(self, readings: Signals, start: Mapping[str, Array]) -> Mapping[str, Array]:
        done = off_goal(readings, start) < self.config.tolerance
        if not done.any():
            return start
        new = {name: np.array(values, dtype=float) for name, values in start.items()}
        new["goals_reached"][done] += 1
        goals = self._next_goal(goal_of(start)[done], {name: values[done] for name, values in new.items()})
        for name, values in zip(GOAL, goals.T, strict=True):
            new[name][done] = values
        return new

    @override
    def observe(self, readings: Signals, memory: Memory, start: Mapping[str, Array]) -> dict[str, Array]:
        to_goal = log(product(goal_of(start), inverse(rotation_of(readings))))
        proprio = [*self.see_hand(readings, memory), to_goal]
        return {"proprio": np.concatenate(proprio, axis=1), "touch": self.see_touch(readings)}

    @override
    def goal_markers(self, start: Mapping[str, float]) -> tuple[Marker, ...]:
        w, x, y, z = (start[name] for name in GOAL)
        (frame,) = matrix(np.array([[w, x, y, z]]))
        half = SHOWN_HALF
        cube = Marker("box", SHOWN_AT, (half, half, half), (w, x, y, z), (*COLOURS["object"], 1.0))
        patches: list[Marker] = []
        for out, colour, flat in zip(frame.T, FACES.values(), 1 - 0.97 * np.eye(3), strict=True):
            px, py, pz = np.array(SHOWN_AT) + half * out
            sx, sy, sz = 0.7 * half * flat
            patches.append(Marker("box", (px, py, pz), (sx, sy, sz), (w, x, y, z), colour))
        return (cube, *patches)

    def _next_goal(self, last: Array, start: Mapping[str, Array]) -> Array:
        """Goals (n, 4) a turn away from the last ones; they follow from `goal_seed` and `goals_reached` alone, so that
        training, hardware and replay agree.
        """
        # a small counter-based generator: numpy's would have to be seeded anew for every episode and goal
        key = np.asarray(start["goal_seed"]) * 0.6180339887 + np.asarray(start["goals_reached"]) * 0.7548776662
        u = np.mod(key[:, None] * np.array([1.0, 1.3247179572, 1.7548776662, 2.3247179572]), 1.0)
        angle = (0.4 + 0.6 * u[:, 0]) * self.config.furthest * np.where(u[:, 1] < 0.5, -1.0, 1.0)
        lean, heading = self.config.tumble * u[:, 2], 2 * np.pi * u[:, 3]
        axis = np.stack([np.sin(lean) * np.cos(heading), np.sin(lean) * np.sin(heading), np.cos(lean)], axis=1)
        return product(about(axis, angle), last)
