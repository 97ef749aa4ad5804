"""Which OpenGL MuJoCo can render with on this machine."""

import os
import re
import subprocess
import sys

from store.errors import UserError

_RENDER = """
import mujoco
model = mujoco.MjModel.from_xml_string('<mujoco><worldbody><light pos="0 0 1"/><geom size=".1"/></worldbody></mujoco>')
data = mujoco.MjData(model)
mujoco.mj_forward(model, data)
with mujoco.Renderer(model, 64, 64) as renderer:
    renderer.update_scene(data)
    assert renderer.render().max() > 0, "the picture is black"
"""


def find_opengl() -> tuple[str | None, list[str]]:
    """The first MUJOCO_GL that renders, and why those before it do not; a set MUJOCO_GL is the only one tried."""
    chosen = os.environ.get("MUJOCO_GL")
    reasons: list[str] = []
    for backend in [chosen] if chosen else (["egl", "osmesa"] if sys.platform == "linux" else ["glfw"]):
        reason = render_fails(backend)
        if reason is None:
            return backend, reasons
        reasons.append(f"{backend}: {reason}")
    return None, reasons


def use_opengl() -> None:
    """Let MuJoCo, which must not be imported yet, render with what this machine has.

    Raises:
        UserError: nothing renders here.
    """
    backend, reasons = find_opengl()
    if backend is None:
        raise UserError("no pictures: " + "; ".join(reasons), where="OpenGL", hint="regrasp doctor says what mends it")
    os.environ["MUJOCO_GL"] = backend


def render_fails(backend: str, timeout_s: float = 60) -> str | None:
    """None when MuJoCo renders with this MUJOCO_GL, the last line of its error otherwise.

    In a process of its own: MuJoCo chooses its backend once, when it is imported, and a missing library can end it.
    """
    try:
        done = subprocess.run(
            [sys.executable, "-c", _RENDER], env={**os.environ, "MUJOCO_GL": backend},
            capture_output=True, text=True, timeout=timeout_s, check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return f"no picture within {timeout_s:.0f} s"
    if done.returncode == 0:
        return None
    said = [line.strip() for line in done.stderr.splitlines() if line.strip()]
    errors = [line for line in said if re.match(r"[\w.]*(Error|Exception)\b", line)]
    return (errors or said or [f"ended with {done.returncode}"])[-1]
