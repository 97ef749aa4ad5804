"""Train under three friction settings, judge each on a friction that none has seen: the gap of each setting.

The textbook's exercise: how much of the gap does a wider range of friction close, and what does it cost at home?
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch

from sim.tasks import get_task
from sim.train.evaluate import Judged, evaluate
from sim.train.ppo import train
from store.records import Family, Panel, Range, difference_interval

SETTINGS = {"fixed": (0.8, 0.8), "narrow": (0.7, 0.9), "wide": (0.4, 1.2)}
"""Friction ranges that are trained on."""
HELD_OUT = 1.5
"""Friction that no setting contains."""
ITERATIONS = 110
EPISODES = 400


def run(home: Path, seeds: int | None, say: Callable[[str], None]) -> dict[str, Any]:
    """Train and judge; every setting gets the same steps and the same panels."""
    torch.set_num_threads(1)
    task = get_task("finger_push")
    rows = []
    for name, (low, high) in SETTINGS.items():
        for seed in range(seeds or 1):
            folder = home / f"{name}-{seed}"
            folder.mkdir(parents=True, exist_ok=True)
            say(f"training {name} (friction {low:g} to {high:g}), seed {seed}, {ITERATIONS} iterations")
            policy = train(task, _family(low, high), seed=seed, iterations=ITERATIONS, directory=folder).policy
            panel = Panel(name="home", seed=20_000 + seed, episodes=EPISODES)
            away = Panel(name="held-out", seed=30_000 + seed, episodes=EPISODES)
            at_home = evaluate(task, _family(low, high), policy, panel)
            held_out = evaluate(task, _family(HELD_OUT, HELD_OUT), policy, away)
            rows.append({"setting": name, "low": low, "high": high, "seed": seed, **_gaps(at_home, held_out)})
    return {"held_out_friction": HELD_OUT, "iterations": ITERATIONS, "episodes": EPISODES, "rows": rows}


def table(result: dict[str, Any]) -> str:
    """The slip and success gap table."""
    lines = [
        f"friction hold-out: trained on three settings, judged at home and at friction {result['held_out_friction']:g}",
        f"{'setting':<8}{'friction':<12}{'seed':<5}{'success home':<14}{'held out':<10}{'gap [95 %]':<24}"
        f"{'slip home':<11}{'held out':<10}{'gap [95 %]':<22}",
    ]
    for r in result["rows"]:
        success = f"{r['success_gap']:+.2f} [{r['success_gap_interval'][0]:+.2f}, {r['success_gap_interval'][1]:+.2f}]"
        slip = f"{r['slip_gap']:+.2f} [{r['slip_gap_interval'][0]:+.2f}, {r['slip_gap_interval'][1]:+.2f}]"
        friction = f"{r['low']:g} to {r['high']:g}"
        lines.append(
            f"{r['setting']:<8}{friction:<12}{r['seed']:<5}{r['success_home']:<14.2f}{r['success_held_out']:<10.2f}"
            f"{success:<24}{r['slip_home']:<11.2f}{r['slip_held_out']:<10.2f}{slip:<22}"
        )
    return "\n".join(lines)


def _family(low: float, high: float) -> Family:
    friction = Range(parameter="friction", unit="1", low=low, high=high, source="preset")
    delay = Range(parameter="delay", unit="s", low=0.008, high=0.018, source="preset")
    return Family(ranges=(friction, delay))


def _gaps(home: Judged, away: Judged) -> dict[str, Any]:
    return {
        "success_home": home.success.value,
        "success_held_out": away.success.value,
        "success_gap": home.success.value - away.success.value,
        "success_gap_interval": difference_interval(home.success, away.success),
        "slip_home": home.slip_rate.value,
        "slip_held_out": away.slip_rate.value,
        "slip_gap": away.slip_rate.value - home.slip_rate.value,
        "slip_gap_interval": difference_interval(away.slip_rate, home.slip_rate),
    }
