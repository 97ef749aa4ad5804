"""`regrasp measure KIND FILE`: a number from a log, its interval, and the range that it anchors."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from agent.cli.options import HomeOption, JsonOption
from store.errors import UserError

if TYPE_CHECKING:
    from sim.trace.log import Log
    from store.records import Measurement, Range

KINDS = ("latency", "step-response", "backlash", "stiffness")
RUN = "measurements"
"""What stands in the ledger where other rows name their run."""
PARAMETERS = {"velocity_limit": "velocity_limit.speed", "backlash": "backlash.gap"}
"""Quantity -> parameter of the mechanism, where they are not called the same."""
Found = tuple[str, "Measurement", dict[str, Any]]
"""Joint, what was measured, and what else was seen."""


def measure(
    kind: Annotated[str, typer.Argument(help=f"One of {', '.join(KINDS)}.", show_default=False)],
    file: Annotated[
        str,
        typer.Argument(help="Trace file; for stiffness a force-displacement CSV or '3 mm at 5 N'.", show_default=False),
    ],
    mapping: Annotated[Path | None, typer.Option("--map", help="Its map (TOML).", show_default=False)] = None,
    joint: Annotated[str | None, typer.Option("--joint", help="One joint; default: every one.")] = None,
    task: Annotated[str, typer.Option("--task", help="Task whose range is anchored.")] = "finger_push",
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """Measure a quantity from a log, and say which range it anchors; the value becomes a row of the ledger."""
    import json

    if kind not in KINDS:
        raise UserError(f"nothing is measured as '{kind}'", "measure", KINDS)
    found = stiffness(file) if kind == "stiffness" else of_joints(kind, Path(file), mapping, joint)
    anchored = [anchor(one, task) for _, one, _ in found]
    ids = keep([one for _, one, _ in found], file, home)
    rows = [
        facts(part, one, extra, window, row)
        for (part, one, extra), window, row in zip(found, anchored, ids, strict=True)
    ]
    if as_json:
        typer.echo(json.dumps(rows[0] if len(rows) == 1 else {"measurements": rows}, indent=2))
        return
    for row in rows:
        where = f"{row['joint']}: " if row["joint"] else ""
        low, high = row["interval"]
        typer.echo(
            f"{where}{row['quantity']} {row['value']:.4g} {row['unit']} [{low:.4g}, {high:.4g}], {row['method']}"
        )
        for name, value in row["also"].items():
            typer.echo(f"    {name}: {value}")
        if row["range"]:
            window = f"{row['range']['low']:.4g} to {row['range']['high']:.4g} {row['unit']}"
            typer.echo(f"    anchors {row['quantity']} {window} (ledger row {row['id']})")


def of_joints(kind: str, file: Path, mapping: Path | None, joint: str | None) -> list[Found]:
    """Measurements of one joint or of all."""
    from sim.measure.servo import joints
    from sim.trace.ingest import load

    logs = load(file, mapping)
    known = joints(logs[0])
    if not known or (joint is not None and joint not in known):
        raise UserError(f"no joint '{joint}'" if joint else "no joint has a command and a position", str(file), known,
                        "signals are called command.<joint> and joint_position.<joint>")  # fmt: skip
    found = []
    for name in [joint] if joint else known:
        found += latency(logs, name, file) if kind == "latency" else servo(kind, logs, name, file)
    return found


def latency(logs: "Sequence[Log]", joint: str, file: Path) -> list[Found]:
    """Command-to-position lag by cross-correlation."""
    import numpy as np

    from sim.trace.align import find_lag

    lags = [find_lag(log.series[f"command.{joint}"], log.series[f"joint_position.{joint}"]) for log in logs]
    known = [lag for lag in lags if lag is not None and lag.correlation > 0.3]
    if not known:
        hint = "record it while the joint is told to move to and fro"
        raise UserError(f"{joint} never moves, so nothing can be told: NOT_IDENTIFIABLE", "measure latency", hint=hint)
    value = float(np.median([lag.seconds for lag in known]))
    low = min(value, *(float(np.quantile([lag.interval[0] for lag in known], 0.25)), value))
    high = max(value, *(float(np.quantile([lag.interval[1] for lag in known], 0.75)), value))
    also = {"correlation": round(float(np.median([lag.correlation for lag in known])), 3), "runs": len(known),
            "holds": "transport delay and lag of the servo together; step-response tells them apart"}  # fmt: skip
    return [
        (joint, record("delay", value, "s", (low, high), "command-to-position lag by cross-correlation", file), also)
    ]


def servo(kind: str, logs: "Sequence[Log]", joint: str, file: Path) -> list[Found]:
    """Transport delay, first-order lag and velocity limit together, or the play."""
    from sim.measure.servo import fit_servo, recordings, thinned

    names = ("delay", "lag", "velocity_limit") if kind == "step-response" else ("delay", "lag", "backlash")
    fit = fit_servo(thinned(recordings(logs, joint)), names)
    units = {"delay": "s", "lag": "s", "velocity_limit": "rad/s", "backlash": "rad"}
    also: dict[str, Any] = {"rms_error_rad": round(fit.error, 5)}
    if fit.steady_error == fit.steady_error:
        also["steady_state_error_rad"] = round(fit.steady_error, 5)
    rows = []
    for name in names if kind == "step-response" else ("backlash",):
        value, interval = getattr(fit.servo, name), fit.intervals[name]
        if value == float("inf"):
            also[name] = "never reached: NOT_IDENTIFIABLE, command faster steps"
            continue
        told = {"told_from_none": fit.shows(name), f"rms_error_without_{name}_rad": round(fit.without[name], 5)}
        method = f"least squares of {', '.join(names)} together"
        rows.append((joint, record(name, value, units[name], interval, method, file), {**also, **told}))
    return rows


def stiffness(source: str) -> list[Found]:
    """Compliance of a surface from a force-displacement table."""
    from sim.measure.stiffness import fit_stiffness
    from sim.measure.table import read_table

    fit = fit_stiffness(read_table(source))
    share = fit.relative_error or 0.0
    interval = fit.compliance * (1 - 2 * share), fit.compliance * (1 + 2 * share)
    also = {"points": fit.points, "relative_error": fit.relative_error, "stiffens": fit.stiffens,
            "spring_N_per_m": round(fit.spring, 3)}  # fmt: skip
    return [("", record("compliance", fit.compliance, "m/N", interval, "straight line through the first touch",
                        Path(source)), also)]  # fmt: skip


def record(
    quantity: str, value: float, unit: str, interval: tuple[float, float], method: str, file: Path
) -> "Measurement":
    """The measurement as the ledger and plans hold it."""
    from store.records import Measurement

    low, high = min(interval[0], value), max(interval[1], value)
    return Measurement(quantity=quantity, value=value, unit=unit, low=low, high=high, method=method, text=file.name)


def anchor(one: "Measurement", task: str) -> "Range | None":
    """The range that it anchors in a task; None where neither the task nor a mechanism has such a parameter."""
    from sim.mechanisms import MECHANISMS, get_mechanism
    from sim.tasks import get_task
    from tools.ranges import anchor_range

    chosen = get_task(task)
    known = dict(chosen.parameters)
    for name in MECHANISMS:
        known |= {knob.parameter.name: knob.parameter for knob in get_mechanism(name).knobs(chosen)}
    parameter = known.get(PARAMETERS.get(one.quantity, one.quantity))
    if parameter is None or parameter.unit != one.unit:
        return None
    return anchor_range(one, parameter)


def keep(found: "Sequence[Measurement]", file: str, home: Path | None) -> list[str]:
    """Write the measurements into the ledger, where they belong to no run; returns the rows' ids."""
    from store.home import Home
    from store.ledger import Ledger

    ledger = Ledger(Home.find(home).create().ledger)
    return [ledger.append("measurement", one, run_id=RUN, meta={"file": file}).id for one in found]


def facts(joint: str, one: "Measurement", also: dict[str, Any], window: "Range | None", row: str) -> dict[str, Any]:
    """The contract's object for one measurement."""
    return {
        "joint": joint,
        "quantity": one.quantity,
        "value": one.value,
        "interval": [one.low, one.high],
        "unit": one.unit,
        "method": one.method,
        "range": {"low": window.low, "high": window.high} if window else None,
        "also": also,
        "id": row,
    }
