"""From a force-displacement table to a compliance, to the solref and solimp of a contact pair, to a shear spring."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import least_squares

from sim.measure.table import ForceTable
from sim.parameters.contact import TIME_CONSTANT_STEPS, time_constant
from store.errors import UserError

Array = NDArray[Any]
Solimp = tuple[float, float, float, float, float]

SOFTEST, STIFFEST = 0.5, 0.98
"""Impedances that a fit uses. Lower ones need shorter time constants, which the timestep may not resolve, and let
friction creep; nearer to 1 the solver is ill-conditioned."""
CURVE_POINTS, FREE_SHAPE_POINTS = 5, 8
"""Points from which a curve is fitted with the usual sigmoid, and from which its midpoint and power are free, too."""
STRAIGHT = 1e-3
"""Relative error of the straight line below which no curve is looked for."""
WORTH = 0.5
"""A curve is preferred when its error is below this share of the straight line's."""


@dataclass(frozen=True)
class Curve:
    """A stiffening contact: MuJoCo's impedance sigmoid as a force law."""

    scale: float
    """1 / (A dmax^2 timeconst^2), N/m, A the inverse weight of both bodies: what the fit finds instead of a time."""
    solimp: Solimp
    """d0, dmax, width (m), midpoint, power."""
    rms_error: float
    """N."""

    def force(self, depth: Array) -> Array:
        """Force, N, at depths, m."""
        return contact_force(depth, self.scale, self.solimp)


@dataclass(frozen=True)
class PairSettings:
    """Numbers for an explicit contact pair of MuJoCo."""

    solref: tuple[float, float]
    """Time constant, s, and damping ratio."""
    solimp: Solimp


@dataclass(frozen=True)
class Stiffness:
    """What a force-displacement table says about a surface."""

    compliance: float
    """Deflection over force of the straight line through the first touch, m/N."""
    points: int
    """Points of the table that are not the first touch itself."""
    rms_error: float | None
    """Of the straight line, N; None where one point leaves nothing to check."""
    relative_error: float | None
    """rms_error over the root mean square of the forces."""
    curve: Curve | None
    """The stiffening law, where there are points enough for it and the straight line leaves something to explain."""
    deepest: float
    """Largest displacement of the table, m; beyond it both laws are extrapolated."""

    @property
    def spring(self) -> float:
        """Stiffness, N/m: the sideways spring of the mechanism shear_compliance, when the table is a sideways pull."""
        return 1 / self.compliance

    @property
    def stiffens(self) -> bool:
        """Whether the curve explains the table so much better that the straight line should not be used."""
        return self.curve is not None and self.rms_error is not None and self.curve.rms_error < WORTH * self.rms_error

    def pair(
        self, inverse_weight: float, timestep: float, impedance: float = 0.9, straight: bool | None = None
    ) -> PairSettings:
        """Settings at which a contact of MuJoCo sinks as the table says.

        Args:
            inverse_weight: sum of both bodies' body_invweight0, 1/kg.
            timestep: physics step, s.
            impedance: constant impedance of the straight line.
            straight: True for the straight line, False for the curve; None takes the curve where it `stiffens`.

        Raises:
            UserError: too stiff for the timestep, or a curve that was not fitted.
        """
        straight = not self.stiffens if straight is None else straight
        if straight:
            time = float(time_constant(np.array(self.compliance), np.array(impedance), np.array(inverse_weight)))
            solimp: Solimp = (impedance, impedance, 0.001, 0.5, 2.0)
        elif self.curve is not None:
            solimp = self.curve.solimp
            time = 1 / (solimp[1] * np.sqrt(inverse_weight * self.curve.scale))
        else:
            valid = f"a table that is not straight, of {CURVE_POINTS} points or more"
            raise UserError(f"{self.points} points make no curve", where="stiffness", valid=valid)
        if time < TIME_CONSTANT_STEPS * timestep:
            # MuJoCo would clamp it without a word, and the contact would be softer than measured
            raise UserError(
                f"a timestep of {timestep:g} s does not resolve the contact's time constant of {time:.2g} s",
                where="stiffness",
                valid=f"a timestep of {time / TIME_CONSTANT_STEPS:.2g} s or less",
                hint="or heavier bodies",
            )
        return PairSettings((time, 1.0), solimp)


def fit_stiffness(table: ForceTable) -> Stiffness:
    """The straight line through the first touch, least squares in force, and the stiffening law where it can be had."""
    pressed = table.displacement > 0
    depth, force = table.displacement[pressed], table.force[pressed]
    slope = float(depth @ force / (depth @ depth))
    error = _rms(slope * depth - force) if len(depth) > 1 else None
    relative = None if error is None else error / _rms(force)
    curved = relative is not None and relative > STRAIGHT and len(depth) >= CURVE_POINTS
    return Stiffness(
        compliance=1 / slope,
        points=len(depth),
        rms_error=error,
        relative_error=relative,
        curve=_fit_curve(depth, force) if curved else None,
        deepest=float(depth[-1]),
    )


def impedance_at(depth: Array, solimp: Solimp) -> Array:
    """MuJoCo's impedance d at penetrations, m (MuJoCo documentation, Modeling: Solver parameters)."""
    first, last, width, middle, power = solimp
    x = np.clip(depth / width, 0.0, 1.0)
    rising = x**power / middle ** (power - 1)
    falling = 1 - (1 - x) ** power / (1 - middle) ** (power - 1)
    return first + (last - first) * np.where(x <= middle, rising, falling)


def contact_force(depth: Array, scale: float, solimp: Solimp) -> Array:
    """Force, N, of a contact at rest at penetrations, m.

    The solver keeps R f = k r with R = (1 - d) A / d and k = d / (dmax timeconst)^2, both d at the penetration r. So
    f = scale d^2 r / (1 - d); for constant d it is the formula of `time_constant`.
    """
    d = impedance_at(depth, solimp)
    return scale * d**2 * depth / (1 - d)


def _fit_curve(depth: Array, force: Array) -> Curve:
    """Least squares over the sigmoid's numbers, from a few starts that differ in where the stiffening sets in."""
    free = len(depth) >= FREE_SHAPE_POINTS
    span, top = depth[-1], force[-1]

    def unpack(values: Array) -> tuple[float, Solimp]:
        first, rise, width = float(values[1]), float(values[2]), float(values[3] * span)
        middle, power = (float(values[4]), float(values[5])) if free else (0.5, 2.0)
        solimp = (first, first + rise * (STIFFEST - first), width, middle, power)
        return float(np.exp(values[0])), solimp

    def residual(values: Array) -> Array:
        return (contact_force(depth, *unpack(values)) - force) / top

    low, high = [-40.0, SOFTEST, 0.0, 0.2, 0.1, 1.0], [40.0, 0.95, 1.0, 4.0, 0.9, 6.0]
    size = 6 if free else 4
    best: tuple[float, Array] | None = None
    for first in (0.55, 0.75, 0.9):
        for width in (0.7, 1.5):
            start = np.array([np.log(top / span), first, 0.5, width, 0.5, 2.0])
            d = impedance_at(depth, unpack(start)[1])
            start[0] -= np.log((d**2 / (1 - d)).mean())
            found = least_squares(residual, start[:size], bounds=(low[:size], high[:size]), max_nfev=150)
            if best is None or found.cost < best[0]:
                best = (float(found.cost), found.x)
    assert best is not None
    scale, solimp = unpack(best[1])
    return Curve(scale, solimp, _rms(contact_force(depth, scale, solimp) - force))


def _rms(values: Array) -> float:
    return float(np.sqrt(np.mean(np.square(values))))
