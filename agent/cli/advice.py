"""Commands to go on with, as a person can copy them."""

import shlex
from pathlib import Path

from store.home import Home


def command(words: str, home: Path) -> str:
    """A command that finds this home: with --home where neither $REGRASP_HOME nor the default names it."""
    return f"regrasp {words}" + ("" if home == Home.find().path else f" --home {shlex.quote(str(home))}")
