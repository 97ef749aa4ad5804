"""Ask the driver of a run what it is, in its own process; nothing moves."""

from pathlib import Path

import tools.hardware
from store.records import Envelope, Plan
from tools.hardware.client import DriverProcess
from tools.hardware.driver import Rig
from tools.hardware.envelope import default_envelope, read_envelope
from tools.options import RunOptions

TWINS = Path(tools.hardware.__file__).parent / "twins"


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
        UserError: an unknown driver, a wrong spec or envelope, or a rig for another task.
    """
    with DriverProcess(plan.driver, envelope_path(options, plan.task), driver_spec(options, plan.task)) as driver:
        return driver.describe()


def read_limits(options: RunOptions, task: str) -> Envelope:
    """The operator's safety limits for a task."""
    return read_envelope(envelope_path(options, task))
