"""`regrasp film SOURCE`: an episode as a moving picture or as a strip of frames."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from agent.cli.options import HomeOption, JsonOption
from store.errors import NotFoundError, UserError

if TYPE_CHECKING:
    from sim.tasks.task import Task
    from sim.trace.rollout import Rollout
    from store.home import Home

MOST = 4
"""Episodes in one picture; more are too small to see."""
FORMS = (".gif", ".png")


def film(
    sources: Annotated[
        list[str],
        typer.Argument(
            help="Traces (.parquet), policies (.npz), or a run: what its last audit compared.", show_default=False
        ),
    ],
    out: Annotated[
        Path | None,
        typer.Option("--out", help="FILE.gif moves, FILE.png is a strip; else SOURCE.gif here.", show_default=False),
    ] = None,
    strip: Annotated[bool, typer.Option("--strip", help="A strip of frames instead of a moving picture.")] = False,
    task: Annotated[
        str | None,
        typer.Option("--task", help="Task, or FILE.py:Class; default: what the source says.", show_default=False),
    ] = None,
    seed: Annotated[int, typer.Option("--seed", min=0, help="Start of a policy's episode.")] = 0,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """Film episodes side by side, at the speed at which they happened; needs OpenGL."""
    import json

    from agent.cli.opengl import use_opengl
    from store.artifacts import replace
    from store.home import Home

    path = picture_path(sources[0], out, strip)
    files = [file for source in sources for file in find(source, Home.find(home))]
    if len(files) > MOST:
        raise UserError(f"{len(files)} episodes in one picture", where="SOURCES", valid=f"1 to {MOST}")
    use_opengl()  # before anything imports mujoco
    from sim.film import film_gif, film_strip

    chosen, episodes = read(files, task, seed)
    draw = film_gif if path.suffix == ".gif" else film_strip
    replace(path, lambda draft: draw(chosen, episodes, draft))
    if as_json:
        seconds = round(max(float(one.times[-1]) for one in episodes.values()), 3)
        facts = {"task": chosen.name, "episodes": list(episodes), "seconds": seconds, "bytes": path.stat().st_size}
        typer.echo(json.dumps({"film": str(path), **facts}))
    else:
        typer.echo(str(path))


def picture_path(source: str, out: Path | None, strip: bool) -> Path:
    """Where the picture goes; its suffix says which kind it is."""
    form = ".png" if strip else ".gif"
    path = out or Path(Path(source).stem + form)
    if path.suffix not in FORMS or (strip and path.suffix != form):
        raise UserError(f"no picture is written to '{path.name}'", "--out", form if strip else FORMS)
    return path


def find(source: str, home: "Home") -> list[Path]:
    """The files that a source means: itself, one of the home, or the two rollouts that a run's audit compared."""
    for path in (Path(source), home.path / source):
        if path.is_file():
            return [path]
    if home.run(source).is_dir():
        return compared(source, home)
    hint = f"traces of a run: {home.path}/runs/RUN/pilots/round-0/*.parquet"
    raise UserError("there is no such file or run", source, hint=hint)


def compared(run: str, home: "Home") -> list[Path]:
    """The simulated and the real rollout of the last audit of a run."""
    from store.artifacts import resolve
    from store.ledger import Ledger

    # read as plain data: the record lives beside tools that import mujoco, which would choose its OpenGL too early
    rows = Ledger(home.ledger, create=False).rows(run_id=run, kind="note")
    audits = [row.body["data"] for row in rows if row.body.get("topic") == "audit"]
    if not audits:
        raise NotFoundError("the run has no audit yet; name one of its traces", run, hint=f"regrasp resume {run}")
    return [resolve(audits[-1]["examples"][0][name], home.path) for name in ("sim", "rollout")]


def read(files: list[Path], task: str | None, seed: int) -> "tuple[Task, dict[str, Rollout]]":
    """The task and the episodes by the name that stands above each."""
    from sim.trace.rollout import read_rollout

    found: dict[str, Rollout] = {}
    chosen: Task | None = None
    for file in files:
        if file.suffix == ".npz":
            mine, rollout = play(file, task, seed)
        else:
            rollout = read_rollout(file)
            mine = task_of(rollout.task, {}, task)
        missing = {signal.name for signal in mine.signals} - set(rollout.signals)
        if missing:
            raise UserError(f"this is no episode of {mine.name}: it has no {min(missing)}", str(file))
        if chosen is not None and chosen.name != mine.name:
            raise UserError(f"an episode of {mine.name} beside one of {chosen.name}", str(file), hint="film them apart")
        chosen = chosen or mine
        outcome = {None: "", True: ", success", False: ", failure"}[rollout.success]
        name = f"{rollout.source} {rollout.index}{outcome}"
        found[name if name not in found else f"{name} ({len(found) + 1})"] = rollout
    assert chosen is not None
    return chosen, found


def play(file: Path, task: str | None, seed: int) -> "tuple[Task, Rollout]":
    """An episode of a policy; the training job beside it says of which task."""
    from sim.train.evaluate import episode
    from sim.train.policy import Policy
    from store.artifacts import read_json

    spec = file.with_name("spec.json")
    job = read_json(spec) if spec.is_file() else {}
    if task is None and "task" not in job:
        raise UserError("nothing beside it says what it was trained for", str(file), hint="name it: --task TASK")
    chosen, policy = task_of(job.get("task", ""), job.get("goal", {}), task), Policy.load(file)
    try:
        return chosen, episode(chosen, policy, seed)
    except ValueError as error:
        raise UserError(f"the policy does not fit {chosen.name}: {error}", str(file)) from error


def task_of(name: str, goal: dict[str, float], chosen: str | None) -> "Task":
    """The chosen task, or the one that a file names."""
    from sim.tasks import get_task

    return get_task(chosen or name, {} if chosen else goal)
