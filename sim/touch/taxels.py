"""Arrays of taxels, from MuJoCo's tactile sensor or from a hardware stream: force, place, slip speed, slip events."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sim.touch.slip import Slip, SlipRule, slip_of

Array = NDArray[Any]


@dataclass(frozen=True)
class Reading:
    """What a pad of taxels says, for n episodes of T samples."""

    force: Array
    """Normal force, (n, T), N."""
    area: Array
    """Share of the taxels that are pressed, (n, T)."""
    centre: Array
    """Centre of pressure, row and column of the pad, (n, T, 2); the pad's middle where nothing presses."""
    speed: Array
    """Tangential speed at the taxel pressed hardest, (n, T), m/s; 0 where nothing presses."""


def shape_taxels(sensor: Array, rows: int, columns: int) -> Array:
    """Values (..., 3 rows columns) of a sensor `taxels.<finger>` as (..., rows, columns, 3).

    MuJoCo puts all depths first, then both tangential speeds; the speeds are magnitudes.
    """
    return np.moveaxis(sensor.reshape(*sensor.shape[:-1], 3, rows, columns), -3, -1)


def read_taxels(taxels: Array, gain: float = 1.0, floor: float = 0.0) -> Reading:
    """Force, pressed area, centre of pressure and slip speed of a pad, by the same code for simulation and hardware.

    The slip speed is that of the taxel pressed hardest: its normal is nearest to the contact's, while at the rim of a
    domed pad an approach along the contact's normal looks like sliding.

    Args:
        taxels: (n, T, rows, columns, 3): pressure, and two tangential speeds, m/s. The pressure is a depth, m, in
            simulation, or a force, N, on hardware.
        gain: N per unit of summed pressure: 1 for forces, `calibrate` finds it for depths.
        floor: pressure at or below which a taxel counts as not pressed, e.g. the sensor's noise.

    Raises:
        ValueError: an array of another shape, or a value that is not finite.
    """
    if taxels.ndim != 5 or taxels.shape[-1] != 3:
        raise ValueError(f"taxels have the shape (n, T, rows, columns, 3), not {taxels.shape}")
    if not np.isfinite(taxels).all():
        raise ValueError("a taxel's value is not finite")
    count, length, rows, columns, _ = taxels.shape
    pressure = np.where(taxels[..., 0] > floor, taxels[..., 0], 0.0)
    flat, speeds = pressure.reshape(count, length, -1), np.hypot(taxels[..., 1], taxels[..., 2])
    total = flat.sum(axis=2)
    share = pressure / np.where(total > 0, total, 1.0)[:, :, None, None]
    middle = np.array([(rows - 1) / 2, (columns - 1) / 2])
    moment = np.stack([(share * index).sum(axis=(2, 3)) for index in np.indices((rows, columns))], axis=2)
    hardest = np.take_along_axis(speeds.reshape(flat.shape), flat.argmax(axis=2)[..., None], axis=2)[..., 0]
    pressed = total > 0
    return Reading(
        force=gain * total,
        area=(flat > 0).mean(axis=2),
        centre=np.where(pressed[..., None], moment, middle),
        speed=np.where(pressed, hardest, 0.0),
    )


def taxel_slip(taxels: Array, gain: float = 1.0, floor: float = 0.0, rule: SlipRule | None = None) -> Slip:
    """Slip of episodes of taxels (n, T, rows, columns, 3), by the rule that every fingertip is judged by."""
    reading = read_taxels(taxels, gain, floor)
    return slip_of(reading.force, reading.speed, rule)


def calibrate(taxels: Array, force: Array, floor: float = 0.0) -> float:
    """Gain, N per unit of summed pressure, that best explains a known normal force (n, T), N.

    Raises:
        ValueError: no taxel is pressed.
    """
    total = read_taxels(taxels, 1.0, floor).force
    square = float((total**2).sum())
    if square == 0:
        raise ValueError("no taxel is pressed, so there is nothing to calibrate with")
    return float((total * force).sum() / square)
