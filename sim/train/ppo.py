"""PPO by rsl-rl on the batch environment, in segments that make a killed training resume to the same bits."""

import contextlib
import io
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from rsl_rl.algorithms import PPO
from rsl_rl.modules import EmpiricalNormalization
from rsl_rl.modules.distribution import GaussianDistribution

from sim.environment import DEVICE, Environment
from sim.tasks.task import Task
from sim.train.config import PPOConfig
from sim.train.policy import GROUPS, Policy
from store.artifacts import replace
from store.records import Family

Report = Callable[[int, int, dict[str, float]], None]
"""Called after each iteration with (iteration, iterations, values)."""


LEAST_STD = 0.25
"""Exploration noise that fine-tuning starts with at least: enough to leave the old optimum, not to forget it."""


@dataclass(frozen=True)
class Trained:
    """Result of a training."""

    policy: Policy
    env_steps: int
    final_success: float
    """Share of successful episodes over the last quarter of the last segment, exploration noise included."""
    diverged: int


def train(
    task: Task,
    family: Family,
    *,
    seed: int,
    iterations: int,
    directory: Path,
    start: Path | None = None,
    report: Report | None = None,
    config: PPOConfig | None = None,
) -> Trained:
    """Train a policy on a family and leave `checkpoint.pt` in the directory.

    A training that was killed goes on after its last whole segment and ends with the same policy, bit for bit, as one
    that was not: every segment re-seeds episodes and exploration from (seed, segment).

    Args:
        task: the task.
        family: ranges that parameters are drawn from.
        seed: seed of everything random.
        iterations: PPO iterations in all.
        directory: where the checkpoint lives.
        start: checkpoint of the policy to fine-tune, or None to begin from scratch.
        report: progress callback.
        config: hyper-parameters; the task's own by default.
    """
    cfg = config or task.training
    torch.manual_seed(seed)
    env = Environment(task, family, cfg.environments, seed)
    algorithm = build_algorithm(env, cfg)
    checkpoint = directory / "checkpoint.pt"
    done, diverged, recent, share = 0, 0, [], 0.0
    if checkpoint.exists():
        saved = torch.load(checkpoint, weights_only=True)
        algorithm.load(saved["algorithm"], None, strict=True)
        done, diverged, recent = saved["done"], saved["diverged"], saved["recent"]
    elif start is not None:
        models = {"actor": True, "critic": True}
        algorithm.load(torch.load(start, weights_only=True)["algorithm"], models, strict=True)
        keep_exploring(algorithm, LEAST_STD)

    began = time.monotonic()
    while done < iterations:
        segment = done // cfg.segment
        torch.manual_seed(seed * 100_003 + segment)
        env.seed_episodes(seed * 100_003 + segment)
        recent = []
        for iteration in range(done, min(done + cfg.segment, iterations)):
            env.successes.clear()
            reward = collect_and_update(env, algorithm, cfg.horizon)
            if env.successes:
                share = float(np.mean(env.successes))
                recent.append(share)
            if report:
                steps = (iteration + 1) * cfg.steps
                rate = (iteration + 1 - done) * cfg.steps / (time.monotonic() - began)
                report(
                    iteration + 1, iterations, {"env_steps": steps, "reward": reward, "success": share, "rate": rate}
                )
        done = min(done + cfg.segment, iterations)
        began, diverged, env.diverged = time.monotonic(), diverged + env.diverged, 0
        save_checkpoint(checkpoint, algorithm, done=done, diverged=diverged, recent=recent, config=asdict(cfg))
    quarter = recent[-max(1, len(recent) // 4) :]
    return Trained(
        policy=export_policy(algorithm),
        env_steps=iterations * cfg.steps,
        final_success=float(np.mean(quarter)) if quarter else 0.0,
        diverged=diverged,
    )


def collect_and_update(env: Environment, algorithm: PPO, horizon: int) -> float:
    """One PPO iteration; returns the mean reward of a control step."""
    total = 0.0
    with torch.inference_mode():
        observations = env.get_observations()
        for _ in range(horizon):
            actions = algorithm.act(observations)
            observations, rewards, dones, extras = env.step(actions)
            algorithm.process_env_step(observations, rewards, dones, extras)
            total += float(rewards.mean())
        algorithm.compute_returns(observations)
    losses = algorithm.update()
    if not np.isfinite(list(losses.values())).all():
        raise FloatingPointError(f"PPO diverged: losses {losses}")
    return total / horizon


def build_algorithm(env: Environment, cfg: PPOConfig) -> PPO:
    """An rsl-rl PPO whose critic also sees the privileged group."""
    network = {
        "class_name": "MLPModel",
        "hidden_dims": list(cfg.hidden),
        "activation": "elu",
        "obs_normalization": True,
    }
    noise = {"class_name": "GaussianDistribution", "init_std": cfg.init_std, "std_range": (0.05, 1.0)}
    settings = {
        "num_steps_per_env": cfg.horizon,
        "obs_groups": {"actor": list(GROUPS), "critic": [*GROUPS, "privileged"]},
        "actor": {**network, "distribution_cfg": noise},
        "critic": network,
        "multi_gpu": None,
        "algorithm": {
            "class_name": "PPO",
            "num_learning_epochs": cfg.epochs,
            "num_mini_batches": cfg.minibatches,
            "learning_rate": cfg.learning_rate,
            "gamma": cfg.gamma,
            "lam": cfg.lam,
            "entropy_coef": cfg.entropy,
            "desired_kl": cfg.desired_kl,
            "schedule": "adaptive",
        },
    }
    with contextlib.redirect_stdout(io.StringIO()):  # rsl-rl prints both networks
        algorithm = PPO.construct_algorithm(env.get_observations(), env, settings, DEVICE)
    algorithm.train_mode()
    return algorithm


def keep_exploring(algorithm: PPO, least: float) -> None:
    """Raise the exploration noise of a finished policy, so that fine-tuning can leave its old optimum."""
    distribution = algorithm.get_policy().distribution
    if not isinstance(distribution, GaussianDistribution):
        raise TypeError("exploration noise needs a Gaussian policy")
    distribution.std_param.data.clamp_(min=least)


def save_checkpoint(path: Path, algorithm: PPO, **progress: object) -> None:
    """Write everything that a resumed or fine-tuned training needs, atomically."""
    replace(path, lambda draft: torch.save({"algorithm": algorithm.save(), **progress}, draft))


def export_policy(algorithm: PPO) -> Policy:
    """The actor as plain arrays."""
    actor = algorithm.get_policy()
    layers = [module for module in actor.mlp if isinstance(module, torch.nn.Linear)]
    normaliser = actor.obs_normalizer
    if not isinstance(normaliser, EmpiricalNormalization):
        raise TypeError("export needs a network with observation normalisation")
    return Policy(
        mean=_as_array(normaliser.mean),
        std=_as_array(normaliser.std + normaliser.eps),
        weights=tuple(_as_array(layer.weight) for layer in layers),
        biases=tuple(_as_array(layer.bias) for layer in layers),
    )


def _as_array(tensor: torch.Tensor) -> NDArray[np.float32]:
    return tensor.detach().numpy().astype(np.float32).copy()
