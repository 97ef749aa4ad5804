"""A batched ray-cast camera: colour, depth and segmentation of every simulation at once, shaded by its own Look.

OpenGL in software takes a millisecond or more for a small picture; Batch.ray gives geom and normal for a tenth of one,
and shading them is arithmetic on arrays. There are no shadows and no reflections: people look through `sim.camera`.
"""

from dataclasses import dataclass

import mujoco
import numpy as np
from numpy.typing import NDArray

from sim.look import Look, painted
from sim.parameters.knob import Ids
from sim.plant import Plant

Array = NDArray[np.float32]
SKY = np.array([0.92, 0.94, 0.97], dtype=np.float32)


@dataclass(frozen=True)
class Images:
    """Pictures of k simulations."""

    rgb: NDArray[np.uint8]
    """(k, height, width, 3)."""
    depth: Array
    """Distance along the optical axis, (k, height, width), m; infinite where there is nothing."""
    segmentation: NDArray[np.int32]
    """Geom that is seen, (k, height, width); -1 where there is nothing."""


class RayCamera:
    """The model's camera `view` for a plant, by rays.

    Args:
        plant: whose simulations are seen; its `look` shades them.
        width: pixels.
        height: pixels.
        camera: name of the camera.
    """

    def __init__(self, plant: Plant, width: int = 32, height: int = 32, camera: str = "view") -> None:
        self.plant, self.width, self.height = plant, width, height
        model = plant.model
        index = model.camera(camera).id
        if model.cam_bodyid[index] != 0:
            raise ValueError(f"camera {camera} must stand in the world")
        self._position = model.cam_pos[index].copy()
        turn = np.zeros(9)
        mujoco.mju_quat2Mat(turn, model.cam_quat[index])
        self._turn = turn.reshape(3, 3)
        # the plane at distance one, seen along -z with x to the right and y up, as MuJoCo's cameras look
        across = (np.arange(width, dtype=np.float32) + 0.5) / width * 2 - 1
        down = 1 - (np.arange(height, dtype=np.float32) + 0.5) / height * 2
        grid = np.stack(np.meshgrid(across * width / height, down), axis=2).reshape(-1, 2)
        self._plane = np.concatenate([grid, -np.ones((len(grid), 1), np.float32)], axis=1)
        self._squared = np.sum(self._plane[:, :2] ** 2, axis=1)
        # one more for misses, which come as geom -1
        self._kind = np.append(painted(model, plant.task.item, plant.task.tips.values()), -1)

    def look(self, ids: Ids | None = None) -> Images:
        """Pictures of some simulations (all by default), at their current positions."""
        ids = np.arange(self.plant.count) if ids is None else ids
        look = self.plant.look
        origin, frames = (pose.astype(np.float32) for pose in look.camera_pose(self._position, self._turn, ids))
        spread = np.tan(np.radians(look.fovy[ids] / 2)).astype(np.float32)
        length = np.sqrt(1 + spread[:, None] ** 2 * self._squared)
        plane = self._plane * np.stack([spread, spread, np.ones_like(spread)], axis=1)[:, None, :]
        rays = (plane / length[:, :, None]) @ frames.transpose(0, 2, 1)
        distance, geom, normal = self.plant.batch.ray(
            np.broadcast_to(origin[:, None, :], rays.shape), rays, ids=ids, normal=True
        )
        hit, seen = geom >= 0, geom
        point = origin[:, None, :] + rays * distance[:, :, None].astype(np.float32)
        rgb = self._shade(point, normal.astype(np.float32), seen, look, ids)
        shape = (len(ids), self.height, self.width)
        depth = np.where(hit, distance / length, np.inf).astype(np.float32)
        return Images(
            (255 * rgb).astype(np.uint8).reshape(*shape, 3),
            depth.reshape(shape),
            seen.astype(np.int32).reshape(shape),
        )

    def _shade(self, point: Array, normal: Array, geom: NDArray[np.intp], look: Look, ids: Ids) -> Array:
        """Lambert's law with one lamp and light from everywhere, (k, pixels, 3), in [0, 1]."""
        single = lambda values: values[ids].astype(np.float32)  # noqa: E731
        palette = np.stack([single(look.table), single(look.object), single(look.robot)], axis=1)
        kind = self._kind[geom]
        colour = palette.reshape(-1, 3)[np.maximum(kind, 0) + 3 * np.arange(len(ids))[:, None]]
        own = kind < 0
        colour[own] = self.plant.model.geom_rgba[geom[own], :3]
        scale = single(look.texture_scale)[:, None]
        squares = (np.floor(point[:, :, 0] * scale) + np.floor(point[:, :, 1] * scale)) % 2
        colour *= np.where(kind == 0, 1 - squares * single(look.texture_contrast)[:, None], 1.0)[:, :, None]
        to_light = single(look.light_position)[:, None, :] - point
        facing = np.maximum(_dot(normal, to_light), 0.0) / np.sqrt(np.maximum(_dot(to_light, to_light), 1e-9))
        lamp = (single(look.light_strength)[:, None] * facing)[:, :, None] * single(look.light_colour)[:, None, :]
        colour *= single(look.ambient)[:, None, None] + lamp
        colour[geom < 0] = SKY
        return np.asarray(np.minimum(colour, 1.0), dtype=np.float32)


def _dot(a: Array, b: Array) -> Array:
    """Inner product along the last axis of three; for so few numbers faster than einsum."""
    return np.asarray(a[..., 0] * b[..., 0] + a[..., 1] * b[..., 1] + a[..., 2] * b[..., 2], dtype=np.float32)
