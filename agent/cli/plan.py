"""`regrasp plan`: what a request would do, before anything is spent; it writes nothing."""

from typing import TYPE_CHECKING, Annotated

import typer

from agent.cli.options import HomeOption, JsonOption

if TYPE_CHECKING:
    from rich.console import Console

    from store.records import Plan
    from tools.understanding import Understanding


def plan(
    request: Annotated[str, typer.Argument(help="What the hand should learn, and what you know about it.")],
    task: Annotated[str | None, typer.Option(help="Task name; else read from the request.", show_default=False)] = None,
    driver: Annotated[str | None, typer.Option(help="twin, or module:Class.", show_default=False)] = None,
    rounds: Annotated[int | None, typer.Option(help="Repair rounds.", show_default=False)] = None,
    minutes: Annotated[float | None, typer.Option(help="Working time of the run.", show_default=False)] = None,
    seed: Annotated[int | None, typer.Option(help="Seed of the run.", show_default=False)] = None,
    rollouts: Annotated[int | None, typer.Option(help="Judged rollouts of a pilot.", show_default=False)] = None,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> int:
    """Show how a request is read and what would be trained; spend and write nothing."""
    import json
    import sys

    from rich.console import Console

    from tools.hardware.driver import driver_names, find_driver
    from tools.options import read_options
    from tools.plan import draft_plan, fill_options, plan_json, understand

    understanding = understand(request, task)
    given = {"driver": driver, "rounds": rounds, "minutes": minutes, "seed": seed, "rollouts": rollouts}
    filled, overridden = fill_options(understanding, given)
    pilot = filled.pop("rollouts", None)
    options = read_options(rollouts=pilot, config=None, request=request, task=task, **filled)
    if options.driver not in driver_names():
        find_driver(options.driver)
    drafted = draft_plan(understanding, options)
    notes = (*understanding.notes, *overridden)
    if as_json:
        sys.stdout.write(json.dumps(plan_json(drafted, notes), ensure_ascii=False) + "\n")
        return 0
    _show(Console(highlight=False), understanding, drafted, notes)
    return 0


def _show(console: "Console", understanding: "Understanding", plan: "Plan", notes: tuple[str, ...]) -> None:
    from rich.table import Table
    from rich.text import Text

    from store.units import spell

    read = Table("words", "read as", title="Understood", title_justify="left")
    for reading in understanding.readings:
        read.add_row(Text(reading.text), Text(reading.meaning))
    console.print(read)
    ranges = Table("parameter", "range", "source", "anchor", "why", title="Randomised", title_justify="left")
    for r in plan.family.ranges:
        shown = spell((r.low,) if r.low == r.high else (r.low, r.high), r.unit)
        ranges.add_row(r.parameter, shown, r.source, r.anchor or "", Text(r.note))
    console.print(ranges)
    for skill in plan.curriculum.skills:
        console.print(Text(f"Skill {skill.name}: {skill.success}"))
    budget = plan.budget
    console.print(
        f"Budget: {budget.minutes:g} min, {budget.rollouts} hardware rollouts ({plan.pilot_rollouts} judged a pilot), "
        f"{budget.env_steps:,} simulated steps, {budget.rounds} repair rounds; seed {plan.seed}, driver {plan.driver}"
    )
    for text in plan.not_understood:
        console.print(Text(f"Not understood: {text}", style="yellow"))
    for note in notes:
        console.print(Text(f"Note: {note}"))
    console.print(f"Plan {plan.content_hash[:16]}; nothing was spent or written.")
