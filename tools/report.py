"""Everything a run left behind, gathered from the ledger and from the artifacts that its rows point to."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, TypeVar

from sim.trace.rollout import read_rollout
from store.artifacts import resolve
from store.errors import NotFoundError, UserError
from store.ledger import Ledger, Row
from store.records import (
    Diagnosis,
    Divergence,
    Evaluation,
    GapRow,
    Pilot,
    Plan,
    Record,
    Repair,
    RepairEffect,
    Run,
    Training,
)
from tools.audit import Audit
from tools.notes import data_of

R = TypeVar("R", bound=Record)


@dataclass(frozen=True)
class Entry(Generic[R]):
    """A ledger row and its record."""

    row: Row
    record: R


@dataclass(frozen=True)
class Curve:
    """What a training job reported while it learned; `missing` says what could not be read."""

    round: int
    env_steps: tuple[float, ...]
    success: tuple[tuple[float, float], ...]
    """(simulated control steps, share of successful training episodes)."""
    reward: tuple[tuple[float, float], ...]
    """(simulated control steps, mean reward of a control step)."""
    missing: str = ""


@dataclass(frozen=True)
class Overlay:
    """One signal of one rollout, simulated and real; empty traces come with the reason in `missing`."""

    round: int
    divergence: Divergence
    index: int
    times: tuple[float, ...]
    sim: tuple[float, ...]
    real: tuple[float, ...]
    missing: str = ""


@dataclass(frozen=True)
class Film:
    """Film strips of one rollout in simulation and on the hardware, as PNG bytes."""

    round: int
    png: bytes
    missing: str = ""


@dataclass(frozen=True)
class RunStory:
    """One run as its ledger rows tell it, in the order in which they were written."""

    run_id: str
    run: Entry[Run]
    plans: tuple[Entry[Plan], ...]
    trainings: tuple[Entry[Training], ...]
    evaluations: tuple[Entry[Evaluation], ...]
    approvals: tuple[Row, ...]
    pilots: tuple[Entry[Pilot], ...]
    gaps: tuple[Entry[GapRow], ...]
    diagnoses: tuple[Entry[Diagnosis], ...]
    repairs: tuple[Entry[Repair], ...]
    effects: tuple[Entry[RepairEffect], ...]
    rows: tuple[Row, ...]
    curves: tuple[Curve, ...]
    overlays: tuple[Overlay, ...]
    films: tuple["Film", ...]
    head: str
    """Hash of the last row of this run in the ledger's chain."""


def collect(ledger: Ledger, home: Path, run_id: str) -> RunStory:
    """Read one run.

    Args:
        ledger: the ledger of the home.
        home: folder that artifact paths are relative to.
        run_id: the run, for example run-0001.

    Raises:
        NotFoundError: there is no such run.
    """
    rows = ledger.rows(run_id=run_id)
    if not rows:
        known = [row.run_id for row in ledger.rows(kind="run")]
        raise NotFoundError(f"there is no run {run_id!r}", str(ledger.path), valid=known or "none yet")
    pilots, gaps = _entries(ledger, rows, "pilot", Pilot), _entries(ledger, rows, "gap", GapRow)
    evaluations, trainings = (
        _entries(ledger, rows, "evaluation", Evaluation),
        _entries(ledger, rows, "training", Training),
    )
    runs = _entries(ledger, rows, "run", Run)
    audits = {r.body["round"]: Audit.model_validate(data_of(r)) for r in rows if r.body.get("topic") == "audit"}
    return RunStory(
        run_id=run_id,
        run=runs[0],
        plans=_entries(ledger, rows, "plan", Plan),
        trainings=trainings,
        evaluations=evaluations,
        approvals=tuple(row for row in rows if row.kind == "approval"),
        pilots=pilots,
        gaps=gaps,
        diagnoses=_entries(ledger, rows, "diagnosis", Diagnosis),
        repairs=_entries(ledger, rows, "repair", Repair),
        effects=_entries(ledger, rows, "repair_effect", RepairEffect),
        rows=tuple(rows),
        curves=tuple(read_curve(home, entry.record) for entry in trainings),
        overlays=tuple(o for gap in gaps for o in read_overlays(home, gap.record, audits.get(gap.record.round))),
        films=tuple(read_film(home, number, audit) for number, audit in audits.items()),
        head=rows[-1].hash,
    )


def _entries(ledger: Ledger, rows: Sequence[Row], kind: str, of: type[R]) -> tuple[Entry[R], ...]:
    found: list[Entry[R]] = []
    for row in rows:
        if row.kind == kind:
            record = ledger.record(row)
            assert isinstance(record, of), f"{row.id} is {type(record).__name__}, expected {of.__name__}"
            found.append(Entry(row, record))
    return tuple(found)


def read_curve(home: Path, training: Training) -> Curve:
    """The learning curve of a training from its progress.jsonl; a step reported twice counts once, the later one."""
    path = home / training.artifact / "progress.jsonl"
    if not path.is_file():
        return Curve(training.round, (), (), (), f"{path.relative_to(home)} is missing, so there is no learning curve.")
    by_step: dict[int, dict[str, float]] = {}
    broken = 0
    for line in path.read_text(encoding="utf-8", errors="replace").splitlines():
        try:
            entry = json.loads(line)
            by_step[int(entry["step"])] = dict(entry.get("values") or {})
        except (ValueError, KeyError, TypeError):
            broken += 1  # a killed job may leave half a line; the report says how many
    steps = {s: float(v.get("env_steps", s)) for s, v in sorted(by_step.items()) if v}
    success = tuple((x, float(by_step[s]["success"])) for s, x in steps.items() if "success" in by_step[s])
    reward = tuple((x, float(by_step[s]["reward"])) for s, x in steps.items() if "reward" in by_step[s])
    missing = f"{broken} unreadable lines of {path.relative_to(home)} are left out." if broken else ""
    if not success and not reward:
        missing = f"{path.relative_to(home)} holds no success and no reward, so there is no learning curve."
    return Curve(training.round, tuple(steps.values()), success, reward, missing)


def read_film(home: Path, number: int, audit: Audit) -> Film:
    """The film strips of a round's audit."""
    if not audit.film:
        return Film(number, b"", "No OpenGL to draw film strips with; regrasp doctor says how to mend it.")
    try:
        return Film(number, resolve(audit.film, home).read_bytes())
    except OSError as error:
        return Film(number, b"", f"{audit.film} cannot be read: {error.strerror}.")


def read_overlays(home: Path, gap: GapRow, audit: Audit | None) -> list[Overlay]:
    """Both traces of every divergence of a gap row; the audit's examples stand in the order of its divergences."""
    examples = audit.examples if audit else ()
    return [_overlay(home, gap.round, d, dict(enumerate(examples)).get(i)) for i, d in enumerate(gap.divergences)]


def _overlay(home: Path, number: int, divergence: Divergence, example: dict[str, str] | None) -> Overlay:
    try:
        if example is None:
            raise UserError("the audit names no rollout for it")
        sim, real = (read_rollout(resolve(example[name], home)) for name in ("sim", "rollout"))
        count = min(len(sim.times), len(real.times))
        if divergence.signal not in sim.signals or divergence.signal not in real.signals or count < 2:
            raise UserError(f"the rollouts do not hold {divergence.signal}")
    except UserError as error:
        what = f"{Path(error.where).name}: {error.what}" if error.where else error.what
        return Overlay(number, divergence, 0, (), (), (), f"The traces of this signal cannot be shown: {what}.")
    return Overlay(
        round=number,
        divergence=divergence,
        index=real.index,
        times=tuple(map(float, real.times[:count])),
        sim=tuple(map(float, sim.signals[divergence.signal][:count])),
        real=tuple(map(float, real.signals[divergence.signal][:count])),
    )
