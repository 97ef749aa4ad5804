"""A flat plug with a handle, and the socket that it goes into."""

from dataclasses import dataclass, field

import mujoco

from sim.models.peg import Hole, add_hard_pair, add_hole

PLUG, SOCKET, BLADE = "plug", "socket", "plug_blade"
"""Bodies, the handle's geom `plug` and the geom that goes into the socket."""


@dataclass(frozen=True)
class Plug:
    """Dimensions of the plug; SI units."""

    blade: tuple[float, float, float] = (0.006, 0.012, 0.01)
    """Half sizes of the part that goes in, m; z is along it."""
    handle: tuple[float, float, float] = (0.01, 0.014, 0.018)
    """Half sizes of the part that is held, m."""
    mass: float = 0.05
    friction: float = 0.6


@dataclass(frozen=True)
class Connector:
    """A plug and its socket."""

    plug: Plug = field(default_factory=Plug)
    socket: Hole = field(
        default_factory=lambda: Hole(half_widths=Plug().blade[:2], clearance=0.0007, depth=0.018, thickness=0.003)
    )


def add_connector(spec: mujoco.MjSpec, connector: Connector) -> None:
    """Add a free plug and a socket clamped to the table (see `add_hole`) to a spec with a table.

    The plug's frame is the middle of its handle; pairs are `plug_table`, `plug_blade_table` and
    `plug_blade_socket_<wall>`, with `_rim` where the socket is rounded.
    """
    plug = connector.plug
    body = spec.worldbody.add_body(name=PLUG, pos=[0, 0, plug.handle[2] + 2 * plug.blade[2]])
    body.add_freejoint(name=PLUG)
    parts = {
        PLUG: (plug.handle, 0.0, 0.7, (0.0, 0.45, 0.70, 1.0)),
        BLADE: (plug.blade, -plug.handle[2] - plug.blade[2], 0.3, (0.62, 0.65, 0.69, 1.0)),
    }
    for name, (size, height, share, rgba) in parts.items():
        geom = body.add_geom(
            name=name, type=mujoco.mjtGeom.mjGEOM_BOX, size=size, pos=[0, 0, height], mass=share * plug.mass, rgba=rgba
        )
        geom.contype = geom.conaffinity = 0
        add_hard_pair(spec, "table", name, plug.friction)
    add_hole(spec, connector.socket, peg=BLADE, name=SOCKET)
