"""What is wrong with the samples of a log, told before anything is resampled."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from sim.trace.log import NANO, Array, Log, Quality, Series

LONG = 1.8
"""An interval this many times the usual one is a gap: at least one sample was lost."""
STILL = 0.5
"""A value that has not moved for this long while its command did is stuck, s."""
LEAST_STILL = 10
"""Samples that a stuck stretch has at least."""
MOVED = 0.1
"""Share of the command's whole travel that it must move for a still value to be suspicious."""


def flag(series: Series, command: Series | None = None) -> Series:
    """The series with the flags of its samples added to those it has; values and stamps stay as they are.

    Args:
        series: a signal.
        command: what the same joint was told to do; without it nothing is called stuck, since a robot may rest.
    """
    flags = series.quality.astype(np.int64)
    t, value = series.t_ns, series.value
    flags[~np.isfinite(value)] |= Quality.MISSING
    if len(t) > 1:
        latest = np.maximum.accumulate(t)
        step = np.diff(t)
        flags[1:][t[1:] < latest[:-1]] |= Quality.BACKWARDS
        flags[1:][t[1:] == latest[:-1]] |= Quality.DUPLICATE
        forward = step[step > 0]
        if len(forward):
            flags[1:][step > LONG * np.median(forward)] |= Quality.GAP
    if command is not None:
        flags[_stuck(series, command)] |= Quality.STUCK
    return replace(series, quality=flags.astype(np.uint8))


def flag_log(log: Log) -> Log:
    """The log with all its series flagged; `joint_position.<joint>` is held against `command.<joint>`."""
    found = {}
    for name, series in log.series.items():
        kind, _, part = name.partition(".")
        command = log.series.get(f"command.{part}") if kind == "joint_position" else None
        found[name] = flag(series, command)
    return replace(log, series=found)


def counts(series: Series) -> dict[str, int]:
    """How many samples carry each flag; flags that none carries are left out."""
    found = {str(one.name).lower(): int(((series.quality & one) != 0).sum()) for one in Quality if one}
    return {name: count for name, count in found.items() if count}


def _stuck(series: Series, command: Series) -> NDArray[np.bool_]:
    """Stretches of one constant value during which the command moved."""
    t, value = series.t_ns, series.value
    stuck = np.zeros(len(value), dtype=bool)
    told = command.value[command.usable]
    if len(value) < LEAST_STILL or not len(told) or np.ptp(told) == 0:
        return stuck
    starts = np.flatnonzero(np.concatenate([[True], value[1:] != value[:-1]]))
    ends = np.append(starts[1:], len(value))
    long = (ends - starts >= LEAST_STILL) & (t[ends - 1] - t[starts] >= STILL * NANO)
    stamps = command.t_ns[command.usable]
    order = np.argsort(stamps, kind="stable")
    stamps, told = stamps[order], told[order]
    for a, b in zip(starts[long], ends[long], strict=True):
        within: Array = told[np.searchsorted(stamps, t[a]) : np.searchsorted(stamps, t[b - 1], "right")]
        if len(within) and np.ptp(within) > MOVED * np.ptp(told):
            stuck[a:b] = True
    return stuck
