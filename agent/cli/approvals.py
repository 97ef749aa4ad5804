"""`regrasp approvals`, `approve` and `reject`: a person's word on a pilot."""

import json
import sys
from typing import Annotated

import typer

from agent.cli.options import HomeOption, JsonOption

IdArgument = Annotated[str, typer.Argument(help="The approval, e.g. approval-1.")]
PersonOption = Annotated[
    str | None, typer.Option("--person", help="Who decides; else the name you are logged in with.", show_default=False)
]


def approvals(home: HomeOption = None, as_json: JsonOption = False) -> int:
    """List pilots that wait for a person."""
    from agent.cli.advice import command
    from agent.cli.drive import existing
    from store import approvals as store

    place, ledger = existing(home)
    waiting = store.pending(ledger)
    if as_json:
        sys.stdout.write(json.dumps({"approvals": [approval.as_dict() for approval in waiting]}) + "\n")
        return 0
    for approval in waiting:
        sys.stdout.write(f"{approval.id} ({approval.run_id}): {approval.request.text}\n")
        approve = command(f"approve {approval.id}", place.path)
        sys.stdout.write(f"  {approve}   or   {command(f'reject {approval.id} --why TEXT', place.path)}\n")
    if not waiting:
        sys.stdout.write("nothing waits for a person\n")
    return 0


def approve(id: IdArgument, person: PersonOption = None, home: HomeOption = None, as_json: JsonOption = False) -> int:
    """Allow one pilot, once, exactly as it was asked for."""
    return _decide(id, True, person, "", home, as_json)


def reject(
    id: IdArgument,
    why: Annotated[str, typer.Option(help="Why not; the ledger keeps it.")],
    person: PersonOption = None,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> int:
    """Refuse a pilot; its run ends."""
    from store.errors import UserError

    if not why.strip():
        raise UserError("a rejection says why", "--why", hint='for example --why "the table is not clear"')
    return _decide(id, False, person, why, home, as_json)


def _decide(id: str, yes: bool, person: str | None, why: str, home: HomeOption, as_json: bool) -> int:
    import getpass

    from agent.cli.advice import command
    from agent.cli.drive import existing, is_running
    from store import approvals as store

    place, ledger = existing(home)
    approval = store.decide(ledger, id, yes, person or getpass.getuser(), why)
    if as_json:
        sys.stdout.write(json.dumps({"approval": approval.as_dict()}) + "\n")
        return 0
    resume = command(f"resume {approval.run_id}", place.path)
    go_on = "" if is_running(place) else f"; {resume} {'goes on' if yes else 'ends it'}"
    sys.stdout.write(f"{approval.id} is {approval.status} by {approval.person}{go_on}\n")
    return 0
