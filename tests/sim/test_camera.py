"""OpenGL pictures: every visual parameter changes them, they agree with the rays, and qualities differ as they say."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from agent.cli.opengl import find_opengl
from sim.look import Look
from sim.plant import Plant
from sim.quality import QUALITIES, get_quality
from sim.raycast import RayCamera
from sim.tasks import get_task
from store.errors import UserError

TASK = get_task("finger_push")
VISUAL = {name: parameter for name, parameter in TASK.parameters.items() if parameter.kind == "visual"}
PUCK_HEIGHT = 5
"""Its place among the positions."""
Pictures = dict[str, NDArray[np.uint8]]


@pytest.fixture(scope="module")
def pictures(tmp_path_factory: pytest.TempPathFactory) -> Pictures:
    """All pictures by name, drawn in a process of its own: MuJoCo chooses its OpenGL backend once."""
    backend, reasons = find_opengl()
    if backend is None:
        pytest.skip("no OpenGL backend renders here: " + "; ".join(reasons))
    path = tmp_path_factory.mktemp("camera") / "pictures.npz"
    done = subprocess.run(
        [sys.executable, __file__, str(path)],
        env={**os.environ, "MUJOCO_GL": backend},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    with np.load(path) as file:
        return dict(file)


def apart(a: NDArray[np.uint8], b: NDArray[np.uint8]) -> int:
    """Largest difference of two pictures."""
    return int(np.abs(a.astype(int) - b.astype(int)).max())


@pytest.mark.parametrize("name", VISUAL)
def test_every_visual_parameter_changes_the_picture(name: str, pictures: Pictures) -> None:
    low, high = pictures[name]
    assert apart(low, high) >= 3, f"{name} changes no pixel"


def test_the_nominal_look_is_how_the_model_is_built(pictures: Pictures) -> None:
    for quality in QUALITIES:
        assert np.array_equal(pictures[f"built {quality}"], pictures[f"nominal {quality}"]), quality


def test_a_look_leaves_nothing_behind(pictures: Pictures) -> None:
    assert np.array_equal(pictures["nominal people"], pictures["nominal again"])


def test_the_squares_of_the_table_are_those_that_the_rays_see(pictures: Pictures) -> None:
    plant = plant_at_start(1)
    chequer(plant)
    images = RayCamera(plant, 160, 120).look()
    table = images.segmentation[0] == plant.model.geom("table").id
    rays, drawn = images.rgb[0][table].mean(axis=1), pictures["chequered"][table].mean(axis=1)
    assert np.corrcoef(rays, drawn)[0, 1] > 0.7  # edges and the lamp's cone differ


def test_a_critic_sees_shadows_and_smooth_edges(pictures: Pictures) -> None:
    assert pictures["nominal train"].shape == (64, 64, 3)
    assert min(pictures["nominal critic"].shape[:2]) >= 224
    # a puck that hovers is where its shadow says that it is
    changed = {name: (np.abs(np.diff(pictures[name].astype(int), axis=0)) > 20).mean() for name in ("shadows", "bare")}
    assert changed["shadows"] > 1.2 * changed["bare"] > 0, changed
    smooth, rough = (len(np.unique(pictures[name].reshape(-1, 3), axis=0)) for name in ("smooth", "rough"))
    assert smooth > 1.05 * rough, "multisampling mixes colours at edges"


def test_an_unknown_quality_names_the_valid_ones() -> None:
    with pytest.raises(UserError) as caught:
        get_quality("best")
    assert caught.value.valid == "critic, people, train"


def plant_at_start(count: int) -> Plant:
    plant = Plant(TASK, count, 1)
    start = TASK.sample_start(np.random.default_rng(0), 1)
    plant.reset({name: np.repeat(values, count) for name, values in start.items()}, seed=0)
    return plant


def chequer(plant: Plant) -> None:
    plant.set("texture.contrast", 0.6)
    plant.set("texture.scale", 14.0)


def draw(path: Path) -> None:
    """Draw all pictures into an .npz."""
    from dataclasses import replace

    from sim.camera import Renderer

    qpos = plant_at_start(1).batch.bind("qpos")[0]
    found: Pictures = {}
    small = replace(QUALITIES["people"], width=160, height=120)
    with Renderer(TASK, small) as renderer:
        for name, parameter in VISUAL.items():
            plant = Plant(TASK, 2, 1)
            plant.set(name, np.array([parameter.low, parameter.high]))
            shown: list[NDArray[np.uint8]] = []
            for index in range(2):
                renderer.put_on(plant.look, index)
                shown.append(renderer.picture(qpos))
            found[name] = np.stack(shown)
        plant = plant_at_start(1)
        chequer(plant)
        renderer.put_on(plant.look)
        found["chequered"] = renderer.picture(qpos)
    for name, quality in QUALITIES.items():
        with Renderer(TASK, quality) as renderer:
            found[f"built {name}"] = renderer.picture(qpos)
            renderer.put_on(Look.nominal(1))
            found[f"nominal {name}"] = renderer.picture(qpos)
            if name == "people":
                renderer.put_on(plant.look)
                renderer.picture(qpos)
                renderer.put_on(Look.nominal(1))
                found["nominal again"] = renderer.picture(qpos)
    lifted = qpos.copy()
    lifted[PUCK_HEIGHT] += 0.1
    critic = QUALITIES["critic"]
    for name, quality in {"shadows": critic, "bare": replace(critic, shadows=0)}.items():
        with Renderer(TASK, quality) as renderer:
            found[name] = np.stack([renderer.picture(qpos), renderer.picture(lifted)])
    for name, quality in {"smooth": small, "rough": replace(small, samples=0)}.items():
        with Renderer(TASK, quality) as renderer:
            found[name] = renderer.picture(qpos)
    np.savez(path, allow_pickle=False, **found)


if __name__ == "__main__":
    draw(Path(sys.argv[1]))
