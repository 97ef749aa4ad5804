"""The command `regrasp`. Commands import what is heavy inside themselves, so that --help answers at once."""

import errno
import json
import sys
from importlib import import_module
from importlib.util import find_spec

import typer
from typer.exceptions import Abort, TyperException

from agent.cli import approvals, run
from store.errors import UserError

GROUPS = ("ledger",)
"""Sub-commands that are groups: their module has an `app`."""
COMMANDS = ("plan", "tasks", "doctor", "report", "bench")
"""Sub-commands that are one function of their module's name."""


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
    app.command("run")(run.run)
    app.command("resume")(run.resume)
    app.command("stop")(run.stop)
    app.command("approvals")(approvals.approvals)
    app.command("approve")(approvals.approve)
    app.command("reject")(approvals.reject)
    for name in GROUPS:
        if find_spec(f"agent.cli.{name}"):
            app.add_typer(import_module(f"agent.cli.{name}").app, name=name)
    for name in COMMANDS:
        if find_spec(f"agent.cli.{name}"):
            app.command(name)(getattr(import_module(f"agent.cli.{name}"), name))
    return app


def main(arguments: list[str] | None = None) -> None:
    """Run one command and exit with its code."""
    words = sys.argv[1:] if arguments is None else arguments
    sys.exit(_run(words))


def _run(words: list[str]) -> int:
    try:
        code = build_app()(words, standalone_mode=False, prog_name="regrasp")
    except UserError as error:
        return _fail(error, words)
    except TyperException as error:
        return _fail(UserError(error.format_message().rstrip("."), hint="see regrasp --help"), words)
    except Abort:
        return 130
    except Exception as error:
        known = _failure(error)
        if known is None:
            raise
        return _fail(known, words, code=2 if isinstance(error, OSError) else 1)
    return code if isinstance(code, int) else 0


def _failure(error: Exception) -> UserError | None:
    """A failure that one line explains; None for a defect, which keeps its traceback."""
    from tools.hardware.client import DriverLost
    from tools.job import JobError

    if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT):
        return UserError("the disk is full", str(error.filename or ""), hint="free space, then regrasp resume RUN")
    return UserError(str(error)) if isinstance(error, (JobError, DriverLost)) else None


def _fail(error: UserError, words: list[str], code: int = 2) -> int:
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
