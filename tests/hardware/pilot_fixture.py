"""What the process tests share: a small policy, an approved pilot of the twin, and its pieces to tamper with."""

import json
import os
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from sim.control import Controller
from sim.plant import Plant
from sim.tasks import get_task
from sim.train.policy import GROUPS, Policy
from store import approvals
from store.ledger import Ledger
from store.records import ApprovalRequest, Run
from tools.hardware.driver import default_spec
from tools.hardware.envelope import read_envelope
from tools.hardware.pilot import PilotOrder

TASK = get_task("finger_push")
HERE = Path(__file__).parent
# hidden values that stand out in any text
SECRETS = {"delay": "0.0612345", "friction": "0.5654321", "force_noise": "0.0398765"}


def write_envelope(path: Path, **changes: float) -> Path:
    limits: dict[str, float] = {
        "tip_force_n": 60.0,
        "joint_speed_rad_s": 40.0,
        "command_jump_rad": 0.5,
        "workspace_m": 0.5,
        "consecutive_failures": 50,
        "wall_time_s": 300.0,
        "heartbeat_s": 5.0,
    }
    path.write_text("".join(f"{key} = {value}\n" for key, value in (limits | changes).items()))
    return path


def write_spec(path: Path, hidden: str = "", noise: str = "", head: str = "", task: str = "finger_push") -> Path:
    path.write_text(
        f'task = "{task}"\nname = "test-twin"\nrig = "twin-7"\ncalibration = "cal-9"\nseed = 3\n{head}\n'
        f"[hidden]\n{hidden}\n[noise]\n{noise}\n"
    )
    return path


def secret_spec(path: Path) -> Path:
    hidden = f"delay = {SECRETS['delay']}\nfriction = {SECRETS['friction']}"
    return write_spec(path, hidden, f"force_noise = {SECRETS['force_noise']}")


def small_policy(seed: int = 0, drift: float = 0.0) -> Policy:
    """Small random weights: moves gently, differently in every rollout."""
    rng = np.random.default_rng(seed)
    plant = Plant(TASK, 1, 1)
    start = TASK.sample_start(rng, 1)
    readings = plant.reset(start).signals
    controller = Controller(TASK, 1)
    controller.reset(start, readings)
    seen = controller.observe(readings)
    width = sum(seen[group].shape[1] for group in GROUPS)
    weight = rng.normal(0, 0.02, (len(TASK.joints), width)).astype(np.float32)
    bias = np.full(len(TASK.joints), drift, dtype=np.float32)
    return Policy(np.zeros(width, np.float32), np.ones(width, np.float32), (weight,), (bias,))


@dataclass
class Bench:
    """A home with a ledger, an approval and an order that it allows."""

    ledger: Ledger
    order: PilotOrder
    request: ApprovalRequest

    def ask(self, key: str = "ask-2", approve: bool | None = True, person: str = "Ada", **changes: Any) -> PilotOrder:
        """File (and decide) another approval; the order that uses it."""
        request = self.request.with_changes(**changes)
        now = time.time() - 3600 if "expires_minutes" in changes else None
        approval = approvals.file(self.ledger, self.order.run_id, request, key, now)
        if approve is not None:
            approvals.decide(self.ledger, approval.id, approve, person, now=now)
        return replace(self.order, approval=approval.id)


def bench(tmp_path: Path, rollouts: int = 3, control: int = 2, person: str = "Ada", **changes: Any) -> Bench:
    """An approved pilot of the shipped twin; `changes` go into the order before it is approved."""
    home = tmp_path / "home"
    ledger = Ledger(home / "ledger.duckdb")
    run = Run(request="Push", seed=1, driver="twin", planner="builtin", approve="ask", rounds=1)
    run_id = ledger.new_run(run)
    small_policy().save(tmp_path / "policy.npz")
    write_envelope(tmp_path / "envelope.toml")
    order = replace(order_in(tmp_path, ""), rollouts=rollouts, control_rollouts=control, **changes)
    assert order.run_id == run_id
    request = ApprovalRequest(
        round=0,
        plan_hash=order.plan_hash,
        policy=Policy.load(order.policy).hash,
        driver=order.driver,
        envelope_hash=read_envelope(order.envelope).content_hash,
        rollouts=order.rollouts + order.control_rollouts,
        text="The finger moves. It may touch the puck.",
    )
    made = Bench(ledger, order, request)
    made.order = made.ask("ask-1", person=person)
    return made


def counting_spec(tmp_path: Path, **script: Any) -> tuple[Path, Path]:
    """Spec of a CountingRig and the file that it logs its calls in."""
    log, spec = tmp_path / "calls.txt", tmp_path / "counting.json"
    spec.write_text(json.dumps({"log": str(log), **script}))
    return spec, log


def alive(pid: int) -> bool:
    """Whether a process runs (a zombie does not)."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state != "Z"


def child_environment() -> dict[str, str]:
    """Environment in which a child process finds the fakes."""
    return os.environ | {"PYTHONPATH": str(HERE)}


def wait_for(what: Any, seconds: float = 30.0) -> Any:
    """Poll until `what()` is true; its value."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        found = what()
        if found:
            return found
        time.sleep(0.005)
    raise AssertionError("waited in vain")


def order_in(tmp_path: Path, approval: str) -> PilotOrder:
    """The order that `bench(tmp_path)` made, as another process finds it."""
    home = tmp_path / "home"
    return PilotOrder(
        run_id="run-0001",
        round=0,
        approval=approval,
        claimant="run-0001/pilot:1",
        plan_hash="plan-1",
        task=TASK,
        policy=tmp_path / "policy.npz",
        driver="twin",
        spec=default_spec("finger_push"),
        envelope=tmp_path / "envelope.toml",
        seed=11,
        rollouts=3,
        control_rollouts=2,
        home=home,
        folder=home / "runs" / "run-0001" / "pilots" / "round-0",
    )
