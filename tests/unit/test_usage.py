"""Wrong words on the command line: one line or one JSON object, with the place and what may stand there."""

import json

import pytest

from agent.cli import main
from store.errors import nearest

WRONG = [
    (["fly"], "regrasp", "ledger"),
    (["ledger", "fly"], "regrasp ledger", "verify"),
    (["run", "push", "--fly"], "--fly", "--twin-spec"),
    (["run"], "REQUEST", ""),
    (["run", "push", "--rounds", "many"], "--rounds", ""),
    (["plan", "push the puck", "--rounds", "99"], "--rounds", "at least 0, at most 60"),
    (["plan", "push the puck", "--minutes", "0"], "--minutes", "more than 0"),
    (["plan", "push the puck", "--rollouts", "0"], "--rollouts", "at most 4096"),
    (["reject", "approval-1"], "--why", ""),
    (["bench", "loop", "--seeds", "0"], "--seeds", ""),
    (["run", "push", "the puck"], "regrasp run", ""),
]


@pytest.mark.parametrize(("words", "where", "valid"), WRONG, ids=lambda value: str(value)[:40])
def test_a_wrong_word_is_named_with_what_may_stand_there(
    words: list[str], where: str, valid: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as caught:
        main.main([*words, "--json"] if len(words) > 1 or words == ["run"] else words)
    out, err = capsys.readouterr()
    assert caught.value.code == 2
    if out:
        error = json.loads(out)["error"]
        assert error["where"] == where and valid in error["valid"]
    else:
        assert err.count("\n") == 1 and f"({where})" in err and valid in err


@pytest.mark.parametrize("words", [[], ["ledger"]])
def test_no_words_show_the_help_page(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main.main(words)
    out, err = capsys.readouterr()
    assert (caught.value.code, out) == (2, "") and err.startswith("Usage: regrasp") and "\n\nCommands:\n" in err


def test_few_names_are_all_offered_and_of_many_the_alike() -> None:
    assert nearest("kq", ["kp", "kd"]) == ["kp", "kd"]
    many = [f"kp.joint_{i}" for i in range(40)] + ["damping"]
    assert nearest("dampng", many) == ["damping", "... (41 in all)"]
    assert nearest("zzz", many)[-1] == "... (41 in all)" and len(nearest("zzz", many)) == 13
