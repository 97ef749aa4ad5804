"""A person's leave to move hardware, bound to exactly what it was given for."""

from typing import Literal

from pydantic import Field

from store.records.record import Record

ApprovalStatus = Literal["pending", "approved", "rejected", "claimed", "used", "expired"]


class Envelope(Record):
    """Limits that the gate enforces; they come from the operator's file and nothing else widens them."""

    tip_force_n: float = Field(gt=0, description="Largest fingertip force, N.")
    joint_speed_rad_s: float = Field(gt=0, description="Largest joint speed, rad/s.")
    command_jump_rad: float = Field(gt=0, description="Largest change of a joint target between two commands, rad.")
    workspace_m: float = Field(gt=0, description="Largest distance of the object from the workspace centre, m.")
    consecutive_failures: int = Field(gt=0, description="Failed rollouts in a row that end a pilot.")
    wall_time_s: float = Field(gt=0, description="Longest time a pilot may take, s.")
    heartbeat_s: float = Field(gt=0, description="Longest silence of the planner within a rollout, s.")


class ApprovalRequest(Record):
    """What a person is asked to allow; any difference at the time of use voids it."""

    round: int = Field(ge=0)
    plan_hash: str
    policy: str = Field(description="Content hash of the policy.")
    driver: str
    envelope_hash: str
    rollouts: int = Field(gt=0, description="All rollouts that may move: judged and control.")
    text: str = Field(description="What will happen, in two sentences.")
    expires_minutes: float = Field(default=720, gt=0)
