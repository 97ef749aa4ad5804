"""What a driver is, what it reports, and how one is found by name."""

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import Any, Literal, Protocol, runtime_checkable

from pydantic import Field

from store.errors import UserError
from store.records import Record

BUILT_IN = {"twin": "tools.hardware.twin:TwinDriver"}
ENTRY_POINTS = "regrasp.drivers"
TWINS = Path(__file__).parent / "twins"


class Observation(Record):
    """Everything a rig measured at the end of one control step."""

    time_s: float = Field(ge=0, description="Time since the reset, s.")
    signals: dict[str, float] = Field(description="Signal name -> value, in the unit that the Rig states.")
    sent: tuple[float, ...] = Field(
        default=(), description="Command that the gate let through to the driver; empty after a reset."
    )


class Rig(Record):
    """What a driver says about the hardware behind it.

    The gate finds what it must watch by signal name: `joint_position.<joint>` (rad; one a joint, in the order of
    `joints`), `joint_speed.<joint>` (rad/s; differences of the positions where a rig does not measure it),
    `tip_force` or `tip_force.<finger>` (N) and `object_position.<axis>` (m).
    """

    name: str = Field(min_length=1)
    kind: Literal["twin", "real", "replay"] = Field(description="'real' moves hardware: only a person may allow it.")
    task: str
    joints: tuple[str, ...] = Field(min_length=1, description="Order of the values of a command.")
    signals: dict[str, str] = Field(min_length=1, description="Signal name -> SI unit.")
    control_period: float = Field(gt=0, description="Seconds between commands.")
    rig: str = Field(min_length=1, description="Rig version: changes when hardware is rebuilt.")
    calibration: str = Field(min_length=1, description="Calibration version.")
    workspace_centre: dict[str, float] = Field(
        default_factory=dict, description="object_position signal -> centre of the workspace, m; 0 where absent."
    )


@runtime_checkable
class Driver(Protocol):
    """Four verbs; a driver paces real time itself (`step` returns when the next command is due)."""

    def describe(self) -> Rig:
        """Say what is there; moves nothing."""
        ...

    def reset(self, start: Mapping[str, float], index: int) -> Observation:
        """Bring the rig to the start of rollout `index`."""
        ...

    def step(self, command: Sequence[float]) -> Observation:
        """Hold joint targets (rad, in the order of the rig's joints) for one control period."""
        ...

    def stop(self) -> None:
        """Bring the rig to its safe state; may be called at any time, and more than once."""
        ...


def driver_names() -> list[str]:
    """Names that `load_driver` knows: built in, then installed entry points."""
    return [*BUILT_IN, *sorted({point.name for point in _installed()} - set(BUILT_IN))]


def load_driver(name: str, spec: Path | None = None) -> Driver:
    """Make a driver in this process, which should be its own (tools.hardware.server), never the planner's.

    Args:
        name: 'twin', an entry point of the group `regrasp.drivers`, or `module:Class`.
        spec: file that the driver's class is called with, where one is given.

    Raises:
        UserError: no such driver, or it is none.
    """
    maker = find_driver(name)
    driver = maker() if spec is None else maker(spec)
    if not isinstance(driver, Driver):
        lacking = [verb for verb in ("describe", "reset", "step", "stop") if not callable(getattr(driver, verb, None))]
        raise UserError(f"'{name}' makes a {type(driver).__name__}, which lacks {', '.join(lacking)}", where="driver")
    return driver


def default_spec(task: str) -> Path:
    """The twin spec that ships for a task; a task without one is a UserError."""
    path = TWINS / f"{task}.toml"
    if not path.is_file():
        valid = sorted(p.stem for p in TWINS.glob("*.toml"))
        what = f"no twin ships for task '{task}'"
        raise UserError(what, where="driver twin", valid=valid, hint="give --twin-spec FILE")
    return path


def find_driver(name: str) -> Callable[..., Any]:
    """The class (or function) that makes a driver; unknown names are a UserError that lists the known ones."""
    if name in BUILT_IN:
        return _attribute(BUILT_IN[name], name)
    for point in _installed():
        if point.name == name:
            return _attribute(point.value, name)
    if name.count(":") == 1 and all(name.split(":")):
        return _attribute(name, name)
    raise _unknown(f"unknown driver '{name}'")


def _installed() -> list[EntryPoint]:
    return list(entry_points(group=ENTRY_POINTS))


def _attribute(target: str, name: str) -> Callable[..., Any]:
    module_name, _, path = target.partition(":")
    try:
        found: Any = import_module(module_name)
        for part in path.split("."):
            found = getattr(found, part)
    except Exception as problem:  # whatever its module does when it is imported; this line tells it
        hint = "install its package, or name its folder in PYTHONPATH" if isinstance(problem, ImportError) else ""
        what = f"driver '{name}' cannot be loaded: {type(problem).__name__}: {problem}"
        raise _unknown(what, hint) from problem
    if not callable(found):
        raise _unknown(f"driver '{name}' is a {type(found).__name__}, not a class")
    return found


def _unknown(what: str, hint: str = "") -> UserError:
    return UserError(what, where="driver", valid=[*driver_names(), "module:Class"], hint=hint)
