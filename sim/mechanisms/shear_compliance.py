"""Fingertip pads that give sideways."""

import mujoco
import numpy as np
from typing_extensions import override

from sim.mechanisms.mechanism import Mechanism, mechanism_knob, rest_pose
from sim.parameters.knob import Ids, Knob, Tunable
from sim.tasks.task import Array, Task
from store.errors import UserError

INERTIA = 0.1
"""Armature of the pad's slides, kg. A pad of a few grams on a stiff spring would need steps below a millisecond, and
its inverse weight would keep MuJoCo from resolving the pad's normal compliance. It slows the shear to 7-35 Hz."""


class ShearCompliance(Mechanism):
    """Two slides with spring and damper between the tip's body and what carries it, in the plane of the pad.

    A pad presses in the direction in which the finger's last joint moves it; the slides span the plane across that. A
    tip whose body carries a joint of its own gives as a whole.
    """

    name = "shear_compliance"
    explanation = (
        "A soft fingertip gives sideways as well as inwards. Before a held object slips the pad shears by force "
        "over stiffness, so the object lags behind the finger and springs back, and slip sets in later. MuJoCo's "
        "contacts have a spring along the normal only (MuJoCo documentation, Computation: friction constraints "
        "have no position of their own to return to), so no friction or contact setting imitates it; here the pad "
        "sits on two sprung slides. Stiffness is what a sideways pull with a spring scale measures: force over "
        "deflection."
    )

    @override
    def knobs(self, task: Task) -> tuple[Knob, ...]:
        def write(field: str, values: Array, plant: Tunable, ids: Ids, index: str) -> None:
            for finger in task.tips:
                for slide in _slides(finger):
                    plant.batch.expand(field)[ids, getattr(plant.model.joint(slide), index)] = values

        def stiffness(plant: Tunable, ids: Ids) -> None:
            write("jnt_stiffness", plant.values["shear_compliance.stiffness"][ids], plant, ids, "id")

        def damping(plant: Tunable, ids: Ids) -> None:
            write("dof_damping", plant.values["shear_compliance.damping"][ids], plant, ids, "dofadr")

        if not task.tips:
            return ()
        return (
            mechanism_knob(
                "shear_compliance.stiffness", "N/m", 1000.0, (200.0, 5000.0),
                "Sideways stiffness of every fingertip pad (jnt_stiffness).", "log", apply=stiffness,
            ),
            mechanism_knob(
                "shear_compliance.damping", "Ns/m", 10.0, (2.0, 50.0),
                "Sideways damping of every fingertip pad (dof_damping).", "log", apply=damping,
            ),
        )  # fmt: skip

    @override
    def edit(self, spec: mujoco.MjSpec, task: Task) -> None:
        if not task.tips:
            raise UserError(f"{self.name} needs a fingertip", where=f"task {task.name}")
        model, data = rest_pose(spec)
        for finger, tip in task.tips.items():
            geom, joint = model.geom(tip).id, model.joint(task.fingers[finger][-1]).id
            body = int(model.geom_bodyid[geom])
            axis = data.xaxis[joint]
            normal = axis
            if model.jnt_type[joint] == mujoco.mjtJoint.mjJNT_HINGE:
                normal = np.cross(axis, data.geom_xpos[geom] - data.xanchor[joint])
            turn = data.xmat[body].reshape(3, 3)
            for slide, direction in zip(_slides(finger), _across(normal), strict=True):
                pad = spec.body(model.body(body).name).add_joint(
                    name=slide, type=mujoco.mjtJoint.mjJNT_SLIDE, axis=turn.T @ direction, armature=INERTIA
                )
                pad.stiffness[0], pad.damping[0] = 1000.0, 10.0  # the knobs write the values


def _slides(finger: str) -> tuple[str, str]:
    return f"shear_compliance.{finger}.0", f"shear_compliance.{finger}.1"


def _across(normal: Array) -> Array:
    """Two unit vectors that span the plane across `normal`, (2, 3)."""
    unit = normal / np.linalg.norm(normal)
    first = np.cross(unit, np.eye(3)[np.argmin(np.abs(unit))])
    first /= np.linalg.norm(first)
    return np.stack([first, np.cross(unit, first)])
