"""One run in one home: begin it, drive it to its end or to where it must wait, and say what came of it."""

import sqlite3
import threading
from collections.abc import Callable, Generator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from langgraph.checkpoint.sqlite import SqliteSaver

from agent.graph import build_graph
from agent.loop import ENDED, GateStopped, Loop, run_rounds
from agent.models import check_planner, planner
from agent.report.build import build_report
from store.approvals import Approval
from store.errors import NotFoundError, UserError
from store.home import Home
from store.ledger import Ledger, Row
from store.records import Run
from tools.context import Context, Progress
from tools.options import RunOptions
from tools.outcome import findings
from tools.plan import make_plan
from tools.registry import all_tools
from tools.rig import describe_rig
from tools.spending import spent
from tools.stop import Stop, WaitingForPerson


@dataclass(frozen=True)
class Ending:
    """How a drive ended."""

    status: str
    exit_code: int
    why: str
    context: Context
    approval: str = ""
    """The approval that is waited for."""


@dataclass(frozen=True)
class Voice:
    """Where a run reports to, and who is asked."""

    decide: Callable[[Context, Approval], None]
    on_progress: Callable[[Progress], None] = lambda _: None
    on_line: Callable[[str], None] = lambda _: None
    cancel: threading.Event = field(default_factory=threading.Event)


def begin(home: Home, options: RunOptions) -> str:
    """Check everything that can be checked before anything is spent, and write the run's first row.

    Raises:
        UserError: naming what is wrong; the ledger is unchanged then.
    """
    check_planner(options.planner)
    describe_rig(options, make_plan(options))
    ledger = Ledger(home.create().ledger)
    run = Run(
        request=options.request,
        seed=options.seed,
        driver=options.driver,
        planner=options.planner,
        approve=options.approve,
        rounds=options.rounds,
    )
    return ledger.new_run(run, meta={"options": options.model_dump(mode="json")})


def options_of(ledger: Ledger, run_id: str) -> RunOptions:
    """The options that a run was begun with.

    Raises:
        NotFoundError: listing the runs.
    """
    return RunOptions.model_validate(_run_row(ledger, run_id).meta["options"])


def drive(home: Home, run_id: str, voice: Voice, minutes: float | None = None) -> Ending:
    """Drive a run until it is done, waits for a person, has spent its budget or was stopped.

    Args:
        home: the home; the caller holds its lock.
        run_id: the run.
        voice: where it reports to.
        minutes: working time it may take in all; None: what its options say.
    """
    ledger = Ledger(home.ledger)
    options = options_of(ledger, run_id)

    def context_of(round: int) -> Context:
        return Context(
            home=home.path,
            ledger=ledger,
            run_id=run_id,
            round=round,
            options=options,
            minutes=minutes or options.minutes,
            on_progress=voice.on_progress,
            on_line=voice.on_line,
            write_report=partial(_report, home, ledger, run_id),
            cancel=voice.cancel,
        )

    first = context_of(0)
    first.folder.mkdir(parents=True, exist_ok=True)
    first.stop_file.unlink(missing_ok=True)
    with _saver(home) as saver:
        model = planner(options.planner)
        loop = Loop(build_graph(saver), model, options.planner, all_tools(), voice.decide)
        try:
            context = run_rounds(loop, context_of)
        except Stop as stop:
            if not isinstance(stop, GateStopped):
                _report(home, ledger, run_id)
            approval = stop.approval if isinstance(stop, WaitingForPerson) else ""
            return Ending(stop.status, stop.exit_code, stop.why, first, approval)
    return Ending("done", 0, "", context)


def results(ending: Ending) -> dict[str, Any]:
    """What `regrasp run --json` prints."""
    context = ending.context
    found = findings(context)
    return {
        "run_id": context.run_id,
        "status": ending.status,
        **found,
        "seconds": round(spent(context).seconds, 1),
        "report": str(Home(context.home).report(context.run_id)),
        "why": ending.why,
    }


def has_ended(ledger: Ledger, run_id: str) -> bool:
    """Whether nothing is left to do in a run."""
    return any(row.body["status"] in ENDED for row in ledger.rows(run_id=run_id, kind="outcome"))


@contextmanager
def _saver(home: Home) -> Generator[SqliteSaver]:
    try:
        with closing(sqlite3.connect(home.checkpoints, check_same_thread=False)) as connection:
            yield SqliteSaver(connection)
    except sqlite3.DatabaseError as error:
        where = str(home.checkpoints)
        if "full" in str(error):
            raise UserError("the disk is full", where, hint="free space, then regrasp resume RUN") from error
        if "I/O" in str(error):  # also what SQLite says of a limit on the size of files
            hint = "free space or lift the limit, then regrasp resume RUN"
            raise UserError(f"the checkpoints cannot be written: {error}", where, hint=hint) from error
        hint = "move the file away, then regrasp resume RUN: the ledger has all that was done"
        raise UserError(f"the checkpoints cannot be used: {error}", where, hint=hint) from error


def _run_row(ledger: Ledger, run_id: str) -> Row:
    rows = ledger.rows(kind="run")
    for row in rows:
        if row.run_id == run_id:
            return row
    raise NotFoundError(f"there is no run '{run_id}'", where="RUN", valid=[r.run_id for r in rows] or "none yet")


def _report(home: Home, ledger: Ledger, run_id: str) -> None:
    """Build the report from the ledger alone."""
    build_report(ledger, home.path, run_id)
