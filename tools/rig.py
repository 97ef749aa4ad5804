"""Ask the driver of a run what it is, in its own process; nothing moves."""

from pathlib import Path

import tools.hardware
from sim.tasks import get_task
from store.errors import UserError
from store.records import Envelope, Plan
from tools.hardware.client import DriverLost, DriverProcess
from tools.hardware.driver import Rig
from tools.hardware.envelope import default_envelope, read_envelope
from tools.hardware.gate import GateStop
from tools.hardware.pilot import check_rig
from tools.options import RunOptions

TWINS = Path(tools.hardware.__file__).parent / "twins"
_MEND = "see that the rig is on and connected, or use --driver twin"


def envelope_path(options: RunOptions, task: str) -> Path:
    """The operator's file of safety limits for a task."""
    return Path(options.envelope) if options.envelope else default_envelope(task)


def driver_spec(options: RunOptions, task: str) -> Path | None:
    """The file that the driver is made from: the given twin spec, the task's own twin, or none for other drivers."""
    if options.twin_spec:
        return Path(options.twin_spec)
    return TWINS / f"{task}.toml" if options.driver == "twin" else None


def describe_rig(options: RunOptions, plan: Plan) -> Rig:
    """What the driver says about its rig.

    Raises:
        UserError: an unknown driver, one that does not answer, a wrong spec or envelope, or a rig for another task.
    """
    try:
        with DriverProcess(plan.driver, envelope_path(options, plan.task), driver_spec(options, plan.task)) as driver:
            rig = driver.describe()
    except (DriverLost, GateStop) as problem:
        raise UserError(f"driver '{plan.driver}' cannot say what it is: {problem}", "driver", hint=_MEND) from problem
    check_rig(rig, get_task(plan.task, plan.goal))
    return rig


def read_limits(options: RunOptions, task: str) -> Envelope:
    """The operator's safety limits for a task."""
    return read_envelope(envelope_path(options, task))
