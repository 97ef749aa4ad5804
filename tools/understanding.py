"""What was understood of a request: the one thing that every planner hands to `draft_plan`."""

from pydantic import Field

from store.records import Measurement, Record


class Stated(Record):
    """What a person said of a parameter's value; an end that was not said is None."""

    parameter: str
    unit: str = Field(description="SI unit of low and high.")
    low: float | None
    high: float | None
    text: str = Field(description="The words that it was read from.")

    @property
    def fixed(self) -> bool:
        """Whether one value was said: the parameter is held there."""
        return self.low is not None and self.low == self.high


class Reading(Record):
    """Some words and what was made of them."""

    text: str
    meaning: str


class Understanding(Record):
    """A request as read: task, goal, ranges, measurements, budgets, and everything that nothing was made of."""

    request: str
    task: str
    goal: dict[str, float] = Field(default_factory=dict, description="Task settings, SI.")
    stated: tuple[Stated, ...] = ()
    measurements: tuple[Measurement, ...] = ()
    held: tuple[str, ...] = Field(default=(), description="Parameters that must not be varied.")
    varied: tuple[str, ...] = Field(default=(), description="Parameters to vary for which no range was said.")
    others: bool = Field(default=True, description="Whether parameters that were not named may be varied.")
    minutes: float | None = Field(default=None, gt=0, description="Wall time, min.")
    rollouts: int | None = Field(default=None, gt=0, description="Hardware rollouts in the whole run.")
    pilot_rollouts: int | None = Field(default=None, gt=0, description="Judged hardware rollouts in each pilot.")
    rounds: int | None = Field(default=None, ge=0, description="Repair rounds.")
    seed: int | None = Field(default=None, ge=0)
    driver: str | None = None
    readings: tuple[Reading, ...] = Field(default=(), description="What was understood, in the order of the text.")
    not_understood: tuple[str, ...] = Field(default=(), description="Words that nothing was made of, verbatim.")
    notes: tuple[str, ...] = Field(default=(), description="What a person should know about how it was read.")
