"""A rig is asked what it is before anything is spent; one that cannot say so is one clear line."""

from pathlib import Path

import pytest

from store.errors import UserError
from tools.options import RunOptions
from tools.plan import make_plan
from tools.rig import describe_rig

DRIVERS = """
from tools.hardware.driver import default_spec
from tools.hardware.twin import TwinDriver


class Bench(TwinDriver):
    def __init__(self):
        super().__init__(default_spec("finger_push"))


class Unplugged(Bench):
    def __init__(self):
        raise RuntimeError("no such port")


class Mute(Bench):
    def describe(self):
        return {"kind": "twin"}


class Elsewhere(Bench):
    def describe(self):
        return super().describe().with_changes(task="juggle")
"""


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "lab_bench.py").write_text(DRIVERS)
    (tmp_path / "lab_broken.py").write_text("raise RuntimeError('no licence')")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.syspath_prepend(tmp_path)


@pytest.mark.usefixtures("bench")
@pytest.mark.parametrize(
    ("driver", "says"),
    [
        ("lab_bench:Unplugged", "no such port"),
        ("lab_bench:Mute", "cannot say what it is"),
        ("lab_bench:Elsewhere", "set up for task 'juggle'"),
        ("lab_bench:Nothing", "cannot be loaded"),
        ("lab_broken:Rig", "RuntimeError: no licence"),
        ("lab_absent:Rig", "name its folder in PYTHONPATH"),
    ],
)
def test_a_rig_that_cannot_be_used_is_one_line(driver: str, says: str) -> None:
    options = RunOptions(request="Push the puck.", driver=driver)
    with pytest.raises(UserError) as caught:
        describe_rig(options, make_plan(options))
    assert says in str(caught.value) and "\n" not in str(caught.value)


@pytest.mark.usefixtures("bench")
def test_a_rig_of_the_task_is_described() -> None:
    options = RunOptions(request="Push the puck.", driver="lab_bench:Bench")
    assert describe_rig(options, make_plan(options)).task == "finger_push"
