"""The command `regrasp`. Commands import what is heavy inside themselves, so that --help answers at once."""

import json
import sys

import typer
from typer.exceptions import Abort, TyperException

from agent.cli import (
    approvals,
    bench,
    doctor,
    film,
    ledger,
    lint,
    measure,
    parameters,
    plan,
    report,
    robots,
    run,
    tasks,
    trace,
)
from agent.cli.usage import is_help, usage_error
from store.errors import UserError


def build_app() -> typer.Typer:
    """The application with every command."""
    app = typer.Typer(
        name="regrasp",
        help="Plans, runs and audits sim-to-real experiments for dexterous hands.",
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
    )
    for command in (run.run, run.resume, run.stop, approvals.approvals, approvals.approve, approvals.reject):
        app.command(command.__name__)(command)
    app.command("plan")(plan.plan)
    app.add_typer(ledger.app, name="ledger")
    app.command("report")(report.report)
    app.command("tasks")(tasks.tasks)
    app.command("parameters")(parameters.parameters)
    app.command("mechanisms")(parameters.mechanisms)
    app.command("film")(film.film)
    app.command("robots")(robots.robots)
    app.command("map")(trace.map_file)
    app.command("ingest")(trace.ingest)
    app.command("audit")(trace.audit)
    app.command("measure")(measure.measure)
    app.command("lint-ranges")(lint.lint_ranges)
    app.command("doctor")(doctor.doctor)
    app.command("bench")(bench.bench)
    return app


def main(arguments: list[str] | None = None) -> None:
    """Run one command and exit with its code."""
    words = sys.argv[1:] if arguments is None else arguments
    sys.exit(_run(words))


def _run(words: list[str]) -> int:
    try:
        code = build_app()(words, standalone_mode=False, prog_name="regrasp")
    except UserError as error:
        return _fail(error, 2, words)
    except TyperException as error:
        if is_help(error) and "--json" not in words:
            sys.stderr.write(error.format_message() + "\n")
            return 2
        return _fail(usage_error(error), 2, words)
    except Abort:
        return 130
    except Exception as error:
        known = _failure(error)
        if known is None:
            raise
        return _fail(*known, words)
    return code if isinstance(code, int) else 0


def _failure(error: Exception) -> tuple[UserError, int] | None:
    """A failure that one line explains, and its exit code; None for a defect, which keeps its traceback."""
    from store.artifacts import FULL, unwritable
    from tools.hardware.client import DriverLost
    from tools.job import JobError

    if isinstance(error, OSError) and (error.filename or error.errno in FULL):
        return unwritable(error, error.filename or ""), 2
    return (UserError(str(error)), 1) if isinstance(error, (JobError, DriverLost)) else None


def _fail(error: UserError, code: int, words: list[str]) -> int:
    if "--json" in words:
        sys.stdout.write(json.dumps({"error": error.as_dict()}, ensure_ascii=False) + "\n")
    else:
        sys.stderr.write(f"error: {_line(error)}\n")
    return code


def _line(error: UserError) -> str:
    """`what (where); valid: ...; hint` on one line."""
    line = f"{error.what} ({error.where})" if error.where else error.what
    line += f"; valid: {error.valid}" if error.valid else ""
    line += f"; {error.hint}" if error.hint else ""
    return " ".join(line.split())


if __name__ == "__main__":
    main()
