"""Pictures for people: stills and film strips by MuJoCo's OpenGL renderer."""

from pathlib import Path

import mujoco
import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw

from sim.plant import Plant
from sim.tasks.task import Marker, Task
from sim.trace.rollout import Rollout

Picture = NDArray[np.uint8]
CAMERA = "view"
FRAMES = 6
SHAPES = {
    "sphere": mujoco.mjtGeom.mjGEOM_SPHERE,
    "cylinder": mujoco.mjtGeom.mjGEOM_CYLINDER,
    "box": mujoco.mjtGeom.mjGEOM_BOX,
    "arrow": mujoco.mjtGeom.mjGEOM_ARROW,
}


class Renderer:
    """Renders states of one task; needs EGL or OSMesa (`MUJOCO_GL`)."""

    def __init__(self, task: Task, width: int = 480, height: int = 360) -> None:
        spec = task.build()
        # default shadows and multi-sampling cost tens of milliseconds a frame in software
        spec.visual.quality.shadowsize, spec.visual.quality.offsamples = 512, 4
        spec.visual.global_.offwidth, spec.visual.global_.offheight = width, height
        self.model = spec.compile()
        self.data = mujoco.MjData(self.model)
        self.renderer = mujoco.Renderer(self.model, height, width)

    def picture(self, qpos: NDArray[np.float64], markers: tuple[Marker, ...] = ()) -> Picture:
        """The scene at positions (nq,) with the goal's markers, (height, width, 3)."""
        self.data.qpos[:] = qpos
        mujoco.mj_forward(self.model, self.data)  # without it the frame is black
        self.renderer.update_scene(self.data, CAMERA)
        scene = self.renderer.scene
        for marker in markers:
            turn = np.zeros(9)
            mujoco.mju_quat2Mat(turn, np.array(marker.quat))
            mujoco.mjv_initGeom(
                scene.geoms[scene.ngeom],
                SHAPES[marker.shape],
                np.array(marker.size),
                np.array(marker.position),
                turn,
                np.array(marker.rgba, dtype=np.float32),
            )
            scene.ngeom += 1
        return self.renderer.render()

    def close(self) -> None:
        """Free the OpenGL context."""
        self.renderer.close()


def render_task(task: Task, path: Path, width: int = 480, height: int = 360) -> None:
    """Write a PNG of a task at a typical start."""
    plant = Plant(task, 1, threads=1)
    start = task.sample_start(np.random.default_rng(0), 1)
    plant.reset(start)
    renderer = Renderer(task, width, height)
    try:
        markers = task.goal_markers({name: float(values[0]) for name, values in start.items()})
        Image.fromarray(renderer.picture(plant.batch.bind("qpos")[0], markers)).save(path)
    finally:
        renderer.close()


def film_strip(task: Task, rows: dict[str, Rollout], path: Path, frames: int = FRAMES, width: int = 200) -> None:
    """Write a PNG with one row of frames for each named rollout, at equal times, drawn from its measured signals."""
    height, left, top = width * 3 // 4, 92, 20
    strip = Image.new("RGB", (left + frames * width, top + len(rows) * height), "white")
    draw = ImageDraw.Draw(strip)
    plant = Plant(task, 1, threads=1)
    renderer = Renderer(task, width, height)
    try:
        for number, (name, rollout) in enumerate(rows.items()):
            at = np.linspace(0, rollout.steps, frames).round().astype(int)
            signals = {signal: values[at] for signal, values in rollout.signals.items()}
            rest = {signal: np.zeros(frames) for signal in signals}
            positions, _ = task.state(signals, rest)
            qpos = plant.arrange(np.tile(plant.model.qpos0, (frames, 1)), positions, plant.model.jnt_qposadr)
            draw.text((4, top + number * height + height // 2 - 6), name, fill="black", font_size=13)
            for column, row in enumerate(qpos):
                place = (left + column * width, top + number * height)
                strip.paste(Image.fromarray(renderer.picture(row, task.goal_markers(rollout.start))), place)
                if number == 0:
                    draw.text((place[0] + 4, 2), f"{rollout.times[at[column]]:.2f} s", fill="black", font_size=13)
        strip.save(path)
    finally:
        renderer.close()
