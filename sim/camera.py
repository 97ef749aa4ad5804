"""Pictures for people: stills and film strips by MuJoCo's OpenGL renderer."""

from pathlib import Path

import mujoco
import numpy as np
from numpy.typing import NDArray
from PIL import Image

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


def film_strip(task: Task, rollout: Rollout, path: Path, frames: int = FRAMES, width: int = 240) -> None:
    """Write a PNG with frames of a rollout side by side, drawn from its measured signals."""
    height = width * 3 // 4
    renderer = Renderer(task, width, height)
    try:
        goal = (rollout.start["goal_x"], rollout.start["goal_y"])
        at = np.linspace(0, rollout.steps, frames).round().astype(int)
        signals = {name: values[at] for name, values in rollout.signals.items()}
        rest = {name: np.zeros(frames) for name in signals}
        qpos, qvel = np.zeros((frames, renderer.model.nq)), np.zeros((frames, renderer.model.nv))
        task.state(signals, rest, qpos, qvel)
        strip = np.concatenate([renderer.picture(row, goal) for row in qpos], axis=1)
        Image.fromarray(strip).save(path)
    finally:
        renderer.close()
