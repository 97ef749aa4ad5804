"""Train the policy of a round on its family."""

from pathlib import Path

from sim.tasks import get_task
from store.artifacts import read_json
from store.hashing import effect_key
from store.ledger import Row
from store.records import Plan, Training
from tools.arguments import NoArguments
from tools.context import Context
from tools.family import family_of
from tools.rows import entry
from tools.seeds import training_seed
from tools.work import do_job


def train(context: Context, arguments: NoArguments) -> Row:
    """Train a policy on this round's family; later rounds go on from the last round's policy."""
    plan_row, plan = entry(context, "plan", Plan)
    family = family_of(context, context.round)
    parents = [plan_row.id]
    previous: Training | None = None
    if context.round > 0:
        previous_row, previous = entry(context, "training", Training, context.round - 1)
        parents.append(previous_row.id)
    key = effect_key("train", {"round": context.round, "family": family.content_hash}, parents)
    stored = context.ledger.find(key)
    if stored is not None:
        return stored
    settings = context.settings
    seed = training_seed(context.seed, context.round)
    training = get_task(plan.task).training
    spec = {
        "kind": "train",
        "task": plan.task,
        "goal": plan.goal,
        "family": family.model_dump(mode="json"),
        "seed": seed,
        "iterations": settings.finetune_iterations if previous else settings.first_iterations(training),
        "start_policy": str(policy_path(context, previous)) if previous else None,
    }
    result = do_job(context, "train", spec, limit_s=settings.train_timeout_s)
    record = Training(
        round=context.round,
        task=plan.task,
        family_hash=family.content_hash,
        seed=seed,
        start_policy=previous.policy if previous else None,
        policy=result["policy"],
        iterations=result["iterations"],
        env_steps=result["env_steps"],
        final_success=result["final_success"],
        artifact=context.relative(context.job_folder("train")),
    )
    meta = {"seconds": result["seconds"]}
    return context.ledger.append("training", record, run_id=context.run_id, key=key, meta=meta)


def policy_path(context: Context, training: Training) -> Path:
    """The policy file that a training left."""
    folder = context.home / training.artifact
    return folder / read_json(folder / "result.json")["policy_path"]
