"""Mass, centre of mass, inertia and size of the object; mass of the links; gravity."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sim.parameters.knob import Ids, Knob, Tunable, factor
from store.records import Parameter

COM_BOUND = 0.2
"""Centre of mass stays within this share of the object's half-extent."""


@dataclass(frozen=True)
class Object:
    """What is manipulated."""

    body: str
    geoms: tuple[str, ...]
    """Geoms that make up its shape."""
    mass: float
    """Nominal mass, kg."""
    lightest: float
    heaviest: float
    extent: float
    """Half-extent, m: scale of its centre-of-mass offset."""
    sizes: tuple[float, float] = (0.92, 1.08)
    """Hard bounds of the factor on its size."""
    shifts: str = "xyz"
    """Axes along which its centre of mass may lie off."""


def object_knobs(item: Object) -> tuple[Knob, ...]:
    """Mass (inertia follows), a further factor on the inertia, centre of mass, size."""

    def weigh(plant: Tunable, ids: Ids) -> None:
        model, values, index = plant.model, plant.values, plant.model.body(item.body).id
        scale = values["size"][ids]
        plant.batch.expand("body_mass")[ids, index] = values["mass"][ids]
        per_mass = model.body_inertia[index] / model.body_mass[index]
        # the density pattern stays: inertia grows with mass and with the square of the size
        spread = values["mass"][ids] * scale**2 * values["inertia"][ids]
        plant.batch.expand("body_inertia")[ids, index] = spread[:, None] * per_mass
        plant.batch.set_const(ids)

    def shift(plant: Tunable, ids: Ids) -> None:
        index = plant.model.body(item.body).id
        for axis in item.shifts:
            at = "xyz".index(axis)
            moved = plant.model.body_ipos[index, at] + plant.values[f"com.{axis}"][ids]
            plant.batch.expand("body_ipos")[ids, index, at] = moved
        plant.batch.set_const(ids)

    def resize(plant: Tunable, ids: Ids) -> None:
        scale = plant.values["size"][ids][:, None]
        for geom in item.geoms:
            index = plant.model.geom(geom).id
            plant.batch.expand("geom_size")[ids, index] = scale * plant.model.geom_size[index]
            plant.batch.expand("geom_pos")[ids, index] = scale * plant.model.geom_pos[index]
            plant.batch.expand("geom_rbound")[ids, index] = scale[:, 0] * plant.model.geom_rbound[index]
            plant.batch.expand("geom_aabb")[ids, index] = scale * plant.model.geom_aabb[index]

    what = f"the {item.body}"
    mass = Parameter(
        name="mass", unit="kg", kind="physics", nominal=item.mass, low=item.lightest, high=item.heaviest, scale="log",
        meaning=f"Mass of {what}; its inertia scales with it (body_mass, body_inertia, then mj_setConst).",
    )  # fmt: skip
    inertia = Parameter(
        name="inertia", unit="1", kind="physics", nominal=1.0, low=0.5, high=2.0, scale="log",
        meaning=f"Factor on the inertia of {what} at unchanged mass (body_inertia).",
    )  # fmt: skip
    size = Parameter(
        name="size", unit="1", kind="physics", nominal=1.0, low=item.sizes[0], high=item.sizes[1],
        meaning=f"Factor on the dimensions of {what} at unchanged mass; inertia follows (geom_size, body_inertia).",
    )  # fmt: skip
    reach = COM_BOUND * item.extent
    centre = [
        Parameter(
            name=f"com.{axis}", unit="m", kind="physics", nominal=0.0, low=-reach, high=reach,
            meaning=f"Offset of the centre of mass of {what} along its {axis} axis (body_ipos).",
        )
        for axis in item.shifts
    ]  # fmt: skip
    return (
        Knob(size, resize),
        Knob(mass, weigh, rests_on=("size",)),
        Knob(inertia, weigh),
        *(Knob(one, shift) for one in centre),
    )


def link_masses(links: Sequence[str]) -> tuple[Knob, ...]:
    """A factor on the mass and inertia of all links of the robot, and one for each."""

    def weigh(plant: Tunable, ids: Ids) -> None:
        model = plant.model
        for link in links:
            index = model.body(link).id
            product = plant.values["link_mass"][ids] * plant.values[f"link_mass.{link}"][ids]
            plant.batch.expand("body_mass")[ids, index] = product * model.body_mass[index]
            plant.batch.expand("body_inertia")[ids, index] = product[:, None] * model.body_inertia[index]
        plant.batch.set_const(ids)

    common = Parameter(
        name="link_mass", unit="1", kind="physics", nominal=1.0, low=0.5, high=2.0, scale="log",
        meaning="Factor on mass and inertia of every link of the robot (body_mass, body_inertia).",
    )  # fmt: skip
    return (Knob(common, weigh), *(factor("link_mass", link, weigh, "Mass and inertia") for link in links))


def gravity() -> tuple[Knob, ...]:
    """Gravity as the robot's base sees it: its pull, and how far the base is tilted."""

    def apply(plant: Tunable, ids: Ids) -> None:
        values = plant.values
        roll, pitch = values["gravity.roll"][ids], values["gravity.pitch"][ids]
        direction = [np.sin(pitch), -np.sin(roll) * np.cos(pitch), -np.cos(roll) * np.cos(pitch)]
        plant.batch.expand("opt.gravity")[ids] = values["gravity"][ids][:, None] * np.stack(direction, axis=1)

    pull = Parameter(
        name="gravity", unit="m/s^2", kind="physics", nominal=9.81, low=8.8, high=10.8,
        meaning="Pull of gravity (opt.gravity).",
    )  # fmt: skip
    tilts = [
        Parameter(
            name=f"gravity.{name}", unit="rad", kind="physics", nominal=0.0, low=-0.15, high=0.15,
            meaning=f"How far the base is tilted about its {axis} axis: gravity turns the other way (opt.gravity).",
        )
        for name, axis in (("roll", "x"), ("pitch", "y"))
    ]  # fmt: skip
    return tuple(Knob(one, apply) for one in (pull, *tilts))
