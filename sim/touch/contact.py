"""Force and slip speed of a fingertip from MuJoCo's contact sensor: a single point, where bodies are rigid."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sim.rotation import cross

Array = NDArray[Any]


def contact_touch(touch: Array, frames: dict[str, Array], moving: str, other: str) -> tuple[Array, Array]:
    """Normal force (n,) N and tangential speed (n,) m/s at the strongest contact between two bodies.

    The speed comes from the motion of both bodies at the contact point itself, so it needs no taxels.

    Args:
        touch: contact sensor with data found, force, position, normal, (n, 10); force in the contact frame.
        frames: sensors `<body>_position`, `_velocity`, `_rotation` of both bodies, world frame, (n, 3).
        moving: prefix of the fingertip's sensors.
        other: prefix of the object's sensors.
    """
    found, force, point, normal = touch[:, 0] > 0, touch[:, 1], touch[:, 4:7], touch[:, 7:10]

    def velocity_at(body: str) -> Array:
        arm = point - frames[f"{body}_position"]
        return frames[f"{body}_velocity"] + cross(frames[f"{body}_rotation"], arm)

    relative = velocity_at(moving) - velocity_at(other)
    tangential = relative - np.sum(relative * normal, axis=1, keepdims=True) * normal
    return np.where(found, force, 0.0), np.where(found, np.linalg.norm(tangential, axis=1), 0.0)
