"""Neighbouring joints of a finger that pull at each other."""

import mujoco
import numpy as np
from typing_extensions import override

from sim.mechanisms.mechanism import Mechanism, mechanism_knob, rest_pose
from sim.parameters.knob import Ids, Knob, Tunable
from sim.tasks.task import Task
from store.errors import UserError

PARALLEL = 0.9
"""Cosine between two joint axes above which a tendon can run over both."""


class TendonCoupling(Mechanism):
    """A spring on the difference of the angles of neighbouring joints, as a fixed tendon, slack in mid-range."""

    name = "tendon_coupling"
    explanation = (
        "A tendon, cable or flat skin that runs over two joints of a finger ties them together like a spring: "
        "bending one drags the other along, and each stands off from its command by as much as the two differ. "
        "Errors of single joints then look like offsets that change with the pose, which no gain or bias of one "
        "joint can follow. It is MuJoCo's fixed tendon (MuJoCo documentation, XML reference, tendon/fixed), a "
        "spring on a linear combination of joint positions; here with weights one and minus one for every two "
        "neighbours with parallel axes."
    )

    @override
    def knobs(self, task: Task) -> tuple[Knob, ...]:
        if all(len(joints) < 2 for joints in task.fingers.values()):
            return ()

        def apply(plant: Tunable, ids: Ids) -> None:
            # only its own tendons: a robot may have others
            mine = [i for i in range(plant.model.ntendon) if plant.model.tendon(i).name.startswith(f"{self.name}.")]
            stiffness = plant.values["tendon_coupling.stiffness"][ids]
            plant.batch.expand("tendon_stiffness")[np.ix_(np.arange(plant.batch.nsim)[ids], mine)] = stiffness[:, None]

        meaning = "Stiffness of the coupling of neighbouring joints of a finger (tendon_stiffness)."
        return (
            mechanism_knob("tendon_coupling.stiffness", "Nm/rad", 0.1, (0.005, 1.0), meaning, "log", apply=apply),
        )  # fmt: skip

    @override
    def edit(self, spec: mujoco.MjSpec, task: Task) -> None:
        (model, data), others = rest_pose(spec), len(spec.tendons)
        for joints in task.fingers.values():
            for one, other in zip(joints, joints[1:], strict=False):
                first, second = model.joint(one), model.joint(other)
                turn = float(data.xaxis[first.id] @ data.xaxis[second.id])
                if first.type != mujoco.mjtJoint.mjJNT_HINGE or second.type != first.type or abs(turn) < PARALLEL:
                    continue
                tendon = spec.add_tendon(name=f"{self.name}.{one}.{other}")
                tendon.wrap_joint(one, -float(np.sign(turn)))
                tendon.wrap_joint(other, 1.0)
                slack = second.range.mean() - np.sign(turn) * first.range.mean()
                tendon.springlength = [slack, slack]
                tendon.stiffness[0] = 1.0  # the knob writes the value
        if len(spec.tendons) == others:
            raise UserError(
                f"{self.name} needs neighbouring joints of a finger with parallel axes", where=f"task {task.name}"
            )
