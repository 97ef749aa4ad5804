"""Arguments that a planner may pass. Seeds, panels, budgets and limits are in none of them, on purpose."""

from pydantic import BaseModel, ConfigDict, Field


class Arguments(BaseModel):
    """Arguments of a tool; unknown ones are errors."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class NoArguments(Arguments):
    """The tool takes none: everything it needs is in the ledger."""


class DecisionArguments(Arguments):
    """Why the planner decides so."""

    reason: str = Field(default="", max_length=600, description="Why, in one or two sentences; kept with the row.")
