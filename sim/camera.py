"""Pictures for people: stills and film strips by MuJoCo's OpenGL renderer."""

from pathlib import Path

import mujoco
import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw

from sim.plant import Plant
from sim.tasks.task import Task
from sim.trace.rollout import Rollout

Picture = NDArray[np.uint8]
CAMERA = "view"
FRAMES = 6


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

    def picture(self, qpos: NDArray[np.float64], goal: tuple[float, float] | None = None) -> Picture:
        """The scene at positions (nq,), with a ring on the table where the goal is, (height, width, 3)."""
        self.data.qpos[:] = qpos
        mujoco.mj_forward(self.model, self.data)  # without it the frame is black
        self.renderer.update_scene(self.data, CAMERA)
        if goal is not None:
            scene = self.renderer.scene
            mujoco.mjv_initGeom(
                scene.geoms[scene.ngeom],
                mujoco.mjtGeom.mjGEOM_CYLINDER,
                np.array([0.012, 0.0005, 0.0]),
                np.array([goal[0], goal[1], 0.001]),
                np.eye(3).flatten(),
                np.array([0.84, 0.37, 0.0, 1.0], dtype=np.float32),
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
        goal = (float(start["goal_x"][0]), float(start["goal_y"][0]))
        Image.fromarray(renderer.picture(plant.batch.bind("qpos")[0], goal)).save(path)
    finally:
        renderer.close()


def film_strip(task: Task, rows: dict[str, Rollout], path: Path, frames: int = FRAMES, width: int = 200) -> None:
    """Write a PNG with one row of frames for each named rollout, at equal times, drawn from its measured signals."""
    height, left, top = width * 3 // 4, 92, 20
    strip = Image.new("RGB", (left + frames * width, top + len(rows) * height), "white")
    draw = ImageDraw.Draw(strip)
    renderer = Renderer(task, width, height)
    try:
        for number, (name, rollout) in enumerate(rows.items()):
            at = np.linspace(0, rollout.steps, frames).round().astype(int)
            signals = {signal: values[at] for signal, values in rollout.signals.items()}
            rest = {signal: np.zeros(frames) for signal in signals}
            qpos, qvel = np.zeros((frames, renderer.model.nq)), np.zeros((frames, renderer.model.nv))
            task.state(signals, rest, qpos, qvel)
            draw.text((4, top + number * height + height // 2 - 6), name, fill="black", font_size=13)
            for column, row in enumerate(qpos):
                place = (left + column * width, top + number * height)
                goal = (rollout.start["goal_x"], rollout.start["goal_y"])
                strip.paste(Image.fromarray(renderer.picture(row, goal)), place)
                if number == 0:
                    draw.text((place[0] + 4, 2), f"{rollout.times[at[column]]:.2f} s", fill="black", font_size=13)
        strip.save(path)
    finally:
        renderer.close()
