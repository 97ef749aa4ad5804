"""Kill -9 in training, while waiting for a person, in the pilot and between rounds; then resume.

One run is killed at all four places. Its ledger must end as that of an undisturbed run, with no training and no rollout
repeated.
"""

import json
from pathlib import Path

import pytest
from cli_process import Workplace, kill
from schema_check import check

SCHEMA = Path(__file__).parents[2] / "docs" / "schemas" / "run.schema.json"

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Content hash of a run that nobody disturbed."""
    place = Workplace(tmp_path_factory.mktemp("undisturbed"))
    first = place.call(*place.run_words("--json"))
    assert first.returncode == 3, first.stderr
    result = place.finish()
    check(result, json.loads(SCHEMA.read_text()), "run")
    assert (result["status"], result["verdict"], len(result["repairs"])) == ("done", "RECENTRE", 1)
    assert set(place.starts().values()) == {1}
    assert place.ledger.verify().ok
    return place.ledger.content("run-0001")


def test_killed_four_times(tmp_path: Path, undisturbed: str) -> None:
    place = Workplace(tmp_path)

    training = place.start(*place.run_words())
    place.wait((place.run_folder / "jobs/round-0-train/progress.jsonl").exists, training)
    kill(training)
    assert "training" not in place.kinds()

    waiting = place.start_on_terminal("resume", "run-0001")
    waiting.read_until("allow it? [yes / no / later]")
    waiting.kill()
    assert place.starts() == {"round-0-train": 1, "round-0-evaluate": 1}, "the training was attached to, not repeated"
    assert place.pending() == ["approval-1"]

    assert place.call("approve", "approval-1").returncode == 0
    pilot = place.start("resume", "run-0001")
    place.wait((place.run_folder / "pilots/round-0/rollout-003.parquet").exists, pilot)
    kill(pilot)
    assert "pilot" not in place.kinds()
    before = place.traces()
    assert len(before) >= 4

    between = place.start("resume", "run-0001")
    place.wait(lambda: "repair" in place.kinds(), between)
    kill(between)
    assert place.kinds().count("training") == 1
    assert before.items() <= place.traces().items(), "a finished rollout was repeated"

    result = place.finish()
    assert result["status"] == "done"
    assert set(place.starts().values()) == {1}, "a job was repeated"
    assert place.ledger.verify().ok
    assert place.ledger.content("run-0001") == undisturbed
