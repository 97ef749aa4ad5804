"""Every seed of a run, derived from the run's one seed; no argument of a tool ever is one.

Trainings take small seeds. Panels take blocks of consecutive instance seeds from EVALUATION_BASE on, two blocks a
round: an even one for the simulated evaluation, an odd one for the pilot's starts, so that no panel meets another.
"""

from store.records import Panel

EVALUATION_BASE = 10_000_019
BLOCK = 8192
"""Instance seeds in a block; the largest panel."""
ROUNDS = 64
"""Most rounds of a run, the first included."""


def training_seed(seed: int, round: int) -> int:
    """Seed of the training of a round."""
    _check(seed, round)
    return 1000 * seed + round


def diagnosis_seed(seed: int, round: int) -> int:
    """Seed of the diagnosis of a round (how rollouts are split, bootstrap)."""
    return training_seed(seed, round) + 500


def evaluation_panel(seed: int, round: int, episodes: int) -> Panel:
    """Panel of the simulated evaluation of a round."""
    return Panel(name=f"evaluation-{round}", seed=_block(seed, round, 0, episodes), episodes=episodes)


def pilot_panel(seed: int, round: int, rollouts: int) -> Panel:
    """Panel of the starts of a pilot."""
    return Panel(name=f"pilot-{round}", seed=_block(seed, round, 1, rollouts), episodes=rollouts)


def _block(seed: int, round: int, kind: int, size: int) -> int:
    _check(seed, round)
    if not 0 < size <= BLOCK:
        raise ValueError(f"a panel holds 1 to {BLOCK} instances, got {size}")
    return EVALUATION_BASE + BLOCK * ((seed * ROUNDS + round) * 2 + kind)


def _check(seed: int, round: int) -> None:
    if seed < 0 or not 0 <= round < ROUNDS:
        raise ValueError(f"needs seed >= 0 and 0 <= round < {ROUNDS}, got seed {seed} and round {round}")
