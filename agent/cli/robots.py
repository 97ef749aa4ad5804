"""`regrasp robots`: hands by name, built in or from a package, with a picture of one."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from agent.cli.options import HomeOption, JsonOption

SIZE = 640, 480


def robots(
    robot: Annotated[str | None, typer.Option("--robot", help="Show one robot: joints, actuators, mass.")] = None,
    out: Annotated[Path | None, typer.Option("--out", help="Write a picture of it to this PNG.")] = None,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """List the robots; with --robot NAME load one, say what it has, and draw it."""
    import json

    from agent.cli.table import columns
    from sim.models.robots import GYMNASIUM, MENAGERIE, ROBOTS
    from store.errors import UserError

    if robot is None:
        if out is not None:
            raise UserError("a picture of which robot?", where="--out", valid=ROBOTS, hint="add --robot NAME")
        rows = [{"robot": name, "from": _origin(name, MENAGERIE, GYMNASIUM)} for name in ROBOTS]
        if as_json:
            typer.echo(json.dumps({"robots": rows}, indent=2))
        else:
            typer.echo("\n".join(columns([("robot", "from"), *((row["robot"], row["from"]) for row in rows)])))
        return
    facts = describe(robot)
    if out is not None:
        draw(robot, out)
        facts["picture"] = str(out)
    if as_json:
        typer.echo(json.dumps(facts, indent=2))
        return
    typer.echo(f"{typer.style(robot, bold=True)}  {facts['mass_kg']:.3g} kg, {len(facts['actuators'])} actuators")
    head = ("joint", "low", "high", "unit")
    lines = [(j["name"], f"{j['low']:.3g}", f"{j['high']:.3g}", j["unit"]) for j in facts["joints"]]
    typer.echo("\n".join(columns([head, *lines])))
    if out is not None:
        typer.echo(f"picture: {out}")


def describe(robot: str) -> dict[str, Any]:
    """Mass, joints with their ranges, and actuators of a robot.

    Raises:
        UserError: unknown name, or its package is missing; says what to install.
    """
    import mujoco

    from sim.models.robots import load_robot

    model = load_robot(robot).compile()
    hinge = mujoco.mjtJoint.mjJNT_HINGE
    joints = [
        {
            "name": model.joint(i).name,
            "low": float(model.jnt_range[i, 0]),
            "high": float(model.jnt_range[i, 1]),
            "unit": "rad" if model.jnt_type[i] == hinge else "m",
        }
        for i in range(model.njnt)
    ]
    actuators = [model.actuator(i).name for i in range(model.nu)]
    return {"robot": robot, "mass_kg": float(model.body_mass.sum()), "joints": joints, "actuators": actuators}


def draw(robot: str, picture: Path) -> None:
    """Render a robot to a PNG, in a process of its own: MuJoCo chooses its OpenGL backend once, when it is imported.

    Raises:
        UserError: no OpenGL on this machine; says what to install.
    """
    from agent.cli.doctor import check_opengl
    from agent.cli.opengl import find_opengl
    from store.errors import UserError

    backend, _ = find_opengl()
    if backend is None:
        check = check_opengl()
        raise UserError(check.found, where="--out", hint=check.mend)
    command = [sys.executable, "-m", "agent.cli.robots", robot, str(picture)]
    done = subprocess.run(
        command, env={**os.environ, "MUJOCO_GL": backend}, capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        raise RuntimeError(f"{backend} renders, but '{robot}' does not:\n{done.stderr}")


def render(robot: str, picture: Path) -> None:
    """Render a robot with the MUJOCO_GL of this process, seen from the front and above, at its joints' middle."""
    import mujoco
    import numpy as np
    from PIL import Image

    from sim.models.robots import load_robot
    from sim.models.table import add_sky
    from store.artifacts import replace

    spec = load_robot(robot)
    if not any(texture.type == mujoco.mjtTexture.mjTEXTURE_SKYBOX for texture in spec.textures):
        add_sky(spec)
    spec.visual.global_.offwidth, spec.visual.global_.offheight = SIZE
    light = spec.worldbody.add_light(pos=[0.5, -0.8, 1.5], dir=[-0.3, 0.5, -1])
    light.castshadow = False
    model = spec.compile()
    data = mujoco.MjData(model)
    limited = np.flatnonzero(model.jnt_limited)
    data.qpos[model.jnt_qposadr[limited]] = model.jnt_range[limited].mean(axis=1)
    mujoco.mj_forward(model, data)
    camera = mujoco.MjvCamera()
    camera.lookat[:] = (data.geom_xpos.min(axis=0) + data.geom_xpos.max(axis=0)) / 2
    camera.distance = 1.8 * model.stat.extent
    camera.azimuth, camera.elevation = 130, -25
    with mujoco.Renderer(model, SIZE[1], SIZE[0]) as renderer:
        renderer.update_scene(data, camera)
        image = Image.fromarray(renderer.render())
    picture.parent.mkdir(parents=True, exist_ok=True)
    replace(picture, lambda draft: image.save(draft, format="PNG"))


def _origin(name: str, menagerie: dict[str, str], gymnasium: dict[str, str]) -> str:
    if name not in menagerie:
        return "built in"
    return "mujoco-menagerie or gymnasium-robotics" if name in gymnasium else "mujoco-menagerie"


if __name__ == "__main__":
    render(sys.argv[1], Path(sys.argv[2]))
