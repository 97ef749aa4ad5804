"""A square or round peg, and a square hole made of four walls with a clearance and a rounded rim."""

from dataclasses import dataclass
from typing import Literal

import mujoco

PEG, HOLE = "peg", "hole"
WALLS = {"east": (1, 0), "west": (-1, 0), "north": (0, 1), "south": (0, -1)}
"""Wall -> the direction from the hole's axis to it."""
HARD = [0.99, 0.99, 0.001, 0.5, 2]
"""Impedance of the hard parts: at the default one a peg of 60 g would sink millimetres into a wall at 10 N."""


@dataclass(frozen=True)
class Peg:
    """Dimensions of the peg; SI units."""

    shape: Literal["square", "round"] = "square"
    half_width: float = 0.01
    half_length: float = 0.03
    mass: float = 0.06
    friction: float = 0.6


@dataclass(frozen=True)
class Hole:
    """Dimensions of the hole; SI units."""

    half_widths: tuple[float, float] = (0.01, 0.01)
    """Half widths along x and y of what belongs into it, m."""
    clearance: float = 0.001
    """Gap between that and the wall on each side, m."""
    depth: float = 0.03
    """Height of the walls, m; the table is the bottom of the hole."""
    thickness: float = 0.004
    """Half thickness of a wall, m."""
    rounded: bool = True
    """Whether the walls' upper ends are round, which leads a peg in from up to `thickness` beside; else sharp edges."""
    friction: float = 0.6
    mass: float = 3.0
    """Mass of the block, kg."""
    clamp: float = 200.0
    """Friction of the clamp on the table along x and y, N."""


def add_peg(spec: mujoco.MjSpec, peg: Peg, name: str = PEG) -> None:
    """Add a free peg (body, free joint and geom are `name`) and its pair `<name>_table`."""
    body = spec.worldbody.add_body(name=name, pos=[0, 0, peg.half_length])
    body.add_freejoint(name=name)
    square = peg.shape == "square"
    geom = body.add_geom(
        name=name,
        type=mujoco.mjtGeom.mjGEOM_BOX if square else mujoco.mjtGeom.mjGEOM_CYLINDER,
        size=[peg.half_width, peg.half_width, peg.half_length] if square else [peg.half_width, peg.half_length, 0],
        mass=peg.mass,
        rgba=(0.0, 0.45, 0.70, 1.0),
    )
    geom.contype = geom.conaffinity = 0
    add_hard_pair(spec, "table", name, peg.friction)


def add_hole(spec: mujoco.MjSpec, hole: Hole, peg: str = PEG, name: str = HOLE) -> None:
    """Add a block with a hole and the pairs `<peg>_<name>_<wall>` and, where rounded, `<peg>_<name>_<wall>_rim`.

    The block is clamped to the table: slides `<name>_x` and `<name>_y`, which an episode's start sets, hold it by the
    friction of the clamp and let it move in no other way.

    Args:
        spec: the scene, with the peg.
        hole: dimensions.
        peg: geom of the peg.
        name: body of the block; geoms are `<name>_<wall>` and `<name>_<wall>_rim`.
    """
    body = spec.worldbody.add_body(name=name)
    for axis, direction in (("x", (1, 0, 0)), ("y", (0, 1, 0))):
        joint = body.add_joint(name=f"{name}_{axis}", type=mujoco.mjtJoint.mjJNT_SLIDE, axis=direction)
        joint.frictionloss, joint.damping[0] = hole.clamp, hole.clamp
        joint.solimp_friction = [0.999, 0.999, 0.001, 0.5, 2]  # at the default one a clamp creeps
    thick, straight = hole.thickness, hole.depth - (hole.thickness if hole.rounded else 0.0)
    inner = [half + hole.clearance for half in hole.half_widths]
    # walls are long enough to close the corners at any clearance
    long = max(inner) + 2 * thick
    for wall, (x, y) in WALLS.items():
        out = (inner[0] if x else inner[1]) + thick
        box = body.add_geom(
            name=f"{name}_{wall}",
            type=mujoco.mjtGeom.mjGEOM_BOX,
            pos=(x * out, y * out, straight / 2),
            size=(thick if x else long, thick if y else long, straight / 2),
            mass=hole.mass / 4,
            rgba=(0.47, 0.49, 0.53, 1.0),
        )
        parts = [box]
        if hole.rounded:
            rim = body.add_geom(name=f"{name}_{wall}_rim", type=mujoco.mjtGeom.mjGEOM_CAPSULE, size=[thick, 0, 0])
            end = long - thick  # its round end closes the corner
            one, other = (x * out - y * end, y * out - x * end), (x * out + y * end, y * out + x * end)
            rim.fromto = [*one, straight, *other, straight]
            rim.mass, rim.rgba = 0.0, (0.60, 0.62, 0.66, 1.0)
            parts.append(rim)
        for geom in parts:
            geom.contype = geom.conaffinity = 0
            add_hard_pair(spec, geom.name, peg, hole.friction)


def add_hard_pair(spec: mujoco.MjSpec, geom: str, peg: str, friction: float) -> None:
    """Add the contact pair `<peg>_<geom>` of two hard parts, as stiff as the timestep allows."""
    pair = spec.add_pair(name=f"{peg}_{geom}", geomname1=geom, geomname2=peg, condim=3)
    pair.friction = [friction, friction, 0.003, 0.0001, 0.0001]
    pair.solref[0], pair.solimp = 2 * spec.option.timestep, HARD
