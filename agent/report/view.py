"""What a run set out to do: its summary, plan, ranges and trainings as words and numbers for the page."""

from collections.abc import Mapping, Sequence
from typing import Any

from agent.report.quantity import Unit, number, quantity
from agent.report.results import total
from agent.report.words import ABSENT, SOURCES, VERDICTS, hardware_name, many, plural
from store.records import Measurement, Parameter, Plan, Range
from tools.family import apply_repair
from tools.report import RunStory


def tiles(story: RunStory) -> list[dict[str, str]]:
    """The few numbers that a reader wants first."""
    found: list[dict[str, str]] = []
    gaps = [g.record for g in story.gaps]
    if gaps:
        note = "before and after repair" if len(gaps) > 1 else "no repair was piloted"
        for name, values in (
            ("success gap", [g.success_gap for g in gaps]), ("slip gap", [g.slip_gap for g in gaps]),
        ):  # fmt: skip
            ends = [values[0], values[-1]] if len(values) > 1 else values
            found.append({"name": name, "value": " → ".join(f"{v:.2f}" for v in ends), "note": note})
    if story.diagnoses:
        last = next((d.record for d in story.diagnoses if d.record.verdict != "NO_GAP"), story.diagnoses[-1].record)
        note = VERDICTS[last.verdict] + (f": {last.target}" if last.target else "")
        found.append({"name": "verdict", "value": last.verdict, "note": note})
    rollouts = sum(p.record.rollouts + p.record.control_rollouts for p in story.pilots)
    found.append({"name": f"{hardware_name(story)} rollouts", "value": str(rollouts), "note": "judged and control"})
    seconds = total(story)["time"]
    found.append({"name": "working time", "value": seconds, "note": f"seed {story.run.record.seed}"})
    return found


def summary(story: RunStory) -> list[str]:
    """Two or three sentences for somebody who reads no further."""
    if not story.gaps:
        return ["No pilot has been judged in this run yet."]
    first, last, rig = story.gaps[0].record, story.gaps[-1].record, hardware_name(story)
    said = [
        f"Simulation promised {first.sim_success.value:.2f} success; the {rig} showed {first.real_success.value:.2f} "
        f"({first.real_success.successes} of {first.real_success.trials})."
    ]
    if first.first_divergence is not None:
        d = first.first_divergence
        said[0] += f" The two first parted in {d.channel} ({d.signal}) at control step {d.step}."
    said += [r.record.text for r in story.repairs[:1]]
    if len(story.gaps) > 1:
        said.append(
            f"After {plural(len(story.gaps) - 1, 'repair')} the {rig} reached {last.real_success.value:.2f} against "
            f"{last.sim_success.value:.2f} in simulation."
        )
    return said


def understood(plan: Plan) -> list[tuple[str, str]]:
    """What the plan made of the request."""
    budget = plan.budget
    goal = ", ".join(f"{name} {number(value)}" for name, value in sorted(plan.goal.items()))
    return [
        ("task", plan.task),
        ("robot", plan.robot),
        ("driver", plan.driver),
        *([("goal", goal)] if goal else []),
        *((m.quantity, f"{quantity(m.value, m.unit)} ({m.method})") for m in plan.measurements),
        *((f"range of {r.parameter}", f"{unit_of(r).span(r.low, r.high)}, from {SOURCES[r.source]}")
          for r in plan.family.ranges if r.source in ("request", "measured")),
        ("budget", f"{number(budget.minutes)} min, {plural(budget.rollouts, 'hardware rollout')}, "
                   f"{many(budget.env_steps)} simulated steps, {plural(budget.rounds, 'repair round')}"),
        ("judged on", f"panel {plan.panel.name}: {many(plan.panel.episodes)} episodes, seed {plan.panel.seed}; "
                      f"pilots of {plural(plan.pilot_rollouts, 'rollout')}"),
    ]  # fmt: skip


def unit_of(chosen: Range) -> Unit:
    """The unit in which both ends of a range read best."""
    return Unit.fit(chosen.unit, [chosen.low, chosen.high])


def rounds_of(story: RunStory) -> dict[int, tuple[Range, ...]]:
    """Ranges of every round: the plan's with the repairs made since, and what the gap rows say was trained on."""
    found: dict[int, tuple[Range, ...]] = {}
    if story.plans:
        family = story.plans[0].record.family
        found[0] = family.ranges
        for repair in story.repairs:
            family = apply_repair(family, repair.record, repair.row.id)
            found[repair.record.round] = family.ranges
    found |= {g.record.round: g.record.ranges for g in story.gaps}
    return dict(sorted(found.items()))


def range_rows(rounds: Mapping[int, tuple[Range, ...]]) -> list[dict[str, str]]:
    """One line for each range as long as it stayed the same."""
    lines: list[dict[str, Any]] = []
    for name in dict.fromkeys(r.parameter for ranges in rounds.values() for r in ranges):
        previous: Range | None = None
        for index, ranges in rounds.items():
            chosen = next((r for r in ranges if r.parameter == name), None)
            if chosen is None:
                previous = None
                continue
            if chosen == previous:
                lines[-1]["until"] = index
            else:
                shape = "" if chosen.distribution == "uniform" else " (log-uniform)"
                lines.append({
                    "parameter": name, "since": index, "until": index, "anchor": chosen.anchor or ABSENT,
                    "span": unit_of(chosen).span(chosen.low, chosen.high) + shape, "source": SOURCES[chosen.source],
                    "note": chosen.note,
                })  # fmt: skip
            previous = chosen
    for line in lines:
        line["rounds"] = str(line["since"]) if line["since"] == line["until"] else f"{line['since']} to {line['until']}"
    return lines


def measurement_rows(measurements: Sequence[Measurement]) -> list[dict[str, str]]:
    """Measured anchors."""
    return [
        {
            "quantity": m.quantity, "value": quantity(m.value, m.unit), "method": m.method, "text": m.text,
            "interval": ABSENT if m.low is None or m.high is None
                        else Unit.fit(m.unit, [m.low, m.high]).span(m.low, m.high),
        }
        for m in measurements
    ]  # fmt: skip


def training_rows(story: RunStory) -> list[dict[str, str]]:
    """Every training with the policy that came of it."""
    return [
        {
            "id": t.row.id, "round": str(t.record.round), "iterations": many(t.record.iterations),
            "start": t.record.start_policy[:12] if t.record.start_policy else "nothing",
            "env_steps": many(t.record.env_steps), "success": f"{t.record.final_success:.2f}",
            "policy": t.record.policy[:12],
        }
        for t in story.trainings
    ]  # fmt: skip


def bounds(story: RunStory, known: Mapping[str, Parameter], name: str) -> Parameter:
    """The parameter as the task knows it; for one that it no longer knows, bounds drawn from the ranges themselves."""
    if name in known:
        return known[name]
    found = [r for ranges in rounds_of(story).values() for r in ranges if r.parameter == name]
    low, high = min(r.low for r in found), max(r.high for r in found)
    margin = (high - low) / 2 or abs(high) / 2 or 1.0
    return Parameter(
        name=name, unit=found[0].unit, kind="physics", nominal=(low + high) / 2, low=low - margin, high=high + margin,
        meaning="not a parameter of the task any more",
    )  # fmt: skip
