"""What a tool is, for the guard and for chat models."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from store.ledger import Row
from tools.arguments import Arguments, NoArguments
from tools.context import Context

BELONGS_TO_EVALUATOR = ("seed", "panel", "budget", "minutes", "rollouts", "episodes", "env_steps", "rounds", "envelope")


@dataclass(frozen=True)
class Tool:
    """One thing that the agent can do."""

    name: str
    run: Callable[[Context, Any], Row]
    arguments: type[Arguments] = NoArguments
    costs: bool = False
    """Whether it spends minutes, rollouts or simulated steps."""
    refused: Callable[[Context], str | None] = lambda _: None
    """Why it is not possible now, or None where it is."""

    @property
    def doc(self) -> str:
        """What it does, in one line."""
        return (self.run.__doc__ or "").strip().splitlines()[0]

    @property
    def schema(self) -> dict[str, Any]:
        """The tool as chat models take it."""
        parameters = self.arguments.model_json_schema()
        parameters.setdefault("properties", {})
        for name in ("title", "description"):
            parameters.pop(name, None)
        return {
            "type": "function",
            "function": {"name": self.name, "description": self.doc, "parameters": parameters},
        }
