"""`regrasp lint-ranges`: each rule fires on the plan that breaks it, and a sound plan is quiet."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from sim.randomize.felt import felt
from sim.tasks import get_task
from store.records import Measurement, Range
from tools.lint import lint

DELAY = Measurement(quantity="delay", value=0.011, unit="s", method="stated")


def ranged(name: str, low: float, high: float, source: Any = "request") -> Range:
    return Range(parameter=name, unit=get_task("finger_push").parameters[name].unit, low=low, high=high, source=source)


CASES = [
    (ranged("delay", 0.008, 0.018, "measured"), set()),
    (ranged("delay", 0.02, 0.03), {("excludes", "error")}),
    (ranged("delay", 0.0, 0.1), {("wide", "warning")}),
    (ranged("friction", 0.5, 1.2), {("anchor", "note")}),
    (ranged("friction", 0.5, 1.2, "repair"), set()),
    (ranged("light.strength", 0.5, 0.9), {("anchor", "note"), ("unfelt", "warning")}),
    (ranged("delay", 0.0101, 0.0109), {("quantum", "warning"), ("unfelt", "warning"), ("excludes", "error")}),
    (ranged("friction", 0.0001, 1.0), {("anchor", "note"), ("bounds", "error")}),
]


@pytest.mark.parametrize(("chosen", "want"), CASES, ids=[str(i) for i in range(len(CASES))])
def test_each_rule_fires_where_it_should(chosen: Range, want: set[tuple[str, str]]) -> None:
    found = {(one.rule, one.severity) for one in lint(get_task("finger_push"), [chosen], [DELAY])}
    assert found == want


def test_a_task_feels_friction_and_not_the_colour_of_its_table() -> None:
    task = get_task("finger_push")
    assert felt(task, "friction", 0.5, 1.2) and felt(task, "delay", 0.004, 0.04)
    assert not felt(task, "light.strength", 0.5, 0.9)


def run(*words: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "agent", *map(str, words)], capture_output=True, text=True, check=False
    )


def test_a_plan_of_the_planner_is_linted_and_a_broken_one_fails(tmp_path: Path) -> None:
    request = "Push the puck 10 cm. Friction is 0.5 to 1.2, the servo delay was measured at 11 ms."
    plan = json.loads(run("plan", request, "--json", "--home", tmp_path).stdout)
    file = tmp_path / "plan.json"
    file.write_text(json.dumps(plan))
    done = run("lint-ranges", file)
    assert done.returncode == 0 and "4 ranges, 0 wrong" in done.stdout, done.stdout + done.stderr
    plan["ranges"]["delay"] |= {"low": 0.05, "high": 0.06}
    file.write_text(json.dumps(plan))
    done = run("lint-ranges", file, "--json")
    assert done.returncode == 1 and json.loads(done.stdout)["findings"][0]["rule"] in ("anchor", "excludes")
    file.write_text("{}")
    done = run("lint-ranges", file)
    assert done.returncode == 2 and done.stderr.count("\n") == 1
