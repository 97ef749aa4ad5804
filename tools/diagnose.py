"""Replay the real commands through every hypothesis and see which one tells the truth."""

from store.hashing import effect_key
from store.ledger import Row
from store.records import Diagnosis, Pilot, Plan
from tools.arguments import NoArguments
from tools.audit import traces
from tools.context import Context
from tools.family import family_of
from tools.rows import entry
from tools.seeds import diagnosis_seed
from tools.work import do_job


def diagnose(context: Context, arguments: NoArguments) -> Row:
    """Decide whether a range or the model is wrong, from counterfactual replay of the pilot's commands."""
    _, plan = entry(context, "plan", Plan)
    pilot_row, pilot = entry(context, "pilot", Pilot, context.round)
    key = effect_key("diagnose", {"round": context.round}, [pilot_row.id])
    stored = context.ledger.find(key)
    if stored is not None:
        return stored
    spec = {
        "kind": "diagnose",
        "task": plan.task,
        "goal": plan.goal,
        "family": family_of(context, context.round).model_dump(mode="json"),
        "rollouts": traces(context, pilot, "rollout")[: context.settings.diagnose_rollouts],
        "control": traces(context, pilot, "control"),
        "round": context.round,
        "seed": diagnosis_seed(context.seed, context.round),
    }
    result = do_job(context, "diagnose", spec, limit_s=context.settings.job_timeout_s)
    record = Diagnosis.model_validate(result["diagnosis"])
    meta = {"seconds": result["seconds"]}
    return context.ledger.append("diagnosis", record, run_id=context.run_id, key=key, meta=meta)
