"""`regrasp report RUN`: build the page of a run again from its ledger."""

from typing import TYPE_CHECKING, Annotated

import typer

from agent.cli.options import HomeOption, JsonOption

if TYPE_CHECKING:
    from store.ledger import Ledger


def report(
    run: Annotated[str, typer.Argument(help="The run, e.g. run-0001; 'last' for the latest.")] = "last",
    home: HomeOption = None,
    as_json: JsonOption = False,
    show: Annotated[bool, typer.Option("--open", help="Open the page in the browser.")] = False,
) -> None:
    """Write the HTML report of a run, from the ledger alone, and name the file."""
    import json

    from agent.report import build_report
    from store.home import Home
    from store.ledger import Ledger

    place = Home.find(home)
    ledger = Ledger(place.ledger, create=False)
    run_id = latest_run(ledger) if run == "last" else run
    path = build_report(ledger, place.path, run_id)
    typer.echo(json.dumps({"run_id": run_id, "report": str(path)}) if as_json else str(path))
    if show:
        typer.launch(str(path))


def latest_run(ledger: "Ledger") -> str:
    """The newest run of a ledger."""
    from store.errors import UserError

    runs = ledger.rows(kind="run")
    if not runs:
        raise UserError("there is no run yet", where=str(ledger.path), hint='start one: regrasp run "REQUEST"')
    return runs[-1].run_id
