"""Friction of surfaces and compliance of fingertip pads."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from sim.parameters.knob import Ids, Knob, Tunable, Values, factor
from store.records import Parameter


@dataclass(frozen=True)
class Pad:
    """A compliant fingertip: the contact pairs it takes part in, each with the two bodies that meet."""

    pairs: tuple[tuple[str, str, str], ...]
    """(pair, body, body)."""


def frictions(surfaces: Mapping[str, tuple[str, ...]], nominal: float = 0.8) -> tuple[Knob, ...]:
    """Sliding friction of the object, and a factor for each surface it meets.

    Args:
        surfaces: surface (table, palm, a finger ...) -> contact pairs with the object.
        nominal: coefficient.
    """

    def apply(plant: Tunable, ids: Ids) -> None:
        field = plant.batch.expand("pair_friction")
        for surface, pairs in surfaces.items():
            product = plant.values["friction"][ids] * plant.values[f"friction.{surface}"][ids]
            for pair in pairs:
                # (tangent, tangent, spin, roll, roll): both tangents carry the sliding coefficient
                field[ids, plant.model.pair(pair).id, 0:2] = product[:, None]

    meaning = "Coulomb sliding friction of the object against everything it meets (pair_friction, both tangents)."
    common = Parameter(
        name="friction", unit="1", kind="physics", nominal=nominal, low=0.1, high=2.0, scale="log", meaning=meaning
    )
    parts = (factor("friction", surface, apply, "Sliding friction") for surface in surfaces)
    return (Knob(common, apply), *parts)


TIME_CONSTANT_STEPS = 2
"""Shortest contact time constant, in timesteps, that a model resolves: MuJoCo clamps it there (refsafe)."""


def time_constant(compliance: Values, impedance: Values, inverse_weight: Values) -> Values:
    """Contact time constant, s, at which a contact deflects by `compliance`, m/N.

    MuJoCo's contact is a spring in acceleration space. At rest the force is k r d / ((1 - d) A) with
    k = 1 / (dampratio timeconst)^2 for constant impedance d, and A the sum of both bodies' inverse weights (MuJoCo
    docs, Computation: Parameters). So a compliance c needs timeconst = sqrt(c / ((1 - d) A)) at damping ratio 1.
    """
    return np.sqrt(compliance / ((1 - impedance) * inverse_weight))


def compliances(
    pads: Mapping[str, Pad], nominal: float = 6e-4, low: float = 1.5e-4, high: float = 5e-3
) -> tuple[Knob, ...]:
    """Normal compliance of the fingertip pads, a factor for each, their impedance and damping ratio.

    Args:
        pads: finger -> its pad.
        nominal: deflection over force, m/N.
        low: hard bound; what the timestep resolves.
        high: hard bound.
    """

    def apply(plant: Tunable, ids: Ids) -> None:
        model, values = plant.model, plant.values
        impedance, ratio = values["impedance"][ids], values["contact_damping"][ids]
        inverse = plant.batch.expanded("body_invweight0")
        for finger, pad in pads.items():
            compliance = values["compliance"][ids] * values[f"compliance.{finger}"][ids]
            for pair, *bodies in pad.pairs:
                which = [model.body(name).id for name in bodies]
                usual = np.full(len(compliance), model.body_invweight0[which, 0].sum())
                weight = usual if inverse is None else inverse[ids][:, which, 0].sum(axis=1)
                # the spring is 1 / (timeconst ratio)^2, so the ratio must not change the deflection
                constant = time_constant(compliance, impedance, weight) / ratio
                least = TIME_CONSTANT_STEPS * model.opt.timestep
                needed = time_constant(compliance, impedance, usual)
                if np.any(needed < least / 2):
                    raise ValueError(
                        f"compliance {compliance.min():.2e} m/N of {pair} needs a contact time constant of "
                        f"{needed.min():.4f} s, which a timestep of {model.opt.timestep} s does not resolve"
                    )
                # beside a light object or link a stiff pad may need less: it then is as stiff as the timestep resolves
                constant = np.maximum(constant, least)
                index = model.pair(pair).id
                plant.batch.expand("pair_solref")[ids, index] = np.stack([constant, ratio], axis=1)
                plant.batch.expand("pair_solimp")[ids, index, 0:2] = impedance[:, None]

    def parameter(name: str, unit: str, value: float, bounds: tuple[float, float], meaning: str) -> Parameter:
        return Parameter(
            name=name, unit=unit, kind="physics", nominal=value, low=bounds[0], high=bounds[1], scale="log",
            meaning=meaning,
        )  # fmt: skip

    resting = ("mass", "inertia", "size", "link_mass", "armature")  # what changes the inverse weight of the bodies
    common = (
        parameter(
            "compliance", "m/N", nominal, (low, high),
            "Normal compliance of the fingertip pads, deflection over force (pair_solref time constant).",
        ),
        parameter(
            "impedance", "1", 0.9, (0.8, 0.95),
            "Constraint impedance of the pads' contact: the share of the force that is spring (pair_solimp d).",
        ),
        parameter(
            "contact_damping", "1", 1.0, (0.7, 1.3),
            "Damping ratio of the pads' contact, 1 is critical (pair_solref damping ratio).",
        ),
    )  # fmt: skip
    factors = [
        factor("compliance", finger, apply, "Normal compliance of the pad", spread=1.5 if len(pads) > 1 else 1.2)
        for finger in pads
    ]
    knobs = [Knob(one, apply) for one in common] + factors
    return tuple(Knob(knob.parameter, knob.apply, rests_on=resting) for knob in knobs)
