"""The ledger row of a round: what simulation promised, what the pilot did, and the decision taken."""

from store.hashing import effect_key
from store.ledger import Row
from store.records import Diagnosis, Evaluation, GapRow, Pilot, Plan, Repair, RepairEffect
from tools.audit import audit_of
from tools.context import Context
from tools.family import family_of
from tools.rows import entries, entry, find_entry


def gap_row(context: Context, round: int, decision: str = "") -> GapRow:
    """Put a round's gap row together from the rows that it rests on."""
    plan = entry(context, "plan", Plan)[1]
    evaluation = entry(context, "evaluation", Evaluation, round)[1]
    pilot = entry(context, "pilot", Pilot, round)[1]
    diagnosis = entry(context, "diagnosis", Diagnosis, round)[1]
    audit = audit_of(context, round)
    verdict = diagnosis.verdict if diagnosis.target is None else f"{diagnosis.verdict}({diagnosis.target})"
    return GapRow(
        round=round,
        task=plan.task,
        policy=pilot.policy,
        source="real" if pilot.source == "real" else "pseudo_real",
        ranges=family_of(context, round).ranges,
        measurements=plan.measurements,
        sim_success=evaluation.success,
        sim_slip=evaluation.slip_rate,
        real_success=pilot.success,
        real_slip=pilot.slip_rate,
        sim_slip_fraction=evaluation.slip_fraction,
        real_slip_fraction=pilot.slip_fraction,
        divergences=audit.divergences,
        not_observable=audit.not_observable,
        verdict=verdict,
        decision=decision,
    )


def register_gap(context: Context, decision: str) -> Row:
    """Write this round's gap row and, after a repair, the effect that the repair had; returns the gap row."""
    pilot_row, _ = entry(context, "pilot", Pilot, context.round)
    diagnosis_row, _ = entry(context, "diagnosis", Diagnosis, context.round)
    key = effect_key("gap", {"round": context.round}, [pilot_row.id, diagnosis_row.id])
    record = gap_row(context, context.round, decision)
    row = context.ledger.append("gap", record, run_id=context.run_id, key=key)
    _register_effect(context, row)
    return row


def _register_effect(context: Context, row: Row) -> None:
    repairs = [(r, x) for r, x in entries(context, "repair", Repair) if x.round == context.round]
    if not repairs:
        return
    repair_row, repair = repairs[-1]
    _, before = entry(context, "gap", GapRow, context.round - 1)
    _, after = entry(context, "gap", GapRow, context.round)
    effect = RepairEffect(
        repair=repair_row.id,
        success_gap_before=before.success_gap,
        success_gap_after=after.success_gap,
        slip_gap_before=before.slip_gap,
        slip_gap_after=after.slip_gap,
        expected_success_gap=repair.expected_success_gap,
        helped=abs(after.success_gap) < abs(before.success_gap),
    )
    key = effect_key("repair_effect", {}, [repair_row.id, row.id])
    context.ledger.append("repair_effect", effect, run_id=context.run_id, key=key)


def first_and_last_gap(context: Context) -> tuple[GapRow, GapRow] | None:
    """Gap rows of the first and of the latest round that has one."""
    rows = [gap for _, gap in entries(context, "gap", GapRow)]
    return (rows[0], rows[-1]) if rows else None


def diagnosis_of(context: Context, round: int) -> Diagnosis | None:
    """The diagnosis of a round, where there is one."""
    found = find_entry(context, "diagnosis", Diagnosis, round)
    return found[1] if found else None
