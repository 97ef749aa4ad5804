"""Options that every command has."""

from pathlib import Path
from typing import Annotated

import typer

HomeOption = Annotated[
    Path | None,
    typer.Option("--home", help="Folder of everything; else $REGRASP_HOME, else ./runs.", show_default=False),
]
JsonOption = Annotated[bool, typer.Option("--json", help="One JSON object on stdout.")]
