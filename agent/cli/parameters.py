"""`regrasp parameters` and `regrasp mechanisms`: what a simulation can vary, and the physics it can be given."""

from typing import Annotated

import typer

from agent.cli.options import HomeOption, JsonOption

TaskOption = Annotated[str, typer.Option("--task", help="Task, or FILE.py:Class for your own.")]
PresetOption = Annotated[
    str | None,
    typer.Option("--preset", help="Show the ranges of a preset: textbook, dactyl, playground, anchored, none."),
]


def parameters(
    task: TaskOption = "finger_push",
    preset: PresetOption = None,
    mechanism: Annotated[
        list[str] | None, typer.Option("--mechanism", help="Add the parameters of a mechanism.")
    ] = None,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """List the parameters of a task with unit, nominal value, bounds and meaning."""
    import json

    from sim.mechanisms import get_mechanism
    from sim.randomize import presets
    from sim.tasks import get_task

    chosen = get_task(task)
    known = dict(chosen.parameters)
    for name in mechanism or []:
        known |= {knob.parameter.name: knob.parameter for knob in get_mechanism(name).knobs(chosen)}
    family = presets.preset(preset, known) if preset else None
    if as_json:
        rows = [parameter.model_dump(mode="json") for parameter in known.values()]
        ranges = [r.model_dump(mode="json") for r in family.ranges] if family else []
        extra = {"preset": preset, "ranges": ranges, "mechanisms": list(family.mechanisms)} if family else {}
        typer.echo(json.dumps({"task": chosen.name, "count": len(rows), "parameters": rows, **extra}, indent=2))
        return
    from agent.cli.table import columns

    head = ("parameter", "unit", "kind", "nominal", "low", "high", "meaning")
    shown: list[tuple[str, ...]] = [head]
    for p in known.values():
        shown.append((p.name, p.unit, p.kind, f"{p.nominal:.4g}", f"{p.low:.4g}", f"{p.high:.4g}", p.meaning))
    typer.echo("\n".join(columns(shown)))
    typer.echo(f"{len(known)} parameters of {chosen.name} ({chosen.robot})")
    if family:
        typer.echo(f"\npreset {preset}: {presets.PRESETS[str(preset)].meaning}")
        varied = [(r.parameter, f"{r.low:.4g}", f"{r.high:.4g}", r.unit, r.note) for r in family.ranges]
        typer.echo("\n".join(columns([("varied", "low", "high", "unit", "note"), *varied])))
        typer.echo(f"mechanisms: {', '.join(family.mechanisms) or 'none'}")


def mechanisms(task: TaskOption = "finger_push", home: HomeOption = None, as_json: JsonOption = False) -> None:
    """List the optional physics: what it is, how it shows in a log, its parameters and its sources."""
    import json
    import textwrap

    from sim.mechanisms import MECHANISMS, get_mechanism
    from sim.tasks import get_task

    chosen = get_task(task)
    listed = [(name, get_mechanism(name)) for name in MECHANISMS]
    if as_json:
        rows = [
            {
                "name": name,
                "explanation": one.explanation,
                "parameters": [knob.parameter.model_dump(mode="json") for knob in one.knobs(chosen)],
            }
            for name, one in listed
        ]
        typer.echo(json.dumps({"task": chosen.name, "mechanisms": rows}, indent=2))
        return
    for name, one in listed:
        typer.echo(typer.style(name, bold=True))
        typer.echo(textwrap.fill(one.explanation, 100, initial_indent="  ", subsequent_indent="  "))
        for p in (knob.parameter for knob in one.knobs(chosen)):
            typer.echo(f"  {p.name}  {p.nominal:.4g} {p.unit}  ({p.low:.4g} to {p.high:.4g})  {p.meaning}")
