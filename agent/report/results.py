"""What a run found: gaps, divergences, diagnoses, repairs, cost; as words and numbers for the page."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from agent.report.quantity import Unit, duration, number, quantity, signed
from agent.report.words import ABSENT, ACTIONS, VERDICTS, many, plural, verdict
from store.ledger import Row
from store.records import Diagnosis, GapRow, Rate, Repair
from tools.report import RunStory


def gap_table(story: RunStory) -> list[dict[str, str]]:
    """Success, slip rate and slip fraction of every round, on both sides."""
    lines: list[dict[str, str]] = []
    for entry in story.gaps:
        g = entry.record
        heads = iter((f"{entry.row.id}, round {g.round}, source {g.source}", "", ""))
        for name, sim, real, gap, interval in (
            ("success", g.sim_success, g.real_success, g.success_gap, g.success_gap_interval),
            ("slip rate", g.sim_slip, g.real_slip, g.slip_gap, g.slip_gap_interval),
        ):
            lines.append({
                "head": next(heads), "quantity": name, "sim": _rate(sim), "real": _rate(real), "gap": signed(gap),
                "interval": f"{signed(interval[0])} to {signed(interval[1])}",
            })  # fmt: skip
        if g.sim_slip_fraction is not None and g.real_slip_fraction is not None:
            lines.append({"head": next(heads), "quantity": "slip fraction", "sim": f"{g.sim_slip_fraction:.3f}",
                          "real": f"{g.real_slip_fraction:.3f}", "interval": ABSENT,
                          "gap": signed(g.real_slip_fraction - g.sim_slip_fraction, 3)})  # fmt: skip
    return lines


def _rate(rate: Rate) -> str:
    return f"{rate.value:.2f} [{rate.low:.2f}, {rate.high:.2f}] {rate.successes}/{rate.trials}"


def divergence_rows(gaps: Sequence[GapRow]) -> tuple[list[dict[str, Any]], list[str]]:
    """First divergences of every round, and sentences about the channels that show none."""
    lines: list[dict[str, Any]] = []
    quiet: list[str] = []
    for gap in gaps:
        for d in sorted(gap.divergences, key=lambda d: (d.step, d.channel)):
            lines.append({
                "round": gap.round, "channel": d.channel, "signal": d.signal, "step": d.step,
                "time": quantity(d.time_s, "s"), "threshold": quantity(d.threshold, d.unit),
                "ties": ", ".join(d.ties) or ABSENT, "first": d == gap.first_divergence,
            })  # fmt: skip
        if not gap.divergences:
            quiet.append(f"Round {gap.round}: no observed signal left its simulated twin by more than the noise floor.")
        if gap.not_observable:
            quiet.append(f"Round {gap.round}: these traces cannot show {', '.join(gap.not_observable)}.")
    return lines, quiet


def diagnosis_rows(story: RunStory, draw: Callable[[Diagnosis], Any]) -> list[dict[str, Any]]:
    """Verdict, evidence and the decision that followed, round by round."""
    lines: list[dict[str, Any]] = []
    for entry in story.diagnoses:
        d = entry.record
        headline = f"Verdict {verdict(d)}: {VERDICTS[d.verdict]}."
        if d.estimate is not None and d.unit is not None:
            headline += f" Estimate {quantity(d.estimate, d.unit)}"
            if d.interval is not None:
                headline += f", 95 % interval {Unit.fit(d.unit, d.interval).span(*d.interval)}"
            headline += "."
        headline += (
            f" On held-out rollouts the best hypothesis errs by {number(d.best_error)}, the current family by "
            f"{number(d.family_error)}; the noise floor is {number(d.noise_floor)}. "
            f"The chance of such a gain by luck is {number(d.p_value, 2)}."
        )
        lines.append({
            "round": d.round, "verdict": verdict(d), "headline": headline, "evidence": d.evidence, "next": d.next,
            "figure": draw(d), "repairs": [r.record for r in story.repairs if r.record.round == d.round + 1],
        })  # fmt: skip
    return lines


def repair_rows(story: RunStory) -> list[dict[str, str]]:
    """What every repair promised and what was seen."""
    effects = {e.record.repair: e.record for e in story.effects}
    lines: list[dict[str, str]] = []
    for entry in story.repairs:
        seen = effects.get(entry.row.id)
        line = {
            "id": entry.row.id,
            "change": change(entry.record),
            "expected": signed(entry.record.expected_success_gap),
        }
        if seen is None:
            blank = dict.fromkeys(("before", "seen", "slip_before", "slip_seen", "mark"), ABSENT)
            lines.append({**line, **blank, "helped": "not seen yet"})
        else:
            lines.append({
                **line, "before": signed(seen.success_gap_before), "seen": signed(seen.success_gap_after),
                "slip_before": signed(seen.slip_gap_before), "slip_seen": signed(seen.slip_gap_after),
                "helped": "yes" if seen.helped else "no", "mark": "yes" if seen.helped else "no",
            })  # fmt: skip
    return lines


def change(repair: Repair) -> str:
    """A repair in a few words."""
    words = f"{ACTIONS[repair.action]}{f' of {repair.target}' if repair.target else ''}"
    if repair.low is not None and repair.high is not None:
        words += f" to {Unit.fit(repair.unit or '', [repair.low, repair.high]).span(repair.low, repair.high)}"
    return words


def seconds_of(row: Row) -> float | None:
    """Working time that a row's meta tells."""
    value = row.meta.get("seconds")
    return float(value) if isinstance(value, int | float) else None


def cost_of(row: Row) -> float | None:
    """Cost in US dollars that a row's meta tells."""
    value = row.meta.get("cost_usd")
    return float(value) if isinstance(value, int | float) else None


def cost_rows(story: RunStory) -> list[dict[str, str]]:
    """Time, amount and cost of every piece of work."""
    amounts: dict[str, str] = {}
    amounts |= {t.row.id: f"{many(t.record.env_steps)} simulated steps" for t in story.trainings}
    amounts |= {e.row.id: plural(e.record.panel.episodes, "episode") for e in story.evaluations}
    amounts |= {p.row.id: f"{p.record.rollouts} + {p.record.control_rollouts} rollouts" for p in story.pilots}
    lines: list[dict[str, str]] = []
    calls = model_calls(story)
    if calls:
        lines.append({
            "work": plural(len(calls), "model call"), "round": ABSENT, "amount": f"{many(tokens(calls))} tokens",
            "time": duration(sum(seconds_of(row) or 0.0 for row in calls)), "cost": _money(_sum(map(cost_of, calls))),
        })  # fmt: skip
    for row in story.rows:
        if row in calls:
            continue
        seconds, cost = seconds_of(row), cost_of(row)
        if row.id in amounts or seconds or cost:
            topic = f" ({row.body['topic']})" if "topic" in row.body else ""
            lines.append({
                "work": row.id + topic, "round": str(row.body.get("round", ABSENT)),
                "amount": amounts.get(row.id, ABSENT),
                "time": ABSENT if seconds is None else duration(seconds), "cost": _money(cost),
            })  # fmt: skip
    return lines


def total(story: RunStory) -> dict[str, str]:
    """The sums of the columns of `cost_rows`."""
    cost = _sum(map(cost_of, story.rows))
    unpriced = "not priced" if tokens(model_calls(story)) else "no model was paid"
    return {
        "time": duration(sum(s for s in map(seconds_of, story.rows) if s is not None)),
        "amount": f"{many(sum(t.record.env_steps for t in story.trainings))} simulated steps",
        "cost": unpriced if cost is None else _money(cost),
    }


def model_calls(story: RunStory) -> list[Row]:
    """The rows of calls of chat models."""
    return [row for row in story.rows if row.kind == "llm_call"]


def tokens(calls: Iterable[Row]) -> int:
    """Tokens in and out of some calls; the built-in planner has none."""
    return sum(int(row.meta.get(name, 0)) for row in calls for name in ("input_tokens", "output_tokens"))


def _sum(values: Iterable[float | None]) -> float | None:
    found = [value for value in values if value is not None]
    return sum(found) if found else None


def _money(cost: float | None) -> str:
    return ABSENT if cost is None else f"{cost:.4f} USD" if 0 < cost < 0.01 else f"{cost:.2f} USD"
