"""Mistakes of the user: one clear line, exit code 2."""

from collections.abc import Iterable
from difflib import get_close_matches


class UserError(Exception):
    """A mistake that the user can mend.

    Args:
        what: what is wrong, in one clause.
        where: the file, field or option that it is wrong in.
        valid: the valid values, as text or as names.
        hint: the command or change that mends it.
    """

    def __init__(self, what: str, where: str = "", valid: str | Iterable[str] = (), hint: str = "") -> None:
        self.what = " ".join(what.split())
        self.where = where
        self.valid = valid if isinstance(valid, str) else ", ".join(valid)
        self.hint = hint
        super().__init__(self.what, where, self.valid, hint)

    def __str__(self) -> str:
        line = f"{self.where}: {self.what}" if self.where else self.what
        if self.valid:
            line += f"; valid: {self.valid}"
        if self.hint:
            line += f"; {self.hint}"
        return line

    def as_dict(self) -> dict[str, str]:
        """The four parts, for {"error": ...} on stdout."""
        return {"what": self.what, "where": self.where, "valid": self.valid, "hint": self.hint}


def nearest(word: str, names: Iterable[str], most: int = 12) -> list[str]:
    """Valid names to offer for a wrong word: all of them where they are few, else the ones that are spelt like it."""
    known = list(names)
    if len(known) <= most:
        return known
    close = get_close_matches(word, known, n=most // 2, cutoff=0.6)
    return [*close, f"... ({len(known)} in all)"] if close else [*known[:most], f"... ({len(known)} in all)"]


class LedgerError(UserError):
    """The ledger cannot be opened, read or written; nothing in it was lost."""


class NotFoundError(UserError, LookupError):
    """There is no row, approval or run of that name."""


class ApprovalError(UserError):
    """An approval does not allow what was asked of it."""
