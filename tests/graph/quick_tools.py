"""Tools that write the rows of a run in no time: made-up trainings and pilots, real approvals, ledger and decisions."""

from collections.abc import Callable, Mapping
from pathlib import Path

from langchain_core.language_models import BaseChatModel
from langgraph.checkpoint.memory import InMemorySaver

from agent.graph import build_graph
from agent.loop import Loop
from store import approvals
from store.approvals import Approval
from store.hashing import effect_key
from store.ledger import Ledger, Row
from store.records import (
    Budget,
    Curriculum,
    Diagnosis,
    Evaluation,
    Family,
    Hypothesis,
    Panel,
    Pilot,
    Plan,
    Range,
    Rate,
    Record,
    Run,
    Skill,
    Training,
)
from tools.approve import approval_of, request_approval
from tools.arguments import DecisionArguments, NoArguments
from tools.audit import Audit
from tools.context import Context
from tools.notes import note
from tools.options import RunOptions
from tools.outcome import report
from tools.randomize import randomize
from tools.repair import finish, repair, why_no_repair
from tools.rig import read_limits
from tools.rows import entry
from tools.settings import Settings
from tools.tool import Tool

REQUEST = "Push the puck 10 cm with one finger. The servo delay was measured at 11 ms."


def quick_tools(*, pilot_stopped_by: str | None = None, cost_s: float = 1.0) -> Mapping[str, Tool]:
    """The whole table of tools, each done at once."""

    def put(context: Context, kind: str, record: Record, parents: list[str]) -> Row:
        key = effect_key(kind, {"round": context.round}, parents)
        return context.ledger.append(kind, record, run_id=context.run_id, key=key, meta={"seconds": cost_s})

    def plan(context: Context, arguments: NoArguments) -> Row:
        """Plan."""
        return put(context, "plan", plan_record(context.options), [context.run_id])

    def train(context: Context, arguments: NoArguments) -> Row:
        """Train."""
        row, _ = entry(context, "plan", Plan)
        record = Training(
            round=context.round, task="finger_push", family_hash="f", seed=context.round, start_policy=None,
            policy=f"policy-{context.round}", iterations=1, env_steps=100, final_success=0.9, artifact="a",
        )  # fmt: skip
        return put(context, "training", record, [row.id])

    def evaluate(context: Context, arguments: NoArguments) -> Row:
        """Evaluate."""
        row, training = entry(context, "training", Training, context.round)
        record = Evaluation(
            round=context.round, policy=training.policy, family_hash="f", panel=Panel(name="p", seed=1, episodes=100),
            success=rate(90), slip_rate=rate(5), slip_fraction=0.01, artifact="a",
        )  # fmt: skip
        return put(context, "evaluation", record, [row.id])

    def pilot(context: Context, arguments: NoArguments) -> Row:
        """Pilot."""
        _, plan = entry(context, "plan", Plan)
        _, training = entry(context, "training", Training, context.round)
        approval = approvals.get(context.ledger, approval_of(context).id)
        if (done := context.ledger.find(effect_key("pilot", {"round": context.round}, [approval.id]))) is not None:
            return done
        approvals.claim(
            context.ledger, approval.id, f"{context.run_id}/round-{context.round}", plan_hash=plan.content_hash,
            policy=training.policy, driver=plan.driver, rollouts=approval.request.rollouts,
            envelope_hash=read_limits(context.options, plan.task).content_hash,
        )  # fmt: skip
        approvals.use(context.ledger, approval.id, approval.request.rollouts)
        success = rate(50 if context.round == 0 else 85)
        record = Pilot(
            round=context.round, policy=training.policy, driver="twin", rig="1", calibration="1", source="pseudo_real",
            approval=approval.id, rollouts=4, control_rollouts=2, success=success, slip_rate=rate(20),
            slip_fraction=0.1, stopped_by=pilot_stopped_by, artifact="a",
        )  # fmt: skip
        return put(context, "pilot", record, [approval.id])

    def audit(context: Context, arguments: NoArguments) -> Row:
        """Audit."""
        found = Audit(divergences=(), not_observable=(), thresholds={}, examples=(), artifact="a")
        key = effect_key("audit", {"round": context.round}, [context.run_id])
        return note(context, "audit", "nothing", found.model_dump(mode="json"), key=key)

    def diagnose(context: Context, arguments: NoArguments) -> Row:
        """Diagnose."""
        row, _ = entry(context, "pilot", Pilot, context.round)
        first = context.round == 0
        record = Diagnosis(
            round=context.round, verdict="RECENTRE" if first else "NO_GAP", target="delay" if first else None,
            estimate=0.04 if first else None, interval=(0.035, 0.045) if first else None, unit="s", noise_floor=1.0,
            family_error=3.0, best_error=1.1, p_value=0.01,
            hypotheses=(Hypothesis(name="delay", value=0.04, unit="s", error=1.1),), evidence=("seen",), next="move it",
        )  # fmt: skip
        return put(context, "diagnosis", record, [row.id])

    tools = (
        Tool("plan", plan),
        Tool("randomize", randomize),
        Tool("train", train, costs=True),
        Tool("evaluate", evaluate, costs=True),
        Tool("request_approval", request_approval),
        Tool("pilot", pilot, costs=True),
        Tool("audit", audit, costs=True),
        Tool("diagnose", diagnose, costs=True),
        Tool("repair", repair, DecisionArguments, refused=why_no_repair),
        Tool("finish", finish, DecisionArguments),
        Tool("report", report),
    )
    return {tool.name: tool for tool in tools}


def rate(percent: int) -> Rate:
    """A share of 100."""
    return Rate(successes=percent, trials=100)


def plan_record(options: RunOptions) -> Plan:
    """A plan that varies the delay."""
    return Plan(
        request=options.request, task="finger_push", robot="finger", driver=options.driver,
        curriculum=Curriculum(skills=(Skill(name="push", success="there"),)),
        family=Family(ranges=(Range(parameter="delay", unit="s", low=0.008, high=0.018, source="measured"),)),
        budget=Budget(minutes=options.minutes, rollouts=100, env_steps=1_000_000, rounds=options.rounds),
        panel=Panel(name="evaluation", seed=1, episodes=100), pilot_rollouts=4, seed=options.seed,
    )  # fmt: skip


def options(**changes: object) -> RunOptions:
    """Options of a small run."""
    settings = Settings(control_rollouts=3, pilot_rollouts=4)
    return RunOptions.model_validate({"request": REQUEST, "approve": "twin", "settings": settings, **changes})


def say_yes(context: Context, approval: Approval) -> None:
    """Approve at once."""
    approvals.decide(context.ledger, approval.id, True, "test")


class Stage:
    """A run in a folder, with quick tools and checkpoints in memory."""

    def __init__(self, home: Path, model: BaseChatModel, *, given: RunOptions | None = None,
                 tools: Mapping[str, Tool] | None = None,
                 decide: Callable[[Context, Approval], None] = say_yes) -> None:  # fmt: skip
        self.home, self.options = home, given or options()
        self.ledger = Ledger(home / "ledger.duckdb")
        o = self.options
        run = Run(
            request=o.request, seed=o.seed, driver=o.driver, planner=o.planner, approve=o.approve, rounds=o.rounds
        )
        self.run_id = self.ledger.new_run(run)
        self.lines: list[str] = []
        self.loop = Loop(build_graph(InMemorySaver()), model, "scripted:model", tools or quick_tools(), decide)

    def context(self, round: int) -> Context:
        """The context of a round."""
        return Context(
            home=self.home, ledger=self.ledger, run_id=self.run_id, round=round, options=self.options,
            minutes=self.options.minutes, on_line=self.lines.append,
        )  # fmt: skip

    def kinds(self) -> list[str]:
        """Kinds of the rows, in order."""
        return [row.kind for row in self.ledger.rows(run_id=self.run_id)]
