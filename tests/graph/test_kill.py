"""Kill -9 in training, while waiting for a person, in the pilot and between rounds; then resume.

The ledger must end as that of an undisturbed run, with no training and no rollout repeated.
"""

from pathlib import Path

import pytest
from cli_process import Workplace, kill

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Content hash of a run that nobody disturbed."""
    place = Workplace(tmp_path_factory.mktemp("undisturbed"))
    first = place.call(*place.run_words("--json"))
    assert first.returncode == 3, first.stderr
    result = place.finish()
    assert (result["status"], result["verdict"], len(result["repairs"])) == ("done", "RECENTRE", 1)
    assert set(place.starts().values()) == {1}
    assert place.ledger.verify().ok
    return place.ledger.content("run-0001")


def check(place: Workplace, undisturbed: str) -> None:
    result = place.finish()
    assert result["status"] == "done"
    assert set(place.starts().values()) == {1}, "a job was repeated"
    assert place.ledger.verify().ok
    assert place.ledger.content("run-0001") == undisturbed


def test_in_training(tmp_path: Path, undisturbed: str) -> None:
    place = Workplace(tmp_path)
    process = place.start(*place.run_words())
    place.wait((place.run_folder / "jobs/round-0-train/progress.jsonl").exists, process)
    kill(process)
    assert "training" not in place.kinds()
    check(place, undisturbed)


def test_waiting_for_a_person(tmp_path: Path, undisturbed: str) -> None:
    place = Workplace(tmp_path)
    terminal = place.start_on_terminal(*place.run_words())
    terminal.read_until("allow it? [yes / no / later]")
    terminal.kill()
    assert place.pending() == ["approval-1"]
    check(place, undisturbed)


def test_in_the_pilot(tmp_path: Path, undisturbed: str) -> None:
    place = Workplace(tmp_path)
    assert place.call(*place.run_words()).returncode == 3
    assert place.call("approve", "approval-1").returncode == 0
    process = place.start("resume", "run-0001")
    place.wait((place.run_folder / "pilots/round-0/rollout-003.parquet").exists, process)
    kill(process)
    assert "pilot" not in place.kinds()
    before = place.traces()
    check(place, undisturbed)
    after = place.traces()
    assert len(before) >= 4 and before.items() <= after.items(), "a finished rollout was repeated"


def test_between_rounds(tmp_path: Path, undisturbed: str) -> None:
    place = Workplace(tmp_path)
    assert place.call(*place.run_words()).returncode == 3
    assert place.call("approve", "approval-1").returncode == 0
    process = place.start("resume", "run-0001")
    place.wait(lambda: "repair" in place.kinds(), process)
    kill(process)
    assert place.kinds().count("training") == 1
    check(place, undisturbed)
