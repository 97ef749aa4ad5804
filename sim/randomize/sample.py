"""Draw parameters from a family."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from store.errors import UserError, nearest
from store.records import Family, Parameter

Array = NDArray[Any]


def sample_family(
    family: Family, parameters: dict[str, Parameter], rng: np.random.Generator, count: int
) -> dict[str, Array]:
    """Values (count,) of every parameter that the family varies, independently, each from its range.

    Raises:
        UserError: a range of a parameter that the task does not have, or beyond its hard bounds.
    """
    drawn: dict[str, Array] = {}
    for r in family.ranges:
        if r.parameter not in parameters:
            valid = nearest(r.parameter, sorted(parameters))
            raise UserError(f"unknown parameter '{r.parameter}'", where="family", valid=valid)
        bounds = parameters[r.parameter]
        if r.low < bounds.low or r.high > bounds.high:
            raise UserError(
                f"range {r.low:g} to {r.high:g} {r.unit} of {r.parameter} leaves its hard bounds",
                where="family",
                valid=[f"{bounds.low:g} to {bounds.high:g} {bounds.unit}"],
            )
        u = rng.random(count)
        if r.distribution == "log_uniform":
            drawn[r.parameter] = np.exp(np.log(r.low) + u * np.log(r.high / r.low))
        else:
            drawn[r.parameter] = r.low + u * (r.high - r.low)
    return drawn


def centre_of(family: Family, parameters: dict[str, Parameter]) -> dict[str, float]:
    """Value of every parameter at the middle of its range, or nominal where it is not varied."""
    return {
        name: parameter.nominal if (r := family.range_of(name)) is None else r.centre
        for name, parameter in parameters.items()
    }
