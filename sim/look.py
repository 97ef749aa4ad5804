"""What a picture depends on and physics does not: light, colours, texture and camera, in every simulation."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

LIGHT = (0.3, -0.4, 0.8)
LIGHT_STRENGTH, AMBIENT = 0.7, 0.4
TEXTURE_CONTRAST, TEXTURE_SCALE = 0.07, 20.0
CAMERA_FOVY = 45.0
COLOURS = {"table": (0.90, 0.90, 0.88), "object": (0.0, 0.45, 0.70), "robot": (0.23, 0.25, 0.29)}
"""Part -> its colour; the order is that of `painted`."""


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
            light_strength=full(LIGHT_STRENGTH),
            ambient=full(AMBIENT),
            table=rows(COLOURS["table"]),
            object=rows(COLOURS["object"]),
            robot=rows(COLOURS["robot"]),
            texture_contrast=full(TEXTURE_CONTRAST),
            texture_scale=full(TEXTURE_SCALE),
            camera_position=rows((0.0, 0.0, 0.0)),
            camera_rotation=rows((0.0, 0.0, 0.0)),
            fovy=full(CAMERA_FOVY),
        )

    def camera_pose(self, position: Array, frame: Array, ids: NDArray[np.intp]) -> tuple[Array, Array]:
        """Where a camera stands and how it is turned in some simulations: (k, 3), m, and columns x, y, z (k, 3, 3).

        Args:
            position: where the model has it, (3,), m.
            frame: how the model turns it, (3, 3).
            ids: the simulations, (k,).
        """
        frames = _turned(frame, self.camera_rotation[ids])
        return position + np.einsum("kij,kj->ki", frames, self.camera_position[ids]), frames


def painted(model: Any, item: str, tips: Iterable[str]) -> NDArray[np.intp]:
    """Geom -> 0 table, 1 object, 2 robot, or -1 for what keeps its own colour (patches, tips), (ngeom,).

    Args:
        model: a MuJoCo model.
        item: body of the object.
        tips: geoms of the fingertips.
    """
    index = model.body(item).id
    kinds = np.full(model.ngeom, -1)
    for geom in range(model.ngeom):
        body = model.geom_bodyid[geom]
        if model.geom_type[geom] == mujoco.mjtGeom.mjGEOM_PLANE:
            kinds[geom] = 0
        elif body == index:
            kinds[geom] = 1 if model.geom(geom).name else -1  # nameless geoms are the object's coloured patches
        elif model.body_weldid[body] != 0 and model.geom(geom).name not in tips:
            kinds[geom] = 2
    return kinds


def _turned(frame: Array, angles: Array) -> Array:
    """A frame (3, 3) turned about its own axes by small angles (k, 3), rad: pitch, then yaw, then roll."""
    x, y, z = angles.T
    zero, one = np.zeros_like(x), np.ones_like(x)
    about_x = np.array([[one, zero, zero], [zero, np.cos(x), -np.sin(x)], [zero, np.sin(x), np.cos(x)]])
    about_y = np.array([[np.cos(y), zero, np.sin(y)], [zero, one, zero], [-np.sin(y), zero, np.cos(y)]])
    about_z = np.array([[np.cos(z), -np.sin(z), zero], [np.sin(z), np.cos(z), zero], [zero, zero, one]])
    return np.einsum("ij,jlk,lmk,mnk->kin", frame, about_x, about_y, about_z)
