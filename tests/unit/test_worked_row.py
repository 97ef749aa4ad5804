"""The textbook's worked rollout, from the words to the decision.

Friction [0.5, 1.2]; delay measured at 11 ms, so its window is [8, 18] ms; fingertip compliance 3 mm at 5 N; simulated
success .81, slip .08; 50 real rollouts with success .62, slip .19. Expected: success gap .19, slip gap .11, first
divergence force@step3, and the decision to move the delay window, add delay correction and leave friction alone.
"""

import numpy as np
import pytest

from sim.audit.divergence import first_divergence
from sim.diagnose.hypotheses import Scan
from sim.diagnose.repair import apply_repair, propose
from sim.diagnose.verdict import Evidence, Floor, choose, judge
from sim.tasks import get_task
from sim.tasks.task import Signal
from store.records import Family, GapRow, Measurement, Range, Rate
from tools.ranges import anchor_range
from tools.reading import read_request

TASK = get_task("finger_push")
WORDS = (
    "Push the puck 10 cm with one finger. Friction is 0.5 to 1.2. The servo delay was measured at 11 ms. "
    "The fingertip compliance was measured at 3 mm at 5 N."
)
STEPS = 20
SIGNALS = (Signal("joint_position.yaw", "rad", "pose"), Signal("tip_force", "N", "force"))


def measured() -> dict[str, Measurement]:
    understood = read_request(WORDS, {"finger_push": TASK})
    assert understood.not_understood == ()
    return {m.quantity: m for m in understood.measurements}


def worked_row(family: Family) -> GapRow:
    sim = {"joint_position.yaw": np.zeros(STEPS), "tip_force": np.zeros(STEPS)}
    real = {"joint_position.yaw": np.full(STEPS, 0.002), "tip_force": np.zeros(STEPS)}
    real["tip_force"][3:] = 0.8  # contact comes late, so the force parts first, at control step 3
    real["joint_position.yaw"][6:] = 0.05
    limits = {"joint_position.yaw": 0.01, "tip_force": 0.2}
    found = first_divergence(sim, real, limits, SIGNALS, period=TASK.control_period)
    return GapRow(
        round=0,
        task=TASK.name,
        policy="worked",
        source="real",
        ranges=family.ranges,
        measurements=tuple(measured().values()),
        sim_success=Rate(successes=81, trials=100),
        sim_slip=Rate(successes=8, trials=100),
        real_success=Rate(successes=31, trials=50),
        real_slip=Rate(successes=19, trials=100),
        divergences=tuple(found.values()),
    )


def test_words_become_anchors() -> None:
    anchors = measured()
    assert anchors["delay"].value == pytest.approx(0.011)
    assert anchors["compliance"].value == pytest.approx(6e-4)  # 3 mm at 5 N
    window = anchor_range(anchors["delay"], TASK.parameters["delay"])
    assert (window.low, window.high) == pytest.approx((0.008, 0.018))
    assert window.source == "measured"


def test_the_worked_rollout_gives_the_worked_row_and_decision() -> None:
    friction = Range(parameter="friction", unit="1", low=0.5, high=1.2, source="request")
    guessed = Range(parameter="delay", unit="s", low=0.0, high=0.004, source="preset")
    family = Family(ranges=(friction, guessed))
    row = worked_row(family)
    assert row.success_gap == pytest.approx(0.19)
    assert row.slip_gap == pytest.approx(0.11)
    assert str(row.first_divergence) == "force@step3"

    # replays of the 50 rollouts: 11 ms explains them, and no friction does
    owner, rng = np.repeat(np.arange(18), 4), np.random.default_rng(0)
    noise = rng.normal(0, 0.02, (1, len(owner)))
    delays, frictions = np.array([0.0, 0.004, 0.008, 0.012, 0.016]), np.array([0.3, 0.5, 0.8, 1.2, 1.6])
    delay_errors = np.array([2.0, 1.6, 0.9, 0.52, 1.1])[:, None] + noise
    friction_errors = np.array([2.1, 2.0, 1.98, 2.0, 2.05])[:, None] + noise
    scans = [
        Scan(TASK.parameters["delay"], delays, delay_errors),
        Scan(TASK.parameters["friction"], frictions, friction_errors),
    ]
    evidence = Evidence(scans, [], owner, fit=np.arange(8), held_out=np.arange(8, 18))
    centre = {"delay": 0.0, "friction": 0.8}
    choice = choose(evidence, family, centre, seed=0)
    diagnosis = judge(evidence, choice, Floor(0.5, 0.02), family, repair_round=0, seed=0)
    assert (diagnosis.verdict, diagnosis.target) == ("RECENTRE", "delay")

    repair = propose(diagnosis, row, family, TASK.parameters)
    assert repair is not None and repair.target == "delay"
    assert "move the delay range" in repair.text
    assert "add delay correction" in repair.text
    assert "do not touch friction" in repair.text
    repaired = apply_repair(family, repair, "diagnosis-1")
    assert repaired.range_of("friction") == friction
    moved = repaired.range_of("delay")
    assert moved is not None and moved.contains(0.011)
