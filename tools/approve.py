"""File the approval that a pilot needs; a person decides it, never a planner."""

from store import approvals
from store.hashing import effect_key
from store.ledger import Row
from store.records import ApprovalRequest, Evaluation, Plan, Training
from tools.arguments import NoArguments
from tools.context import Context
from tools.rig import read_limits
from tools.rows import MissingRow, entry


def request_approval(context: Context, arguments: NoArguments) -> Row:
    """Ask a person to allow this round's pilot; the run waits until somebody decides."""
    plan_row, plan = entry(context, "plan", Plan)
    training_row, training = entry(context, "training", Training, context.round)
    _, evaluation = entry(context, "evaluation", Evaluation, context.round)
    envelope = read_limits(context.options, plan.task)
    judged, control = plan.pilot_rollouts, context.settings.control_rollouts
    text = (
        f"Pilot of round {context.round} on driver '{plan.driver}': {judged} judged and {control} identical rollouts "
        f"of {plan.task} with policy {training.policy[:12]}. Simulated success is {evaluation.success}; "
        f"limits: tip force {envelope.tip_force_n:g} N, joint speed {envelope.joint_speed_rad_s:g} rad/s."
    )
    request = ApprovalRequest(
        round=context.round,
        plan_hash=plan.content_hash,
        policy=training.policy,
        driver=plan.driver,
        envelope_hash=envelope.content_hash,
        rollouts=judged + control,
        text=text,
    )
    asked = {"request": request.model_dump(mode="json"), "lapsed": lapsed(context)}
    key = effect_key("request_approval", asked, [plan_row.id, training_row.id])
    approval = approvals.file(context.ledger, context.run_id, request, key)
    return context.ledger.get(approval.id)


def approval_of(context: Context) -> Row:
    """The latest approval that was asked for in this round."""
    rows = context.ledger.rows(run_id=context.run_id, kind="approval")
    filed = [row for row in rows if _round_of(context, row) == context.round]
    if not filed:
        raise MissingRow(f"round {context.round} of {context.run_id} has no approval yet")
    return filed[-1]


def lapsed(context: Context) -> int:
    """How many approvals of this round ran out or were voided; each calls for a new one."""
    rows = context.ledger.rows(run_id=context.run_id, kind="approval")
    filed = [row for row in rows if _round_of(context, row) == context.round]
    return sum(approvals.get(context.ledger, row.id).status == "expired" for row in filed)


def _round_of(context: Context, row: Row) -> int | None:
    record = context.ledger.record(row)
    return record.round if isinstance(record, ApprovalRequest) else None
