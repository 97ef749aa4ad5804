"""A table top with light and a camera that looks at it."""

import mujoco


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
    """Add a table at height zero, two lights and the camera `view`."""
    sky = spec.add_texture(
        name="sky", type=mujoco.mjtTexture.mjTEXTURE_SKYBOX, builtin=mujoco.mjtBuiltin.mjBUILTIN_GRADIENT
    )
    sky.rgb1, sky.rgb2, sky.width, sky.height = (0.86, 0.90, 0.94), (0.97, 0.98, 0.99), 64, 64
    texture = spec.add_texture(
        name="table", type=mujoco.mjtTexture.mjTEXTURE_2D, builtin=mujoco.mjtBuiltin.mjBUILTIN_CHECKER
    )
    texture.rgb1, texture.rgb2, texture.width, texture.height = (0.93, 0.93, 0.91), (0.86, 0.86, 0.84), 256, 256
    material = spec.add_material(name="table", texrepeat=[20, 20])
    material.textures[mujoco.mjtTextureRole.mjTEXROLE_RGB] = "table"
    plane = spec.worldbody.add_geom(
        name="table", type=mujoco.mjtGeom.mjGEOM_PLANE, size=[0.5, 0.5, 0.05], material="table"
    )
    plane.contype = plane.conaffinity = 0
    light = spec.worldbody.add_light(pos=[0.3, -0.4, 0.8], dir=[-0.3, 0.4, -0.8], diffuse=[0.7, 0.7, 0.7])
    light.castshadow = False
    spec.visual.headlight.ambient, spec.visual.headlight.diffuse = (0.4, 0.4, 0.4), (0.4, 0.4, 0.4)
    spec.worldbody.add_camera(name="view", pos=[0.07, -0.33, 0.24], xyaxes=[1, 0.12, 0, -0.06, 0.5, 0.84])
