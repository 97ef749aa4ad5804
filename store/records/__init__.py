"""The shared vocabulary: frozen Pydantic records, SI units."""

from store.records.approval import ApprovalRequest, ApprovalStatus, Envelope
from store.records.diagnosis import Diagnosis, Hypothesis, Repair, RepairAction, RepairEffect, VerdictName
from store.records.gap import NOT_OBSERVABLE, Channel, Divergence, GapRow
from store.records.parameter import Distribution, Family, Parameter, Range, Source
from store.records.plan import Budget, Curriculum, Measurement, Panel, Plan, Skill
from store.records.rate import Rate, difference_interval, wilson_interval
from store.records.record import Record
from store.records.run import Evaluation, Pilot, Run, Training

__all__ = [
    "NOT_OBSERVABLE", "ApprovalRequest", "ApprovalStatus", "Budget", "Channel", "Curriculum", "Diagnosis",
    "Distribution", "Divergence", "Envelope", "Evaluation", "Family", "GapRow", "Hypothesis", "Measurement",
    "Panel", "Parameter", "Pilot", "Plan", "Range", "Rate", "Record", "Repair", "RepairAction", "RepairEffect",
    "Run", "Skill", "Source", "Training", "VerdictName", "difference_interval", "wilson_interval",
]  # fmt: skip
