"""`regrasp bench NAME`: the measured claims, each one file under tests/bench/."""

from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Annotated

import typer

from agent.cli.options import HomeOption, JsonOption
from store.errors import UserError

FOLDER = Path(__file__).parents[2] / "tests" / "bench"


def bench(
    name: Annotated[str, typer.Argument(help="Name of the bench; a wrong one lists them.")],
    home: HomeOption = None,
    as_json: JsonOption = False,
    seeds: Annotated[
        int | None, typer.Option("--seeds", min=1, help="Seeds to run; each bench has its own default.")
    ] = None,
) -> None:
    """Measure a claim of the documentation again and print its table."""
    import json
    import tempfile

    module = load(name)
    with tempfile.TemporaryDirectory(prefix="regrasp-bench-") as scratch:
        result = module.run(Path(home) if home else Path(scratch), seeds, lambda line: typer.echo(line, err=True))
    typer.echo(json.dumps(result, indent=2) if as_json else module.table(result))


def load(name: str) -> ModuleType:
    """The bench's module.

    Raises:
        UserError: unknown name, or an installation without the tests folder.
    """
    files = {path.stem.replace("_", "-"): path for path in sorted(FOLDER.glob("[a-z]*.py")) if path.stem != "conftest"}
    if name not in files:
        hint = "" if files else "benches live in the repository: clone it and install with make setup"
        raise UserError(f"unknown bench '{name}'", "bench", sorted(files), hint)
    spec = spec_from_file_location(f"bench_{files[name].stem}", files[name])
    assert spec is not None and spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
