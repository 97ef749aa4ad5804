"""A trained policy as plain arrays: an MLP with its observation normaliser, run with numpy."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sim.control import Controller
from sim.tasks.task import Array, Signals, Task
from store.errors import UserError

GROUPS = ("proprio", "touch")


@dataclass(frozen=True)
class Policy:
    """Deterministic policy: normalise, dense layers with ELU between them, actions out."""

    mean: NDArray[np.float32]
    """Observation mean, (d,)."""
    std: NDArray[np.float32]
    """Observation standard deviation, (d,)."""
    weights: tuple[NDArray[np.float32], ...]
    """Weight of each layer, (out, in)."""
    biases: tuple[NDArray[np.float32], ...]
    """Bias of each layer, (out,)."""

    @property
    def hash(self) -> str:
        """Sha-256 over shapes and numbers (hex): names this policy in every record and approval."""
        digest = hashlib.sha256()
        for array in (self.mean, self.std, *self.weights, *self.biases):
            digest.update(str(array.shape).encode() + np.ascontiguousarray(array).tobytes())
        return digest.hexdigest()

    def act(self, observation: Mapping[str, Array]) -> Array:
        """Actions (n, nu) for observation groups (n, d)."""
        x = np.concatenate([observation[group] for group in GROUPS], axis=1).astype(np.float32)
        x = (x - self.mean) / self.std
        for weight, bias in zip(self.weights[:-1], self.biases[:-1], strict=True):
            x = x @ weight.T + bias
            x = np.where(x > 0, x, np.expm1(np.minimum(x, 0)))
        return (x @ self.weights[-1].T + self.biases[-1]).astype(np.float64)

    def session(self, task: Task, count: int) -> "Session":
        """The policy in closed loop with `count` episodes of a task."""
        return Session(self, Controller(task, count))

    def save(self, path: Path) -> None:
        """Write an .npz; no pickle inside."""
        layers = {f"w{i}": w for i, w in enumerate(self.weights)} | {f"b{i}": b for i, b in enumerate(self.biases)}
        with path.open("wb") as file:
            np.savez(file, allow_pickle=False, mean=self.mean, std=self.std, **layers)

    @staticmethod
    def load(path: Path | str) -> "Policy":
        """Read what `save` wrote; anything else is a UserError."""
        try:
            with np.load(path, allow_pickle=False) as file:
                count = sum(name.startswith("w") for name in file.files)
                weights = tuple(file[f"w{i}"] for i in range(count))
                biases = tuple(file[f"b{i}"] for i in range(count))
                return Policy(file["mean"], file["std"], weights, biases)
        except (OSError, ValueError, KeyError) as error:
            raise UserError(f"not a policy file: {error}", where=str(path), hint="train writes policy.npz") from error


class Session:
    """A policy acting on measured signals, step by step."""

    def __init__(self, policy: Policy, controller: Controller) -> None:
        self.policy, self.controller = policy, controller

    def reset(self, start: Mapping[str, Array], readings: Signals) -> None:
        """Begin all episodes at their starts {name: (n,)}."""
        self.controller.reset(start, readings)

    def act(self, readings: Signals) -> Array:
        """Joint targets (n, nu) for the readings {name: (n,)} of this step."""
        return self.controller.command(self.policy.act(self.controller.observe(readings)))
