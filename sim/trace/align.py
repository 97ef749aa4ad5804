"""Two logs on one time base: resampling, and the offset and drift between their clocks."""

from dataclasses import dataclass, replace

import numpy as np
from scipy.signal import correlate

from sim.trace.log import NANO, Array, Series
from store.errors import UserError

WINDOWS = 8
"""Windows that an uncertainty comes from."""
DRAWS = 300


@dataclass(frozen=True)
class Lag:
    """How much later one signal does what another did."""

    seconds: float
    interval: tuple[float, float]
    """95 % interval, s."""
    correlation: float
    """At the best lag, -1 to 1."""


@dataclass(frozen=True)
class ClockFit:
    """Clock of one log as that of another: t_other = t + offset + drift (t - start)."""

    offset: float
    """At the start of the overlap, s."""
    drift: float
    """Seconds a second."""
    offset_interval: tuple[float, float]
    drift_interval: tuple[float, float]


def sample(series: Series, times: Array) -> Array:
    """Values at times in seconds of the series' own clock, (n,): commands held, everything else between its samples.

    NaN before the first and after the last usable sample; a command holds on for as long as one usual interval.
    """
    good = series.usable
    t, value = series.time[good], series.value[good]
    if not len(t):
        return np.full(len(times), np.nan)
    if series.channel == "command":
        at = np.searchsorted(t, times + 1e-9, side="right") - 1
        usual = float(np.median(np.diff(t))) if len(t) > 1 else 0.0
        inside = (at >= 0) & (times <= t[-1] + usual + 1e-9)
        return np.where(inside, value[np.maximum(at, 0)], np.nan)
    inside = (times >= t[0] - 1e-9) & (times <= t[-1] + 1e-9)
    return np.where(inside, np.interp(times, t, value), np.nan)


def overlap(a: Series, b: Series) -> tuple[float, float]:
    """First and last time, s, at which both series have samples.

    Raises:
        UserError: they never do.
    """
    low = max(float(s.time[s.usable].min(initial=np.inf)) for s in (a, b))
    high = min(float(s.time[s.usable].max(initial=-np.inf)) for s in (a, b))
    if not low < high:
        raise UserError(f"{a.name} and {b.name} never overlap in time", where="align", hint="check clock and unit")
    return low, high


def usual_interval(series: Series) -> float:
    """Median time between usable samples, s."""
    step = np.diff(series.t_ns[series.usable])
    return float(np.median(step[step > 0])) / NANO if (step > 0).any() else 0.0


def find_lag(first: Series, second: Series, longest: float = 0.5, seed: int = 0) -> Lag | None:
    """How much later `second` does what `first` does, by cross-correlation; None where one of them does not move.

    Both are laid on a grid as fine as the finer of them. The peak is placed between grid points by a parabola; the
    interval comes from drawing windows of the overlap again (block bootstrap), and is no narrower than the part of the
    grid that one can tell apart, a tenth of an interval on each side.

    Args:
        first: what leads, e.g. a command.
        second: what follows.
        longest: lags that are looked at, either way, s.
        seed: of the bootstrap.
    """
    low, high = overlap(first, second)
    step = min(usual_interval(first), usual_interval(second))
    reach = min(round(longest / step), int((high - low) / step) // 2)
    if reach < 1:
        return None
    grid = np.arange(low, high, step)
    wide = low + step * np.arange(-reach, len(grid) + reach)
    # from sample to sample, as lags are quoted: holding a command would put it half an interval later
    first, second = (replace(series, channel="pose") for series in (first, second))
    a, b = _centred(sample(first, grid)), _centred(sample(second, wide))
    if not np.nanstd(a) > 0 or not np.nanstd(b) > 0:
        return None
    sums = _by_window(a, b, reach)
    scores = _score(sums.sum(axis=0))
    peak = _peak(scores) * step
    picks = np.random.default_rng(seed).integers(0, len(sums), size=(DRAWS, len(sums)))
    again = np.array([_peak(_score(sums[pick].sum(axis=0))) for pick in picks]) * step
    ends = np.quantile(again, [0.025, 0.975])
    return Lag(peak, (min(ends[0], peak - step / 10), max(ends[1], peak + step / 10)), float(scores.max()))


def find_clock(first: Series, second: Series, longest: float = 1.0, windows: int = WINDOWS) -> ClockFit:
    """Offset and drift of the clock of `second` against that of `first`, from one signal that both recorded.

    The lag is found window by window; a line through them, by least squares, gives both, with 95 % intervals.

    Raises:
        UserError: fewer than three windows in which the signal moves.
    """
    low, high = overlap(first, second)
    edges = np.linspace(low, high, windows + 1)
    middles, lags = [], []
    for a, b in zip(edges[:-1], edges[1:], strict=True):
        lag = find_lag(_cut(first, a, b), second, min(longest, (b - a) / 2))
        if lag is not None and lag.correlation > 0.5:
            middles.append((a + b) / 2 - low)
            lags.append(lag.seconds)
    if len(lags) < 3:
        hint = "log a signal that moves throughout, for longer"
        raise UserError(f"{first.name} moves in {len(lags)} of {windows} windows", "align", "at least 3", hint)
    x, y = np.array(middles), np.array(lags)
    design = np.stack([np.ones_like(x), x], axis=1)
    (offset, drift), *_ = np.linalg.lstsq(design, y, rcond=None)
    rest = y - design @ np.array([offset, drift])
    # a lag is known to a tenth of the sampling interval at best
    spread = max(float(rest.std(ddof=2)), usual_interval(second) / 10)
    half = 2.0 * spread * np.sqrt(np.diag(np.linalg.inv(design.T @ design)))
    return ClockFit(
        float(offset), float(drift), (offset - half[0], offset + half[0]), (drift - half[1], drift + half[1])
    )


def _cut(series: Series, low: float, high: float) -> Series:
    inside = (series.time >= low) & (series.time <= high)
    return Series(series.name, series.channel, series.unit, series.clock, series.t_ns[inside], series.value[inside],
                  series.quality[inside])  # fmt: skip


def _centred(values: Array) -> Array:
    return values - np.nanmean(values) if np.isfinite(values).any() else values


def _by_window(a: Array, b: Array, reach: int) -> Array:
    """Sums over windows of time of a b, a a and b b at lags -reach to reach, where both are known, (windows, 3, lags).

    `a` is (n,), `b` is (n + 2 reach,) and begins `reach` earlier.
    """
    known_a, known_b = np.isfinite(a).astype(float), np.isfinite(b).astype(float)
    a, b = np.nan_to_num(a), np.nan_to_num(b)
    windows = max(2, min(WINDOWS, len(a) // max(reach, 1)))
    rows = []
    for part in np.array_split(np.arange(len(a)), windows):
        piece = slice(part[0], part[-1] + 2 * reach + 1)
        pairs = ((b, a), (known_b, a * a), (b * b, known_a))
        rows.append([correlate(one[piece], other[part], mode="valid") for one, other in pairs])
    return np.array(rows)


def _score(sums: Array) -> Array:
    """Correlation at each lag, (lags,), from the sums (3, lags)."""
    product, first, second = sums
    scale = np.sqrt(first * second)
    return np.divide(product, scale, out=np.full(len(product), -1.0), where=scale > 1e-12 * scale.max(initial=1e-300))


def _peak(scores: Array) -> float:
    """Place of the largest score between grid points, counted from the middle."""
    top, middle = int(np.argmax(scores)), (len(scores) - 1) // 2
    if 0 < top < len(scores) - 1:
        left, centre, right = scores[top - 1 : top + 2]
        bend = left - 2 * centre + right
        if bend < 0:
            return top - middle + 0.5 * float((left - right) / bend)
    return float(top - middle)
