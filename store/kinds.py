"""Which record each kind of ledger row holds."""

from collections.abc import Mapping
from typing import Any

from store.records import (
    Diagnosis,
    Evaluation,
    GapRow,
    Measurement,
    Pilot,
    Plan,
    Record,
    Repair,
    RepairEffect,
    Run,
    Training,
)
from store.records.approval import ApprovalRequest
from store.records.event import ApprovalChange, Event, LlmCall, Note, Outcome

RECORDS: dict[str, type[Record]] = {
    "run": Run,
    "plan": Plan,
    "training": Training,
    "evaluation": Evaluation,
    "approval": ApprovalRequest,
    "pilot": Pilot,
    "gap": GapRow,
    "diagnosis": Diagnosis,
    "repair": Repair,
    "measurement": Measurement,
    "repair_effect": RepairEffect,
    "llm_call": LlmCall,
    "note": Note,
    "outcome": Outcome,
}


def record_type(kind: str) -> type[Record]:
    """The record class of a kind.

    Raises:
        ValueError: for a kind that the ledger does not know.
    """
    if kind not in RECORDS:
        raise ValueError(f"no kind of ledger row is called {kind!r}; valid: {', '.join(RECORDS)}")
    return RECORDS[kind]


def body_of(kind: str, record: Record | Mapping[str, Any]) -> dict[str, Any]:
    """The JSON body of a record, checked against its kind.

    Raises:
        ValueError: an unknown kind, a record of another kind, or fields that do not fit.
    """
    expected = record_type(kind)
    if isinstance(record, Mapping):
        record = expected.model_validate(dict(record))
    if not isinstance(record, expected) and not issubclass(expected, Event):
        raise ValueError(f"a row of kind {kind} holds {expected.__name__}, got {type(record).__name__}")
    return record.model_dump(mode="json")


def parse(kind: str, body: dict[str, Any]) -> Record:
    """The record in a row's body."""
    expected = record_type(kind)
    if expected is ApprovalRequest and "approval" in body:
        expected = ApprovalChange
    return expected.model_validate(body)
