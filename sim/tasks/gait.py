"""A periodic motion of all joints: what a policy can lean on and correct, as central pattern generators in walking."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Gait:
    """Joint targets a + b sin(wt) + c cos(wt) + d sin(2wt), one row a joint; rad."""

    hertz: float
    joints: Array
    """Columns a, b, c, d, (nu, 4), rad."""

    def phase(self, time: Array) -> Array:
        """Angle of the cycle at times (n,) in s, (n,), rad."""
        return 2 * np.pi * self.hertz * np.asarray(time)

    def targets(self, time: Array) -> Array:
        """Joint targets at times (n,) in s, (n, nu), rad."""
        angle = self.phase(time)
        waves = np.stack([np.ones_like(angle), np.sin(angle), np.cos(angle), np.sin(2 * angle)], axis=1)
        return waves @ self.joints.T


SPIN = Gait(1.88, np.array([
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
"""Turns a 50 mm cube on the palm of the 16-joint hand clockwise, at about 2.5 rad/s without any feedback; found by
CMA-ES (`regrasp bench gait` searches on from it)."""
