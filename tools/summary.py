"""One line for a finished stage, with its numbers."""

from store.ledger import Ledger, Row
from store.records import ApprovalRequest, Diagnosis, Evaluation, GapRow, Pilot, Plan, Range, Record, Repair, Training
from store.records.event import Note, Outcome
from store.units import spell


def summary(ledger: Ledger, row: Row) -> str:
    """What a row says, in one line."""
    return _words(ledger.record(row))


def _words(record: Record) -> str:
    match record:
        case Plan():
            ranges = ", ".join(range_words(r) for r in record.family.ranges)
            left = f"; not understood: {', '.join(record.not_understood)}" if record.not_understood else ""
            return f"{record.task} on {record.driver}; {ranges}{left}"
        case Training():
            start = "fine-tuned" if record.start_policy else "trained"
            return (
                f"{start} {record.iterations} iterations, {record.env_steps:,} control steps, "
                f"training success {record.final_success:.2f}"
            )
        case Evaluation():
            return f"simulated success {record.success}, slip rate {record.slip_rate}"
        case ApprovalRequest():
            return record.text
        case Pilot():
            stopped = f"; STOPPED by {record.stopped_by}" if record.stopped_by else ""
            return f"{record.source} success {record.success}, slip rate {record.slip_rate}{stopped}"
        case Diagnosis():
            return _diagnosis(record)
        case Repair():
            return f"{record.text}; expected success gap {record.expected_success_gap:+.2f}"
        case GapRow():
            return f"success gap {record.success_gap:+.2f}, slip gap {record.slip_gap:+.2f}. {record.decision}"
        case Note():
            return record.text
        case Outcome():
            return record.status
        case _:
            return type(record).__name__


def _diagnosis(record: Diagnosis) -> str:
    target = f" {record.target}" if record.target else ""
    value = ""
    if record.estimate is not None and record.unit is not None:
        value = f" at {spell((record.estimate,), record.unit)}"
    errors = f"; replay error {record.best_error:.2f} against {record.family_error:.2f} of the family"
    return f"{record.verdict}{target}{value}{errors} (noise floor {record.noise_floor:.2f}), p = {record.p_value:.2g}"


def range_words(range: Range) -> str:
    """A range such as 'delay 8 to 18 ms (measured)'."""
    ends = (range.low,) if range.low == range.high else (range.low, range.high)
    return f"{range.parameter} {spell(ends, range.unit)} ({range.source})"
