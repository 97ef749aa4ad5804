"""A table top with light and a camera that looks at it."""

import mujoco
import numpy as np

from sim.look import AMBIENT, COLOURS, LIGHT, LIGHT_STRENGTH, TEXTURE_CONTRAST, TEXTURE_SCALE

SQUARES = "squares"
"""Texture and material of the table."""


def table_scene(name: str, timestep: float) -> mujoco.MjSpec:
    """A spec with a table, in radians, integrated implicitly; `timestep` in s."""
    spec = mujoco.MjSpec()
    spec.modelname = name
    spec.compiler.degree = False
    spec.option.timestep = timestep
    spec.option.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    add_table(spec)
    return spec


def add_table(spec: mujoco.MjSpec) -> None:
    """Add a table at height zero, lamp, light from everywhere and the camera `view`, as the nominal Look has them."""
    add_sky(spec)
    texture = spec.add_texture(
        name=SQUARES, type=mujoco.mjtTexture.mjTEXTURE_2D, builtin=mujoco.mjtBuiltin.mjBUILTIN_CHECKER
    )
    light, dark = np.array(COLOURS["table"]), (1 - TEXTURE_CONTRAST) * np.array(COLOURS["table"])
    texture.rgb1, texture.rgb2, texture.width, texture.height = dark, light, 256, 256
    # on a plane, a uniform texture repeats so often in two metres; a checker has two squares a repeat
    material = spec.add_material(name=SQUARES, texrepeat=[TEXTURE_SCALE] * 2, texuniform=True)
    material.textures[mujoco.mjtTextureRole.mjTEXROLE_RGB] = SQUARES
    plane = spec.worldbody.add_geom(
        name="table", type=mujoco.mjtGeom.mjGEOM_PLANE, size=[0.5, 0.5, 0.05], material=SQUARES
    )
    plane.contype = plane.conaffinity = 0
    lamp = spec.worldbody.add_light(pos=LIGHT, dir=[-x for x in LIGHT], diffuse=[LIGHT_STRENGTH] * 3)
    lamp.castshadow = False
    spec.visual.headlight.ambient = spec.visual.headlight.diffuse = [AMBIENT] * 3
    spec.worldbody.add_camera(name="view", pos=[0.07, -0.33, 0.24], xyaxes=[1, 0.12, 0, -0.06, 0.5, 0.84])


def add_sky(spec: mujoco.MjSpec) -> None:
    """Add a bright background; without one it is black."""
    sky = spec.add_texture(
        name="sky", type=mujoco.mjtTexture.mjTEXTURE_SKYBOX, builtin=mujoco.mjtBuiltin.mjBUILTIN_GRADIENT
    )
    sky.rgb1, sky.rgb2, sky.width, sky.height = (0.86, 0.90, 0.94), (0.97, 0.98, 0.99), 64, 64
