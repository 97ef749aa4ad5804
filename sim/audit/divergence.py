"""Where a real trace first leaves its simulated twin."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sim.tasks.task import Signal
from store.records import Channel, Divergence

Array = NDArray[Any]

CHANNELS: tuple[Channel, ...] = ("pose", "force", "slip", "timing")
CONSECUTIVE = 3
"""Samples in a row above the threshold; a single one is an outlier."""


def first_divergence(
    sim: Mapping[str, Array],
    real: Mapping[str, Array],
    thresholds: Mapping[str, float],
    signals: tuple[Signal, ...],
    period: float,
    consecutive: int = CONSECUTIVE,
) -> dict[Channel, Divergence]:
    """The first divergence of each channel that diverges.

    Args:
        sim: simulated signals, name -> (T,).
        real: measured signals at the same control steps, name -> (T,).
        thresholds: largest difference that noise explains, by signal, in its unit.
        signals: name, unit and channel of what is compared.
        period: control period, s.
        consecutive: samples in a row that must lie above the threshold.
    """
    found: dict[Channel, list[tuple[int, Signal]]] = {}
    for signal in signals:
        step = first_run(np.abs(sim[signal.name] - real[signal.name]) > thresholds[signal.name], consecutive)
        if step is not None:
            found.setdefault(signal.channel, []).append((step, signal))
    every = [hit for hits in found.values() for hit in hits]
    result: dict[Channel, Divergence] = {}
    for channel, hits in found.items():
        step, signal = min(hits, key=lambda hit: hit[0])
        result[channel] = Divergence(
            channel=channel,
            signal=signal.name,
            step=step,
            time_s=step * period,
            threshold=thresholds[signal.name],
            unit=signal.unit,
            ties=tuple(s.name for k, s in every if k == step and s.name != signal.name),
        )
    return result


def first_run(above: NDArray[np.bool_], length: int) -> int | None:
    """Index of the first of `length` consecutive True values, or None."""
    run = above.copy()
    for shift in range(1, length):
        run[:-shift] &= above[shift:]
        run[len(run) - shift :] = False
    hits = np.flatnonzero(run)
    return int(hits[0]) if len(hits) else None


def noise_thresholds(
    repeats: Mapping[str, Array], signals: tuple[Signal, ...], floors: Mapping[str, float], margin: float = 1.5
) -> dict[str, float]:
    """Thresholds from identical rollouts: what two runs of the very same commands differ by.

    The 99th percentile of the distance from the mean of the repeats, corrected for their number, times a margin.

    Args:
        repeats: name -> (repeats, T).
        signals: what is compared.
        floors: least threshold, by unit.
        margin: factor on top.
    """
    thresholds = {}
    for signal in signals:
        values = repeats[signal.name]
        unbiased = np.sqrt(len(values) / (len(values) - 1))
        spread = np.quantile(np.abs(values - values.mean(axis=0)), 0.99) * unbiased
        thresholds[signal.name] = max(float(margin * spread), floors[signal.unit])
    return thresholds
