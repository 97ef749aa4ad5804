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
PEER_ENVIRONMENTS, PEER_STEPS = 8, 4096
ROUNDS = 3


def run(home: Path, seeds: int | None, say: Callable[[str], None]) -> dict[str, Any]:
    """Control steps a second of all three, in turn, over some rounds."""
    task = get_task(NAME)
    ours, peer, physics = _ours(task), _peer(task), _physics(task)
    rates: dict[str, list[float]] = {"regrasp": [], "stable-baselines3": [], "physics": []}
    for turn in range(ROUNDS):
        for name, measure in (("regrasp", ours), ("stable-baselines3", peer), ("physics", physics)):
            rates[name].append(measure())
        say(f"round {turn + 1} of {ROUNDS}: " + ", ".join(f"{n} {r[-1]:,.0f}/s" for n, r in rates.items()))
    middle = {name: median(values) for name, values in rates.items()}
    return {
        "task": NAME,
        "environments": task.training.environments,
        "rates": middle,
        "times_peer": median(a / b for a, b in zip(rates["regrasp"], rates["stable-baselines3"], strict=True)),
        "share_of_physics": median(a / b for a, b in zip(rates["regrasp"], rates["physics"], strict=True)),
    }


def table(result: dict[str, Any]) -> str:
    """Three rates and two ratios."""
    lines = [f"{name:<20}{rate:>10,.0f} control steps/s" for name, rate in result["rates"].items()]
    return "\n".join(
        [
            f"{result['task']}, {result['environments']} environments against {PEER_ENVIRONMENTS} of the peer",
            *lines,
            f"{result['times_peer']:.1f} times stable-baselines3, {result['share_of_physics']:.0%} of raw physics",
        ]
    )


def _ours(task: Task) -> Callable[[], float]:
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
    return measure


def _physics(task: Task) -> Callable[[], float]:
    plant = Plant(task, task.training.environments)
    readings = plant.reset(task.sample_start(np.random.default_rng(0), plant.count), seed=0).signals
    plant.batch.bind("ctrl")[:] = np.stack([readings[f"joint_position.{joint}"] for joint in task.joints], axis=1)

    def measure() -> float:
        began = time.perf_counter()
        for _ in range(task.training.horizon):
            plant.batch.step(nstep=task.substeps)
        return task.training.horizon * plant.count / (time.perf_counter() - began)

    measure()
    return measure


def _peer(task: Task) -> Callable[[], float]:
    """stable-baselines3 PPO on a plain Gymnasium environment of the same model, as its users write one."""
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
            self.target, self.action, self.age = self.target + 0.12 * action, action, self.age + 1
            self.data.ctrl[:] = self.target
            mujoco.mj_step(nominal.model, self.data, task.substeps)
            fallen = bool(self.data.qpos[2] < 0.0)
            return self._see(), float(self.data.qvel[-1]), fallen, self.age >= task.steps, {}

        def _see(self) -> Any:
            d = self.data
            return np.concatenate([d.qpos, d.qvel, d.sensordata, self.target, self.action]).astype(np.float32)

    layers = list(task.training.hidden)
    model = PPO(
        "MlpPolicy", DummyVecEnv([Plain] * PEER_ENVIRONMENTS), n_steps=PEER_STEPS // PEER_ENVIRONMENTS,
        batch_size=256, n_epochs=task.training.epochs, device="cpu", seed=0,
        policy_kwargs={"net_arch": layers, "activation_fn": torch.nn.ELU},
    )  # fmt: skip

    def measure() -> float:
        began = time.perf_counter()
        model.learn(PEER_STEPS, reset_num_timesteps=False)
        return PEER_STEPS / (time.perf_counter() - began)

    measure()
    return measure
