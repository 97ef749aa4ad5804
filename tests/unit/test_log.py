"""The canonical long table: what is written comes back, and what is no trace is refused."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim.trace.log import NANO, Log, Quality, Series, from_table, read_logs, to_table, write_logs
from store.errors import UserError
from store.tables import write_table


def series(name: str, n: int, **extra: object) -> Series:
    rng = np.random.default_rng(n)
    stamps, flags = np.arange(n) * NANO // 50, rng.integers(0, 32, n).astype(np.uint8)
    return Series(name, "pose", "rad", "stamp", stamps, rng.standard_normal(n), flags, **extra)  # pyright: ignore


def same(a: Series, b: Series) -> bool:
    facts = (a.name, a.channel, a.unit, a.clock) == (b.name, b.channel, b.unit, b.clock)
    arrays = all(np.array_equal(getattr(a, k), getattr(b, k)) for k in ("t_ns", "value", "quality"))
    return facts and arrays and (a.log_ns is None) == (b.log_ns is None)


def test_runs_and_signals_come_back_in_their_order(tmp_path: Path) -> None:
    logs = [
        Log("b", "real", {"y": series("y", 7), "x": series("x", 3)}, {"not_observable.timing": "made from a rate"}),
        Log("a", "sim", {"x": series("x", 5, log_ns=np.arange(5))}),
    ]
    write_logs(tmp_path / "t.parquet", logs)
    back = read_logs(tmp_path / "t.parquet")
    assert [(log.run, log.source, list(log.series)) for log in back] == [("b", "real", ["y", "x"]), ("a", "sim", ["x"])]
    for log, read in zip(logs, back, strict=True):
        assert all(same(log.series[name], read.series[name]) for name in log.series)
    assert back[0].not_observable == {"timing": "made from a rate"}
    assert back[1].series["x"].log_ns is not None and back[1].series["x"].publish_ns is None


@given(st.integers(0, 31))
def test_quality_flags_survive_as_words(flags: int) -> None:
    assert Quality.of(Quality(flags).words) == flags


def test_rows_that_are_not_sorted_by_signal_are_gathered() -> None:
    table = to_table([Log("r", "real", {"x": series("x", 4), "y": series("y", 4)})])
    mixed = from_table(table.take(pa.array([0, 4, 1, 5, 2, 6, 3, 7])), "here")[0]
    assert same(mixed.series["x"], series("x", 4)) and same(mixed.series["y"], series("y", 4))


def test_what_is_no_trace_is_refused(tmp_path: Path) -> None:
    write_table(tmp_path / "other.parquet", pa.table({"a": [1]}))
    with pytest.raises(UserError, match="lacks run"):
        read_logs(tmp_path / "other.parquet")
    with pytest.raises(UserError, match="no rows"):
        from_table(to_table([Log("r", "real", {"x": series("x", 2)})]).slice(0, 0), "here")
