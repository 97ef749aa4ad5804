"""Touch: normal force and slip speed at a contact, and the one rule for slip events, in sim and real alike."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]


@dataclass(frozen=True)
class SlipRule:
    """A slip event: normal force above f0 and tangential speed above v0 for k samples in a row."""

    f0: float = 0.2
    """Firm contact, N."""
    v0: float = 0.05
    """Slip speed, m/s."""
    k: int = 2
    """Samples in a row."""


@dataclass(frozen=True)
class Slip:
    """Slip of whole episodes."""

    event: NDArray[np.bool_]
    """(n,) whether there was at least one slip event."""
    contact_samples: NDArray[np.int_]
    """(n,) samples with firm contact."""
    slip_samples: NDArray[np.int_]
    """(n,) samples of firm contact with slip speed above v0."""

    @property
    def fraction(self) -> float:
        """Share of contact time in slip over all episodes; 0 without contact."""
        total = int(self.contact_samples.sum())
        return float(self.slip_samples.sum() / total) if total else 0.0


def slip_of(force: Array, speed: Array, rule: SlipRule | None = None) -> Slip:
    """Apply the slip rule to force (n, T) in N and slip speed (n, T) in m/s."""
    rule = rule or SlipRule()
    firm = force > rule.f0
    slipping = firm & (speed > rule.v0)
    run = slipping.copy()
    for shift in range(1, rule.k):
        run[:, shift:] &= slipping[:, :-shift]
        run[:, :shift] = False
    return Slip(np.asarray(run.any(axis=1)), firm.sum(axis=1), slipping.sum(axis=1))


def contact_touch(touch: Array, frames: dict[str, Array], moving: str, other: str) -> tuple[Array, Array]:
    """Normal force (n,) N and tangential speed (n,) m/s at the strongest contact between two bodies.

    A rigid contact lights up a single taxel of MuJoCo's tactile array, or none, so the speed comes from the motion of
    both bodies at the contact point itself.

    Args:
        touch: contact sensor with data found, force, position, normal, (n, 10); force in the contact frame.
        frames: sensors `<body>_position`, `_velocity`, `_rotation` of both bodies, world frame, (n, 3).
        moving: prefix of the fingertip's sensors.
        other: prefix of the object's sensors.
    """
    found, force, point, normal = touch[:, 0] > 0, touch[:, 1], touch[:, 4:7], touch[:, 7:10]

    def velocity_at(body: str) -> Array:
        arm = point - frames[f"{body}_position"]
        return frames[f"{body}_velocity"] + np.cross(frames[f"{body}_rotation"], arm)

    relative = velocity_at(moving) - velocity_at(other)
    tangential = relative - np.sum(relative * normal, axis=1, keepdims=True) * normal
    return np.where(found, force, 0.0), np.where(found, np.linalg.norm(tangential, axis=1), 0.0)
