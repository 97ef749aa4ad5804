"""A Parameter and how the plant applies it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from store.records import Parameter

if TYPE_CHECKING:
    from sim.plant import Plant


@dataclass(frozen=True)
class Knob:
    """A Parameter with the function that sets it in some simulations of a plant."""

    parameter: Parameter
    apply: Callable[["Plant", NDArray[np.intp], NDArray[np.float64]], None]
    """Called with the plant, simulation ids (k,) and values (k,) inside the hard bounds."""
