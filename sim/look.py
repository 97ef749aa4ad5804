"""What a picture depends on and physics does not: light, colours, texture and camera, in every simulation."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

LIGHT = (0.3, -0.4, 0.8)
CAMERA_FOVY = 45.0
COLOURS = {"table": (0.90, 0.90, 0.88), "object": (0.0, 0.45, 0.70), "robot": (0.23, 0.25, 0.29)}


@dataclass
class Look:
    """Looks of n simulations; colours are shares of full brightness."""

    light_position: Array
    """(n, 3), m."""
    light_colour: Array
    """(n, 3)."""
    light_strength: Array
    """(n,)."""
    ambient: Array
    """Light that comes from everywhere, (n,)."""
    table: Array
    """(n, 3)."""
    object: Array
    """(n, 3)."""
    robot: Array
    """(n, 3)."""
    texture_contrast: Array
    """Difference between the table's light and dark squares, (n,)."""
    texture_scale: Array
    """Squares along a metre of the table, (n,), 1/m."""
    camera_position: Array
    """Offset of the camera in its own frame, (n, 3), m."""
    camera_rotation: Array
    """Small rotation of the camera about its own axes, (n, 3), rad."""
    fovy: Array
    """Vertical field of view, (n,), degrees."""

    @staticmethod
    def nominal(count: int) -> "Look":
        """The look that nobody changed."""
        rows = lambda values: np.tile(np.asarray(values, dtype=float), (count, 1))  # noqa: E731
        full = lambda value: np.full(count, float(value))  # noqa: E731
        return Look(
            light_position=rows(LIGHT),
            light_colour=rows((1.0, 1.0, 1.0)),
            light_strength=full(0.7),
            ambient=full(0.4),
            table=rows(COLOURS["table"]),
            object=rows(COLOURS["object"]),
            robot=rows(COLOURS["robot"]),
            texture_contrast=full(0.07),
            texture_scale=full(20.0),
            camera_position=rows((0.0, 0.0, 0.0)),
            camera_rotation=rows((0.0, 0.0, 0.0)),
            fovy=full(CAMERA_FOVY),
        )
