"""Wrong words on the command line as one clear line: which word, and what may stand in its place."""

from typing import Any

from typer.exceptions import TyperException

from store.errors import UserError


def usage_error(error: TyperException) -> UserError:
    """What the parser complains about, with the place and the valid words."""
    facts: dict[str, Any] = vars(error)
    context, command = facts.get("ctx"), facts.get("cmd")
    path = context.command_path if context else "regrasp"
    return UserError(
        error.format_message().rstrip("."),
        where=_where(facts) or path,
        valid=_valid(context, command, facts),
        hint=f"see {path} --help",
    )


def is_help(error: TyperException) -> bool:
    """Whether its message is the help page, shown because a command was called without words."""
    return type(error).__name__ == "NoArgsIsHelpError"


def _where(facts: dict[str, Any]) -> str:
    """The option, or the argument in capitals as the help page writes it."""
    if facts.get("option_name"):
        return str(facts["option_name"])
    parameter = facts.get("param")
    if parameter is None:
        return ""
    name = str(parameter.opts[0])
    return name if name.startswith("-") else name.upper()


def _valid(context: Any, command: Any, facts: dict[str, Any]) -> list[str]:
    """The commands of a group, or the options of a command, where one of them was misspelt."""
    if facts.get("option_name") and command is not None:
        shown = [parameter for parameter in command.params if not getattr(parameter, "hidden", False)]
        return [name for parameter in shown for name in parameter.opts if name.startswith("--")]
    listed = getattr(command, "list_commands", None)
    return list(listed(context)) if listed else []
