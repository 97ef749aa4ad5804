"""A job in a process of its own: `python -m sim.job DIRECTORY` reads spec.json and leaves result.json or error.json.

It appends progress to progress.jsonl, touches `heartbeat`, and never opens the ledger. A job that was killed is started
again with the same spec and ends with the same result.
"""

import argparse
import json
import os
import sys
import threading
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

from sim.progress import Progress
from store.artifacts import write_json
from store.errors import UserError

BEAT_S = 1.0
Spec = dict[str, Any]


def main(arguments: list[str] | None = None) -> int:
    """Run the job of a directory; returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m sim.job", description=__doc__)
    parser.add_argument("directory", type=Path)
    directory: Path = parser.parse_args(arguments).directory
    spec = json.loads((directory / "spec.json").read_text())
    beat = threading.Thread(target=_beat, args=(directory / "heartbeat",), daemon=True)
    beat.start()
    try:
        began = time.monotonic()
        result = KINDS[spec["kind"]](spec, directory, _progress(directory))
        write_json(directory / "result.json", {**result, "seconds": round(time.monotonic() - began, 3)})
    except UserError as error:
        write_json(directory / "error.json", error.as_dict())
        return 1
    except Exception as error:
        write_json(
            directory / "error.json",
            {
                "what": f"{type(error).__name__}: {error}",
                "where": f"{spec['kind']} job",
                "valid": "",
                "hint": "see stderr",
            },
        )
        traceback.print_exc()
        return 1
    return 0


def train_job(spec: Spec, directory: Path, progress: Progress) -> dict[str, Any]:
    """Train or fine-tune; leaves policy.npz and checkpoint.pt."""
    import torch

    from sim.tasks import get_task
    from sim.train.ppo import train
    from store.records import Family

    torch.set_num_threads(1)  # one thread gives the same bits on every machine; the physics uses the other cores
    start = Path(spec["start_policy"]).with_name("checkpoint.pt") if spec.get("start_policy") else None
    trained = train(
        get_task(spec["task"], spec["goal"]),
        Family.model_validate(spec["family"]),
        seed=spec["seed"],
        iterations=spec["iterations"],
        directory=directory,
        start=start,
        report=lambda i, n, values: progress(i, n, "training", values),
    )
    trained.policy.save(directory / "policy.npz")
    return {
        "policy": trained.policy.hash,
        "policy_path": "policy.npz",
        "iterations": spec["iterations"],
        "env_steps": trained.env_steps,
        "final_success": trained.final_success,
        "diverged": trained.diverged,
    }


def evaluate_job(spec: Spec, directory: Path, progress: Progress) -> dict[str, Any]:
    """Judge a policy on a panel."""
    from sim.tasks import get_task
    from sim.train.evaluate import evaluate
    from sim.train.policy import Policy
    from store.records import Family, Panel

    panel = Panel.model_validate(spec["panel"])
    progress(0, 1, f"{panel.episodes} episodes", {})
    judged = evaluate(
        get_task(spec["task"], spec["goal"]), Family.model_validate(spec["family"]), Policy.load(spec["policy"]), panel
    )
    progress(1, 1, f"success {judged.success}", {"success": judged.success.value})
    return {
        "success": judged.success.model_dump(),
        "slip_rate": judged.slip_rate.model_dump(),
        "slip_fraction": judged.slip_fraction,
        "diverged": judged.diverged,
    }


def audit_job(spec: Spec, directory: Path, progress: Progress) -> dict[str, Any]:
    """First divergence of pilot rollouts from their simulated twins."""
    from sim.audit.pilot import audit_pilot
    from sim.tasks import get_task
    from store.records import Family

    task, family = get_task(spec["task"], spec["goal"]), Family.model_validate(spec["family"])
    return audit_pilot(task, family, _paths(spec["rollouts"]), _paths(spec["control"]), directory, progress)


def diagnose_job(spec: Spec, directory: Path, progress: Progress) -> dict[str, Any]:
    """Counterfactual replay of pilot rollouts and the verdict."""
    from sim.diagnose.pilot import diagnose_pilot
    from sim.tasks import get_task
    from store.records import Family

    task, family = get_task(spec["task"], spec["goal"]), Family.model_validate(spec["family"])
    rollouts, control = _paths(spec["rollouts"]), _paths(spec["control"])
    diagnosis = diagnose_pilot(
        task, family, rollouts, control, repair_round=spec["round"], seed=spec["seed"], progress=progress
    )
    return {"diagnosis": diagnosis.model_dump(mode="json")}


def film_job(spec: Spec, directory: Path, progress: Progress) -> dict[str, Any]:
    """Draw rollouts as film strips, one above the other; needs OpenGL."""
    os.environ.setdefault("MUJOCO_GL", "egl")  # before mujoco is imported: it chooses its backend once
    from sim.film import film_strip
    from sim.tasks import get_task
    from sim.trace.rollout import read_rollout

    rows = {name: read_rollout(path) for name, path in spec["rows"]}
    film_strip(get_task(spec["task"], spec["goal"]), rows, directory / "film.png")
    progress(1, 1, f"{len(rows)} film strips", {})
    return {"film": "film.png"}


KINDS: dict[str, Callable[[Spec, Path, Progress], dict[str, Any]]] = {
    "train": train_job,
    "evaluate": evaluate_job,
    "audit": audit_job,
    "diagnose": diagnose_job,
    "film": film_job,
}


def _paths(names: list[str]) -> list[Path]:
    return [Path(name) for name in names]


def _progress(directory: Path) -> Progress:
    file = (directory / "progress.jsonl").open("a", buffering=1)

    def note(step: int, of: int, text: str, values: dict[str, float]) -> None:
        line = {"t": round(time.time(), 3), "step": step, "of": of, "text": text, "values": values}
        file.write(json.dumps(line) + "\n")

    return note


def _beat(path: Path) -> None:
    while True:
        path.touch()
        time.sleep(BEAT_S)


if __name__ == "__main__":
    sys.exit(main())
