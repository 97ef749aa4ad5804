"""Which planner answers: the built-in rules, or any chat model by provider:model."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from langchain_core.language_models import BaseChatModel

from agent.builtin.planner import BuiltinPlanner
from store.errors import UserError

KEYS = {"openai": "OPENAI_API_KEY", "anthropic": "ANTHROPIC_API_KEY"}
"""Provider -> the variable that holds its key."""
BASE_URL = "REGRASP_BASE_URL"
TIMEOUT_S = 120.0
RETRIES = 2
EXAMPLE = "anthropic:claude-sonnet-4-5"


@dataclass(frozen=True)
class PlannerName:
    """A planner's name, checked: the preflight that spends nothing and imports no provider."""

    provider: str
    model: str

    @property
    def builtin(self) -> bool:
        """Whether it is the built-in planner."""
        return self.provider == "builtin"


def check_planner(name: str, environment: Mapping[str, str] = os.environ) -> PlannerName:
    """Check a planner's name and that its key is there.

    Raises:
        UserError: an unknown provider, no model named, or the key variable is not set.
    """
    if name == "builtin":
        return PlannerName("builtin", "")
    provider, _, model = name.partition(":")
    if provider not in KEYS or not model:
        what = f"unknown planner '{name}'" if provider not in KEYS else f"'{name}' names no model"
        valid = ["builtin", *(f"{p}:MODEL" for p in KEYS)]
        raise UserError(what, where="--planner", valid=valid, hint=f"for example --planner {EXAMPLE}")
    if not environment.get(KEYS[provider]) and not environment.get(BASE_URL):
        raise UserError(
            f"the key variable {KEYS[provider]} is not set",
            where=f"--planner {name}",
            hint=f"export {KEYS[provider]}=..., or {BASE_URL}=http://host:port/v1 for a local server, "
            "or use --planner builtin",
        )
    return PlannerName(provider, model)


def planner(name: str, environment: Mapping[str, str] = os.environ) -> BaseChatModel:
    """The chat model of that name, ready to call."""
    checked = check_planner(name, environment)
    if checked.builtin:
        return BuiltinPlanner()
    from langchain.chat_models import init_chat_model

    options: dict[str, Any] = {"timeout": TIMEOUT_S, "max_retries": RETRIES}
    if environment.get(BASE_URL):
        options["base_url"] = environment[BASE_URL]
    options["api_key"] = environment.get(KEYS[checked.provider]) or "none"
    return init_chat_model(checked.model, model_provider=checked.provider, **options)
