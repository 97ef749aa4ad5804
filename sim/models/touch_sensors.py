"""Sensors from which force and slip of a fingertip are read: its contact with the object, and the frames of both."""

import mujoco

KINDS = {
    "position": mujoco.mjtSensor.mjSENS_FRAMEPOS,
    "velocity": mujoco.mjtSensor.mjSENS_FRAMELINVEL,
    "rotation": mujoco.mjtSensor.mjSENS_FRAMEANGVEL,
}
BODY, SITE = mujoco.mjtObj.mjOBJ_XBODY, mujoco.mjtObj.mjOBJ_SITE


def add_contact(spec: mujoco.MjSpec, name: str, geom: str, tip: str, slots: int = 1) -> None:
    """Add a contact sensor of a tip and an object, (n, 10 slots), as `sim.touch.contact_touch` reads it.

    Args:
        spec: the scene; has both geoms.
        name: of the sensor.
        geom: of the object.
        tip: geom of the fingertip.
        slots: contacts that are reported, the strongest first.
    """
    spec.add_sensor(
        name=name,
        type=mujoco.mjtSensor.mjSENS_CONTACT,
        objtype=mujoco.mjtObj.mjOBJ_GEOM,
        objname=geom,
        reftype=mujoco.mjtObj.mjOBJ_GEOM,
        refname=tip,
        # data found, force, position, normal (bits 0, 1, 4, 5); the strongest contacts first (reduce 2)
        intprm=[1 << 0 | 1 << 1 | 1 << 4 | 1 << 5, 2, slots],
    )


def add_frame(spec: mujoco.MjSpec, name: str, kind: mujoco.mjtObj) -> None:
    """Add sensors `<name>_position`, `_velocity`, `_rotation` (world frame, m, m/s, rad/s) of a body or a site."""
    for suffix, sensor in KINDS.items():
        spec.add_sensor(name=f"{name}_{suffix}", type=sensor, objtype=kind, objname=name)
