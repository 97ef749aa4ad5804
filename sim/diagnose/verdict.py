"""From scans to a verdict: a significance test on held-out rollouts first, then range, interval and goodness of fit."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sim.diagnose.hypotheses import Scan
from store.records import Diagnosis, Family, Hypothesis

Array = NDArray[Any]

ALPHA = 0.01
"""Chance at which a gain over the family is believed."""
LEAST_GAIN = 0.03
"""Share of the family's error below which a gain means nothing, however significant."""
AS_GOOD = 0.05
"""Share of the family's fit error within which its members are equally good: a gain must hold against each of them."""
UNEXPLAINED = 5.0
"""Standard deviations above the bootstrap floor at which the best hypothesis does not explain the traces."""


@dataclass(frozen=True)
class Evidence:
    """What the replays showed; error arrays are per rollout."""

    scans: list[Scan]
    """One a physics parameter, over all windows."""
    settled: list[Scan]
    """Scans of the family alone, on the way to its best member."""
    owner: NDArray[np.intp]
    """Rollout of each window, (k,)."""
    fit: NDArray[np.intp]
    """Rollouts that selection may look at."""
    held_out: NDArray[np.intp]
    """Rollouts that judge."""


@dataclass(frozen=True)
class Floor:
    """Error that the best hypothesis itself would show, from simulated logs replayed the same way."""

    mean: float
    std: float


@dataclass(frozen=True)
class Choice:
    """The best hypothesis beside the best member of the current family."""

    scan: Scan
    best: int
    """Index of the best value in the scan."""
    family_scan: Scan
    family_best: int
    gain: Array
    """Held-out error of the family minus that of the best, per rollout."""
    p_value: float

    @property
    def value(self) -> float:
        """Best value, SI."""
        return float(self.scan.values[self.best])


def choose(evidence: Evidence, family: Family, centre: dict[str, float], seed: int) -> Choice:
    """The best hypothesis by fit error against the family, on held-out rollouts."""
    best = min(evidence.scans, key=lambda s: s.by_rollout(evidence.owner, evidence.fit).mean(axis=1).min())
    best_at = int(np.argmin(best.by_rollout(evidence.owner, evidence.fit).mean(axis=1)))
    inside = [(s, _inside_error(s, evidence, family, centre)) for s in (*evidence.scans, *evidence.settled)]
    enough = (1 + AS_GOOD) * min(float(error.min()) for _, error in inside)
    held_out = lambda scan, at: scan.by_rollout(evidence.owner, evidence.held_out)[at]  # noqa: E731
    members = [(scan, int(at)) for scan, error in inside for at in np.flatnonzero(error <= enough)]
    # which of many near equals fits best is chance; the one that is hardest to beat speaks for the family
    member, member_at = min(members, key=lambda m: float(held_out(*m).mean()))
    gain = held_out(member, member_at) - held_out(best, best_at)
    return Choice(best, best_at, member, member_at, gain, sign_flip_p_value(gain, seed))


def _inside_error(scan: Scan, evidence: Evidence, family: Family, centre: dict[str, float]) -> Array:
    """Fit error of each value, infinite outside the family."""
    error = scan.by_rollout(evidence.owner, evidence.fit).mean(axis=1)
    r = family.range_of(scan.parameter.name)
    low, high = (r.low, r.high) if r else (centre[scan.parameter.name],) * 2
    slack = 1e-9 + 1e-6 * abs(high)
    return np.where((scan.values >= low - slack) & (scan.values <= high + slack), error, np.inf)


def sign_flip_p_value(gain: Array, seed: int, draws: int = 10_000) -> float:
    """One-sided paired randomisation test: chance of a mean gain this large if its signs were coin flips."""
    signs = np.random.default_rng(seed).choice([-1.0, 1.0], size=(draws, len(gain)))
    return float((1 + np.sum((signs * gain).mean(axis=1) >= gain.mean())) / (draws + 1))


def bootstrap_interval(scan: Scan, owner: NDArray[np.intp], seed: int, draws: int = 400) -> tuple[float, float]:
    """95 % interval of the best value: rollouts drawn again with replacement, widened by half the grid's spacing."""
    errors = scan.by_rollout(owner, np.unique(owner))
    rng = np.random.default_rng(seed)
    picks = rng.integers(0, errors.shape[1], size=(draws, errors.shape[1]))
    at = np.argmin(errors[:, picks].mean(axis=2), axis=0)
    low, high = np.quantile(at, [0.025, 0.975], method="nearest").astype(int)
    values, quantum = scan.values, scan.parameter.quantum or 0.0
    below = max((values[low] - values[max(low - 1, 0)]) / 2, quantum / 2)
    above = max((values[min(high + 1, len(values) - 1)] - values[high]) / 2, quantum / 2)
    bounds = scan.parameter
    return max(float(values[low] - below), bounds.low), min(float(values[high] + above), bounds.high)


def judge(
    evidence: Evidence,
    choice: Choice,
    floor: Floor,
    family: Family,
    *,
    repair_round: int,
    seed: int,
) -> Diagnosis:
    """The verdict with its evidence; the best hypothesis counts only where it beats the family on held-out rollouts."""
    parameter = choice.scan.parameter
    held = choice.scan.by_rollout(evidence.owner, evidence.held_out)[choice.best]
    best_error = float(held.mean())
    family_error = best_error + float(choice.gain.mean())
    z = (best_error - floor.mean) / max(floor.std, 1e-9)
    known = choice.p_value < ALPHA and choice.gain.mean() > LEAST_GAIN * family_error
    excess = max(family_error - floor.mean, 1e-9)
    explains = choice.gain.mean() > excess / 2 or z < UNEXPLAINED
    r = family.range_of(parameter.name)
    interval = bootstrap_interval(choice.scan, evidence.owner, seed)
    unit = "" if parameter.unit == "1" else f" {parameter.unit}"
    at = f"{parameter.name} {choice.value:.4g}{unit}"
    sentences = [
        f"replayed {len(np.unique(evidence.owner))} rollouts in {len(evidence.owner)} windows; "
        f"{len(evidence.held_out)} of the rollouts judged and were not fitted",
        f"best inside the current family: {choice.family_scan.parameter.name} "
        f"{choice.family_scan.values[choice.family_best]:.4g}, held-out error {family_error:.3f}",
        f"best hypothesis: {at}, held-out error {best_error:.3f}, interval {interval[0]:.4g} to {interval[1]:.4g}",
        f"gain {choice.gain.mean():.3f}, chance of it under the family p = {choice.p_value:.4f}",
        f"noise floor {floor.mean:.3f} +- {floor.std:.3f} by parametric bootstrap; the best lies z = {z:.1f} above it",
    ]
    if known and explains:
        if r is not None and (r.low <= interval[1] and interval[0] <= r.high):
            verdict = "WIDEN"
            advice = f"widen {parameter.name} to reach {interval[0]:.4g} to {interval[1]:.4g}{unit}"
        else:
            verdict = "RECENTRE"
            seen = "which was not varied" if r is None else f"outside {r.low:.4g} to {r.high:.4g}"
            advice = f"move {parameter.name} to {choice.value:.4g}{unit}, {seen}"
        target = parameter.name
    elif z >= UNEXPLAINED and best_error > 1.1 * floor.mean:
        verdict, target = "STRUCTURAL", "unknown"
        advice = "no range of these parameters reproduces the traces: look for missing physics or learn a residual"
    else:
        verdict, target = "NO_GAP", None
        advice = "the current family explains these traces; leave its ranges as they are"
    named = target is not None and target != "unknown"
    return Diagnosis(
        round=repair_round,
        verdict=verdict,
        target=target,
        estimate=choice.value if named else None,
        interval=interval if named else None,
        unit=parameter.unit if named else None,
        noise_floor=floor.mean,
        family_error=family_error,
        best_error=best_error,
        p_value=choice.p_value,
        hypotheses=ranked(evidence),
        evidence=tuple(sentences),
        next=advice,
    )


def ranked(evidence: Evidence) -> tuple[Hypothesis, ...]:
    """The best value of each parameter, best first."""
    rows = []
    for scan in evidence.scans:
        fit = scan.by_rollout(evidence.owner, evidence.fit).mean(axis=1)
        at = int(np.argmin(fit))
        held = float(scan.by_rollout(evidence.owner, evidence.held_out)[at].mean())
        rows.append(
            Hypothesis(
                name=scan.parameter.name,
                value=float(scan.values[at]),
                unit=scan.parameter.unit,
                error=float(fit[at]),
                held_out=held,
            )
        )
    return tuple(sorted(rows, key=lambda row: row.error))
