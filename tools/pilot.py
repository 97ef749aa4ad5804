"""The pilot of a round: guarded rollouts on the hardware, under the approval that was given for exactly them."""

import time

from sim.tasks import get_task
from store.hashing import effect_key
from store.ledger import Row
from store.records import Plan, Training
from tools.approve import approval_of
from tools.arguments import NoArguments
from tools.context import Context, Progress
from tools.hardware.pilot import PilotOrder, run_pilot
from tools.rig import driver_spec, envelope_path
from tools.rows import entry
from tools.seeds import pilot_panel
from tools.train import policy_path


def pilot(context: Context, arguments: NoArguments) -> Row:
    """Run this round's policy on the hardware, behind the gate, as often as was approved."""
    _, plan = entry(context, "plan", Plan)
    _, training = entry(context, "training", Training, context.round)
    approval = approval_of(context)
    key = effect_key("pilot", {"round": context.round}, [approval.id])
    stored = context.ledger.find(key)
    if stored is not None:
        return stored
    title = f"pilot, round {context.round}"

    def show(done: int, of: int, text: str) -> None:
        context.on_progress(Progress(title, done, of, text))
        context.check()

    order = PilotOrder(
        run_id=context.run_id,
        round=context.round,
        approval=approval.id,
        claimant=f"{context.run_id}/round-{context.round}/{key}",
        plan_hash=plan.content_hash,
        task=get_task(plan.task, plan.goal),
        policy=policy_path(context, training),
        driver=plan.driver,
        spec=driver_spec(context.options, plan.task),
        envelope=envelope_path(context.options, plan.task),
        seed=pilot_panel(context.seed, context.round, plan.pilot_rollouts).seed,
        rollouts=plan.pilot_rollouts,
        control_rollouts=context.settings.control_rollouts,
        home=context.home,
        folder=context.pilot_folder,
    )
    began = time.monotonic()
    context.on_progress(Progress(title, 0, 1, "claiming the approval"))
    try:
        record = run_pilot(context.ledger, order, show)
    finally:
        context.on_progress(Progress(title, 1, 1, done=True))
    meta = {"seconds": time.monotonic() - began}
    return context.ledger.append("pilot", record, run_id=context.run_id, key=key, meta=meta)
