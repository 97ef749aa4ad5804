"""What a person asked for on the command line, frozen with the run so that a resume repeats it."""

from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from store.errors import UserError
from tools.settings import Settings, bounds, load_settings


class RunOptions(BaseModel):
    """Options of one run; they lie in the meta of its ledger row."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    request: str = Field(min_length=1, description="The person's words.")
    task: str | None = Field(default=None, description="Task name; None: read it from the request.")
    driver: str = Field(default="twin", description="Driver name or module:Class.")
    twin_spec: str | None = Field(default=None, description="Absolute path of the twin's TOML spec.")
    envelope: str | None = Field(default=None, description="Absolute path of the safety limits; None: the task's.")
    approve: Literal["ask", "twin"] = Field(default="ask", description="Who may approve a pilot.")
    rounds: int = Field(default=1, ge=0, le=60, description="Repair rounds after the first pilot.")
    minutes: float = Field(default=60, gt=0, description="Working time of the whole run, min.")
    planner: str = Field(default="builtin", description="'builtin' or 'provider:model'.")
    seed: int = Field(default=0, ge=0, le=9_999, description="Every seed of the run derives from it.")
    settings: Settings = Settings()


def read_options(*, rollouts: int | None, config: Path | None, **given: Any) -> RunOptions:
    """Options from the command line.

    Args:
        rollouts: judged rollouts of a pilot, over what the config file says.
        config: TOML file of settings.
        given: the other fields of RunOptions; paths are made absolute.

    Raises:
        UserError: naming the option and the valid values.
    """
    settings = load_settings(config)
    for name in ("twin_spec", "envelope"):
        if given.get(name) is not None:
            given[name] = str(Path(given[name]).expanduser().absolute())
    if not str(given.get("request", "")).strip():
        raise UserError(
            "the request is empty", where="REQUEST", hint='for example "Push the puck 10 cm with one finger."'
        )
    try:
        if rollouts is not None:
            settings = Settings.model_validate({**settings.model_dump(), "pilot_rollouts": rollouts})
        return RunOptions.model_validate({**given, "settings": settings})
    except ValidationError as error:
        first = error.errors()[0]
        name = str(first["loc"][-1])
        option = "--rollouts" if name == "pilot_rollouts" else "--" + name.replace("_", "-")
        valid = "ask, twin" if name == "approve" else bounds(RunOptions, name) or bounds(Settings, name)
        raise UserError(f"{first['input']!r}: {first['msg']}", where=option, valid=valid) from None
