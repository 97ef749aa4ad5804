"""Settings of a PPO training, without torch, so that a task can carry its own."""

from dataclasses import dataclass


@dataclass(frozen=True)
class PPOConfig:
    """Hyper-parameters; the defaults were tuned on finger_push."""

    iterations: int = 150
    """Iterations of a training from scratch."""
    environments: int = 256
    horizon: int = 24
    """Control steps of every environment in an iteration."""
    hidden: tuple[int, ...] = (128, 64)
    epochs: int = 5
    minibatches: int = 4
    learning_rate: float = 1e-3
    gamma: float = 0.98
    lam: float = 0.95
    entropy: float = 0.002
    desired_kl: float = 0.01
    init_std: float = 0.8
    segment: int = 40
    """Iterations between checkpoints; each segment starts fresh episodes from a seed of its own."""

    @property
    def steps(self) -> int:
        """Control steps of an iteration, all environments together."""
        return self.environments * self.horizon
