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
