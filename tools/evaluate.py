"""Judge the policy of a round in simulation, on a panel that training never saw."""

from store.hashing import effect_key
from store.ledger import Row
from store.records import Evaluation, Plan, Rate, Training
from tools.arguments import NoArguments
from tools.context import Context
from tools.family import family_of
from tools.rows import entry
from tools.seeds import evaluation_panel
from tools.train import policy_path
from tools.work import do_job


def evaluate(context: Context, arguments: NoArguments) -> Row:
    """Measure success and slip of this round's policy on the evaluator's own panel."""
    _, plan = entry(context, "plan", Plan)
    training_row, training = entry(context, "training", Training, context.round)
    family = family_of(context, context.round)
    panel = evaluation_panel(context.seed, context.round, plan.panel.episodes)
    key = effect_key("evaluate", {"panel": panel.model_dump(mode="json")}, [training_row.id])
    stored = context.ledger.find(key)
    if stored is not None:
        return stored
    spec = {
        "kind": "evaluate",
        "task": plan.task,
        "goal": plan.goal,
        "family": family.model_dump(mode="json"),
        "policy": str(policy_path(context, training)),
        "panel": panel.model_dump(mode="json"),
    }
    result = do_job(context, "evaluate", spec, limit_s=context.settings.job_timeout_s)
    record = Evaluation(
        round=context.round,
        policy=training.policy,
        family_hash=family.content_hash,
        panel=panel,
        success=Rate(**result["success"]),
        slip_rate=Rate(**result["slip_rate"]),
        slip_fraction=result["slip_fraction"],
        diverged=result["diverged"],
        artifact=context.relative(context.job_folder("evaluate")),
    )
    meta = {"seconds": result["seconds"]}
    return context.ledger.append("evaluation", record, run_id=context.run_id, key=key, meta=meta)
