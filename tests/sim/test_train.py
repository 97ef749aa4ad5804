"""Training, evaluation and the policy file: deterministic, resumable to the bit, honest about unstable simulations."""

from pathlib import Path

import numpy as np
import pytest
import torch

from sim.environment import Environment
from sim.plant import Plant
from sim.tasks.finger_push import FingerPush
from sim.train.config import PPOConfig
from sim.train.evaluate import evaluate, judge, run_episodes
from sim.train.policy import GROUPS, Policy
from sim.train.ppo import Trained, build_algorithm, export_policy, train
from store.errors import UserError
from store.records import Family, Panel, Range

TASK = FingerPush()
FAMILY = Family(
    ranges=(
        Range(parameter="friction", unit="1", low=0.5, high=1.2, source="request"),
        Range(parameter="delay", unit="s", low=0.008, high=0.018, source="measured"),
    )
)
TINY = PPOConfig(environments=8, horizon=8, hidden=(16, 8), segment=2)


class Killed(Exception):
    """Stands for kill -9 between two iterations; the real one is in tests/graph."""


def tiny(folder: Path, killed_at: int | None = None, start: Path | None = None, seed: int = 3) -> Trained:
    folder.mkdir(exist_ok=True)

    def report(iteration: int, iterations: int, values: dict[str, float]) -> None:
        if iteration == killed_at:
            raise Killed

    return train(TASK, FAMILY, seed=seed, iterations=5, directory=folder, start=start, report=report, config=TINY)


@pytest.mark.parametrize("killed_at", [1, 3, 5])
def test_a_killed_training_resumes_to_the_same_bits(tmp_path: Path, killed_at: int) -> None:
    undisturbed = tiny(tmp_path / "a")
    with pytest.raises(Killed):
        tiny(tmp_path / "b", killed_at)
    resumed = tiny(tmp_path / "b")
    assert resumed.policy.hash == undisturbed.policy.hash
    assert (resumed.env_steps, resumed.final_success) == (undisturbed.env_steps, undisturbed.final_success)


def test_seed_and_start_policy_change_the_result(tmp_path: Path) -> None:
    first = tiny(tmp_path / "a")
    assert tiny(tmp_path / "b", seed=4).policy.hash != first.policy.hash
    tuned = tiny(tmp_path / "c", start=tmp_path / "a" / "checkpoint.pt")
    assert tuned.policy.hash not in (first.policy.hash, "")


def test_exported_policy_acts_like_the_network() -> None:
    env = Environment(TASK, FAMILY, 8, seed=0)
    algorithm = build_algorithm(env, TINY)
    observation = env.get_observations()
    algorithm.get_policy().update_normalization(observation)
    algorithm.eval_mode()
    with torch.inference_mode():
        expected = algorithm.get_policy()(observation).numpy()
    groups = {group: observation[group].numpy() for group in GROUPS}
    assert export_policy(algorithm).act(groups) == pytest.approx(expected, abs=1e-5)


def test_policy_survives_the_file_and_anything_else_is_refused(tmp_path: Path) -> None:
    policy = tiny(tmp_path / "a").policy
    policy.save(tmp_path / "policy.npz")
    assert Policy.load(tmp_path / "policy.npz").hash == policy.hash
    np.savez(tmp_path / "pickle.npz", mean=np.array([{"a": 1}], dtype=object))
    (tmp_path / "text.npz").write_text("no policy")
    for name in ("pickle.npz", "text.npz", "missing.npz"):
        with pytest.raises(UserError, match=name):
            Policy.load(tmp_path / name)


def test_same_panel_same_verdict_and_other_seed_other_episodes(tmp_path: Path) -> None:
    policy = tiny(tmp_path / "a").policy
    panel = Panel(name="p", seed=11, episodes=32)
    assert evaluate(TASK, FAMILY, policy, panel, threads=1) == evaluate(TASK, FAMILY, policy, panel, threads=2)
    plant = Plant(TASK, 4, 1)
    starts = [TASK.sample_start(np.random.default_rng(seed), 4)["goal_x"] for seed in (11, 12)]
    assert not np.allclose(starts[0], starts[1])
    assert run_episodes(plant, policy, TASK.sample_start(np.random.default_rng(0), 4), 0).commands.shape == (4, 50, 3)


def test_an_unstable_simulation_is_reset_counted_and_never_a_success(tmp_path: Path) -> None:
    env = Environment(TASK, FAMILY, 4, seed=0)
    env.plant.batch.bind("qvel")[1] = np.nan
    with np.errstate(invalid="ignore"):
        observation, reward, done, _ = env.step(torch.zeros(4, 3))
    assert done.tolist() == [False, True, False, False]
    assert env.diverged == 1 and reward[1] == 0
    assert all(torch.isfinite(observation[group]).all() for group in (*GROUPS, "privileged"))
    assert torch.isfinite(env.step(torch.zeros(4, 3))[1]).all()

    policy = tiny(tmp_path / "a").policy
    plant = Plant(TASK, 2, 1)
    episodes = run_episodes(plant, policy, TASK.sample_start(np.random.default_rng(0), 2), 0)
    won = {name: values.copy() for name, values in episodes.signals.items()}
    for axis in "xy":
        won[f"object_position.{axis}"][:] = episodes.start[f"goal_{axis}"][:, None]
    blown = np.array([False, True])
    judged = judge(TASK, type(episodes)(episodes.start, episodes.commands, won, blown))
    assert (judged.success.successes, judged.diverged) == (1, 1)


def test_parameters_are_drawn_anew_for_each_episode_and_stay_in_their_ranges() -> None:
    env = Environment(TASK, FAMILY, 16, seed=1)
    first = env.plant.values["friction"].copy()
    for _ in range(TASK.steps + 1):
        env.step(torch.zeros(16, 3))
    second = env.plant.values["friction"]
    assert not np.allclose(first, second)
    assert ((second >= 0.5) & (second <= 1.2)).all()
    assert ((env.plant.values["delay"] >= 0.008) & (env.plant.values["delay"] <= 0.018)).all()
    assert (env.plant.values["mass"] == TASK.parameters["mass"].nominal).all()


@pytest.mark.slow
def test_pushing_is_learnt(tmp_path: Path) -> None:
    """Half of the demo's training takes success from nothing to a good part of the episodes."""
    torch.set_num_threads(1)
    trained = train(TASK, FAMILY, seed=0, iterations=70, directory=tmp_path)
    panel = Panel(name="p", seed=21, episodes=128)
    assert evaluate(TASK, FAMILY, trained.policy, panel).success.value > 0.4
    assert trained.diverged == 0
