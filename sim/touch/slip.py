"""The one rule for slip events, in simulation and on hardware alike."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]


@dataclass(frozen=True)
class SlipRule:
    """A slip event: normal force above f0 and tangential speed above v0 for k samples in a row."""

    f0: float = 0.2
    """Firm contact, N."""
    v0: float = 0.05
    """Slip speed, m/s."""
    k: int = 2
    """Samples in a row."""


@dataclass(frozen=True)
class Slip:
    """Slip of whole episodes."""

    event: NDArray[np.bool_]
    """(n,) whether there was at least one slip event."""
    contact_samples: NDArray[np.int_]
    """(n,) samples with firm contact."""
    slip_samples: NDArray[np.int_]
    """(n,) samples of firm contact with slip speed above v0."""

    @property
    def fraction(self) -> float:
        """Share of contact time in slip over all episodes; 0 without contact."""
        total = int(self.contact_samples.sum())
        return float(self.slip_samples.sum() / total) if total else 0.0


def slip_of(force: Array, speed: Array, rule: SlipRule | None = None) -> Slip:
    """Apply the slip rule to force (n, T) in N and slip speed (n, T) in m/s."""
    rule = rule or SlipRule()
    firm = force > rule.f0
    slipping = firm & (speed > rule.v0)
    run = slipping.copy()
    for shift in range(1, rule.k):
        run[:, shift:] &= slipping[:, :-shift]
        run[:, :shift] = False
    return Slip(np.asarray(run.any(axis=1)), firm.sum(axis=1), slipping.sum(axis=1))


def episode_slip(signals: Mapping[str, Array], rule: SlipRule | None = None) -> Slip:
    """Slip of whole hands: an episode slips when any finger does, and the fingers' samples add up.

    Args:
        signals: name -> (n, T); every `tip_force.<finger>` with its `slip_speed.<finger>`, or both without a finger.
            Without any touch signal nothing is in contact, so nothing slips.
        rule: the slip rule.

    Raises:
        ValueError: a force without its slip speed, or the other way round.
    """
    fingers = {name.removeprefix("tip_force") for name in signals if name.split(".")[0] == "tip_force"}
    speeds = {name.removeprefix("slip_speed") for name in signals if name.split(".")[0] == "slip_speed"}
    if fingers != speeds:
        odd = sorted(finger.removeprefix(".") or "the only finger" for finger in fingers ^ speeds)
        raise ValueError(f"slip needs tip_force and slip_speed together; one is missing for {', '.join(odd)}")
    count = len(next(iter(signals.values()))) if signals else 0
    slips = [slip_of(signals[f"tip_force{one}"], signals[f"slip_speed{one}"], rule) for one in sorted(fingers)]
    none = np.zeros(count, dtype=np.int_)
    return Slip(
        np.logical_or.reduce([slip.event for slip in slips]) if slips else none.astype(bool),
        sum((slip.contact_samples for slip in slips), none),
        sum((slip.slip_samples for slip in slips), none),
    )
