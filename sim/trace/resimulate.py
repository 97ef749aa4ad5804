"""Send recorded commands through a plant from recorded starts, whatever it measures."""

from collections.abc import Mapping

import numpy as np

from sim.plant import Plant
from sim.tasks.task import Array, Signals


def resimulate(plant: Plant, start: Mapping[str, Array], commands: Array) -> Signals:
    """Noise-free signals, name -> (n, T + 1), of commands (n, T, nu) from starts {name: (n,)}, parameters as set."""
    plant.reset(start)
    rows = [plant.truth]
    for step in range(commands.shape[1]):
        plant.step(commands[:, step])
        rows.append(plant.truth)
    return {s.name: np.stack([row[s.name] for row in rows], axis=1) for s in plant.task.signals}
