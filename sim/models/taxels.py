"""A pad of taxels on a fingertip: normal depth and two tangential speeds each, as XELA's uSkin senses in three axes.

MuJoCo's tactile sensor samples the penetration of every geom that touches the tip's body at the vertices of a mesh
(XML reference: sensor/tactile). Three things about it are not in the manual and were measured on 4.0.0:

- The vertices are taken in the mesh's own centred and turned frame, so the sensor refers to a massless geom that shows
  the mesh, never to the tip's own geom.
- The tangential speeds stay zero unless the mesh brings three normals a vertex: the normal and both tangents.
- The taxels are dark until a contact exists, and on a stiff round tip a contact sinks so little that none or a few
  light up. Real taxels lie in a skin that gives way around the contact. So the points stand out from the contact geom
  by `skin`: where the core touches, the object is `skin` deep in the middle and covers sqrt(2 R skin) around it.

Give the contact pairs a gap of `skin` (`feel_early`), and taxels light up as soon as the skin is touched, before the
core carries force; without it the depth jumps from zero to `skin` at the first contact.

Taxels of 4 x 4 at 4 mm that light up on a round tip of 12 mm at 0.5 N and 5 N, stiff pad (5e-5 m/N): skin 0, none and
none, on a flat face or on a cylinder or a ball of 30 mm; 1 mm, 4 and 4; 2 mm, 12 and 12 (a ball at 0.5 N: 4); 3 mm, 12
to 16. A flat pad of a box on a flat face lights all 16 even without a skin, on a cylinder none to 8.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
Vector = tuple[float, float, float]

UNUSED = 1 << 30
"""A bit of contype that no geom answers to. The compiler wants a geom on the body that may collide, and refuses bodies
whose contacts all come from explicit pairs."""


@dataclass(frozen=True)
class Taxels:
    """Layout of a pad; SI units."""

    rows: int = 4
    """Along the finger."""
    columns: int = 4
    """Across it; 6 makes the 24 taxels of a uSkin fingertip."""
    pitch: float = 0.004
    """Distance of neighbours on the surface, m."""
    skin: float = 0.002
    """How far the taxels stand out from the contact geom, m."""


def add_taxels(
    spec: mujoco.MjSpec,
    finger: str,
    tip_geom: str,
    layout: Taxels | None = None,
    facing: Vector = (0.0, 0.0, 1.0),
    along: Vector = (1.0, 0.0, 0.0),
) -> None:
    """Add a pad to a fingertip: sensor `taxels.<finger>`, and a mesh and massless geom of that name that touch nothing.

    The sensor's 3 rows columns values are all depths, m, then the magnitudes of both tangential speeds, m/s, along and
    across the finger; sim.touch.shape_taxels sorts them.

    Args:
        spec: the scene; has the tip.
        finger: names the sensor.
        tip_geom: a sphere or a box, placed in its body without a rotation.
        layout: of the taxels.
        facing: direction out of the pad's middle, in the tip's body frame; for a box one of its axes.
        along: direction along the finger, from which rows are counted; need not be square to `facing`.

    Raises:
        ValueError: a tip of another shape, a pad that does not fit on the tip, or directions that are parallel.
    """
    layout = layout or Taxels()
    tip = spec.geom(tip_geom)
    out = np.asarray(facing, dtype=float) / np.linalg.norm(facing)
    down = np.asarray(along, dtype=float) - np.dot(along, out) * out
    if layout.rows < 2 or layout.columns < 2 or np.linalg.norm(down) < 1e-6:
        raise ValueError("a pad needs two rows, two columns and a direction along the finger other than its own")
    frame = np.stack([down / np.linalg.norm(down), np.cross(out, down / np.linalg.norm(down)), out])
    x, y = (layout.pitch * (np.arange(n) - (n - 1) / 2) for n in (layout.rows, layout.columns))
    grid = np.stack(np.meshgrid(x, y, indexing="ij"), axis=-1).reshape(-1, 2)
    points, normals = _on_surface(tip, grid, frame, layout.skin)
    first = frame[0] - (normals @ frame[0])[:, None] * normals
    first /= np.linalg.norm(first, axis=1, keepdims=True)
    tangents = np.stack([normals, first, np.cross(normals, first)], axis=1)

    name, faces = f"taxels.{finger}", _triangles(layout.rows, layout.columns)
    spec.add_mesh(
        name=name,
        uservert=points.ravel(),
        userface=faces.ravel(),
        usernormal=tangents.ravel(),
        userfacenormal=(3 * faces).ravel(),  # shading uses the first of a vertex's three directions
        inertia=mujoco.mjtMeshInertia.mjMESH_INERTIA_SHELL,
    )
    geom = tip.parent.add_geom(name=name, type=mujoco.mjtGeom.mjGEOM_MESH, meshname=name, pos=tip.pos, mass=0)
    geom.contype = geom.conaffinity = 0
    if tip.contype == tip.conaffinity == 0:
        tip.contype = UNUSED
    geom.rgba, geom.group = (0.1, 0.1, 0.1, 0.25), 3  # the group that viewers do not show
    spec.add_sensor(
        name=name,
        type=mujoco.mjtSensor.mjSENS_TACTILE,
        objtype=mujoco.mjtObj.mjOBJ_MESH,
        objname=name,
        reftype=mujoco.mjtObj.mjOBJ_GEOM,
        refname=name,
    )


def feel_early(spec: mujoco.MjSpec, pairs: Sequence[str], skin: float = Taxels().skin) -> None:
    """Let contact pairs exist, without force, from the moment the skin is touched; their force stays as it was."""
    for name in pairs:
        # MuJoCo 4: contacts exist below margin + gap and carry force below margin
        spec.pair(name).gap = skin


def _on_surface(tip: mujoco.MjsGeom, grid: Array, frame: Array, skin: float) -> tuple[Array, Array]:
    """Points (k, 3), m, and unit normals (k, 3) of a flat grid (k, 2) laid on a tip, from its middle outwards."""
    kinds = mujoco.mjtGeom
    if tip.type == kinds.mjGEOM_SPHERE:
        # distances from the middle are kept along the surface
        radius = tip.size[0] + skin
        length = np.linalg.norm(grid, axis=1)
        angle = length / radius
        if angle.max() > np.pi / 2:
            raise ValueError(f"a pad of {2e3 * length.max():.0f} mm does not fit on a tip of {2e3 * radius:.0f} mm")
        sideways = grid / np.maximum(length, 1e-12)[:, None] * np.sin(angle)[:, None]
        normals = sideways @ frame[:2] + np.cos(angle)[:, None] * frame[2]
        return radius * normals, normals
    if tip.type == kinds.mjGEOM_BOX:
        axis = int(np.argmax(np.abs(frame[2])))
        if np.abs(frame[2])[axis] < 0.999:
            raise ValueError("the pad of a box faces along one of its axes")
        flat = grid @ frame[:2]
        if np.any(np.abs(flat) > tip.size + 1e-9):
            raise ValueError("the pad is larger than the face of the box")
        normals = np.tile(frame[2], (len(grid), 1))
        return flat + (tip.size[axis] + skin) * normals, normals
    raise ValueError("taxels lie on a sphere or a box")


def _triangles(rows: int, columns: int) -> NDArray[np.int_]:
    """Faces (f, 3) of a grid of vertices, facing outwards."""
    index = np.arange(rows * columns).reshape(rows, columns)
    a, b, c, d = index[:-1, :-1], index[1:, :-1], index[1:, 1:], index[:-1, 1:]
    return np.concatenate([np.stack([a, b, c], -1).reshape(-1, 3), np.stack([a, c, d], -1).reshape(-1, 3)])
