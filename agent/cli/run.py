"""`regrasp run`, `resume` and `stop`."""

import json
import sys
from pathlib import Path
from typing import Annotated

import typer

from agent.cli.options import HomeOption, JsonOption


def run(
    request: Annotated[str, typer.Argument(help="What the hand should learn, and what you know about it.")],
    task: Annotated[str | None, typer.Option(help="Task name; else read from the request.", show_default=False)] = None,
    driver: Annotated[str | None, typer.Option(help="twin (default), or module:Class.", show_default=False)] = None,
    twin_spec: Annotated[
        Path | None, typer.Option(help="TOML file of the twin; else the task's own.", show_default=False)
    ] = None,
    envelope: Annotated[
        Path | None, typer.Option(help="TOML file of safety limits; else the task's own.", show_default=False)
    ] = None,
    approve: Annotated[str, typer.Option(help="ask: a person approves. twin: this flag approves, twins only.")] = "ask",
    rounds: Annotated[int | None, typer.Option(help="Repair rounds; 1 unless said.", show_default=False)] = None,
    minutes: Annotated[float | None, typer.Option(help="Working time; 60 unless said.", show_default=False)] = None,
    planner: Annotated[str, typer.Option(help="builtin, or provider:model.")] = "builtin",
    seed: Annotated[
        int | None, typer.Option(help="All seeds derive from it; 0 unless said.", show_default=False)
    ] = None,
    rollouts: Annotated[
        int | None, typer.Option(help="Judged rollouts of a pilot; 50 unless said.", show_default=False)
    ] = None,
    config: Annotated[Path | None, typer.Option(help="TOML file of sizes.", hidden=True)] = None,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> int:
    """Plan, train, pilot, audit, diagnose and repair; report at the end."""
    from agent.cli.drive import drive_and_tell
    from agent.session import begin
    from store.home import Home
    from tools.options import read_options
    from tools.plan import fill_options, understand

    given = {"driver": driver, "rounds": rounds, "minutes": minutes, "seed": seed, "rollouts": rollouts}
    filled, notes = fill_options(understand(request, task), given)
    pilot = filled.pop("rollouts", None)
    options = read_options(
        rollouts=pilot,
        config=config,
        request=request,
        task=task,
        twin_spec=twin_spec,
        envelope=envelope,
        approve=approve,
        planner=planner,
        **filled,
    )
    place = Home.find(home)
    with place.lock():
        run_id = begin(place, options)
        return drive_and_tell(place, run_id, as_json=as_json, minutes=None, notes=notes)


def resume(
    run: Annotated[str, typer.Argument(help="The run, e.g. run-0001.")],
    minutes: Annotated[
        float | None, typer.Option(help="Working time that it may take in all.", min=0.01, show_default=False)
    ] = None,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> int:
    """Go on with a run that was killed, stopped, out of minutes or waiting for a person."""
    from agent.cli.drive import drive_and_tell, existing
    from agent.session import options_of

    place, ledger = existing(home)
    options_of(ledger, run)
    with place.lock():
        return drive_and_tell(place, run, as_json=as_json, minutes=minutes)


def stop(
    run: Annotated[str, typer.Argument(help="The run, e.g. run-0001.")],
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> int:
    """Ask a running run to stop where it stands; it can be resumed."""
    from agent.cli.advice import command
    from agent.cli.drive import existing, is_running
    from agent.session import has_ended, options_of

    place, ledger = existing(home)
    options_of(ledger, run)
    running = is_running(place) and not has_ended(ledger, run)
    if running:
        folder = place.run(run)
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "stop").touch()
    if as_json:
        sys.stdout.write(json.dumps({"run_id": run, "stopping": running}) + "\n")
    else:
        go_on = command(f"resume {run}", place.path)
        sys.stdout.write(f"{run} stops; {go_on} goes on\n" if running else f"{run} is not running\n")
    return 0
