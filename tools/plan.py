"""From a request to a Plan: read, anchored, budgeted; the plan tool writes it into the ledger."""

from collections.abc import Mapping
from typing import Any

from sim.tasks import TASKS, Task, get_task
from store.errors import UserError
from store.hashing import effect_key
from store.ledger import Row
from store.records import Budget, Curriculum, Plan, Skill
from tools.arguments import NoArguments
from tools.context import Context
from tools.options import RunOptions
from tools.ranges import family_for
from tools.reading import read_request
from tools.seeds import evaluation_panel
from tools.settings import Settings
from tools.understanding import Understanding

FEWEST_JUDGED = 4
"""A diagnosis needs that many rollouts."""


def plan(context: Context, arguments: NoArguments) -> Row:
    """Read the request and write the plan: task, ranges and their anchors, curriculum, budget."""
    key = effect_key("plan", {}, [context.run_id])
    stored = context.ledger.find(key)
    if stored is not None:
        return stored
    return context.ledger.append("plan", make_plan(context.options), run_id=context.run_id, key=key)


def make_plan(options: RunOptions) -> Plan:
    """The plan of a run with these options; the same options always give the same plan.

    Raises:
        UserError: the request cannot be read, contradicts itself, or asks for more than the options allow.
    """
    return draft_plan(understand(options.request, options.task), options)


def understand(request: str, task: str | None = None) -> Understanding:
    """Read a request against the tasks that there are.

    Raises:
        UserError: see `read_request`.
    """
    tasks: dict[str, Task] = {name: get_task(name) for name in TASKS}
    return read_request(request, tasks, task=task)


def fill_options(understanding: Understanding, given: Mapping[str, Any]) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Command-line options, with what the request says in place of those that were not given.

    Args:
        understanding: the request as read.
        given: minutes, rounds, rollouts (of a pilot), seed, driver, and any others; None where not given.

    Returns:
        The options without the Nones, and a note for each option that beats other words of the request.
    """
    said = {
        "minutes": understanding.minutes,
        "rounds": understanding.rounds,
        "rollouts": understanding.pilot_rollouts,
        "seed": understanding.seed,
        "driver": understanding.driver,
    }
    filled = {name: value for name, value in given.items() if value is not None}
    notes = tuple(
        f"--{name} {filled[name]} overrides '{name} {value}' of the request"
        for name, value in said.items()
        if value is not None and filled.get(name, value) != value
    )
    return {**{name: value for name, value in said.items() if value is not None}, **filled}, notes


def draft_plan(understanding: Understanding, options: RunOptions, task: Task | None = None) -> Plan:
    """A plan from a request as read, by whatever planner read it.

    Args:
        understanding: the request as read.
        options: driver, rounds, minutes, seed and sizes of the run; they beat the words (see `fill_options`).
        task: the task; looked up by name where it is not given.

    Raises:
        UserError: the rollouts that the request allows are too few for the pilots.
    """
    task = task or get_task(understanding.task, understanding.goal)
    settings = options.settings
    pilot_rollouts, rollouts = _rollouts(understanding, options)
    iterations = settings.first_iterations(task.training) + options.rounds * settings.finetune_iterations
    skill = Skill(name=task.name.rsplit("_", 1)[-1], success=task.criterion, rewards=dict(task.rewards))
    return Plan(
        request=understanding.request,
        task=task.name,
        robot=task.robot,
        driver=options.driver,
        goal=understanding.goal,
        measurements=understanding.measurements,
        curriculum=Curriculum(skills=(skill,)),
        family=family_for(understanding, task),
        budget=Budget(
            minutes=options.minutes,
            rollouts=rollouts,
            env_steps=iterations * task.training.steps,
            rounds=options.rounds,
        ),
        panel=evaluation_panel(options.seed, 0, settings.panel_episodes),
        pilot_rollouts=pilot_rollouts,
        seed=options.seed,
        not_understood=understanding.not_understood,
    )


def _rollouts(understanding: Understanding, options: RunOptions) -> tuple[int, int]:
    """Judged rollouts of a pilot, and hardware rollouts of the whole run."""
    settings, pilots = options.settings, options.rounds + 1
    judged, control = settings.pilot_rollouts, settings.control_rollouts
    allowed = understanding.rollouts
    if allowed is None or allowed >= pilots * (judged + control):
        return judged, pilots * (judged + control)
    # a number of rollouts in the request is a hard limit: pilots shrink until all of them fit
    share = allowed // pilots - control
    if share < FEWEST_JUDGED or judged != Settings.model_fields["pilot_rollouts"].default:
        least = pilots * ((FEWEST_JUDGED if share < FEWEST_JUDGED else judged) + control)
        raise UserError(
            f"{allowed} rollouts are too few for {pilots} pilots, each with {control} control rollouts besides its own",
            "request",
            f"{least} rollouts or more",
            "or fewer rounds",
        )
    return share, allowed


def plan_json(plan: Plan, notes: tuple[str, ...] = ()) -> dict[str, Any]:
    """The plan as `regrasp plan --json` prints it (docs/schemas/plan.schema.json)."""
    return {
        "task": plan.task,
        "robot": plan.robot,
        "driver": plan.driver,
        "goal": plan.goal,
        "ranges": {
            r.parameter: {
                "low": r.low,
                "high": r.high,
                "unit": r.unit,
                "source": r.source,
                "anchor": r.anchor,
                "note": r.note,
            }
            for r in plan.family.ranges
        },
        "measurements": [
            {"quantity": m.quantity, "value": m.value, "unit": m.unit, "low": m.low, "high": m.high, "text": m.text}
            for m in plan.measurements
        ],
        "skills": [{"name": skill.name, "success": skill.success} for skill in plan.curriculum.skills],
        "budget": {**plan.budget.model_dump(), "pilot_rollouts": plan.pilot_rollouts},
        "seed": plan.seed,
        "hash": plan.content_hash,
        "not_understood": list(plan.not_understood),
        "notes": list(notes),
    }
