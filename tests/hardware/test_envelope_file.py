"""An operator's mistake in the envelope names the file, the field and what is valid."""

from pathlib import Path

import pytest
from fake_rig import LIMITS

from store.errors import UserError
from tools.hardware.envelope import default_envelope, read_envelope

GOOD = "".join(f"{key} = {value}\n" for key, value in LIMITS.items())


def test_the_shipped_envelope_reads() -> None:
    assert read_envelope(default_envelope("finger_push")).tip_force_n > 0
    with pytest.raises(UserError, match="no envelope ships for task 'juggle'.*finger_push"):
        default_envelope("juggle")


def test_every_limit_is_read(tmp_path: Path) -> None:
    path = tmp_path / "envelope.toml"
    path.write_text(GOOD)
    assert read_envelope(path).model_dump() == LIMITS


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (GOOD + "tip_forse = 3\n", "unknown key 'tip_forse'; valid: tip_force_n, joint_speed_rad_s"),
        (GOOD.replace("10.0", "-3.0"), "tip_force_n = -3.0 is not a limit; valid: finite and above 0"),
        (GOOD.replace("10.0", "0"), "tip_force_n = 0 is not a limit"),
        (GOOD.replace("10.0", "nan"), "tip_force_n = nan is not a limit"),
        (GOOD.replace("10.0", "inf"), "tip_force_n = inf is not a limit"),
        (GOOD.replace("10.0", "true"), "tip_force_n must be a number"),
        (GOOD.replace("10.0", '"10"'), "tip_force_n must be a number"),
        (GOOD.replace("failures = 3", "failures = 2.5"), "consecutive_failures must be a whole number"),
        (GOOD.replace("heartbeat_s = 0.5", ""), "heartbeat_s is missing"),
        (GOOD + "[more]\n", "unknown key 'more'"),
        ("tip_force_n = = 3", "not valid TOML"),
        ("", "tip_force_n is missing"),
    ],
)
def test_a_mistake_is_one_line(tmp_path: Path, text: str, says: str) -> None:
    path = tmp_path / "envelope.toml"
    path.write_text(text)
    with pytest.raises(UserError) as caught:
        read_envelope(path)
    line = str(caught.value)
    assert line.startswith(f"{path}: ")
    assert says in line
    assert "\n" not in line


def test_unreadable_files_are_named(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="there is no such envelope file"):
        read_envelope(tmp_path / "none.toml")
    with pytest.raises(UserError, match="cannot be read"):
        read_envelope(tmp_path)
    (tmp_path / "b.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(UserError, match="not UTF-8"):
        read_envelope(tmp_path / "b.toml")
