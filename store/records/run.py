"""Trainings and evaluations: a job and its result."""

from pydantic import Field

from store.records.plan import Panel
from store.records.rate import Rate
from store.records.record import Record


class Run(Record):
    """One request, as it was given."""

    request: str
    seed: int
    driver: str
    planner: str
    approve: str = Field(description="'ask' or 'twin': who may approve pilots.")
    rounds: int = Field(description="Repair rounds allowed.")


class Training(Record):
    """A finished training job."""

    round: int = Field(ge=0)
    task: str
    family_hash: str
    seed: int
    start_policy: str | None = Field(description="Content hash of the policy it was fine-tuned from.")
    policy: str = Field(description="Content hash of the policy's weights.")
    iterations: int
    env_steps: int = Field(description="Simulated control steps.")
    final_success: float = Field(description="Success of training episodes over the last iterations, [0, 1].")
    artifact: str = Field(description="Job folder, relative to the home.")


class Evaluation(Record):
    """A policy judged on a panel, in simulation."""

    round: int = Field(ge=0)
    policy: str
    family_hash: str
    panel: Panel
    success: Rate
    slip_rate: Rate = Field(description="Episodes with at least one slip event after first firm contact.")
    slip_fraction: float = Field(ge=0, le=1, description="Share of contact time in slip.")
    diverged: int = Field(default=0, ge=0, description="Simulations that became unstable; counted as failures.")
    artifact: str


class Pilot(Record):
    """Guarded hardware rollouts under one approval."""

    round: int = Field(ge=0)
    policy: str
    driver: str
    rig: str = Field(description="Rig version that the driver reports.")
    calibration: str = Field(description="Calibration version that the driver reports.")
    source: str = Field(description="'real', or 'pseudo_real' for a twin.")
    approval: str = Field(description="Id of the approval that it used.")
    rollouts: int = Field(ge=0, description="Judged rollouts done.")
    control_rollouts: int = Field(ge=0, description="Identical repeats done for the noise floor, not judged.")
    success: Rate
    slip_rate: Rate
    slip_fraction: float = Field(ge=0, le=1)
    stopped_by: str | None = Field(default=None, description="Gate limit that ended it early, with the value seen.")
    artifact: str = Field(description="Trace folder, relative to the home.")
