"""Two logs of the same commands: how far they lie apart, and where reality first disagrees."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from sim.audit.divergence import CONSECUTIVE, first_run, noise_thresholds
from sim.tasks.task import Signal
from sim.trace.align import Lag, find_lag, sample, usual_interval
from sim.trace.log import CHANNELS, NANO, Array, Log, Series
from store.errors import UserError
from store.records import Channel, Divergence

COMPARED: tuple[Channel, ...] = ("pose", "force", "slip", "timing")
INTERVAL = "step_interval"
"""Name of the signal of the channel timing: time since the sample before."""
FLOORS = {"rad": 1e-3, "m": 2e-4, "N": 0.02, "Nm": 2e-3, "rad/s": 0.01, "m/s": 2e-3, "s": 1e-3}
"""Least threshold from repeats, by unit: identical logs would otherwise differ by rounding."""


@dataclass(frozen=True)
class SignalGap:
    """One signal in simulation and on hardware, on the time base of the hardware."""

    name: str
    channel: Channel
    unit: str
    time: Array
    """Seconds since the start, (n,)."""
    sim: Array
    real: Array
    lag: Lag | None
    """How much later reality does it; None where one of them does not move."""

    @property
    def rmse(self) -> float:
        """Root mean square difference, in the signal's unit."""
        return float(np.sqrt(np.mean((self.sim - self.real) ** 2)))

    @property
    def largest(self) -> float:
        """Largest difference, in the signal's unit."""
        return float(np.abs(self.sim - self.real).max())

    @property
    def correlation(self) -> float | None:
        """Pearson correlation; None where one of them does not move."""
        still = self.sim.std() == 0 or self.real.std() == 0
        return None if still else float(np.corrcoef(self.sim, self.real)[0, 1])


@dataclass(frozen=True)
class Comparison:
    """One run in simulation and on hardware."""

    run: str
    gaps: dict[str, SignalGap]
    divergences: dict[Channel, Divergence]
    """Channels that diverge."""
    not_observable: dict[Channel, str]
    """Channels that these logs cannot show, and why."""

    @property
    def first(self) -> Divergence | None:
        """The earliest divergence over all channels."""
        return min(self.divergences.values(), key=lambda d: (d.time_s, COMPARED.index(d.channel)), default=None)


def paired(sims: Sequence[Log], reals: Sequence[Log]) -> list[tuple[Log, Log]]:
    """Runs that belong together: by name where all names agree, else in their order.

    Raises:
        UserError: neither is possible.
    """
    by_name = {log.run: log for log in sims}
    if len(by_name) == len(sims) and {log.run for log in reals} == set(by_name):
        return [(by_name[log.run], log) for log in reals]
    if len(sims) != len(reals):
        what = f"{len(sims)} simulated runs and {len(reals)} real ones have neither equal names nor an equal count"
        raise UserError(what, where="audit", hint="cut the files, or give their runs equal names in the maps")
    return list(zip(sims, reals, strict=True))


def compare(sim: Log, real: Log, thresholds: Mapping[str, float], consecutive: int = CONSECUTIVE) -> Comparison:
    """Lay the simulation on the hardware's time base and find the first divergence of each channel.

    Both count time from their first command, or from their first sample where there is none.

    Args:
        sim: simulated log.
        real: log of the hardware.
        thresholds: largest difference that means nothing, by signal name or by channel, in SI.
        consecutive: samples in a row that must lie above it.

    Raises:
        UserError: nothing in common, or a channel without a threshold.
    """
    names = [name for name, s in real.series.items() if name in sim.series and s.channel != "command"]
    if not names:
        valid = sorted(sim.series)
        raise UserError(f"no signal of {real.run} is in {sim.run} too", where="audit", valid=valid, hint="see the maps")
    start = {log.run + log.source: _start(log) for log in (sim, real)}
    gaps, found, hidden = {}, {}, {}
    for name in names:
        gap = _gap(sim.series[name], real.series[name], start[sim.run + sim.source], start[real.run + real.source])
        gaps[name] = gap
        if gap.channel in real.not_observable or name in real.not_observable:
            continue
        _note(found, gap, thresholds, consecutive)
    for channel in COMPARED:
        why = real.not_observable.get(channel) or sim.not_observable.get(channel)
        if why:
            hidden[channel] = why
    timing = _timing(sim.series[names[0]], real.series[names[0]])
    if isinstance(timing, str):
        hidden["timing"] = hidden.get("timing", timing)
    elif "timing" in thresholds or INTERVAL in thresholds:
        gaps[timing.name] = timing
        _note(found, timing, thresholds, consecutive)
    seen = {gap.channel for gap in gaps.values()}
    hidden |= {c: "no such signal in both logs" for c in COMPARED if c not in seen and c not in hidden}
    divergences = {}
    for channel in COMPARED:
        hits = found.get(channel, [])
        if hits and channel not in hidden:
            first = min(hits, key=lambda d: d.time_s)
            ties = [
                d.signal for row in found.values() for d in row if d.step == first.step and d.signal != first.signal
            ]
            divergences[channel] = first.model_copy(update={"ties": tuple(ties)})
    return Comparison(real.run, gaps, divergences, hidden)


def repeat_thresholds(repeats: Sequence[Log]) -> dict[str, float]:
    """Thresholds of every signal from repeats of the very same commands, as `noise_thresholds` makes them.

    Raises:
        UserError: fewer than two repeats.
    """
    if len(repeats) < 2:
        raise UserError(f"{len(repeats)} repeats cannot tell noise", where="--repeats", valid="2 or more")
    shared = [n for n, s in repeats[0].series.items() if s.channel != "command" and all(n in r.series for r in repeats)]
    signals, rows = [], {}
    for name in shared:
        base = repeats[0].series[name]
        time = base.time[base.usable] - _start(repeats[0])
        values = np.stack([sample(r.series[name], time + _start(r)) for r in repeats])
        known = np.isfinite(values).all(axis=0)
        if known.any():
            channel = base.channel if base.channel != "command" else "pose"
            signals.append(Signal(name, base.unit, channel))
            rows[name] = values[:, known]
    steps = [np.diff(r.series[shared[0]].time) for r in repeats]
    usual = float(np.median(np.concatenate(steps)))
    late = max(float(np.quantile(np.abs(step - usual), 0.99)) for step in steps)
    floors = {signal.unit: FLOORS.get(signal.unit, 1e-3) for signal in signals}
    return {**noise_thresholds(rows, tuple(signals), floors), "timing": max(1.5 * late, FLOORS["s"])}


def _start(log: Log) -> float:
    """First stamp of the commands, or of everything, s."""
    series = log.select("command") or log.series
    return min(float(s.time[s.usable].min(initial=np.inf)) for s in series.values())


def _gap(sim: Series, real: Series, sim_start: float, real_start: float) -> SignalGap:
    if sim.unit != real.unit:
        what = f"{real.name} is in {sim.unit} in the simulation and in {real.unit} on the hardware"
        raise UserError(what, where="audit", hint="mend the unit in one of the maps")
    good = real.usable
    time = real.time[good] - real_start
    values = sample(sim, time + sim_start)
    known = np.isfinite(values)
    if known.sum() < 2:
        raise UserError(f"{real.name} of both logs never overlaps in time", where="audit", hint="check clock and unit")
    lag = find_lag(_from_zero(sim, sim_start), _from_zero(real, real_start))
    assert real.channel != "command" and real.channel in CHANNELS
    return SignalGap(real.name, real.channel, real.unit, time[known], values[known], real.value[good][known],
                     lag)  # fmt: skip


def _from_zero(series: Series, start: float) -> Series:
    return replace(series, t_ns=series.t_ns - round(start * NANO))


def _timing(sim: Series, real: Series) -> SignalGap | str:
    """Time since the sample before on hardware beside the usual one in simulation; or why it cannot be seen."""
    if real.clock == "synthetic":
        return "its stamps were made from a sample rate"
    t = real.time[real.usable]
    if len(t) < 3:
        return "fewer than three samples"
    interval, usual = np.diff(t), usual_interval(sim) if sim.clock != "synthetic" else usual_interval(real)
    return SignalGap(INTERVAL, "timing", "s", t[1:] - t[0], np.full(len(interval), usual), interval, None)


def _note(found: dict[Channel, list[Divergence]], gap: SignalGap, thresholds: Mapping[str, float], k: int) -> None:
    """Add the divergence of a signal, if it has one."""
    threshold = thresholds.get(gap.name, thresholds.get(gap.channel))
    if threshold is None:
        hint = f"--threshold {gap.channel}=VALUE, or --repeats FILE FILE of identical commands"
        raise UserError(f"no threshold for {gap.name} ({gap.unit})", where="audit", hint=hint)
    step = first_run(np.abs(gap.sim - gap.real) > threshold, k)
    if step is not None:
        found.setdefault(gap.channel, []).append(
            Divergence(channel=gap.channel, signal=gap.name, step=step, time_s=float(gap.time[step]),
                       threshold=threshold, unit=gap.unit)
        )  # fmt: skip
