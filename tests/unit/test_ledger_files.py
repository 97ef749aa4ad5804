"""Bad ledger files: one clear line, and the file stays as it was."""

from pathlib import Path

import duckdb
import pytest
from ledger_rows import new_ledger, raw, run_record

from store.connection import explain
from store.errors import LedgerError
from store.ledger import Ledger
from store.migrate import DIRECTORY, migrations, prepare


def refuse(path: Path, match: str) -> None:
    """Opening fails with one line that names the file, and changes nothing."""
    before = path.read_bytes() if path.is_file() else None
    around = sorted(p.name for p in path.parent.iterdir()) if path.parent.is_dir() else []
    with pytest.raises(LedgerError, match=match) as caught:
        Ledger(path, patience_s=0.2)
    assert "\n" not in str(caught.value)
    assert str(path.parent) in str(caught.value)
    if before is not None:
        assert path.read_bytes() == before
        assert sorted(p.name for p in path.parent.iterdir()) == around


@pytest.mark.parametrize("content", [b"", b"not a database\n" * 1000, b"PAR1"])
def test_a_file_that_is_not_duckdb(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "ledger.duckdb"
    path.write_bytes(content)
    refuse(path, "not a ledger|damaged")


def test_a_duckdb_file_that_is_not_a_ledger(tmp_path: Path) -> None:
    raw(tmp_path / "ledger.duckdb", "CREATE TABLE mine (a INTEGER)")
    refuse(tmp_path / "ledger.duckdb", "not a Regrasp ledger")


def test_a_newer_ledger(tmp_path: Path) -> None:
    ledger = new_ledger(tmp_path)
    raw(ledger.path, "INSERT INTO schema_migration VALUES (99, 'future', now()::TIMESTAMP)")
    refuse(ledger.path, r"newer \(version 99\).*update regrasp")


def test_a_file_of_a_newer_duckdb() -> None:
    error = duckdb.IOException("Trying to read a database file with version number 999, but we can only read 64..67")
    assert "newer DuckDB" in str(explain(error, Path("ledger.duckdb")))


def test_a_truncated_ledger(tmp_path: Path) -> None:
    path = new_ledger(tmp_path).path
    path.write_bytes(path.read_bytes()[:9000])
    refuse(path, "damaged")


def test_a_ledger_with_flipped_bytes(tmp_path: Path) -> None:
    path = new_ledger(tmp_path).path
    content = bytearray(path.read_bytes())
    for i in range(12288, len(content)):
        content[i] ^= 255
    path.write_bytes(content)
    refuse(path, "damaged")


def test_a_folder_in_its_place(tmp_path: Path) -> None:
    (tmp_path / "ledger.duckdb").mkdir()
    refuse(tmp_path / "ledger.duckdb", "cannot be")


def test_a_place_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    refuse(tmp_path / "file" / "ledger.duckdb", "cannot be created.*--home")


def test_a_ledger_that_is_gone_while_its_log_is_here(tmp_path: Path) -> None:
    (tmp_path / "ledger.duckdb.wal").write_bytes(b"rows that were not merged yet")
    with pytest.raises(LedgerError, match="write-ahead log"):
        new_ledger(tmp_path)
    assert [p.name for p in tmp_path.iterdir()] == ["ledger.duckdb.wal"]


def test_a_ledger_that_vanishes_is_not_made_anew(tmp_path: Path) -> None:
    ledger = new_ledger(tmp_path)
    ledger.path.unlink()
    with pytest.raises(LedgerError, match="no ledger here"):
        ledger.new_run(run_record())
    assert list(tmp_path.iterdir()) == []


def test_without_create_a_missing_ledger_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(LedgerError, match="no ledger here.*regrasp run"):
        Ledger(tmp_path / "ledger.duckdb", create=False)
    assert list(tmp_path.iterdir()) == []


def test_a_draft_left_by_kill_9_is_no_obstacle(tmp_path: Path) -> None:
    (tmp_path / ".ledger.duckdb.draft").write_bytes(b"half")
    assert new_ledger(tmp_path).new_run(run_record()) == "run-0001"
    assert [p.name for p in tmp_path.iterdir()] == ["ledger.duckdb"]


def test_an_older_ledger_is_brought_up_to_date_once(tmp_path: Path) -> None:
    ledger = new_ledger(tmp_path)
    ledger.new_run(run_record())
    later = two_migrations(tmp_path, "ALTER TABLE gap ADD COLUMN remark VARCHAR; CREATE TABLE extra (a INTEGER)")
    prepare(ledger.path, 1, directory=later)
    prepare(ledger.path, 1, directory=later)
    assert raw(ledger.path, "SELECT version, name FROM schema_migration ORDER BY version") == [
        (1, "init"),
        (2, "more"),
    ]
    assert raw(ledger.path, "SELECT count(*) FROM extra") == [(0,)]
    refuse(ledger.path, "newer")


def test_a_migration_that_fails_changes_nothing(tmp_path: Path) -> None:
    ledger = new_ledger(tmp_path)
    ledger.new_run(run_record())
    later = two_migrations(tmp_path, "CREATE TABLE extra (a INTEGER); INSERT INTO nowhere VALUES (1)")
    with pytest.raises(duckdb.CatalogException, match="nowhere"):
        prepare(ledger.path, 1, directory=later)
    assert ledger.schema_version == 1
    assert ("extra",) not in ledger.sql("SHOW TABLES").rows
    assert ledger.verify().ok


def test_migrations_are_numbered_without_a_hole(tmp_path: Path) -> None:
    assert [m.version for m in migrations()] == list(range(1, len(migrations()) + 1))
    (tmp_path / "0002_gap.sql").write_text("SELECT 1")
    with pytest.raises(ValueError, match="not numbered"):
        migrations(tmp_path)


def two_migrations(folder: Path, second: str) -> Path:
    later = folder / "later"
    later.mkdir()
    for file in DIRECTORY.glob("0001_*.sql"):
        (later / file.name).write_text(file.read_text())
    (later / "0002_more.sql").write_text(second)
    return later
