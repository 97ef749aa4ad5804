"""`regrasp lint-ranges PLAN`: what is wrong with the ranges of a plan, before anything is trained on them."""

from pathlib import Path
from typing import Annotated, Any

import typer

from agent.cli.options import HomeOption, JsonOption
from store.errors import UserError


def lint_ranges(
    plan: Annotated[Path, typer.Argument(help="What `regrasp plan ... --json` printed.", show_default=False)],
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> int:
    """Say where a range excludes a measurement, is far too wide, cannot be felt, or has no anchor.

    Ends with 1 where a range is wrong; one that merely lacks a measurement is a note, and notes alone are no failure.
    """
    import json
    from dataclasses import asdict

    from sim.tasks import get_task
    from tools.lint import lint

    task, ranges, measurements = read_plan(plan)
    found = lint(get_task(task), ranges, measurements)
    wrong = [one for one in found if one.severity != "note"]
    if as_json:
        typer.echo(json.dumps({"task": task, "findings": [asdict(one) for one in found]}, indent=2))
    else:
        for one in found:
            typer.echo(f"{one.severity}: {one.parameter}: {one.what}; {one.hint} [{one.rule}]")
        typer.echo(f"{len(ranges)} ranges, {len(wrong)} wrong, {len(found) - len(wrong)} notes")
    return 1 if wrong else 0


def read_plan(path: Path) -> tuple[str, list[Any], list[Any]]:
    """Task, ranges and measurements of a plan.

    Raises:
        UserError: no such file, or no plan.
    """
    import json

    from pydantic import ValidationError

    from store.records import Measurement, Range

    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        ranges = [
            Range(parameter=name, unit=r["unit"], low=r["low"], high=r["high"], source=r["source"], anchor=r["anchor"])
            for name, r in content["ranges"].items()
        ]
        measurements = [
            Measurement(quantity=m["quantity"], value=m["value"], unit=m["unit"], low=m["low"], high=m["high"],
                        method="stated", text=m["text"])
            for m in content["measurements"]
        ]  # fmt: skip
        return str(content["task"]), ranges, measurements
    except OSError as error:
        raise UserError("the plan cannot be read", str(path), hint="regrasp plan REQUEST --json > PLAN") from error
    except ValidationError as error:
        raise UserError(f"no plan: {error.errors()[0]['msg']}", str(path)) from error
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        hint = "regrasp plan REQUEST --json > PLAN"
        raise UserError(f"no plan: {type(error).__name__} {error}", str(path), hint=hint) from error
