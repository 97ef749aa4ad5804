"""What a twin hides stays in its file and its process."""

import importlib
import inspect
import pkgutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from pilot_fixture import SECRETS, TASK, bench, secret_spec, write_envelope
from pydantic import BaseModel

import tools
from tools.hardware import wire
from tools.hardware.client import DriverProcess
from tools.hardware.driver import Rig
from tools.hardware.pilot import run_pilot
from tools.hardware.rollouts import sample_start
from tools.hardware.twin import TwinDriver, read_twin_spec

# the last digits of every secret, so that no rounding of it slips through either
TRACES = [value.removeprefix("0.")[:5] for value in SECRETS.values()]


def clean(text: str) -> bool:
    return not any(trace.lstrip("0") in text for trace in TRACES)


def test_no_message_holds_a_hidden_value(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[str] = []
    receive = wire.Wire.receive

    def listen(self: wire.Wire, timeout_s: float) -> dict[str, Any]:
        message = receive(self, timeout_s)
        said.append(repr(message))
        return message

    monkeypatch.setattr(wire.Wire, "receive", listen)
    spec = secret_spec(tmp_path / "spec.toml")
    with DriverProcess("twin", write_envelope(tmp_path / "e.toml"), spec) as twin:
        rig = twin.describe()
        twin.reset(sample_start(TASK, 0, 0), 0)
        twin.step([0.0, 0.0, 0.0])
        twin.outcome(True)
        twin.stop()
    assert len(said) == 5
    assert set(SECRETS) & set(TASK.parameters) == set(SECRETS)
    # readings are noisy numbers; only their digits may coincide, never a name
    assert clean(said[0] + said[3] + said[4])
    assert not any(name in text for text in said for name in ("delay", "friction", "force_noise", "hidden"))
    assert set(rig.model_dump()) == set(Rig.model_fields)


def test_a_run_leaves_no_hidden_value_anywhere(tmp_path: Path) -> None:
    spec = secret_spec(tmp_path / "spec.toml")
    made = bench(tmp_path, rollouts=2, control=2, spec=spec)
    run_pilot(made.ledger, made.order)
    values = [value.encode() for value in SECRETS.values()]
    files = [path for path in made.order.home.rglob("*") if path.is_file()]
    assert len(files) > 5
    for path in files:
        content = path.read_bytes()
        assert not any(value in content for value in values), path
    rows = repr([(row.body, row.meta) for row in made.ledger.rows()])
    assert clean(rows)
    assert "hidden" not in rows


def test_a_fault_of_the_plant_is_said_without_numbers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from tools.hardware.gate import Gate, GateStop

    spec = secret_spec(tmp_path / "spec.toml")
    twin = TwinDriver(spec)

    def fail(*_: Any, **__: Any) -> None:
        raise ValueError(f"delay {SECRETS['delay']} is too long")

    monkeypatch.setattr(twin._plant, "step", fail)
    from pilot_fixture import TASK as task

    from tools.hardware.envelope import read_envelope

    gate = Gate(twin, read_envelope(write_envelope(tmp_path / "e.toml")))
    gate.reset(sample_start(task, 0, 0), 0)
    with pytest.raises(GateStop, match="ValueError in step of the plant") as stop:
        gate.step([0.0, 0.0, 0.0])
    assert SECRETS["delay"] not in stop.value.reason
    assert "hidden" not in repr(read_twin_spec(spec))
    assert SECRETS["delay"] not in repr(read_twin_spec(spec))


def test_the_planners_process_never_loads_the_twin() -> None:
    code = (
        "import sys, tools.hardware.pilot, tools.hardware.client\n"
        "assert 'tools.hardware.twin' not in sys.modules, 'the planner could read specs'"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_no_tool_argument_names_a_file() -> None:
    """What a model may say to a tool holds no path and no free field, so it cannot ask for the spec."""
    models: dict[str, type[BaseModel]] = {}
    for module in pkgutil.iter_modules(tools.__path__, "tools."):
        if module.ispkg:
            continue
        for name, value in inspect.getmembers(importlib.import_module(module.name), inspect.isclass):
            if issubclass(value, BaseModel) and name.endswith("Arguments"):
                models[name] = value
    assert models
    for name, model in models.items():
        assert model.model_config.get("extra") == "forbid", name
        for field, info in model.model_fields.items():
            words = set(field.lower().split("_"))
            assert not words & {"path", "file", "spec", "folder", "directory", "url", "home", "envelope"}, (name, field)
            assert info.annotation is not Path, (name, field)
