"""Rows that tell the story of a run: model calls, notes, the outcome. Further fields are welcome."""

from typing import Any

from pydantic import ConfigDict, Field

from store.records.approval import ApprovalStatus
from store.records.record import Record


class Event(Record):
    """A row with open fields: any JSON value may be added to the named ones."""

    model_config = ConfigDict(frozen=True, extra="allow", allow_inf_nan=False)


class LlmCall(Event):
    """One call of a chat model; tokens, cost and seconds belong to the row's meta."""

    model: str = Field(default="", description="provider:model, or builtin.")
    prompt: str = Field(default="", description="Name of the prompt.")
    prompt_version: str = Field(default="", description="Version of the prompt.")


class Note(Event):
    """Something worth remembering that is not a result."""

    text: str = Field(default="", description="One or two sentences.")
    topic: str = Field(default="", description="What it is about, e.g. family, audit.")
    round: int | None = Field(default=None, ge=0, description="Repair round that it belongs to.")
    data: dict[str, Any] = Field(default_factory=dict, description="JSON values, SI units.")


class Outcome(Event):
    """How a run ended."""

    status: str = Field(default="", description="done, rejected or gate.")
    why: str = Field(default="", description="What ended it, where it was not done.")


class ApprovalChange(Record):
    """A change of an approval's status; person, claimant and time are in the row's meta."""

    approval: str = Field(description="Id of the approval.")
    status: ApprovalStatus
    reason: str = Field(default="", description="Why it was voided; empty otherwise.")
    done: int | None = Field(default=None, ge=0, description="Rollouts done under it, once used.")
