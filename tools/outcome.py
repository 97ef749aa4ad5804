"""How a run ended: its outcome row and its report."""

from typing import Any

from store.hashing import effect_key
from store.ledger import Row
from store.records import Diagnosis, Repair
from store.records.event import Outcome
from tools.arguments import NoArguments
from tools.context import Context
from tools.gap import first_and_last_gap
from tools.rows import entries
from tools.spending import spent


def report(context: Context, arguments: NoArguments) -> Row:
    """Write how the run ended, and its report."""
    return conclude(context, "done")


def conclude(context: Context, status: str, why: str = "") -> Row:
    """Write the outcome row of a run once, then (re)build its report from the ledger."""
    key = effect_key("outcome", {"status": status}, [context.run_id])
    record = Outcome.model_validate({"status": status, "why": why, **findings(context)})
    row = context.ledger.append("outcome", record, run_id=context.run_id, key=key)
    context.write_report()
    return row


def findings(context: Context) -> dict[str, Any]:
    """Verdict, repairs, gaps before and after, rollouts: what `run --json` says.

    The gap after is unknown while a repair waits for its pilot; without any repair it is the gap before.
    """
    diagnoses = [x for _, x in entries(context, "diagnosis", Diagnosis)]
    repairs = [x for _, x in entries(context, "repair", Repair)]
    gaps = first_and_last_gap(context)
    before, after = gaps if gaps else (None, None)
    if after is not None and repairs and repairs[-1].round > after.round:
        after = None
    return {
        "verdict": diagnoses[0].verdict if diagnoses else None,
        "verdicts": [_named(x) for x in diagnoses],
        "repairs": [_repair(x) for x in repairs],
        "success_gap_before": before.success_gap if before else None,
        "success_gap_after": after.success_gap if after else None,
        "slip_gap_before": before.slip_gap if before else None,
        "slip_gap_after": after.slip_gap if after else None,
        "rollouts": spent(context).rollouts,
    }


def _named(diagnosis: Diagnosis) -> str:
    return diagnosis.verdict if diagnosis.target is None else f"{diagnosis.verdict}({diagnosis.target})"


def _repair(repair: Repair) -> dict[str, Any]:
    return repair.model_dump(mode="json", include={"round", "action", "target", "low", "high", "unit", "text"})
