"""Jobs as real processes: what they leave behind when they end well, badly, or draw pictures."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image
from scripted import scripted_pilot


def run_job(folder: Path, spec: dict[str, Any]) -> subprocess.CompletedProcess[str]:
    folder.mkdir(exist_ok=True)
    (folder / "spec.json").write_text(json.dumps(spec))
    return subprocess.run(
        [sys.executable, "-P", "-m", "sim.job", str(folder)], capture_output=True, text=True, timeout=120
    )


def test_an_audit_job_leaves_result_progress_and_heartbeat(tmp_path: Path) -> None:
    rollouts, control = scripted_pilot(tmp_path, {"delay": 0.08}, rollouts=4, repeats=3)
    spec = {
        "kind": "audit",
        "task": "finger_push",
        "goal": {},
        "family": {"ranges": []},
        "rollouts": [str(path) for path in rollouts],
        "control": [str(path) for path in control],
    }
    done = run_job(tmp_path / "job", spec)
    assert done.returncode == 0, done.stderr
    result = json.loads((tmp_path / "job/result.json").read_text())
    assert result["divergences"][0]["channel"] == "pose" and result["seconds"] > 0
    lines = [json.loads(line) for line in (tmp_path / "job/progress.jsonl").read_text().splitlines()]
    assert all({"t", "step", "of", "text", "values"} == set(line) for line in lines)
    assert (tmp_path / "job/heartbeat").exists() and not (tmp_path / "job/error.json").exists()
    assert len(result["examples"]) == len(result["divergences"])


@pytest.mark.parametrize(
    ("change", "what", "hint"),
    [
        ({"task": "fold"}, "unknown task 'fold'", "regrasp tasks"),
        ({"rollouts": ["/nowhere.parquet"]}, "cannot be read", ""),
        ({"goal": {"distanse": 1}}, "unknown setting", ""),
        ({"family": {"ranges": "none"}}, "ValidationError", "see stderr"),
    ],
)
def test_a_failing_job_says_why(tmp_path: Path, change: dict[str, Any], what: str, hint: str) -> None:
    spec = {"kind": "audit", "task": "finger_push", "goal": {}, "family": {"ranges": []}}
    spec |= {"rollouts": ["/nowhere.parquet"], "control": ["/a", "/b"], **change}
    done = run_job(tmp_path / "job", spec)
    assert done.returncode == 1
    error = json.loads((tmp_path / "job/error.json").read_text())
    assert what in error["what"] and hint in error["hint"], error
    assert not (tmp_path / "job/result.json").exists()


def test_film_strips_show_one_row_a_rollout(tmp_path: Path) -> None:
    rollouts, _ = scripted_pilot(tmp_path, {}, rollouts=2, repeats=1)
    rows = [[name, str(path)] for name, path in zip(("simulation", "hardware"), rollouts, strict=True)]
    done = run_job(tmp_path / "job", {"kind": "film", "task": "finger_push", "goal": {}, "rows": rows})
    if done.returncode != 0 and "EGL" in done.stderr:
        pytest.skip("this machine has no EGL; regrasp doctor names the package")
    assert done.returncode == 0, done.stderr
    picture = np.asarray(Image.open(tmp_path / "job/film.png").convert("RGB"), dtype=float)
    assert picture.shape == (20 + 2 * 150, 92 + 6 * 200, 3)
    top, bottom = picture[20:170, 92:], picture[170:, 92:]
    assert top.std() > 20 and np.abs(top - bottom).mean() > 0.5, "rows are drawn, and differ"
    frames = [top[:, i * 200 : (i + 1) * 200] for i in range(6)]
    assert all(np.abs(a - b).max() > 20 for a, b in zip(frames[:-1], frames[1:], strict=True)), "something moves"
