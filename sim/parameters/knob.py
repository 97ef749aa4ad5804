"""A Parameter and how a plant applies it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import mujoco
import numpy as np
from mujoco.batch import Batch
from numpy.typing import NDArray

from store.records import Parameter

Ids = NDArray[np.intp]
Values = NDArray[Any]


class Tunable(Protocol):
    """What a knob may touch of a plant."""

    model: mujoco.MjModel
    batch: Batch
    noise: dict[str, Values]
    """Standard deviation of each kind of sensor noise, name -> (n,)."""


@dataclass(frozen=True)
class Knob:
    """A Parameter with the function that sets it in some simulations of a plant."""

    parameter: Parameter
    apply: Callable[[Tunable, Ids, Values], None]
    """Called with the plant, simulation ids (k,) and values (k,) inside the hard bounds."""
    rests_on: tuple[str, ...] = ()
    """Parameters that change what `apply` writes; the plant applies this knob again after them."""
