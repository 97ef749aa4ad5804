"""The end of a run in words: the gap before and after, the decision, where the row and the report are."""

from rich.console import Console
from rich.table import Table

from agent.cli.advice import command
from agent.session import Ending
from store.home import Home
from store.records import GapRow, Rate
from tools.rows import entries
from tools.spending import spent


def print_ending(console: Console, ending: Ending) -> None:
    """Print how a run ended and what to do next."""
    context = ending.context
    run_id = context.run_id
    rows = [gap for _, gap in entries(context, "gap", GapRow)]
    if rows:
        console.print(gap_table(rows))
        for gap in rows:
            console.print(f"round {gap.round}: {gap.verdict or 'no verdict'}. {gap.decision}", markup=False)
    if ending.why:
        console.print(f"{ending.status}: {ending.why}", markup=False)
    ids = ", ".join(row.id for row, _ in entries(context, "gap", GapRow))
    if ids:
        console.print(f"ledger rows: {ids} (regrasp ledger show {ids.split(', ')[-1]})", markup=False)
    total = spent(context)
    console.print(f"{run_id}: {ending.status}, {total.rollouts} rollouts, {total.seconds:.0f} s of work", markup=False)
    report = Home(context.home).report(run_id)
    if report.exists():
        console.print(f"report: {report}", markup=False)
    for line in advice(ending):
        console.print(line, markup=False)


def advice(ending: Ending) -> list[str]:
    """Commands that go on from here."""
    context, home = ending.context, ending.context.home
    resume = command(f"resume {context.run_id}", home)
    if ending.status == "waiting":
        approve = command(f"approve {ending.approval}", home)
        return [f"{approve}   (or: {command(f'reject {ending.approval} --why TEXT', home)})", resume]
    if ending.status == "budget":
        return [f"{resume} --minutes {2 * context.minutes:g}"]
    if ending.status == "stopped":
        return [resume]
    return []


def gap_table(rows: list[GapRow]) -> Table:
    """Success, slip and their gaps, one column a round."""
    table = Table(title="sim-to-real gap", title_justify="left")
    table.add_column("")
    for gap in rows:
        table.add_column("before repair" if gap.round == 0 else f"after repair {gap.round}")
    table.add_row("success, simulation", *(_rate(gap.sim_success) for gap in rows))
    table.add_row(f"success, {rows[0].source}", *(_rate(gap.real_success) for gap in rows))
    table.add_row("success gap", *(_gap(gap.success_gap, gap.success_gap_interval) for gap in rows))
    table.add_row("slip rate, simulation", *(_rate(gap.sim_slip) for gap in rows))
    table.add_row(f"slip rate, {rows[0].source}", *(_rate(gap.real_slip) for gap in rows))
    table.add_row("slip gap", *(_gap(gap.slip_gap, gap.slip_gap_interval) for gap in rows))
    table.add_row("first divergence", *(str(gap.first_divergence or "none") for gap in rows))
    return table


def _rate(rate: Rate) -> str:
    return f"{rate.value:.2f} ({rate.low:.2f} to {rate.high:.2f})"


def _gap(value: float, interval: tuple[float, float]) -> str:
    return f"{value:+.2f} ({interval[0]:+.2f} to {interval[1]:+.2f})"
