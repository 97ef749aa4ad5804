"""`regrasp ledger`: list, show, ask, check and export what has been written down."""

import json
import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from store.ledger import Ledger, Row

app = typer.Typer(help="List, show, query, verify and export the gap ledger.", no_args_is_help=True)

HomeOption = Annotated[
    Path | None, typer.Option("--home", envvar="REGRASP_HOME", help="Folder of runs and ledger (default ./runs).")
]
JsonOption = Annotated[bool, typer.Option("--json", help="One JSON object on stdout.")]


@app.command("list")
def list_rows(
    home: HomeOption = None,
    as_json: JsonOption = False,
    run: Annotated[str | None, typer.Option("--run", help="Only this run, e.g. run-0001.")] = None,
    kind: Annotated[str | None, typer.Option("--kind", help="Only rows of this kind, e.g. gap.")] = None,
) -> None:
    """List the rows, oldest first."""
    from store.errors import UserError
    from store.kinds import RECORDS

    if kind is not None and kind not in RECORDS:
        raise UserError(f"no kind of row is called {kind!r}", "--kind", valid=RECORDS)
    rows = _ledger(home).rows(run, kind)
    if as_json:
        columns = ("seq", "id", "run_id", "kind", "key", "created", "hash")
        _print_json({"rows": [{c: row.as_dict()[c] for c in columns} | {"summary": _summary(row)} for row in rows]})
        return
    _print_table(
        ("id", "run", "written (UTC)", "what it says"),
        [(row.id, row.run_id, f"{row.created:%Y-%m-%d %H:%M:%S}", _summary(row)) for row in rows],
        empty="no rows yet",
    )


@app.command()
def show(
    id: Annotated[str, typer.Argument(help="Id of a row, e.g. gap-1.")],
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show one row with everything in it."""
    row = _ledger(home).get(id)
    if as_json:
        _print_json(row.as_dict())
        return
    head = f"{row.id} of {row.run_id}, written {row.created:%Y-%m-%d %H:%M:%S} UTC, hash {row.hash[:12]}"
    fields = [*_flat(row.body), *((f"meta.{name}", value) for name, value in _flat(row.meta))]
    _print_table(("field", "value"), fields, title=head)


@app.command()
def sql(
    query: Annotated[str, typer.Argument(help="One SELECT, WITH, SHOW, DESCRIBE or EXPLAIN statement.")],
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """Ask the ledger in SQL; nothing can be changed. `SHOW TABLES` tells what there is: gap, training, repair ..."""
    table = _ledger(home).sql(query)
    if as_json:
        _print_json({"columns": list(table.columns), "rows": [[_json(v) for v in row] for row in table.rows]})
        return
    _print_table(table.columns, [tuple(_cell(v) for v in row) for row in table.rows], empty="no rows")


@app.command()
def verify(home: HomeOption = None, as_json: JsonOption = False) -> None:
    """Recompute the hash chain and all that is derived from it; names the first broken row."""
    from store.errors import LedgerError

    ledger = _ledger(home)
    found = ledger.verify()
    if not found.ok:
        raise LedgerError(
            f"broken at {found.broken}: {found.fault}",
            str(ledger.path),
            hint="rows before it are as they were written; put a copy of the file back",
        )
    if as_json:
        _print_json({"ok": True, "rows": found.rows, "head": found.head})
    else:
        typer.echo(f"{found.rows} rows, unbroken; the chain ends in {found.head or 'nothing'}")


@app.command()
def export(
    file: Annotated[Path, typer.Argument(help="File to write: .parquet, .csv, .json or .jsonl.")],
    home: HomeOption = None,
    as_json: JsonOption = False,
    table: Annotated[str, typer.Option("--table", help="Table or view; entry is the whole chain.")] = "entry",
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace the file if it exists.")] = False,
) -> None:
    """Write the ledger, or one of its tables, to a file."""
    rows = _ledger(home).export(file, table=table, overwrite=overwrite)
    if as_json:
        _print_json({"file": str(file), "table": table, "rows": rows})
    else:
        typer.echo(f"{rows} rows of {table} in {file}")


@app.command()
def template(as_json: JsonOption = False, home: HomeOption = None) -> None:
    """Print an empty gap row: every field with its unit and meaning (needs no ledger)."""
    from dataclasses import asdict

    from store.template import empty, fields

    found = list(fields())
    if as_json:
        _print_json({"row": empty(), "fields": [asdict(field) for field in found]})
        return
    cells = [(f.name, f.unit, f.type + ("" if f.required else " (optional)"), f.meaning) for f in found]
    _print_table(("field", "SI unit", "type", "meaning"), cells, title="One row of the gap ledger")
    typer.echo("1: a plain number or share. `unit`: as in the field `unit` beside it. The row itself: --json.")


def _ledger(home: Path | None) -> "Ledger":
    from store.home import Home
    from store.ledger import Ledger

    return Ledger(Home.find(home).ledger, create=False)


def _summary(row: "Row") -> str:
    """The one thing to know about a row."""
    body = row.body
    if row.kind == "gap":
        gap = body["sim_success"]["successes"] / body["sim_success"]["trials"]
        gap -= body["real_success"]["successes"] / body["real_success"]["trials"]
        return f"round {body['round']}: success gap {gap:+.2f}  {body['verdict']}".rstrip()
    if row.kind == "approval":
        by = row.meta.get("person") or row.meta.get("claimant")
        return f"{body.get('status', 'pending')}{f' by {by}' if by else ''}"
    if row.kind == "outcome":
        return ": ".join(word for word in (body.get("status"), body.get("why") or body.get("verdict")) if word)
    for name in ("text", "decision", "verdict", "request", "status", "policy", "task", "repair", "model"):
        if body.get(name):
            prefix = f"round {body['round']}: " if body.get("round") is not None else ""
            return f"{prefix}{name if name in ('policy', 'model') else ''} {body[name]}".replace("  ", " ").strip()[
                :160
            ]
    return ""


def _flat(value: Any, name: str = "") -> list[tuple[str, str]]:
    """Dotted names and values of a JSON value."""
    if isinstance(value, dict) and value:
        return [pair for key, inner in value.items() for pair in _flat(inner, f"{name}.{key}" if name else key)]
    if isinstance(value, list) and any(isinstance(inner, dict | list) for inner in value):
        return [pair for i, inner in enumerate(value) for pair in _flat(inner, f"{name}[{i}]")]
    return [(name, value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))] if name else []


def _cell(value: object) -> str:
    return "" if value is None else f"{value:.4g}" if isinstance(value, float) else str(value)


def _json(value: Any) -> Any:
    """A value of SQL for JSON, which has no NaN and no infinity: null stands for them."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {str(key): _json(inner) for key, inner in value.items()}
    return [_json(inner) for inner in value] if isinstance(value, list | tuple) else value


def _print_json(value: dict[str, Any]) -> None:
    typer.echo(json.dumps(value, ensure_ascii=False, allow_nan=False, default=_plain))


def _plain(value: Any) -> Any:
    """JSON for what SQL can answer: numbers stay numbers, times become ISO text."""
    from datetime import date, time
    from decimal import Decimal

    if isinstance(value, Decimal):
        return float(value)
    return value.isoformat() if isinstance(value, date | time) else str(value)


def _print_table(
    columns: tuple[str, ...], rows: list[tuple[str, ...]], *, title: str | None = None, empty: str = ""
) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    if not rows and empty:
        typer.echo(empty)
        return
    table = Table(title=title, title_justify="left", show_edge=False, header_style="bold")
    for column in columns:
        table.add_column(column, overflow="fold")
    for row in rows:
        table.add_row(*(Text(cell) for cell in row))
    Console().print(table)
