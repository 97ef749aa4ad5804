"""What a person asked for, as a plan that can be hashed, shown and approved."""

from typing import Self

from pydantic import Field, model_validator

from store.records.parameter import Family
from store.records.record import Record


class Measurement(Record):
    """A measured quantity with its interval; anchors a Range."""

    quantity: str = Field(description="Parameter name where there is one, e.g. delay, friction, compliance.")
    value: float = Field(description="Estimate.", json_schema_extra={"unit": "`unit`"})
    unit: str = Field(description="SI unit of value, low and high; '1' for a plain number.")
    low: float | None = Field(
        default=None, description="Lower end of its interval.", json_schema_extra={"unit": "`unit`"}
    )
    high: float | None = Field(
        default=None, description="Upper end of its interval.", json_schema_extra={"unit": "`unit`"}
    )
    method: str = Field(description="How it was obtained: 'stated' when a person said so.")
    text: str = Field(default="", description="The words or file it was read from.")

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        if self.low is not None and self.high is not None and not self.low <= self.value <= self.high:
            raise ValueError(f"measurement of {self.quantity}: needs low <= value <= high")
        return self


class Skill(Record):
    """One sub-skill of a curriculum."""

    name: str
    success: str = Field(description="Success criterion over named signals with units.")
    rewards: dict[str, float] = Field(default_factory=dict, description="Reward terms of the task and their weights.")


class Curriculum(Record):
    """Ordered sub-skills."""

    skills: tuple[Skill, ...] = Field(min_length=1)


class Panel(Record):
    """Evaluation instances with seeds that belong to the evaluator; panels never overlap."""

    name: str
    seed: int = Field(ge=0)
    episodes: int = Field(gt=0)


class Budget(Record):
    """What a run may spend; enforced by the guard and the job runner."""

    minutes: float = Field(gt=0, description="Wall time of the whole run, min.")
    rollouts: int = Field(ge=0, description="Hardware rollouts in the whole run.")
    env_steps: int = Field(ge=0, description="Simulated control steps in the whole run.")
    rounds: int = Field(ge=0, description="Repair rounds after the first pilot.")


class Plan(Record):
    """Everything that a run is going to do; its content hash binds approvals."""

    request: str = Field(min_length=1)
    task: str
    robot: str
    driver: str = "twin"
    goal: dict[str, float] = Field(default_factory=dict, description="Task settings read from the request, SI.")
    measurements: tuple[Measurement, ...] = ()
    curriculum: Curriculum
    family: Family
    budget: Budget
    panel: Panel
    pilot_rollouts: int = Field(gt=0, description="Judged hardware rollouts in each pilot.")
    seed: int = Field(ge=0)
    not_understood: tuple[str, ...] = Field(default=(), description="Parts of the request that nothing was made of.")
