"""Sizes of a run: one settings object, read from one TOML file, frozen with the run."""

import tomllib
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from sim.train.config import PPOConfig
from store.errors import UserError


class Settings(BaseModel):
    """How much of everything a run does; the defaults fit the demo on two cores."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    train_iterations: int | None = Field(
        default=None, gt=0, description="PPO iterations of the first training; the task's tuned number by default."
    )
    finetune_iterations: int = Field(default=60, gt=0, description="PPO iterations after a repair.")
    panel_episodes: int = Field(default=400, gt=0, le=8192, description="Simulated episodes of an evaluation.")
    pilot_rollouts: int = Field(default=50, gt=0, le=4096, description="Judged hardware rollouts of a pilot.")
    control_rollouts: int = Field(default=5, ge=3, le=100, description="Identical hardware rollouts: the noise floor.")
    diagnose_rollouts: int = Field(default=18, ge=4, description="Hardware rollouts that a diagnosis replays.")
    train_timeout_s: float = Field(default=3600, gt=0, description="Hard limit of a training job, s.")
    job_timeout_s: float = Field(default=900, gt=0, description="Hard limit of every other job, s.")

    def first_iterations(self, training: PPOConfig) -> int:
        """PPO iterations of the first training of a task that is tuned so."""
        return self.train_iterations or training.iterations


def load_settings(path: Path | None) -> Settings:
    """Settings from a TOML file; the defaults without one.

    Raises:
        UserError: the file is missing, is not TOML, has an unknown key or a value out of bounds.
    """
    if path is None:
        return Settings()
    try:
        values = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise UserError("there is no such file", where=f"--config {path}") from None
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise UserError(f"cannot be read as TOML: {error}", where=f"--config {path}") from None
    try:
        return Settings.model_validate(values)
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(str(part) for part in first["loc"])
        unknown = first["type"] == "extra_forbidden"
        what = f"unknown key '{field}'" if unknown else f"{field}: {first['msg']}"
        valid = Settings.model_fields if unknown else bounds(Settings, field)
        raise UserError(what, where=str(path), valid=valid) from None


def bounds(model: type[BaseModel], field: str) -> str:
    """The bounds of a number, in words: 'at least 0, at most 60'."""
    known = model.model_fields.get(field)
    words = {"ge": "at least", "gt": "more than", "le": "at most", "lt": "less than"}
    limits = [(sign, getattr(limit, sign, None)) for limit in (known.metadata if known else ()) for sign in words]
    return ", ".join(f"{words[sign]} {value:g}" for sign, value in limits if value is not None)
