"""What a person asked for on the command line, frozen with the run so that a resume repeats it."""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from tools.settings import Settings


class RunOptions(BaseModel):
    """Options of one run; they lie in the meta of its ledger row."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    request: str = Field(min_length=1, description="The person's words.")
    task: str | None = Field(default=None, description="Task name; None: read it from the request.")
    driver: str = Field(default="twin", description="Driver name or module:Class.")
    twin_spec: str | None = Field(default=None, description="Absolute path of the twin's TOML spec.")
    approve: Literal["ask", "twin"] = Field(default="ask", description="Who may approve a pilot.")
    rounds: int = Field(default=1, ge=0, le=60, description="Repair rounds after the first pilot.")
    minutes: float = Field(default=60, gt=0, description="Working time of the whole run, min.")
    planner: str = Field(default="builtin", description="'builtin' or 'provider:model'.")
    seed: int = Field(default=0, ge=0, le=9_999, description="Every seed of the run derives from it.")
    settings: Settings = Settings()
