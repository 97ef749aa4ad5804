"""`regrasp map`, `regrasp ingest` and `regrasp audit`: trace files of any kind, and where two of them part."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from agent.cli.options import HomeOption, JsonOption
from store.errors import UserError

if TYPE_CHECKING:
    from sim.audit.compare import Comparison

FileArgument = Annotated[Path, typer.Argument(help="CSV, JSON, NPZ, Parquet, or a LeRobot folder.", show_default=False)]
MapOption = Annotated[
    Path | None,
    typer.Option("--map", help="Its map (TOML); a canonical Parquet trace needs none.", show_default=False),
]


def map_file(
    file: FileArgument,
    out: Annotated[Path | None, typer.Option("--out", help="Write the map here.", show_default=False)] = None,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """Draft the map of a trace file: its columns as signals, with "?" for what a person must decide."""
    import json

    from sim.trace.draft import draft_map
    from sim.trace.mapping import OPEN
    from store.artifacts import write_text

    text = draft_map(file)
    if out is not None:
        if out.exists():
            raise UserError("a map is there already", str(out), hint="choose another name, so that no work is lost")
        write_text(out, text)
    still = text.count(f'"{OPEN}"') - 1  # the first line speaks of it
    if as_json:
        typer.echo(json.dumps({"map": str(out) if out else text, "open": still}, indent=2))
    elif out is None:
        typer.echo(text, nl=False)
    else:
        typer.echo(f'{out}: {still} places say "{OPEN}"')


def ingest(
    file: FileArgument,
    mapping: MapOption = None,
    out: Annotated[
        Path | None, typer.Option("--out", help="Parquet trace to write; FILE.trace.parquet here.", show_default=False)
    ] = None,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """Turn a trace file into one canonical Parquet table, in SI units, every doubtful sample flagged."""
    import json

    from sim.trace.ingest import ingest_to
    from sim.trace.mapping import read_mapping

    if mapping is None:
        raise UserError("this needs the map of the file", "--map", hint=f"regrasp map {file.name} --out MAP.toml")
    target = out or Path(f"{file.stem}.trace.parquet")
    if target.suffix != ".parquet":
        raise UserError("a trace is written as Parquet", str(target), valid="a name that ends in .parquet")
    counts = ingest_to(file, read_mapping(mapping), target)
    if as_json:
        typer.echo(json.dumps({"trace": str(target), "signals": counts, "samples": sum(counts.values())}, indent=2))
        return
    typer.echo(f"{target}: {len(counts)} signals, {sum(counts.values()):,} samples")


def audit(
    sim: Annotated[Path, typer.Argument(help="Simulated trace.", show_default=False)],
    real: Annotated[Path, typer.Argument(help="Trace of the hardware, same commands.", show_default=False)],
    mapping: MapOption = None,
    sim_map: Annotated[
        Path | None, typer.Option("--sim-map", help="Map of SIM where it differs from --map.", show_default=False)
    ] = None,
    threshold: Annotated[
        list[str] | None,
        typer.Option("--threshold", help="pose=0.05 or joint_position.elbow=0.05, SI.", show_default=False),
    ] = None,
    repeats: Annotated[
        list[Path] | None,
        typer.Option("--repeats", help="Repeats of identical commands, which tell the noise.", show_default=False),
    ] = None,
    consecutive: Annotated[int, typer.Option("--consecutive", min=1, help="Samples in a row above it.")] = 3,
    out: Annotated[Path | None, typer.Option("--out", help="Draw both traces to this SVG.", show_default=False)] = None,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """Compare a simulated with a real trace: gap of every signal, and where reality first disagrees."""
    import json

    from sim.audit.compare import compare, paired, repeat_thresholds
    from sim.trace.ingest import load

    limits = stated(threshold or [])
    if repeats:
        limits = {**repeat_thresholds([log for path in repeats for log in load(path, mapping)]), **limits}
    sims, reals = load(sim, sim_map or mapping), load(real, mapping)
    found = [compare(a, b, limits, consecutive) for a, b in paired(sims, reals)]
    if out is not None:
        draw(found, out)
    facts = [as_facts(one) for one in found]
    if as_json:
        typer.echo(json.dumps(facts[0] if len(facts) == 1 else {"runs": facts}, indent=2))
        return
    show(found)
    if out is not None:
        typer.echo(f"picture: {out}")


def stated(words: list[str]) -> dict[str, float]:
    """Thresholds as NAME=VALUE.

    Raises:
        UserError: not of that form, or not above zero.
    """
    limits = {}
    for word in words:
        name, _, value = word.partition("=")
        try:
            limits[name] = float(value)
        except ValueError as error:
            raise UserError(
                f"'{word}' is no threshold", "--threshold", valid="CHANNEL=VALUE, such as pose=0.05"
            ) from error
        if not limits[name] > 0:
            raise UserError(f"a threshold of {value} means nothing", "--threshold", valid="a number above 0, SI")
    return limits


def as_facts(one: "Comparison") -> dict[str, Any]:
    """The contract's object for one run."""
    signals = {
        name: {
            "rmse": gap.rmse, "max": gap.largest, "unit": gap.unit, "correlation": gap.correlation,
            "lag_s": gap.lag.seconds if gap.lag else None, "lag_interval": list(gap.lag.interval) if gap.lag else None,
        }
        for name, gap in one.gaps.items()
    }  # fmt: skip
    divergence: dict[str, Any] = {}
    for channel in ("pose", "force", "slip", "timing"):
        parted = one.divergences.get(channel)
        hidden = "NOT_OBSERVABLE" if channel in one.not_observable else None
        divergence[channel] = hidden if parted is None else {
            "signal": parted.signal, "step": parted.step, "time_s": parted.time_s, "threshold": parted.threshold,
            "unit": parted.unit, "ties": list(parted.ties),
        }  # fmt: skip
    first = one.first
    return {
        "run": one.run, "signals": signals, "divergence": divergence, "first": str(first) if first else None,
        "not_observable": dict(one.not_observable),
    }  # fmt: skip


def show(found: "list[Comparison]") -> None:
    """A table a run, and the first divergence of each channel."""
    from agent.cli.table import columns

    for one in found:
        typer.echo(typer.style(one.run, bold=True))
        rows = [("signal", "rmse", "max", "unit", "correlation", "lag")]
        for name, gap in one.gaps.items():
            lag = f"{1e3 * gap.lag.seconds:.1f} ms" if gap.lag else "-"
            same = "-" if gap.correlation is None else f"{gap.correlation:.3f}"
            rows.append((name, f"{gap.rmse:.4g}", f"{gap.largest:.4g}", gap.unit, same, lag))
        typer.echo("\n".join(columns(rows)))
        for parted in one.divergences.values():
            mark = "first " if parted == one.first else ""
            typer.echo(f"{mark}divergence {parted} at {parted.time_s:.3g} s: {parted.signal} off by more than "
                       f"{parted.threshold:.3g} {parted.unit}")  # fmt: skip
        for channel, why in one.not_observable.items():
            typer.echo(f"{channel}: NOT_OBSERVABLE, {why}")
        if not one.divergences:
            typer.echo("no divergence above the thresholds")


def draw(found: "list[Comparison]", out: Path) -> None:
    """Both traces of the first diverging signal of every run, whole and close up, as one SVG."""
    from agent.report.overlay import overlay_figures
    from agent.report.sheet import sheet
    from store.artifacts import write_text

    pictures = []
    for one in found:
        first = one.first
        if first is not None:
            gap = one.gaps[first.signal]
            pair = overlay_figures(first, gap.time.tolist(), gap.sim.tolist(), gap.real.tolist())
            pictures += [(f"{one.run}: simulation solid, hardware dashed", pair[0]), (f"{one.run}", pair[1])]
    if not pictures:
        raise UserError("nothing diverges, so there is nothing to draw", "--out", hint="state a smaller threshold")
    write_text(out, sheet(pictures))
