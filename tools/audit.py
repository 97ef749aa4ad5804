"""Compare the pilot's traces with simulated ones: where do they first part?"""

import time
from typing import Any

from store.artifacts import resolve
from store.hashing import effect_key
from store.ledger import Row
from store.records import Channel, Divergence, Pilot, Plan, Record
from tools.arguments import NoArguments
from tools.context import Context
from tools.family import family_of
from tools.job import JobError
from tools.notes import data_of, find_note, note
from tools.rows import MissingRow, entry
from tools.work import do_job

FILM_LIMIT_S = 120.0


class Audit(Record):
    """What an audit job found; the gap row of the round quotes it."""

    divergences: tuple[Divergence, ...]
    not_observable: tuple[Channel, ...]
    thresholds: dict[str, float]
    examples: tuple[dict[str, str], ...]
    """Pairs {rollout, sim} of trace files, relative to the home."""
    artifact: str
    """Job folder, relative to the home."""
    film: str = ""
    """Film strips of the first example, relative to the home; empty where this machine cannot render."""


def audit(context: Context, arguments: NoArguments) -> Row:
    """Find the first divergence of each channel between the pilot's traces and simulation."""
    _, plan = entry(context, "plan", Plan)
    pilot_row, pilot = entry(context, "pilot", Pilot, context.round)
    key = effect_key("audit", {"round": context.round}, [pilot_row.id])
    stored = context.ledger.find(key)
    if stored is not None:
        return stored
    spec = {
        "kind": "audit",
        "task": plan.task,
        "goal": plan.goal,
        "family": family_of(context, context.round).model_dump(mode="json"),
        "rollouts": traces(context, pilot, "rollout"),
        "control": traces(context, pilot, "control"),
    }
    result = do_job(context, "audit", spec, limit_s=context.settings.job_timeout_s)
    found = Audit(
        divergences=result["divergences"],
        not_observable=result["not_observable"],
        thresholds=result["thresholds"],
        examples=tuple(_relative(context, pair) for pair in result["examples"]),
        artifact=context.relative(context.job_folder("audit")),
    )
    began = time.monotonic()
    found = found.with_changes(film=_film(context, plan, found.examples[0]))
    seconds = result["seconds"] + time.monotonic() - began
    first = min(found.divergences, key=lambda d: (d.step, d.channel), default=None)
    text = f"First divergence {first} in {first.signal}." if first else "No channel diverged."
    meta = {"seconds": seconds}
    return note(context, "audit", text, found.model_dump(mode="json"), key=key, meta=meta)


def audit_of(context: Context, round: int) -> Audit:
    """The audit of a round."""
    row = find_note(context, "audit", round)
    if row is None:
        raise MissingRow(f"round {round} of {context.run_id} has no audit yet")
    return Audit.model_validate(data_of(row))


def traces(context: Context, pilot: Pilot, kind: str) -> list[str]:
    """Absolute paths of a pilot's trace files of a kind, 'rollout' or 'control', in order."""
    return [str(path) for path in sorted((context.home / pilot.artifact).glob(f"{kind}-*.parquet"))]


def _film(context: Context, plan: Plan, example: dict[str, str]) -> str:
    """Draw an example; a machine without OpenGL goes without, and says so."""
    rows = [("simulation", example["sim"]), ("hardware", example["rollout"])]
    spec = {
        "kind": "film",
        "task": plan.task,
        "goal": plan.goal,
        "rows": [[name, str(resolve(path, context.home))] for name, path in rows],
    }
    try:
        result = do_job(context, "film", spec, limit_s=FILM_LIMIT_S)
    except JobError as error:
        context.on_line(f"no film strips: {str(error).splitlines()[0]} (regrasp doctor)")
        return ""
    return context.relative(context.job_folder("film") / result["film"])


def _relative(context: Context, pair: dict[str, Any]) -> dict[str, str]:
    folder = context.job_folder("audit")
    return {name: context.relative(folder / path) for name, path in pair.items()}
