"""Taxels on the fingertips of any task: `NAME+4x4` and `NAME+4x6` are a task whose tips feel with a pad each."""

from collections.abc import Mapping

import mujoco
import numpy as np
from typing_extensions import override

from sim.models.taxels import Taxels, add_taxels, feel_early
from sim.tasks.task import Array, Memory, Signal, Signals, Task
from sim.touch import shape_taxels
from store.errors import UserError

LAYOUTS = {"4x4": Taxels(rows=4, columns=4), "4x6": Taxels(rows=4, columns=6)}
"""Layouts by name, rows along the finger times columns across it."""
KINDS = {"taxel_depth": "m", "taxel_along": "m/s", "taxel_across": "m/s"}
"""Kind of signal -> its unit, in the order of `shape_taxels`: depth of the skin, and both tangential speeds."""
SPEED = 0.1
"""Tangential speed that the policy sees as one, m/s."""


def with_taxels(base: type[Task], layout: str) -> type[Task]:
    """The task with a pad on every fingertip: signals `taxel_depth.<finger>.<i>` and so on, i = row * columns + column.

    The policy's group `touch` gains all of them; everything else is as in the task itself.

    Raises:
        UserError: no such layout, or a task that does not say where its pads face.
    """
    if layout not in LAYOUTS:
        raise UserError(f"unknown taxels '{layout}'", where=f"task {base.name}", valid=sorted(LAYOUTS))
    if set(base.skins) != set(base.tips):
        hint = "give the class `skins`: finger -> direction out of the pad and along the finger, in the tip's frame"
        raise UserError("the task does not say where its fingertips face", where=f"task {base.name}", hint=hint)
    pad = LAYOUTS[layout]

    class Felt(base):
        name = f"{base.name}+{layout}"
        signals = (
            *base.signals,
            *(
                Signal(f"{kind}.{finger}.{i}", unit, "force" if unit == "m" else "slip")
                for finger in base.tips
                for kind, unit in KINDS.items()
                for i in range(pad.rows * pad.columns)
            ),
        )

        @override
        def build(self) -> mujoco.MjSpec:
            spec = super().build()
            for finger, tip in self.tips.items():
                facing, along = self.skins[finger]
                add_taxels(spec, finger, tip, pad, facing, along)
                feel_early(spec, [p.name for p in spec.pairs if tip in (p.geomname1, p.geomname2)], pad.skin)
            return spec

        @override
        def read(self, sensors: dict[str, Array]) -> Signals:
            signals = super().read(sensors)
            for finger in self.tips:
                flat = sensors[f"taxels.{finger}"].reshape(-1, len(KINDS), pad.rows * pad.columns)
                for column, kind in enumerate(KINDS):
                    signals |= {f"{kind}.{finger}.{i}": flat[:, column, i] for i in range(flat.shape[2])}
            return signals

        @override
        def observe(self, readings: Signals, memory: Memory, start: Mapping[str, Array]) -> dict[str, Array]:
            seen = super().observe(readings, memory, start)
            taxels = np.concatenate([pad_of(readings, finger) for finger in self.tips], axis=1)
            near_one = np.tanh(taxels / np.array([pad.skin, SPEED, SPEED]))
            return {**seen, "touch": np.concatenate([seen["touch"], near_one.reshape(len(taxels), -1)], axis=1)}

    Felt.__name__ = Felt.__qualname__ = f"{base.__name__}{layout}"
    return Felt


def pad_of(signals: Mapping[str, Array], finger: str) -> Array:
    """Taxels of a finger from signals (...,): (..., taxels, 3), as `read_taxels` wants them once rows are cut."""
    count = sum(name.startswith(f"taxel_depth.{finger}.") for name in signals)
    flat = [np.stack([signals[f"{kind}.{finger}.{i}"] for i in range(count)], axis=-1) for kind in KINDS]
    return np.stack(flat, axis=-1)


def rows_of(signals: Mapping[str, Array], finger: str, layout: str) -> Array:
    """Taxels of whole episodes (n, T) by row and column, (n, T, rows, columns, 3), for `read_taxels`."""
    pad = LAYOUTS[layout]
    flat = np.moveaxis(pad_of(signals, finger), -1, -2)
    return shape_taxels(flat.reshape(*flat.shape[:-2], -1), pad.rows, pad.columns)
