"""Training speed against stable-baselines3 PPO and against the physics alone: same model, network, control rate."""

import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

import gymnasium
import mujoco
import numpy as np
import torch
from stable_baselines3 import PPO
from stable_baselines3.common.vec_env import DummyVecEnv

from sim.environment import Environment
from sim.plant import Plant
from sim.randomize.presets import preset
from sim.tasks import get_task
from sim.tasks.task import Task
from sim.train.ppo import build_algorithm, collect_and_update

NAME = "cube_rotate"
PEER_ENVIRONMENTS = 8
PEER, TUNED = "stable-baselines3 as it comes", "stable-baselines3, our epochs"
"""The peer with its own batches and epochs (64 and 10), and with as little update work as ours."""
ROUNDS = 3


def run(home: Path, seeds: int | None, say: Callable[[str], None]) -> dict[str, Any]:
    """Control steps a second of all three, in turn, over some rounds."""
    task = get_task(NAME)
    ours, plant = _ours(task)
    lanes = {
        "regrasp": ours,
        PEER: _peer(task, {"n_steps": 2048}),
        TUNED: _peer(task, {"n_steps": 512, "batch_size": 1024, "n_epochs": task.training.epochs}),
        "physics": _physics(plant, task.training.horizon),
    }
    rates: dict[str, list[float]] = {name: [] for name in lanes}
    for turn in range(ROUNDS):
        for name, measure in lanes.items():
            rates[name].append(measure())
        say(f"round {turn + 1} of {ROUNDS}: " + ", ".join(f"{n} {r[-1]:,.0f}/s" for n, r in rates.items()))
    middle = {name: median(values) for name, values in rates.items()}
    return {
        "task": NAME,
        "environments": task.training.environments,
        "rates": middle,
        "times_peer": median(a / b for a, b in zip(rates["regrasp"], rates[PEER], strict=True)),
        "times_tuned_peer": median(a / b for a, b in zip(rates["regrasp"], rates[TUNED], strict=True)),
        "share_of_physics": median(a / b for a, b in zip(rates["regrasp"], rates["physics"], strict=True)),
    }


def table(result: dict[str, Any]) -> str:
    """Three rates and two ratios."""
    lines = [f"{name:<36}{rate:>10,.0f} control steps/s" for name, rate in result["rates"].items()]
    return "\n".join(
        [
            f"{result['task']}, {result['environments']} environments against {PEER_ENVIRONMENTS} of the peer",
            *lines,
            f"{result['times_peer']:.1f} times {PEER}, {result['times_tuned_peer']:.1f} times {TUNED}, "
            f"{result['share_of_physics']:.0%} of raw physics",
        ]
    )


def _ours(task: Task) -> tuple[Callable[[], float], Plant]:
    cfg = task.training
    env = Environment(task, preset("anchored", task.parameters), cfg.environments, seed=0)
    env.seed_episodes(0)
    algorithm = build_algorithm(env, cfg)

    def measure() -> float:
        began = time.perf_counter()
        for _ in range(2):
            collect_and_update(env, algorithm, cfg.horizon)
        return 2 * cfg.horizon * cfg.environments / (time.perf_counter() - began)

    measure()
    return measure, env.plant


def _physics(plant: Plant, steps: int) -> Callable[[], float]:
    """Bare Batch.step on the training's own simulations, with the contacts that training has brought them to."""

    def measure() -> float:
        began = time.perf_counter()
        for _ in range(steps):
            plant.batch.step(nstep=plant.task.substeps)
        return steps * plant.count / (time.perf_counter() - began)

    measure()
    return measure


def _peer(task: Task, settings: dict[str, Any]) -> Callable[[], float]:
    """stable-baselines3 PPO on a plain Gymnasium environment of the same model, as its users write one."""
    steps = PEER_ENVIRONMENTS * settings["n_steps"]
    nominal = Plant(task, 1, 1)
    start = task.sample_start(np.random.default_rng(0), 1)
    nominal.reset(start)
    qpos, width = nominal.batch.bind("qpos")[0].copy(), len(task.joints)
    hold = qpos[nominal.joint_addresses]
    size = nominal.model.nq + nominal.model.nv + nominal.model.nsensordata + 2 * width

    class Plain(gymnasium.Env[Any, Any]):
        observation_space = gymnasium.spaces.Box(-np.inf, np.inf, (size,), np.float32)
        action_space = gymnasium.spaces.Box(-1.0, 1.0, (width,), np.float32)

        def __init__(self) -> None:
            self.data, self.target, self.action, self.age = mujoco.MjData(nominal.model), hold, np.zeros(width), 0

        def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[Any, dict[str, Any]]:
            mujoco.mj_resetData(nominal.model, self.data)
            self.data.qpos[:], self.data.ctrl[:], self.data.act[:] = qpos, hold, hold
            self.target, self.action, self.age = hold.copy(), np.zeros(width), 0
            mujoco.mj_forward(nominal.model, self.data)
            return self._see(), {}

        def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
            self.target, self.action, self.age = self.target + 0.1 * action, action, self.age + 1
            self.data.ctrl[:] = self.target
            mujoco.mj_step(nominal.model, self.data, task.substeps)
            fallen = bool(self.data.qpos[2] < 0.0)
            return self._see(), float(self.data.qvel[-1]), fallen, self.age >= task.steps, {}

        def _see(self) -> Any:
            d = self.data
            return np.concatenate([d.qpos, d.qvel, d.sensordata, self.target, self.action]).astype(np.float32)

    layers = list(task.training.hidden)
    model = PPO(
        "MlpPolicy", DummyVecEnv([Plain] * PEER_ENVIRONMENTS), device="cpu", seed=0,
        policy_kwargs={"net_arch": layers, "activation_fn": torch.nn.ELU}, **settings,
    )  # fmt: skip

    def measure() -> float:
        began = time.perf_counter()
        model.learn(steps, reset_num_timesteps=False)
        return steps / (time.perf_counter() - began)

    measure()
    return measure
