"""Pictures by MuJoCo's OpenGL renderer, in the look of one simulation."""

from pathlib import Path

import mujoco
import numpy as np
from numpy.typing import NDArray
from PIL import Image

from sim.look import COLOURS, Look, painted
from sim.models.table import SQUARES
from sim.plant import Plant
from sim.quality import QUALITIES, Quality
from sim.tasks.task import Marker, Task

Picture = NDArray[np.uint8]
CAMERA = "view"
UNPAINTED = (0.5, 0.5, 0.5, 1.0)
"""MuJoCo's colour of a geom that takes its material's."""
UNSHADED, SHADED = {"ambient": 1.0, "diffuse": 1.0}, {"ambient": 0.6, "diffuse": 0.4}
"""Shares of the light from everywhere that the headlight gives; its diffuse part lets round things look round."""
SHAPES = {
    "sphere": mujoco.mjtGeom.mjGEOM_SPHERE,
    "cylinder": mujoco.mjtGeom.mjGEOM_CYLINDER,
    "box": mujoco.mjtGeom.mjGEOM_BOX,
    "arrow": mujoco.mjtGeom.mjGEOM_ARROW,
}


class Renderer(mujoco.Renderer):
    """Renders states of one task; needs EGL or OSMesa (`MUJOCO_GL`). A context manager, as MuJoCo's is.

    Args:
        task: whose model is drawn, as it is built until a look is put on.
        quality: size and finish.
    """

    def __init__(self, task: Task, quality: Quality = QUALITIES["people"]) -> None:
        spec = task.build()
        # MuJoCo's own sizes of these cost tens of milliseconds a frame in software
        spec.visual.quality.shadowsize, spec.visual.quality.offsamples = quality.shadows, quality.samples
        spec.visual.global_.offwidth, spec.visual.global_.offheight = quality.width, quality.height
        model = spec.compile()
        model.light_castshadow[:] = quality.shadows > 0
        # the light of a lamp with shadows is added after the rest was capped: without less of that, the table is white
        self._everywhere = SHADED if quality.shadows else UNSHADED
        for kind, share in self._everywhere.items():
            setattr(model.vis.headlight, kind, share * getattr(model.vis.headlight, kind))
        super().__init__(model, quality.height, quality.width)
        self.data = mujoco.MjData(model)
        self._kinds = painted(model, task.item, task.tips.values())
        bare = (model.geom_rgba == np.array(UNPAINTED, dtype=np.float32)).all(axis=1) & (model.geom_matid >= 0)
        self._own = model.geom_rgba[:, :3].astype(float)
        self._own[bare] = model.mat_rgba[model.geom_matid[bare], :3]
        self._camera = model.camera(CAMERA).id
        turn = np.zeros(9)
        mujoco.mju_quat2Mat(turn, model.cam_quat[self._camera])
        self._place, self._turn = model.cam_pos[self._camera].copy(), turn.reshape(3, 3)
        self._texture = mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_TEXTURE, SQUARES)

    def put_on(self, look: Look, index: int = 0) -> None:
        """Draw from now on in the look of simulation `index`: light, colours, texture and camera."""
        model = self.model
        if model.nlight:
            model.light_pos[0], model.light_dir[0] = look.light_position[index], -look.light_position[index]
            model.light_diffuse[0] = look.light_strength[index] * look.light_colour[index]
        for kind, share in self._everywhere.items():
            setattr(model.vis.headlight, kind, np.full(3, share * look.ambient[index]))
        (place,), (turn,) = look.camera_pose(self._place, self._turn, np.array([index]))
        model.cam_pos[self._camera], model.cam_fovy[self._camera] = place, look.fovy[index]
        mujoco.mju_mat2Quat(model.cam_quat[self._camera], turn.ravel())
        for kind, (part, usual) in enumerate(COLOURS.items()):
            if part == "table" and self._texture >= 0:
                self._lay(look, index)
                continue
            # moved by as much as the look was, so that the shades of a robot's parts stay apart
            of = self._kinds == kind
            moved = np.clip(self._own[of] + getattr(look, part)[index] - usual, 0.0, 1.0)
            model.geom_rgba[of, :3] = moved

    def picture(self, qpos: NDArray[np.float64], markers: tuple[Marker, ...] = ()) -> Picture:
        """The scene at positions (nq,) with the goal's markers, (height, width, 3)."""
        self.data.qpos[:] = qpos
        mujoco.mj_forward(self.model, self.data)  # without it the frame is black
        self.update_scene(self.data, CAMERA)
        for marker in markers:
            geom, turn = self.scene.geoms[self.scene.ngeom], np.zeros(9)
            mujoco.mju_quat2Mat(turn, np.array(marker.quat))
            mujoco.mjv_initGeom(
                geom,
                SHAPES[marker.shape],
                np.array(marker.size),
                np.array(marker.position),
                turn,
                np.array(marker.rgba, dtype=np.float32),
            )
            geom.category = mujoco.mjtCatBit.mjCAT_DECOR  # a goal casts no shadow
            self.scene.ngeom += 1
        return self.render()

    def _lay(self, look: Look, index: int) -> None:
        """Lay the table with squares of the look's colour, contrast and size."""
        model, at = self.model, self._texture
        height, width = model.tex_height[at], model.tex_width[at]
        rows, columns = (2 * np.arange(side) // side for side in (height, width))
        dark = 1 - (rows[:, None] + columns) % 2  # the square that begins at the origin is light, as the rays see it
        shade = 1 - dark[:, :, None] * look.texture_contrast[index]
        start = model.tex_adr[at]
        model.tex_data[start : start + 3 * height * width] = (255 * shade * look.table[index]).ravel()
        if self._gl_context:
            self._gl_context.make_current()
        mujoco.mjr_uploadTexture(model, self._mjr_context, at)
        model.mat_texrepeat[model.material(SQUARES).id] = look.texture_scale[index]


def render_task(task: Task, path: Path, quality: Quality = QUALITIES["people"]) -> None:
    """Write a PNG of a task at a typical start."""
    plant = Plant(task, 1, threads=1)
    start = task.sample_start(np.random.default_rng(0), 1)
    plant.reset(start)
    markers = task.goal_markers({name: float(values[0]) for name, values in start.items()})
    with Renderer(task, quality) as renderer:
        Image.fromarray(renderer.picture(plant.batch.bind("qpos")[0], markers)).save(path)
