"""Friction, mass and fingertip compliance."""

import numpy as np

from sim.parameters.knob import Ids, Knob, Tunable, Values
from store.records import Parameter


def friction(pairs: tuple[str, ...], nominal: float = 0.8) -> Knob:
    """Sliding friction of the object, in every contact pair named."""

    def apply(plant: Tunable, ids: Ids, values: Values) -> None:
        field = plant.batch.expand("pair_friction")
        for pair in pairs:
            # (tangent, tangent, spin, roll, roll): both tangents carry the sliding coefficient
            field[ids, plant.model.pair(pair).id, 0:2] = values[:, None]

    meaning = "Coulomb sliding friction of the object against fingertip and table (pair_friction, both tangents)."
    return Knob(
        Parameter(
            name="friction", unit="1", kind="physics", nominal=nominal, low=0.1, high=2.0, scale="log", meaning=meaning
        ),
        apply,
    )


def mass(body: str, nominal: float, low: float, high: float) -> Knob:
    """Mass of a body; its inertia scales with it, so the density pattern stays the same."""

    def apply(plant: Tunable, ids: Ids, values: Values) -> None:
        index = plant.model.body(body).id
        plant.batch.expand("body_mass")[ids, index] = values
        inertia = plant.model.body_inertia[index] / plant.model.body_mass[index]
        plant.batch.expand("body_inertia")[ids, index] = values[:, None] * inertia
        plant.batch.set_const(ids)

    meaning = f"Mass of the {body}; inertia scales with it (body_mass, body_inertia, then mj_setConst)."
    return Knob(
        Parameter(
            name="mass", unit="kg", kind="physics", nominal=nominal, low=low, high=high, scale="log", meaning=meaning
        ),
        apply,
    )


def compliance(pair: str, bodies: tuple[str, str], nominal: float = 6e-4) -> Knob:
    """Normal compliance of the fingertip pad, deflection over force.

    MuJoCo's contact is a spring in acceleration space. At rest the force is k r d / ((1 - d) A) with
    k = 1 / (dampratio timeconst)^2 for constant impedance d, and A the sum of both bodies' inverse weights (MuJoCo
    docs, Computation: Parameters). So a compliance c in m/N needs timeconst = sqrt(c / ((1 - d) A)).
    """

    def apply(plant: Tunable, ids: Ids, values: Values) -> None:
        model, index = plant.model, plant.model.pair(pair).id
        impedance = float(model.pair_solimp[index, 0])
        inverse = plant.batch.expanded("body_invweight0")
        weights = np.zeros(len(ids))
        for body in bodies:
            i = model.body(body).id
            weights += model.body_invweight0[i, 0] if inverse is None else inverse[ids, i, 0]
        time_constant = np.sqrt(values / ((1 - impedance) * weights))
        # MuJoCo clamps the time constant at two timesteps without a word (refsafe); we refuse instead
        if np.any(time_constant < 2 * model.opt.timestep):
            least = (2 * model.opt.timestep) ** 2 * (1 - impedance) * weights.max()
            raise ValueError(f"compliance below {least:.2e} m/N needs a smaller timestep than {model.opt.timestep} s")
        plant.batch.expand("pair_solref")[ids, index, 0] = time_constant

    meaning = "Normal compliance of the fingertip pad, deflection over force (contact solref time constant)."
    return Knob(
        Parameter(
            name="compliance",
            unit="m/N",
            kind="physics",
            nominal=nominal,
            low=1.5e-4,
            high=5e-3,
            scale="log",
            meaning=meaning,
        ),
        apply,
        rests_on=("mass",),  # the inverse weight of the bodies
    )
