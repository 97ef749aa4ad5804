"""Decide a round: register one repair with its expected effect, or end the experiment."""

from sim.diagnose.repair import propose
from sim.tasks import get_task
from store.hashing import effect_key
from store.ledger import Row
from store.records import Diagnosis, Plan, Repair
from tools.arguments import DecisionArguments
from tools.context import Context
from tools.family import family_of
from tools.gap import gap_row, register_gap
from tools.rows import entry, find_entry
from tools.spending import spent


def proposal(context: Context) -> Repair | None:
    """The repair that the diagnosis of this round calls for; None where there is nothing to repair."""
    _, plan = entry(context, "plan", Plan)
    _, diagnosis = entry(context, "diagnosis", Diagnosis, context.round)
    parameters = get_task(plan.task, plan.goal).parameters
    return propose(diagnosis, gap_row(context, context.round), family_of(context, context.round), parameters)


def why_no_repair(context: Context) -> str | None:
    """The reason for which no repair can follow this round; None where one can."""
    _, plan = entry(context, "plan", Plan)
    if find_entry(context, "repair", Repair, context.round + 1) is not None:
        return None
    proposed = proposal(context)
    if proposed is None or proposed.action == "stop":
        return "the diagnosis calls for no change that a next round could test"
    if proposed.action == "collect_data":
        return "more data is needed before anything is changed"
    if context.round >= plan.budget.rounds:
        return f"all {plan.budget.rounds} repair rounds are used"
    rollouts = spent(context).rollouts + plan.pilot_rollouts + context.settings.control_rollouts
    if rollouts > plan.budget.rollouts:
        return f"another pilot would need {rollouts} of {plan.budget.rollouts} rollouts"
    return None


def repair(context: Context, arguments: DecisionArguments) -> Row:
    """Register the repair that the diagnosis calls for, with the effect expected of it; the next round runs it."""
    proposed = proposal(context)
    if proposed is None:
        raise ValueError("there is no repair to register; the guard should have refused this call")
    proposed = proposed.with_changes(round=context.round + 1)
    gap = register_gap(context, proposed.text)
    key = effect_key("repair", {"round": proposed.round}, [gap.id])
    meta = {"reason": arguments.reason} if arguments.reason else {}
    return context.ledger.append("repair", proposed, run_id=context.run_id, key=key, meta=meta)


def finish(context: Context, arguments: DecisionArguments) -> Row:
    """End the experiment after this round: write its ledger row with the reason."""
    proposed = proposal(context)
    if proposed is not None and proposed.action == "stop":
        return register_gap(context, proposed.text)
    reason = why_no_repair(context) or "the planner ended the experiment"
    advice = f"; next: {proposed.text}" if proposed is not None else ""
    return register_gap(context, f"Stop: {reason}{advice}")
