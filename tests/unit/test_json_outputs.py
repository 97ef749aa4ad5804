"""`--json`: one object that every JSON parser reads, with the keys that scripts rely on, and nothing on stderr."""

import json
import shlex
from pathlib import Path

import pytest
from report_fixture import make_home

from agent.cli import main

EXPECTED = {
    "plan 'Push the puck 10 cm.'": {"task", "robot", "ranges", "measurements", "skills", "budget", "hash",
                                    "not_understood"},
    "ledger list": {"rows"},
    "ledger show gap-1": {"id", "run_id", "kind", "body", "meta", "hash", "prev_hash"},
    "ledger sql 'SELECT * FROM gap'": {"columns", "rows"},
    "ledger verify": {"ok", "rows", "head"},
    "ledger template": {"row", "fields"},
    "approvals": {"approvals"},
    "report": {"run_id", "report"},
}  # fmt: skip


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("home")
    make_home(folder)
    return folder


def refuse(word: str) -> None:
    raise ValueError(f"{word} is not JSON")


@pytest.mark.parametrize("command", EXPECTED)
def test_one_object_with_its_keys(command: str, home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main.main([*shlex.split(command), "--home", str(home), "--json"])
    out, err = capsys.readouterr()
    assert (caught.value.code, err) == (0, "")
    assert set(json.loads(out, parse_constant=refuse)) >= EXPECTED[command]
