"""One self-contained HTML page per run, rebuilt from the ledger alone: nothing in it is fetched from anywhere."""

from base64 import b64encode
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path
from typing import Any

from jinja2 import Environment, StrictUndefined
from markupsafe import Markup

from agent.report.approvals import approval_rows
from agent.report.figures import (
    Line,
    effect_figure,
    gap_rows,
    hypothesis_figure,
    line_figure,
    range_figure,
    round_colour,
)
from agent.report.overlay import overlay_figures
from agent.report.results import cost_rows, diagnosis_rows, divergence_rows, gap_table, repair_rows, total
from agent.report.view import bounds, measurement_rows, range_rows, rounds_of, summary, tiles, training_rows, understood
from agent.report.words import hardware_name, source_note
from sim.tasks import TASKS, get_task
from store.artifacts import write_text
from store.home import Home
from store.ledger import Ledger
from store.records import Parameter
from tools.report import Curve, Overlay, RunStory, collect


def build_report(ledger: Ledger, home: Path, run_id: str) -> Path:
    """Write HOME/runs/RUN/report.html from the ledger and the artifacts that its rows name.

    Args:
        ledger: the ledger of the home.
        home: folder that holds the runs.
        run_id: the run, for example run-0001.

    Raises:
        NotFoundError: there is no such run.
    """
    story = collect(ledger, home, run_id)
    path = Home(home).report(run_id)
    write_text(path, render(story))
    return path


def render(story: RunStory) -> str:
    """The page of a run; the same story gives the same text."""
    folder = files("agent.report")
    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    template = environment.from_string((folder / "report.html").read_text(encoding="utf-8"))
    css = Markup((folder / "report.css").read_text(encoding="utf-8"))
    return template.render(css=css, version=version("regrasp"), **_context(story))


def _context(story: RunStory) -> dict[str, Any]:
    gaps = [g.record for g in story.gaps]
    plan = story.plans[0].record if story.plans else None
    known = get_task(plan.task).parameters if plan is not None and plan.task in TASKS else {}
    divergences, quiet = divergence_rows(gaps)
    curve_figures, curve_key = _curves(story.curves)
    effects = {e.record.repair: e.record for e in story.effects}
    seen = [(r.row.id, effects[r.row.id]) for r in story.repairs if r.row.id in effects]
    return {
        "story": story,
        "run": story.run.record,
        "plan": plan,
        "tiles": tiles(story),
        "summary": summary(story),
        "understood": understood(plan) if plan else [],
        "ranges": range_rows(rounds_of(story)),
        "measurements": measurement_rows(plan.measurements if plan else ()),
        "range_figures": _range_figures(story, known),
        "range_notes": _range_notes(story, known),
        "trainings": training_rows(story),
        "curve_figures": curve_figures,
        "curve_key": curve_key,
        "hardware": hardware_name(story),
        "source_note": source_note(gaps),
        "gap_figures": gap_rows(gaps) if gaps else (),
        "gaps": gap_table(story),
        "stopped": [f"Round {p.record.round}: the gate ended the pilot early. {p.record.stopped_by}"
                    for p in story.pilots if p.record.stopped_by],
        "divergences": divergences,
        "quiet": quiet,
        "overlays": [_overlay(o) for o in story.overlays],
        "films": [{"round": f.round, "missing": f.missing, "png": b64encode(f.png).decode()} for f in story.films],
        "diagnoses": diagnosis_rows(story, hypothesis_figure),
        "repairs": repair_rows(story),
        "effect_figure": effect_figure([
            (name, e.success_gap_before, e.expected_success_gap, e.success_gap_after) for name, e in seen
        ]) if seen else "",
        "approvals": approval_rows(story),
        "costs": cost_rows(story),
        "total": total(story),
        "last": story.rows[-1],
        "example": story.gaps[-1].row.id if story.gaps else story.rows[-1].id,
    }  # fmt: skip


def _range_figures(story: RunStory, known: Mapping[str, Parameter]) -> list[Markup]:
    rounds = rounds_of(story)
    measured = {m.quantity: m for m in (story.plans[0].record.measurements if story.plans else ())}
    diagnoses = [d.record for d in story.diagnoses]
    return [
        range_figure(
            bounds(story, known, name),
            [(index, next((r for r in ranges if r.parameter == name), None)) for index, ranges in rounds.items()],
            measured.get(name),
            diagnoses,
        )
        for name in dict.fromkeys(r.parameter for ranges in rounds.values() for r in ranges)
    ]


def _range_notes(story: RunStory, known: Mapping[str, Parameter]) -> list[str]:
    names = dict.fromkeys(r.parameter for ranges in rounds_of(story).values() for r in ranges)
    return [
        f"{name} is not a parameter of the task in this version, so its hard bounds are not known; the axis is drawn "
        "around its ranges."
        for name in names
        if name not in known
    ]  # fmt: skip


def _curves(curves: Sequence[Curve]) -> tuple[list[Markup], list[tuple[str, str]]]:
    start = 0.0
    marks: list[float] = []
    success: list[Line] = []
    reward: list[Line] = []
    for curve in curves:
        if not curve.env_steps:
            continue
        colour, name = round_colour(curve.round), f"round {curve.round}"
        if start:
            marks.append(start / 1e6)
        success.append(Line(name, tuple(((start + x) / 1e6, y) for x, y in curve.success), colour))
        reward.append(Line(name, tuple(((start + x) / 1e6, y) for x, y in curve.reward), colour))
        start += curve.env_steps[-1]
    key = list(dict.fromkeys((line.name, line.colour) for line in success))
    steps, found = "simulated control steps, millions", []
    if any(line.points for line in success):
        found.append(line_figure("training success", steps, "share of episodes", success, (0.0, 1.0), marks))
    if any(line.points for line in reward):
        found.append(line_figure("reward", steps, "mean of a control step", reward, None, marks))
    return found, key


def _overlay(overlay: Overlay) -> dict[str, Any]:
    d = overlay.divergence
    drawn = () if overlay.missing else overlay_figures(d, overlay.times, overlay.sim, overlay.real)
    return {
        "round": overlay.round, "channel": d.channel, "signal": d.signal, "missing": overlay.missing, "figures": drawn,
        "note": f"Rollout {overlay.index}. The band is the threshold, {d.threshold:.3g} {d.unit}, around the simulated "
                f"signal; control step {d.step} is the first of several in a row outside it.",
    }  # fmt: skip
