"""Panels never overlap, whatever the run, the round and the sizes."""

from hypothesis import given
from hypothesis import strategies as st

from store.records import Panel
from tools.seeds import BLOCK, ROUNDS, diagnosis_seed, evaluation_panel, pilot_panel, training_seed

SEEDS = st.integers(0, 9_999)
ROUND = st.integers(0, ROUNDS - 1)
SIZE = st.integers(1, BLOCK)
MAKERS = st.sampled_from([evaluation_panel, pilot_panel])


@given(SEEDS, ROUND, SIZE, MAKERS, SEEDS, ROUND, SIZE, MAKERS)
def test_panels_never_overlap(s1, r1, n1, make1, s2, r2, n2, make2) -> None:  # type: ignore[no-untyped-def]
    first, second = make1(s1, r1, n1), make2(s2, r2, n2)
    if (s1, r1, make1) == (s2, r2, make2):
        assert first.seed == second.seed
    else:
        assert not overlap(first, second)


@given(SEEDS, ROUND, SEEDS, ROUND)
def test_training_never_draws_from_a_panel(seed: int, round: int, other: int, other_round: int) -> None:
    for used in (training_seed(seed, round), diagnosis_seed(seed, round)):
        assert used < evaluation_panel(other, other_round, 1).seed


def overlap(first: Panel, second: Panel) -> bool:
    return first.seed < second.seed + second.episodes and second.seed < first.seed + first.episodes
