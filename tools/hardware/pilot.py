"""Guarded rollouts under one approval: claimed once, recorded as they finish, resumed where they ended."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from sim.tasks.task import Task
from sim.trace.rollout import Rollout, read_rollout, write_rollout
from sim.train.policy import Policy
from store import approvals
from store.artifacts import read_json, write_json
from store.errors import UserError
from store.ledger import Ledger
from store.records import Pilot
from tools.hardware.client import DriverProcess
from tools.hardware.driver import Rig
from tools.hardware.envelope import read_envelope
from tools.hardware.gate import GateStop
from tools.hardware.rollouts import GatedDriver, Recorder, closed_loop, drive, open_loop, sample_start, score, succeeded

FLAG = "flag"
"""First word of the person of an approval that `--approve twin` gave; such an approval moves the shipped twin alone."""
OWN_FAULT = ("tip_force", "joint_speed", "workspace", "command")
"""Limits that the policy itself ran into: the rollout that they ended counts as a failed one."""
Progress = Callable[[int, int, str], None]


@dataclass(frozen=True)
class PilotOrder:
    """Everything that a pilot needs to know."""

    run_id: str
    round: int
    approval: str
    """Id of the approval to claim."""
    claimant: str
    """Run id and effect key: the same after a crash, and nobody else's."""
    plan_hash: str
    task: Task
    policy: Path
    driver: str
    spec: Path | None
    """File that the driver is made from; only its own process opens it."""
    envelope: Path
    seed: int
    """The starts of judged rollouts follow from it."""
    rollouts: int
    control_rollouts: int
    home: Path
    folder: Path
    """Where the traces go, inside the home."""


@dataclass(frozen=True)
class Item:
    """One rollout of a pilot."""

    kind: Literal["rollout", "control"]
    number: int
    index: int
    """Index that the driver is given; no two rollouts of a pilot share one."""

    @property
    def file(self) -> str:
        """Name of its trace."""
        return f"{self.kind}-{self.number:03d}.parquet"


def run_pilot(ledger: Ledger, order: PilotOrder, on_progress: Progress = lambda done, of, text: None) -> Pilot:
    """Claim the approval, run what is left of the pilot, close the approval with what was done.

    A stop by the gate is a result (`stopped_by`). Any other exception leaves the approval claimed, so that the same
    claimant can go on after the last finished rollout.

    Raises:
        ApprovalError: there is no fresh, matching approval; nothing has moved.
        UserError: the rig does not fit the task or the approval; nothing has moved.
        GateStop: the gate stopped it before a single rollout could be judged.
        DriverLost: the driver's process died.
    """
    if _ended(order):
        return _conclude(ledger, order)
    policy = Policy.load(order.policy)
    given_by_flag = approvals.get(ledger, order.approval).person.split(" ")[0] == FLAG
    if given_by_flag and order.driver != "twin":
        raise _needs_person(order.driver)
    envelope_hash = read_envelope(order.envelope).content_hash
    approvals.claim(
        ledger,
        order.approval,
        order.claimant,
        plan_hash=order.plan_hash,
        policy=policy.hash,
        driver=order.driver,
        envelope_hash=envelope_hash,
        rollouts=order.rollouts + order.control_rollouts,
    )
    with DriverProcess(order.driver, order.envelope, order.spec) as driver:
        rig = driver.describe()
        if given_by_flag and rig.kind != "twin":
            raise _needs_person(order.driver)
        if driver.envelope_hash != envelope_hash:
            raise UserError(
                "it changed after the approval was claimed", where=str(order.envelope), hint="approve again"
            )
        check_rig(rig, order.task)
        _same_pilot(order, policy, rig)
        try:
            run_items(driver, order, policy, source(rig), on_progress)
            driver.stop()
        except GateStop as stop:
            write_json(order.folder / "stopped.json", {"by": stop.reason})
    return _conclude(ledger, order)


def source(rig: Rig) -> str:
    """What traces of this rig are: 'real', or 'pseudo_real' for a twin."""
    return "pseudo_real" if rig.kind == "twin" else "real"


def items(rollouts: int, control: int) -> Iterator[Item]:
    """Rollouts in order: the first judged one, its identical repeats, then the other judged ones."""
    yield Item("rollout", 0, 0)
    for number in range(control):
        yield Item("control", number, rollouts + number)
    for number in range(1, rollouts):
        yield Item("rollout", number, number)


def check_rig(rig: Rig, task: Task) -> None:
    """Refuse a rig whose joints, signals, units or control period are not the task's.

    Raises:
        UserError: naming the first difference.
    """
    where = f"rig {rig.name}"
    if rig.task != task.name:
        raise UserError(f"it is set up for task '{rig.task}', not '{task.name}'", where=where)
    if rig.joints != task.joints:
        raise UserError(f"its joints are {', '.join(rig.joints)}", where=where, valid=task.joints)
    if abs(rig.control_period - task.control_period) > 1e-9:
        raise UserError(
            f"its control period is {rig.control_period:g} s", where=where, valid=f"{task.control_period:g} s"
        )
    for signal in task.signals:
        unit = rig.signals.get(signal.name)
        if unit != signal.unit:
            has = "is missing" if unit is None else f"comes in {unit}"
            raise UserError(f"signal {signal.name} {has}", where=where, valid=f"{signal.name} in {signal.unit}")


def run_items(driver: GatedDriver, order: PilotOrder, policy: Policy, source: str, on_progress: Progress) -> None:
    """Run every rollout that has no trace yet; each trace is written as soon as its rollout ends.

    Raises:
        GateStop: after the trace of the rollout that it ended was written.
    """
    todo = list(items(order.rollouts, order.control_rollouts))
    for done, item in enumerate(todo, start=1):
        path = order.folder / item.file
        if path.exists():
            if item.kind == "rollout":
                driver.outcome(read_rollout(path).success)  # a new gate must know of failures in a row
            continue
        rollout = _run_item(driver, order, policy, source, item)
        if item.kind == "rollout":
            rollout = replace(rollout, success=succeeded(order.task, rollout))
        try:
            driver.outcome(rollout.success)
        finally:
            write_rollout(path, rollout, order.task.signals, order.task.joints)
        on_progress(done, len(todo), item.file)


def _run_item(driver: GatedDriver, order: PilotOrder, policy: Policy, source: str, item: Item) -> Rollout:
    task, recorder = order.task, Recorder()
    start = sample_start(task, order.seed, item.number if item.kind == "rollout" else 0)
    cut = order.folder / f"stopped-{item.file}"
    cut.unlink(missing_ok=True)  # left by a crash between a stop and its note
    if item.kind == "rollout":
        steps, next = task.steps, closed_loop(policy, task, start)
    else:
        first = read_rollout(order.folder / Item("rollout", 0, 0).file)
        steps, next = first.steps, open_loop(first.commands)
    try:
        drive(driver, start, item.index, steps, next, recorder)
    except GateStop as stop:
        if len(recorder.seen) > 1:
            rollout = recorder.rollout(order.run_id, source, task, item.index, start)
            mine = item.kind == "rollout" and stop.reason.split(":")[0] in OWN_FAULT
            rollout = replace(rollout, success=False if mine else None)
            write_rollout(cut, rollout, task.signals, task.joints)
        raise
    return recorder.rollout(order.run_id, source, task, item.index, start)


def _conclude(ledger: Ledger, order: PilotOrder) -> Pilot:
    """The result, from the files of the folder alone; closes the approval."""
    facts = read_json(order.folder / "pilot.json")
    if facts["approval"] != order.approval:
        raise UserError(f"it holds the pilot of {facts['approval']}", where=str(order.folder), hint="resume that run")
    judged = [read_rollout(path) for path in sorted(order.folder.glob("rollout-*.parquet"))]
    control = len(list(order.folder.glob("control-*.parquet")))
    cut = [read_rollout(path) for path in order.folder.glob("stopped-*.parquet")]
    stopped = order.folder / "stopped.json"
    stopped_by = str(read_json(stopped)["by"]) if stopped.exists() else None
    if approvals.get(ledger, order.approval).status != "used":
        approvals.use(ledger, order.approval, len(judged) + control + len(cut))
    judged += [rollout for rollout in cut if rollout.success is not None]
    if not judged:
        raise GateStop(f"{stopped_by}; not a single rollout could be judged")
    found = score(judged)
    pilot = Pilot(
        round=order.round,
        policy=facts["policy"],
        driver=order.driver,
        rig=facts["rig"],
        calibration=facts["calibration"],
        source=facts["source"],
        approval=order.approval,
        rollouts=len(judged),
        control_rollouts=control,
        success=found.success,
        slip_rate=found.slip_rate,
        slip_fraction=found.slip_fraction,
        stopped_by=stopped_by,
        artifact=order.folder.relative_to(order.home).as_posix(),
    )
    write_json(order.folder / "result.json", pilot.model_dump(mode="json"))
    return pilot


def _ended(order: PilotOrder) -> bool:
    if (order.folder / "stopped.json").exists():
        return True
    return all((order.folder / item.file).exists() for item in items(order.rollouts, order.control_rollouts))


def _same_pilot(order: PilotOrder, policy: Policy, rig: Rig) -> None:
    """Note what the pilot is at its start; refuse to go on with another policy, rig or approval in the same folder."""
    facts: dict[str, Any] = {
        "approval": order.approval,
        "policy": policy.hash,
        "plan": order.plan_hash,
        "driver": order.driver,
        "rig": rig.rig,
        "calibration": rig.calibration,
        "source": source(rig),
        "seed": order.seed,
        "rollouts": order.rollouts,
        "control_rollouts": order.control_rollouts,
    }
    path = order.folder / "pilot.json"
    before = read_json(path) if path.exists() else None
    if before is None:
        write_json(path, facts)
    elif before != facts:
        changed = ", ".join(f"{key} was {before.get(key)}" for key in facts if before.get(key) != facts[key])
        raise UserError(f"a pilot that began differently cannot go on: {changed}", where=str(order.folder))


def _needs_person(driver: str) -> UserError:
    what = f"a flag cannot allow driver '{driver}'"
    return UserError(what, where="approval", valid="--approve twin moves the shipped twin alone", hint="ask a person")
