"""What a run has spent, counted from its ledger rows, so that waiting for a person costs nothing."""

from dataclasses import dataclass

from store.records import Pilot, Plan, Training
from tools.context import Context
from tools.rows import entry
from tools.stop import BudgetReached
from tools.tool import Tool


@dataclass(frozen=True)
class Spending:
    """Totals over the rows of a run."""

    seconds: float
    """Working time, s: the sum of `seconds` in the meta of the rows."""
    rollouts: int
    """Hardware rollouts, judged and control."""
    env_steps: int
    """Simulated control steps of trainings."""


def spent(context: Context) -> Spending:
    """Count what the run has spent so far."""
    rows = context.ledger.rows(run_id=context.run_id)
    records = [context.ledger.record(row) for row in rows if row.kind in ("pilot", "training")]
    return Spending(
        seconds=sum(float(row.meta.get("seconds", 0.0)) for row in rows),
        rollouts=sum(x.rollouts + x.control_rollouts for x in records if isinstance(x, Pilot)),
        env_steps=sum(x.env_steps for x in records if isinstance(x, Training)),
    )


def seconds_left(context: Context) -> float:
    """Working time that is left, s.

    Raises:
        BudgetReached: none is left.
    """
    return _seconds_left(context, spent(context))


def check_budget(context: Context, tool: Tool) -> None:
    """Refuse a tool that the rest of the budget cannot pay.

    Raises:
        BudgetReached: naming what is spent.
    """
    if not tool.costs:
        return
    so_far = spent(context)
    _seconds_left(context, so_far)
    budget = entry(context, "plan", Plan)[1].budget
    if tool.name == "train" and so_far.env_steps >= budget.env_steps:
        raise BudgetReached(f"{so_far.env_steps:,} of {budget.env_steps:,} simulated control steps are spent")


def _seconds_left(context: Context, so_far: Spending) -> float:
    left = context.minutes * 60 - so_far.seconds
    if left <= 0:
        raise BudgetReached(f"the {context.minutes:g} minutes of {context.run_id} are spent")
    return left
