"""Records: shares and their intervals, hashing, and the worked row of the textbook."""

import json
import math
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from ledger_rows import worked_row
from pydantic import ValidationError

from store.hashing import canonical_json, content_hash, effect_key
from store.records import Family, GapRow, Range, Rate, difference_interval, wilson_interval
from store.template import empty, fields

counts = st.integers(1, 10_000).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


@given(counts)
def test_wilson_interval_holds_the_share_and_stays_in_0_1(pair: tuple[int, int]) -> None:
    low, high = wilson_interval(*pair)
    assert 0 <= low <= pair[0] / pair[1] <= high <= 1
    assert low < high


@given(counts)
def test_wilson_interval_mirrors_when_success_and_failure_swap(pair: tuple[int, int]) -> None:
    k, n = pair
    low, high = wilson_interval(k, n)
    assert wilson_interval(n - k, n) == pytest.approx((1 - high, 1 - low), abs=1e-12)


def test_wilson_interval_of_a_published_case() -> None:
    """Newcombe 1998, table I: 81 of 263 gives 0.2553 to 0.3662; 0 of 20 gives 0 to 0.1611."""
    assert wilson_interval(81, 263) == pytest.approx((0.2553, 0.3662), abs=5e-5)
    assert wilson_interval(0, 20) == pytest.approx((0.0, 0.1611), abs=5e-5)


def test_difference_interval_of_a_published_case() -> None:
    """Newcombe 1998b, table II, method 10: 56/70 - 48/80 gives 0.0524 to 0.3339."""
    low, high = difference_interval(Rate(successes=56, trials=70), Rate(successes=48, trials=80))
    assert (low, high) == pytest.approx((0.0524, 0.3339), abs=5e-5)


@given(counts, counts)
def test_difference_interval_holds_the_gap_and_changes_sign_with_the_order(
    a: tuple[int, int], b: tuple[int, int]
) -> None:
    first, second = Rate(successes=a[0], trials=a[1]), Rate(successes=b[0], trials=b[1])
    low, high = difference_interval(first, second)
    assert -1 <= low <= first.value - second.value + 1e-12
    assert first.value - second.value - 1e-12 <= high <= 1
    assert difference_interval(second, first) == pytest.approx((-high, -low), abs=1e-12)


@pytest.mark.parametrize(("successes", "trials"), [(1, 0), (-1, 5), (6, 5)])
def test_impossible_counts_are_refused(successes: int, trials: int) -> None:
    with pytest.raises(ValueError):
        wilson_interval(successes, trials)
    with pytest.raises(ValidationError):
        Rate(successes=successes, trials=trials)


@given(json_values)
def test_canonical_json_reads_back_and_is_stable(value: object) -> None:
    text = canonical_json(value)
    assert json.loads(text) == value
    assert canonical_json(json.loads(text)) == text


@given(st.dictionaries(st.text(), json_values, max_size=6), st.randoms())
def test_content_hash_ignores_the_order_of_keys(value: dict[str, object], random: object) -> None:
    items = list(value.items())
    random.shuffle(items)  # type: ignore[attr-defined]
    assert content_hash(dict(items)) == content_hash(value)


@given(json_values, json_values)
def test_content_hash_differs_where_the_json_differs(a: object, b: object) -> None:
    assert (content_hash(a) == content_hash(b)) == (canonical_json(a) == canonical_json(b))


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_what_is_not_a_number_is_not_hashed_or_recorded(value: float) -> None:
    with pytest.raises(ValueError):
        content_hash({"x": value})
    with pytest.raises(ValidationError):
        Range(parameter="friction", unit="1", low=value, high=1, source="request")


def test_effect_key_depends_on_tool_arguments_and_parents() -> None:
    keys = {
        effect_key("train", {"seed": 1}, ["plan-1"]),
        effect_key("evaluate", {"seed": 1}, ["plan-1"]),
        effect_key("train", {"seed": 2}, ["plan-1"]),
        effect_key("train", {"seed": 1}, ["plan-2"]),
    }
    assert len(keys) == 4
    assert effect_key("train", {"a": 1, "b": 2}, []) == effect_key("train", {"b": 2, "a": 1}, [])


def test_the_worked_row_has_the_gaps_of_the_textbook() -> None:
    row = worked_row()
    assert (row.sim_success.value, row.real_success.value) == (0.81, 0.62)
    assert (row.sim_slip.value, row.real_slip.value) == (0.08, 0.19)
    assert row.success_gap == 0.19
    assert row.slip_gap == 0.11
    assert str(row.first_divergence) == "force@step3"
    low, high = row.success_gap_interval
    assert 0 < low < 0.19 < high, "50 rollouts are enough to tell this gap from none"


def test_a_row_survives_json_and_keeps_its_hash() -> None:
    row = worked_row()
    again = GapRow.model_validate_json(row.model_dump_json())
    assert again == row
    assert again.content_hash == row.content_hash
    assert row.with_changes(round=1).content_hash != row.content_hash


def test_unknown_fields_and_reversed_ranges_are_refused() -> None:
    with pytest.raises(ValidationError, match="extra"):
        GapRow.model_validate(worked_row().model_dump() | {"sim_sucess": 1})
    with pytest.raises(ValidationError, match="low 0.018 is above high 0.008 s"):
        Range(parameter="delay", unit="s", low=0.018, high=0.008, source="request")


def test_a_family_keeps_one_range_a_parameter() -> None:
    delay, friction = worked_row().ranges[1], worked_row().ranges[0]
    family = Family(ranges=(delay,)).with_range(friction).with_range(delay.with_changes(low=0.02, high=0.03))
    assert [(r.parameter, r.low) for r in family.ranges] == [("delay", 0.02), ("friction", 0.5)]
    with pytest.raises(ValidationError, match="one range per parameter"):
        Family(ranges=(delay, delay))


def test_the_template_explains_every_field_of_a_real_row() -> None:
    explained = {field.name: field for field in fields()}
    assert all(field.meaning for field in explained.values())
    assert all(field.unit for field in explained.values() if field.type in ("number", "integer", "number | null"))

    def names(value: object, prefix: str = "") -> set[str]:
        if isinstance(value, dict):
            return {n for k, v in value.items() for n in {prefix + k, *names(v, f"{prefix}{k}.")}}
        if isinstance(value, list):
            return {n for v in value for n in names(v, f"{prefix[:-1]}[].")}
        return set()

    in_row = names(worked_row().model_dump(mode="json"))
    assert in_row <= explained.keys()
    assert names(empty()) == {name for name in explained if re.split(r"[.\[]", name)[0] in GapRow.model_fields}


def test_an_empty_row_filled_in_is_a_row() -> None:
    row = empty()
    for name, value in worked_row().model_dump(mode="json").items():
        assert name in row
        row[name] = value
    assert GapRow.model_validate(row) == worked_row()
