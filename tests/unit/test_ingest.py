"""Files of every kind become canonical logs in SI, and what is wrong with a file is said in one line."""

import json
import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim.trace.draft import draft_map
from sim.trace.ingest import ingest, ingest_to, load
from sim.trace.log import Quality, read_logs
from sim.trace.mapping import Mapping, read_mapping, si
from store.errors import UserError

DATA = Path(__file__).parents[3] / "shared" / "data" / "real"
SIGNALS = [{"from": "angle", "name": "joint_position.elbow", "unit": "deg"}]
STAMP = {"kind": "stamp", "column": "t", "unit": "ms"}


def mapped(format_: str, signals: object = SIGNALS, clock: object = STAMP, **file: str) -> Mapping:
    content = {"file": {"format": format_, "source": "real", **file}, "clock": clock, "signal": signals}
    return Mapping.model_validate(content)


def written(path: Path, text: str) -> Path:
    path.write_text(text)
    return path


def test_csv_in_milliseconds_and_degrees_becomes_nanoseconds_and_radians(tmp_path: Path) -> None:
    file = written(tmp_path / "a.csv", "t,angle,other\n0,0,x\n20,90,x\n40,180,x\n")
    (log,) = ingest(file, mapped("csv"))
    series = log.series["joint_position.elbow"]
    assert (log.run, log.source, series.unit, series.channel) == ("a", "real", "rad", "pose")
    assert series.t_ns.tolist() == [0, 20_000_000, 40_000_000]
    assert series.value == pytest.approx([0, np.pi / 2, np.pi])


def test_lists_inside_cells_ticks_signs_and_files_beside(tmp_path: Path) -> None:
    file = written(tmp_path / "s.csv", 't,p\n0,"[0, 1024]"\n20,"[0, 2048]"\n')
    written(tmp_path / "c.csv", "t,c\n0,1\n20,2\n")
    signals = [
        {"from": "p[1]", "name": "joint_position.b", "unit": "ticks(4096)", "sign": -1, "offset": 0.5},
        {"from": "c", "name": "command.b", "unit": "mrad", "file": "c.csv"},
    ]
    (log,) = ingest(file, mapped("csv", signals))
    assert log.series["joint_position.b"].value == pytest.approx([0.5 - np.pi / 2, 0.5 - np.pi])
    assert (
        log.series["command.b"].value == pytest.approx([0.001, 0.002]) and log.series["command.b"].channel == "command"
    )


def test_json_trials_with_nulls_and_nested_samples(tmp_path: Path) -> None:
    trials = [
        {"type": "chirp", "a": [0.1, None, 0.3], "s": [[1.0], [2.0], [3.0]]},
        {"type": "step", "a": [1], "s": [2]},
    ]
    file = written(tmp_path / "d.json", json.dumps({"data": trials}))
    signals = [
        {"from": "a", "name": "command.servo", "unit": "rad"},
        {"from": "s", "name": "joint_position.servo", "unit": "rad"},
    ]
    logs = ingest(file, mapped("json", signals, {"kind": "synthetic", "rate_hz": 50}, trials="data", label="type"))
    assert [log.run for log in logs] == ["chirp-0", "step-1"]
    assert logs[0].series["command.servo"].quality.tolist() == [0, Quality.MISSING, 0]
    assert logs[0].series["joint_position.servo"].value.tolist() == [1, 2, 3]
    assert "timing" in logs[0].not_observable


def test_npz_and_parquet_with_lists(tmp_path: Path) -> None:
    q = np.arange(6.0).reshape(3, 2)
    np.savez(tmp_path / "x.npz", t=np.array([0, 1, 2]), q=q)
    pq.write_table(pa.table({"t": [0, 1, 2], "q": q.tolist()}), tmp_path / "x.parquet")
    signals = [{"from": "q[1]", "name": "joint_position.b", "unit": "rad"}]
    for kind in ("npz", "parquet"):
        (log,) = ingest(tmp_path / f"x.{kind}", mapped(kind, signals))
        assert log.series["joint_position.b"].value.tolist() == [1, 3, 5]


def test_a_lerobot_dataset_has_runs_and_no_timing(tmp_path: Path) -> None:
    (tmp_path / "meta").mkdir()
    (tmp_path / "data" / "chunk-000").mkdir(parents=True)
    features = {"action": {"names": ["pan.pos"]}, "observation.state": {"names": ["pan.pos"]}}
    written(tmp_path / "meta" / "info.json", json.dumps({"fps": 30, "features": features}))
    table = pa.table({"action": [[1.0], [2.0], [3.0]], "observation.state": [[0.0], [1.0], [2.0]],
                      "episode_index": [0, 0, 1]})  # fmt: skip
    pq.write_table(table, tmp_path / "data" / "chunk-000" / "file-000.parquet")
    text = draft_map(tmp_path)
    assert 'name = "command.pan"' in text and "rate_hz = 30" in text
    file = written(
        tmp_path / "m.toml", text.replace('unit = "?"', 'unit = "deg"').replace('source = "?"', 'source = "real"')
    )
    logs = ingest(tmp_path, read_mapping(file))
    assert [len(log.series["command.pan"].value) for log in logs] == [2, 1] and "timing" in logs[0].not_observable


def test_pieces_of_a_large_file_are_one_run_and_flags_reach_over_their_edges(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = "\n".join(f"{20 * i + (15 if i > 500 else 0)},{i % 90}" for i in range(1000))
    file = written(tmp_path / "big.csv", f"t,angle\n{rows}\n")
    whole = ingest(file, mapped("csv"))[0].series["joint_position.elbow"]
    monkeypatch.setattr("sim.trace.readers.csv_file.BLOCK", 1024)
    counts = ingest_to(file, mapped("csv"), tmp_path / "out.parquet")
    (log,) = read_logs(tmp_path / "out.parquet")
    series = log.series["joint_position.elbow"]
    assert counts == {"joint_position.elbow": 1000}
    assert np.array_equal(series.value, whole.value) and np.array_equal(series.t_ns, whole.t_ns)
    assert np.array_equal(series.quality, whole.quality)


BAD = {
    "no rows": ("t,angle\n", "no rows"),
    "nan column": ("t,angle\n0,nan\n20,nan\n", "no number at all"),
    "text": ("t,angle\n0,1\n20,hello\n", "cannot be read as CSV"),
    "missing column": ("t,angel\n0,1\n", "there is no column 'angle'"),
    "ragged": ("t,angle\n0,1\n20,2,3\n", "cannot be read as CSV"),
    "missing stamp": ("t,angle\n0,1\n,2\n", "1 stamps are missing"),
}


@pytest.mark.parametrize("case", sorted(BAD))
def test_a_bad_csv_is_one_line_and_leaves_nothing(tmp_path: Path, case: str) -> None:
    text, message = BAD[case]
    file = written(tmp_path / "a.csv", text)
    with pytest.raises(UserError, match=message):
        ingest(file, mapped("csv"))
    if case != "nan column":  # in pieces, a column is known to be empty only at its end
        with pytest.raises(UserError, match=message):
            ingest_to(file, mapped("csv"), tmp_path / "out.parquet")
        assert sorted(one.name for one in tmp_path.iterdir()) == ["a.csv"]


def test_decreasing_time_is_kept_and_flagged(tmp_path: Path) -> None:
    file = written(tmp_path / "a.csv", "t,angle\n0,1\n40,2\n20,3\n60,4\n")
    flags = ingest(file, mapped("csv"))[0].series["joint_position.elbow"].quality
    assert flags.tolist()[2] == Quality.BACKWARDS


def test_a_pickle_inside_an_npz_is_never_opened(tmp_path: Path) -> None:
    bomb = type("Bomb", (), {"__reduce__": lambda self: (Path.touch, (tmp_path / "opened",))})()
    np.savez(tmp_path / "x.npz", t=np.arange(2), q=np.array([bomb, None], dtype=object))
    assert pickle.dumps(None)
    signals = [{"from": "q", "name": "joint_position.b", "unit": "rad"}]
    with pytest.raises(UserError, match="is a pickle, which is never opened"):
        ingest(tmp_path / "x.npz", mapped("npz", signals))
    assert not (tmp_path / "opened").exists()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ('unit = "parsec"', "'parsec' is not a unit"),
        ('unit = "?"', "still open: signal"),
        ('unit = "rad"\nspeed = 3', "speed: Extra inputs"),
        ('unit = "Hz"', "none of the quantities"),
    ],
)
def test_an_unknown_unit_key_or_open_place_is_refused(tmp_path: Path, change: str, message: str) -> None:
    text = '[file]\nformat="csv"\nsource="real"\n[clock]\nkind="stamp"\ncolumn="t"\nunit="ms"\n[[signal]]\nfrom="a"\n'
    file = written(tmp_path / "m.toml", f'{text}name="joint_position.elbow"\n{change}\n')
    with pytest.raises(UserError, match=message):
        read_mapping(file)


def test_duplicate_joints_are_refused() -> None:
    with pytest.raises(ValueError, match="two signals are called joint_position.elbow"):
        mapped("csv", [*SIGNALS, *SIGNALS])


@given(st.sampled_from(["deg", "mrad", "ticks(4096)", "mm", "mN", "Nmm", "deg/s", "mA", "%"]), st.floats(-1e3, 1e3))
def test_units_are_factors_to_si(unit: str, value: float) -> None:
    factor, name = si(unit)
    assert factor > 0 and name in ("rad", "m", "N", "Nm", "rad/s", "A", "1")
    assert si(name)[0] == 1.0 and factor * value == pytest.approx(value * factor)


def regrasp(*words: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "agent", *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.mark.skipif(not DATA.is_dir(), reason="shared data is not here")
def test_the_chirp_of_the_servo_parts_at_sample_23(tmp_path: Path) -> None:
    text = draft_map(DATA / "servo-sysid" / "real-action-state-dataset.json")
    for name in ("command.servo", "joint_position.servo"):
        text = text.replace('name = "?"\nunit = "?"', f'name = "{name}"\nunit = "rad"', 1)
    for source in ("real", "sim"):
        written(tmp_path / f"{source}.toml", text.replace('source = "?"', f'source = "{source}"'))
    files = [DATA / "servo-sysid" / f"{source}-action-state-dataset.json" for source in ("sim", "real")]
    words = ["--map", tmp_path / "real.toml", "--sim-map", tmp_path / "sim.toml", "--threshold", "pose=0.05", "--json"]
    done = regrasp("audit", *files, *words)
    runs = json.loads(done.stdout)["runs"]
    chirp = runs[0]
    assert chirp["first"] == "pose@step23" and chirp["divergence"]["pose"]["time_s"] == pytest.approx(0.46)
    assert chirp["divergence"]["timing"] == "NOT_OBSERVABLE"
    published = {"chirp": 0.063, "prbs": 0.047, "square": 0.029, "triangle": 0.026, "step": 0.013, "ramp": 0.008}
    for kind, rms in published.items():
        of_kind = [run["signals"]["joint_position.servo"]["rmse"] for run in runs if run["run"].startswith(kind)]
        # they are published to the millirad
        assert np.mean(of_kind) == pytest.approx(rms, abs=max(0.05 * rms, 0.0005))


@pytest.mark.skipif(not DATA.is_dir(), reason="shared data is not here")
def test_a_file_without_its_map_names_the_command_that_drafts_one() -> None:
    done = regrasp("audit", DATA / "servo-sysid" / "SOURCE.md", DATA / "servo-sysid" / "SOURCE.md")
    assert done.returncode == 2 and "regrasp map" in done.stderr and done.stderr.count("\n") == 1
    with pytest.raises(UserError, match="needs a map"):
        load(DATA / "servo-sysid" / "SOURCE.md", None)
