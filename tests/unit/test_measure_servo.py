"""Delay, lag, velocity limit and play are told apart, on made logs and on real ones."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from sim.measure.servo import Recording, Servo, fit_servo, joints, recordings, simulate
from sim.trace.align import find_lag
from sim.trace.ingest import ingest
from sim.trace.log import NANO, Log, Series
from sim.trace.mapping import Mapping
from store.errors import UserError

SAGE = Path(__file__).parents[3] / "shared" / "data" / "real" / "sage-so101"
JOINTS = ("Rotation", "Pitch", "Elbow", "Wrist_Pitch", "Wrist_Roll", "Jaw")


def recorded(servo: Servo, seed: int, seconds: float = 12.0, step: float = 0.02) -> Recording:
    """A servo that follows a chirp and some steps, read with 1 mrad of noise."""
    rng = np.random.default_rng(seed)
    time = np.arange(0, seconds, step)
    chirp = 0.5 * np.sin(2 * np.pi * (0.2 + 0.08 * time) * time)
    command = np.where(time < seconds / 2, chirp, 0.6 * np.sign(np.sin(2 * np.pi * 0.5 * time)))
    still = Recording(step, command, np.zeros(len(time)))
    return Recording(step, command, simulate(still, [servo])[0] + 0.001 * rng.standard_normal(len(time)))


@pytest.mark.parametrize(
    ("truth", "seed"),
    [(Servo(0.011, 0.03), 0), (Servo(0.08, 0.02), 1), (Servo(0.04, 0.06, 2.0), 2), (Servo(0.0, 0.1, 1.2), 3)],
)
def test_delay_lag_and_velocity_limit_are_recovered(truth: Servo, seed: int) -> None:
    fit = fit_servo([recorded(truth, seed)])
    assert fit.servo.delay == pytest.approx(truth.delay, abs=0.008) and fit.servo.lag == pytest.approx(
        truth.lag, abs=0.01
    )
    assert fit.intervals["delay"][0] - 0.003 <= truth.delay <= fit.intervals["delay"][1] + 0.003
    limited = bool(np.isfinite(truth.velocity_limit))
    assert fit.shows("velocity_limit") == limited
    if limited:
        assert fit.servo.velocity_limit == pytest.approx(truth.velocity_limit, rel=0.05)


@pytest.mark.parametrize(("width", "seed"), [(0.012, 0), (0.03, 1), (0.06, 2)])
def test_play_is_recovered(width: float, seed: int) -> None:
    fit = fit_servo([recorded(Servo(0.03, 0.04, backlash=width), seed)], ("delay", "lag", "backlash"))
    assert fit.servo.backlash == pytest.approx(width, abs=0.005) and fit.shows("backlash")


def test_what_never_moves_cannot_be_told() -> None:
    stamps = np.arange(100) * NANO // 50
    told = Series("command.a", "command", "rad", "stamp", stamps, np.zeros(100), np.zeros(100, np.uint8))
    seen = Series("joint_position.a", "pose", "rad", "stamp", stamps, np.zeros(100), np.zeros(100, np.uint8))
    with pytest.raises(UserError, match="NOT_IDENTIFIABLE"):
        recordings([Log("r", "real", {told.name: told, seen.name: seen})], "a")


def sage_map(folder: Path) -> Mapping:
    rows = []
    for i, name in enumerate(JOINTS):
        unit = "1" if name == "Jaw" else "rad"
        rows.append({"from": f"positions[{i}]", "name": f"joint_position.{name}", "unit": unit})
        rows.append({"from": f"positions[{i}]", "name": f"command.{name}", "unit": unit, "file": "control.csv"})
    clock = {"kind": "stamp", "column": "timestamp", "unit": "us"}
    return Mapping.model_validate({"file": {"format": "csv", "source": "real"}, "clock": clock, "signal": rows})


@pytest.mark.skipif(not SAGE.is_dir(), reason="shared data is not here")
@pytest.mark.parametrize(("motion", "low", "high"), [("step_response", 0.07, 0.104), ("chirp_sweep", 0.112, 0.153)])
def test_lags_of_the_so101_are_those_published(motion: str, low: float, high: float) -> None:
    (log,) = ingest(SAGE / motion / "state_motor.csv", sage_map(SAGE / motion))
    assert joints(log) == list(JOINTS)
    for joint in JOINTS:
        lag = find_lag(log.series[f"command.{joint}"], log.series[f"joint_position.{joint}"])
        assert lag is not None and low <= lag.seconds <= high, joint
        assert lag.interval[0] <= lag.seconds <= lag.interval[1]


def regrasp(*words: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "agent", "measure", *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.fixture
def servo_log(tmp_path: Path) -> tuple[Path, Path]:
    run = recorded(Servo(0.011, 0.03), seed=1, step=0.005, seconds=6)
    rows = "\n".join(f"{5 * i},{c},{p}" for i, (c, p) in enumerate(zip(run.command, run.position, strict=True)))
    (tmp_path / "log.csv").write_text(f"t,cmd,pos\n{rows}\n")
    (tmp_path / "map.toml").write_text(
        '[file]\nformat="csv"\nsource="real"\n[clock]\nkind="stamp"\ncolumn="t"\nunit="ms"\n'
        '[[signal]]\nfrom="cmd"\nname="command.elbow"\nunit="rad"\n'
        '[[signal]]\nfrom="pos"\nname="joint_position.elbow"\nunit="rad"\n'
    )
    return tmp_path / "log.csv", tmp_path / "map.toml"


def test_a_step_response_anchors_ranges_and_becomes_ledger_rows(tmp_path: Path, servo_log: tuple[Path, Path]) -> None:
    file, mapping = servo_log
    done = regrasp("step-response", file, "--map", mapping, "--home", tmp_path / "home", "--json")
    rows = {row["quantity"]: row for row in json.loads(done.stdout)["measurements"]}
    assert rows["delay"]["value"] == pytest.approx(0.011, abs=0.004)
    assert rows["delay"]["interval"][0] <= 0.011 <= rows["delay"]["interval"][1]
    assert rows["delay"]["range"]["low"] < 0.009 and 0.015 < rows["delay"]["range"]["high"] < 0.04
    assert rows["lag"]["value"] == pytest.approx(0.03, abs=0.01)
    command = [sys.executable, "-m", "agent", "ledger", "show", rows["delay"]["id"], "--home", str(tmp_path / "home")]
    shown = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "delay" in shown.stdout


def test_stiffness_of_a_point_in_words(tmp_path: Path) -> None:
    done = regrasp("stiffness", "3 mm at 5 N", "--home", tmp_path, "--json")
    row = json.loads(done.stdout)
    assert (row["quantity"], row["unit"]) == ("compliance", "m/N") and row["value"] == pytest.approx(6e-4)


def test_wrong_words_are_one_line(tmp_path: Path, servo_log: tuple[Path, Path]) -> None:
    file, mapping = servo_log
    for words in (["speed", file], ["latency", file], ["latency", file, "--map", mapping, "--joint", "wrist"]):
        done = regrasp(*words, "--home", tmp_path)
        assert done.returncode == 2 and done.stderr.count("\n") == 1, done.stderr
