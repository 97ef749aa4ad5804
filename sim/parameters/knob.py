"""A Parameter and how a plant applies it."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Protocol

import mujoco
import numpy as np
from mujoco.batch import Batch
from numpy.typing import NDArray

from sim.look import Look
from store.records import Parameter

Ids = NDArray[np.intp]
"""Simulation ids, (k,)."""
Values = NDArray[Any]


class Tunable(Protocol):
    """What a knob may read and write of a plant."""

    model: mujoco.MjModel
    """Every simulation's model where no field is expanded."""
    batch: Batch
    values: dict[str, Values]
    """Value of every parameter, name -> (n,); set before a knob is applied."""
    look: Look


@dataclass(frozen=True)
class Knob:
    """A Parameter with the function that sets it in some simulations of a plant."""

    parameter: Parameter
    apply: Callable[[Tunable, Ids], None]
    """Called with the plant and simulation ids (k,); reads `plant.values`, which lie inside the hard bounds."""
    rests_on: tuple[str, ...] = ()
    """Parameters, each with its parts (`mass`, `mass.left`), that change what `apply` writes."""


def side_by_side(plant: Tunable, name: str, parts: Iterable[str], ids: Ids | None = None) -> Values:
    """Values of a parameter's parts `<name>.<part>` in some simulations (all by default), (k, parts)."""
    columns = [plant.values[f"{name}.{part}"] for part in parts]
    return np.stack(columns if ids is None else [column[ids] for column in columns], axis=1)


def nothing(plant: Tunable, ids: Ids) -> None:
    """Apply of a parameter that the plant reads from `values` as it runs, e.g. sensor noise."""


def factor(common: str, part: str, apply: Callable[[Tunable, Ids], None], meaning: str, spread: float = 2.0) -> Knob:
    """A factor on a common parameter for one joint, finger or surface; `apply` multiplies both.

    Args:
        common: name of the common parameter.
        part: joint, finger or surface.
        apply: writes the product.
        meaning: what the common parameter is, without the part.
        spread: the factor may lie between 1/spread and spread.
    """
    parameter = Parameter(
        name=f"{common}.{part}",
        unit="1",
        kind="physics",
        nominal=1.0,
        low=1 / spread,
        high=spread,
        scale="log",
        meaning=f"{meaning} of {part}, as a factor on `{common}`.",
    )
    return Knob(parameter, apply)
