"""`regrasp doctor`: what this machine has, and the command that mends what it lacks."""

import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal

import typer

from agent.cli.opengl import find_opengl
from agent.cli.options import HomeOption, JsonOption

Status = Literal["ok", "warn", "fail"]

LEAST_PYTHON = (3, 11)
LOW_DISK_GB, LEAST_DISK_GB = 2.0, 0.2
KEYS = {"anthropic": "ANTHROPIC_API_KEY", "openai": "OPENAI_API_KEY"}
GL_PACKAGES = "sudo apt-get install -y libegl1 libgl1 libosmesa6"


@dataclass(frozen=True)
class Check:
    """One finding."""

    name: str
    status: Status
    found: str
    mend: str = ""
    """The command that mends it; empty when there is nothing to mend."""


def doctor(
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """Check Python, torch, MuJoCo, OpenGL, disk, home, ledger and model keys; say what mends each."""
    import json

    from store.home import Home

    checks = examine(Home.find(home).path)
    worst = next((status for status in ("fail", "warn") if any(c.status == status for c in checks)), "ok")
    if as_json:
        typer.echo(json.dumps({"status": worst, "checks": [asdict(check) for check in checks]}, indent=2))
    else:
        for line in lines(checks):
            typer.echo(line)
    raise typer.Exit(2 if worst == "fail" else 0)


def lines(checks: Iterable[Check]) -> list[str]:
    """The findings as text: status, name, what was found, and what mends it on a line of its own."""
    colours = {"ok": typer.colors.GREEN, "warn": typer.colors.YELLOW, "fail": typer.colors.RED}
    found: list[str] = []
    for check in checks:
        found.append(f"{typer.style(f'{check.status:<4}', fg=colours[check.status])}  {check.name:<14}  {check.found}")
        if check.mend:
            found.append(f"{'':<22}{check.mend}")
    return found


def examine(home: Path) -> list[Check]:
    """All checks, in the order in which a person would mend them."""
    steps: tuple[Callable[[], Check], ...] = (
        check_python,
        check_torch,
        check_mujoco,
        check_opengl,
        check_sysid,
        lambda: check_disk(home),
        lambda: check_writable(home),
        lambda: check_lock(home),
        lambda: check_ledger(home),
        *((lambda p=provider, v=variable: check_key(p, v)) for provider, variable in KEYS.items()),
    )
    return [step() for step in steps]


def check_python(version: tuple[int, int, int] = sys.version_info[:3]) -> Check:
    """Python is new enough."""
    text = ".".join(map(str, version))
    if version[:2] < LEAST_PYTHON:
        return Check("python", "fail", f"{text}, needs 3.11 or newer", "make setup PYTHON=python3.11")
    return Check("python", "ok", f"{text} at {sys.prefix}")


def check_torch() -> Check:
    """Torch imports, and whether its build can use a GPU."""
    try:
        import torch
    except (ImportError, OSError) as error:
        return Check("torch", "fail", f"does not import: {_first(error)}", _pip("torch"))
    cuda = torch.version.cuda
    if cuda is None:
        return Check("torch", "ok", f"{torch.__version__}, CPU build")
    if not torch.cuda.is_available():
        return Check("torch", "warn", f"{torch.__version__}, CUDA {cuda} build, but no GPU answers", "nvidia-smi")
    return Check("torch", "ok", f"{torch.__version__}, CUDA {cuda}, {torch.cuda.get_device_name(0)}")


def check_mujoco() -> Check:
    """MuJoCo imports and has the batched simulator that training stands on."""
    try:
        import mujoco
        import mujoco.batch
    except Exception as error:  # a MUJOCO_GL without its library raises what PyOpenGL raises; this line tells it
        return Check("mujoco", "fail", f"does not import: {_first(error)}", _mujoco_mend())
    if not hasattr(mujoco.batch, "Batch"):
        return Check("mujoco", "fail", f"{mujoco.__version__} has no mujoco.batch.Batch", _pip("'mujoco[sysid]'"))
    return Check("mujoco", "ok", f"{mujoco.__version__}, with mujoco.batch")


def check_opengl() -> Check:
    """A 64 pixel picture renders."""
    backend, reasons = find_opengl()
    if backend is None:
        mend = f"unset MUJOCO_GL; {GL_PACKAGES}" if os.environ.get("MUJOCO_GL") else GL_PACKAGES
        return Check("opengl", "warn", "no pictures: " + "; ".join(reasons), mend)
    return Check("opengl", "ok", "; ".join([f"{backend} renders", *reasons]))


def check_sysid() -> Check:
    """`mujoco.sysid` holds something; without its extras the module imports and is empty."""
    try:
        from mujoco import sysid
    except Exception as error:  # for the same reason as in check_mujoco
        return Check("sysid", "fail", f"does not import: {_first(error)}", _mujoco_mend())
    if not hasattr(sysid, "optimize"):
        return Check("sysid", "fail", "mujoco.sysid is empty: its extras are missing", _pip("'mujoco[sysid]'"))
    return Check("sysid", "ok", "mujoco.sysid with its extras")


def check_disk(home: Path) -> Check:
    """Room for traces and policies."""
    where = _existing(home)
    free = shutil.disk_usage(where).free / 1e9
    status: Status = "ok" if free >= LOW_DISK_GB else "warn" if free >= LEAST_DISK_GB else "fail"
    mend = "" if status == "ok" else f"regrasp run --home /a/larger/disk  (or delete old runs under {home}/runs)"
    return Check("disk", status, f"{free:.1f} GB free at {where}", mend)


def check_writable(home: Path) -> Check:
    """The home, or the folder in which it will be made, takes a new file."""
    where = _existing(home)
    if not where.is_dir():
        return Check("home", "fail", f"{where} is not a folder", "export REGRASP_HOME=/another/folder")
    try:
        with tempfile.TemporaryFile(dir=where):
            found = f"{home} is writable" if where == home else f"{home} will be made; {where} is writable"
            return Check("home", "ok", found)
    except OSError as error:
        return Check("home", "fail", f"{where}: {error.strerror}", f"chmod u+rwx {where}  (or export REGRASP_HOME=...)")


def check_lock(home: Path) -> Check:
    """No planner is at work in this home."""
    import fcntl

    from store.home import Home

    path = Home(home).lock_file
    if not path.is_file():
        return Check("lock", "ok", "no planner has run here yet")
    try:
        with path.open() as file:
            try:
                fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
            except BlockingIOError:
                found = f"a planner is at work here: {file.read().strip() or 'it does not say which'}"
                return Check("lock", "warn", found, "regrasp stop RUN  (or wait until it is done)")
    except OSError as error:
        return Check("lock", "fail", f"{path}: {error.strerror}", f"chmod u+rw {path}")
    return Check("lock", "ok", "no planner is at work")


def check_ledger(home: Path) -> Check:
    """The ledger opens, its schema is one that this version reads, and every row is as it was written."""
    from store.connection import connect
    from store.errors import LedgerError
    from store.home import Home
    from store.migrate import migrations, version_of
    from store.verification import verify

    path = Home(home).ledger
    if not path.exists():
        return Check("ledger", "ok", "none yet; the first run makes it")
    newest = len(migrations())
    try:
        with connect(path, patience_s=3.0) as con:
            version = version_of(con, path)
            count = con.execute("SELECT count(*) FROM entry").fetchone()
            whole = verify(con) if version == newest else None
    except LedgerError as error:
        return Check("ledger", "fail", f"{path}: {error.what}", error.hint)
    if version > newest:
        found = f"{path}: schema {version} is newer than this regrasp ({newest})"
        return Check("ledger", "fail", found, "git pull && make setup  (or choose another --home)")
    if whole is not None and not whole.ok:
        found = f"{path}: broken at {whole.broken}: {whole.fault}"
        return Check("ledger", "fail", found, "put a copy of the file back  (regrasp ledger verify says more)")
    rows = count[0] if count else 0
    note = "" if version == newest else f", will be brought to {newest} by the next command"
    return Check("ledger", "ok", f"schema {version}{note}, {rows} rows")


def check_key(provider: str, variable: str) -> Check:
    """Whether a model key is set; the key itself is never shown."""
    if os.environ.get(variable, "").strip():
        return Check(f"{provider} key", "ok", f"{variable} is set")
    return Check(
        f"{provider} key", "ok", f"{variable} is not set; the built-in planner needs none", f"export {variable}=..."
    )


def _existing(path: Path) -> Path:
    while not path.exists():
        path = path.parent
    return path


def _mujoco_mend() -> str:
    """`import mujoco` loads the OpenGL library that MUJOCO_GL names, so a wrong name breaks all of MuJoCo."""
    chosen = os.environ.get("MUJOCO_GL")
    return f"unset MUJOCO_GL  (it is {chosen})" if chosen else _pip("'mujoco[sysid]'")


def _first(error: BaseException) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0]


def _pip(requirement: str) -> str:
    return f"{sys.executable} -m pip install -c constraints.txt {requirement}"
