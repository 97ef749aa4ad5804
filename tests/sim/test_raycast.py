"""The ray-cast camera: analytic pictures, agreement with OpenGL, and every visual parameter changes what is seen."""

import os
import subprocess
import sys

import mujoco
import numpy as np
import pytest

from agent.cli.opengl import find_opengl
from sim.plant import Plant
from sim.raycast import RayCamera
from sim.tasks import get_task

TASK = get_task("finger_push")
VISUAL = [name for name, parameter in TASK.parameters.items() if parameter.kind == "visual"]


def plant_at_start(count: int = 2) -> Plant:
    plant = Plant(TASK, count, 1)
    start = TASK.sample_start(np.random.default_rng(0), 1)
    plant.reset({name: np.repeat(values, count) for name, values in start.items()}, seed=0)
    return plant


def table_of(plant: Plant) -> int:
    return plant.model.geom("table").id


@pytest.mark.parametrize("name", VISUAL)
def test_every_visual_parameter_changes_the_picture(name: str) -> None:
    plant = plant_at_start()
    parameter = TASK.parameters[name]
    plant.set(name, np.array([parameter.low, parameter.high]))
    rgb = RayCamera(plant, 48, 36).look().rgb.astype(int)
    assert np.abs(rgb[0] - rgb[1]).max() >= 2, f"{name} changes no pixel"


def test_equal_looks_give_equal_pictures() -> None:
    rgb = RayCamera(plant_at_start(), 48, 36).look().rgb
    assert np.array_equal(rgb[0], rgb[1])


def test_depth_of_the_table_is_that_of_the_plane() -> None:
    plant = plant_at_start(1)
    camera = RayCamera(plant, 40, 30)
    images = camera.look()
    view = plant.model.camera("view")
    height, fovy = float(view.pos[2]), np.radians(plant.look.fovy[0])
    turn = np.zeros(9)
    mujoco.mju_quat2Mat(turn, view.quat)
    turn = turn.reshape(3, 3)
    row, column = np.nonzero(images.segmentation[0] == table_of(plant))
    across = ((column + 0.5) / 40 * 2 - 1) * np.tan(fovy / 2) * 40 / 30
    down = (1 - (row + 0.5) / 30 * 2) * np.tan(fovy / 2)
    falls = turn[2, 0] * across + turn[2, 1] * down - turn[2, 2]
    assert images.depth[0][row, column] == pytest.approx(-height / falls, rel=1e-4)
    assert len(row) > 100


def test_lambert_and_the_colour_of_the_light() -> None:
    plant = plant_at_start(3)
    for name, values in {"ambient": 0.05, "texture.contrast": 0.0, "light.strength": [0.4, 0.8, 0.8]}.items():
        plant.set(name, np.array(values) if isinstance(values, list) else values)
    plant.set("light.red", np.array([1.0, 1.0, 0.6]))
    images = RayCamera(plant, 40, 30).look()
    table = images.segmentation[0] == table_of(plant)
    rgb = images.rgb.astype(float)
    base = 255 * 0.05 * plant.look.table[0]
    lamp = rgb[:, table] - base
    assert lamp[1] == pytest.approx(2 * lamp[0], abs=4)  # twice the strength is twice the light
    assert lamp[2, :, 0] == pytest.approx(0.6 * lamp[1, :, 0], abs=2)  # less red in the lamp is less red
    assert lamp[2, :, 1] == pytest.approx(lamp[1, :, 1], abs=1)


def test_some_simulations_alone() -> None:
    plant = plant_at_start(3)
    plant.set("object.red", np.array([0.0, 0.5, 1.0]))
    camera = RayCamera(plant)
    assert np.array_equal(camera.look(np.array([2])).rgb[0], camera.look().rgb[2])


def test_depth_and_geoms_agree_with_opengl() -> None:
    backend, _ = find_opengl()
    if backend is None:
        pytest.skip("no OpenGL library on this machine")
    # in a process of its own: MuJoCo chooses its OpenGL backend once
    done = subprocess.run(
        [sys.executable, __file__],
        env={**os.environ, "MUJOCO_GL": backend},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    depth, geoms = map(float, done.stdout.split()[-2:])
    assert depth > 0.995 and geoms > 0.98


def compare() -> tuple[float, float]:
    """Shares of pixels whose depth, within 2 mm, and whose geom agree with mujoco.Renderer."""
    plant = plant_at_start(1)
    images = RayCamera(plant, 160, 120).look()
    renderer, data = mujoco.Renderer(plant.model, 120, 160), mujoco.MjData(plant.model)
    data.qpos[:] = plant.batch.bind("qpos")[0]
    mujoco.mj_forward(plant.model, data)
    renderer.enable_depth_rendering()
    renderer.update_scene(data, "view")
    hit = np.isfinite(images.depth[0])
    depth = float((np.abs(renderer.render() - images.depth[0])[hit] < 0.002).mean())
    renderer.disable_depth_rendering()
    renderer.enable_segmentation_rendering()
    renderer.update_scene(data, "view")
    geoms = float((renderer.render()[:, :, 0] == images.segmentation[0])[hit].mean())
    renderer.close()
    return depth, geoms


if __name__ == "__main__":
    print(*compare())  # noqa: T201
