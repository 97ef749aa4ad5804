"""Put a square peg, held by the gripper, into a hole whose place is known roughly."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import mujoco
import numpy as np
from numpy.typing import NDArray
from typing_extensions import override

from sim.models.gripper import Axis, Gripper
from sim.models.peg import HOLE, PEG, WALLS, Hole, Peg, add_hole, add_peg
from sim.parameters.inertia import Object
from sim.parameters.knob import Ids, Knob, Tunable
from sim.parameters.standard import standard_knobs
from sim.tasks.gripper_task import (
    PERIOD,
    TIMESTEP,
    GripperTask,
    free_state,
    gripper_apparatus,
    gripper_joints,
    gripper_signals,
    hold,
)
from sim.tasks.task import Array, Marker, Memory, Moment, Predicate, Signal, Signals, Term, effort, stacked, upright
from sim.train.config import PPOConfig
from store.records import Parameter

AXES: tuple[Axis, ...] = ("x", "y", "z")
ASIDE, DOWN = 0.008, 0.02
"""Lengths over which the rewards for being over the hole and for being deep in it fall to 1/e, m."""
ABOVE = 0.014
"""Where the pads hold the peg: above its middle, m."""
SQUEEZE = 0.0015
"""How deep the pads are in the peg at the start, m: with the softness of pads and servos a grip of 2 to 3 N."""


@dataclass(frozen=True)
class PegInsertConfig:
    """Settings of the task; SI units."""

    depth: float = 0.02
    """Success: how far the peg's end is below the rim, m; the hole is 30 mm deep."""
    aside: float = 0.005
    """Success: largest distance of the peg's axis from the hole's, m."""
    hold_steps: int = 5
    """Control steps at the end of the episode for which it must be there."""
    spread: float = 0.015
    """Half-width of the uniform scatter of the hole, m."""
    error: float = 0.0005
    """Error of the place of the hole that the policy is told, standard deviation, drawn once an episode, m."""
    dropped: float = 0.035
    """A peg whose middle is further than this below the pads has been dropped, m."""


def default_config() -> PegInsertConfig:
    """The tuned settings."""
    return PegInsertConfig()


def clearance() -> Knob:
    """Gap between peg and wall on each side."""
    nominal = Hole().clearance

    def apply(plant: Tunable, ids: Ids) -> None:
        wider = plant.values["clearance"][ids] - nominal
        for wall, (x, y) in WALLS.items():
            for geom in (f"{HOLE}_{wall}", f"{HOLE}_{wall}_rim"):
                index = plant.model.geom(geom).id
                offset = wider[:, None] * np.array([x, y, 0.0])
                plant.batch.expand("geom_pos")[ids, index] = plant.model.geom_pos[index] + offset

    meaning = "Gap between peg and hole on each side (geom_pos of the four walls and their rims)."
    return Knob(
        Parameter(
            name="clearance", unit="m", kind="physics", nominal=nominal, low=0.0002, high=0.004, scale="log",
            meaning=meaning,
        ),
        apply,
    )  # fmt: skip


def align(task: "PegInsert", moment: Moment) -> Array:
    """Nearness of the peg's axis to the hole's."""
    return np.exp(-_aside(moment.truth) / ASIDE)


def insert(task: "PegInsert", moment: Moment) -> Array:
    """Nearness of the peg's end to the depth that counts, while it is over the hole."""
    missing = np.maximum(task.config.depth - task.depth(moment.truth), 0.0)
    return np.exp(-missing / DOWN) * np.exp(-_aside(moment.truth) / ASIDE)


def inside(task: "PegInsert", moment: Moment) -> Array:
    """Whether the peg is in as deep as counts."""
    near = _aside(moment.truth) < task.config.aside
    return (near & (task.depth(moment.truth) > task.config.depth)).astype(float)


def inserted(task: "PegInsert", signals: Signals, start: Mapping[str, Array]) -> NDArray[np.bool_]:
    """The peg is in the hole to the end."""
    last = {name: values[:, -task.config.hold_steps :] for name, values in signals.items()}
    return np.asarray(((_aside(last) < task.config.aside) & (task.depth(last) > task.config.depth)).all(axis=1))


def dropped(task: "PegInsert", truth: Signals, start: Mapping[str, Array]) -> NDArray[np.bool_]:
    """The peg has slipped out of the pads."""
    return np.asarray(truth["joint_position.gantry_z"] - truth["object_position.z"] > task.config.dropped)


class PegInsert(GripperTask):
    """A gripper that holds a 20 mm square peg puts it into a hole with 1 mm of clearance on each side."""

    name = "peg_insert"
    description = "A two-finger gripper puts a 20 mm square peg into a hole with 1 mm of clearance on each side."
    axes = AXES
    joints = gripper_joints(AXES)
    item = PEG
    signals = gripper_signals(AXES, Signal("hole_position.x", "m", "pose"), Signal("hole_position.y", "m", "pose"))
    steps = 60
    criterion = "peg 20 mm deep in the hole for the last 0.2 s"
    terms = {
        "align": Term(0.4, align, "exp(-distance of the axes of peg and hole / 8 mm)."),
        "insert": Term(1.0, insert, "exp(-depth missing / 20 mm), times align."),
        "grip": Term(0.1, hold, "tanh(force of the weaker pad / 2 N)."),
        "inside": Term(0.5, inside, "1 while the peg is in as deep as counts."),
        "effort": Term(-0.004, effort, "Sum of squared actions."),
    }
    successes = {"inserted": Predicate(inserted, "The peg is in the hole, as deep as counts, at the end.")}
    failures = {"dropped": Predicate(dropped, "The peg has slipped out of the pads.")}
    start_names = ("hole_x", "hole_y", "seen_x", "seen_y", "pads_x", "pads_y", "gap", "grip_y", "grip_z")
    suspects = (*GripperTask.suspects, "clearance")
    training = PPOConfig(iterations=180)
    knobs = (
        *standard_knobs(
            gripper_apparatus(
                AXES,
                Object(
                    PEG, (PEG,), Peg().mass, lightest=0.04, heaviest=0.2, extent=Peg().half_length, sizes=(0.98, 1.01)
                ),
                {
                    "table": (f"{PEG}_table",),
                    "hole": tuple(f"{PEG}_{HOLE}_{wall}{part}" for wall in WALLS for part in ("", "_rim")),
                },
                friction=Peg().friction,
            ),
            TIMESTEP,
            PERIOD,
        ),
        clearance(),
    )

    config: PegInsertConfig

    def __init__(self, config: PegInsertConfig | None = None) -> None:
        super().__init__(config or default_config())
        self.peg, self.hole = Peg(), Hole()

    @staticmethod
    @override
    def default_config() -> PegInsertConfig:
        return default_config()

    @staticmethod
    @override
    def make_gripper() -> Gripper:
        # the gantry's soft stop keeps the pads above the block, which they do not touch
        return replace(Gripper(), lowest=Hole().depth + Gripper().pad[2] + 0.001)

    @override
    def add_objects(self, spec: mujoco.MjSpec) -> None:
        add_peg(spec, self.peg)
        add_hole(spec, self.hole)
        for axis in "xy":
            spec.add_sensor(
                name=f"hole_position.{axis}",
                type=mujoco.mjtSensor.mjSENS_JOINTPOS,
                objtype=mujoco.mjtObj.mjOBJ_JOINT,
                objname=f"{HOLE}_{axis}",
            )

    @override
    def read(self, sensors: dict[str, Array]) -> Signals:
        hole = {name: sensors[name][:, 0] for name in ("hole_position.x", "hole_position.y")}
        return super().read(sensors) | hole

    @override
    def sample_start(self, rng: np.random.Generator, count: int) -> Signals:
        c = self.config
        u = rng.uniform(-1, 1, size=(7, count))
        error = c.error * rng.standard_normal((2, count))
        x, y = c.spread * u[0], c.spread * u[1]
        return {
            "hole_x": x,
            "hole_y": y,
            "seen_x": x + error[0],
            "seen_y": y + error[1],
            "pads_x": 0.01 * u[2],
            "pads_y": 0.01 * u[3],
            "gap": 0.015 + 0.005 * u[4],
            "grip_y": 0.002 * u[5],
            "grip_z": ABOVE + 0.002 * u[6],
        }

    @override
    def place(self, start: Mapping[str, Array]) -> dict[str, Array]:
        height = self.hole.depth + start["gap"] + self.peg.half_length
        width = np.full((len(height), 1), self.peg.half_width - SQUEEZE)
        return {
            "gantry_x": start["pads_x"][:, None],
            "gantry_y": start["pads_y"][:, None],
            "gantry_z": (height + start["grip_z"])[:, None],
            "finger_left": width,
            "finger_right": width,
            "hole_x": start["hole_x"][:, None],
            "hole_y": start["hole_y"][:, None],
            PEG: upright(start["pads_x"], start["pads_y"] + start["grip_y"], height),
        }

    @override
    def exercise(self, start: Mapping[str, Array], first: Array, time: float) -> Array:
        """Holds the peg tight, pushes it into the hole, wagging, takes it out again and drops it on the table."""
        go, down, out, drop = (float(np.clip((time - begin) / 0.3, 0, 1)) for begin in (0.0, 0.3, 0.7, 1.1))
        wag = 0.002 * np.sin(2 * np.pi * 3 * time)
        wanted = first.copy()
        wanted[:, 0] += go * (start["hole_x"] - first[:, 0]) + wag - 0.07 * out
        wanted[:, 1] += go * (start["hole_y"] - start["grip_y"] - first[:, 1]) + wag
        wanted[:, 2] += (out - down) * (start["gap"] + 0.02)
        wanted[:, 3:] += 0.03 * drop - 0.006
        return wanted

    @override
    def state(self, signals: Signals, rates: Signals) -> tuple[dict[str, Array], dict[str, Array]]:
        positions, velocities = self.joint_state(signals, rates)
        positions[PEG], velocities[PEG] = free_state(signals, rates)
        positions |= {f"hole_{axis}": signals[f"hole_position.{axis}"][:, None] for axis in "xy"}
        return positions, velocities

    @override
    def observe(self, readings: Signals, memory: Memory, start: Mapping[str, Array]) -> dict[str, Array]:
        peg, before = _peg(readings), _peg(memory.previous or readings)
        seen = np.stack([start["seen_x"], start["seen_y"]], axis=1)
        parts = [
            *self.see_robot(readings, memory),
            50 * (peg - self.pads(readings)),
            100 * (seen - peg[:, :2]),
            20 * (seen - peg[:, :2]),
            20 * (self.config.depth - self.depth(readings))[:, None],
            100 * (peg - before),
        ]
        return {"proprio": np.concatenate(parts, axis=1), "touch": self.see_touch(readings)}

    @override
    def goal_markers(self, start: Mapping[str, float]) -> tuple[Marker, ...]:
        return (Marker("sphere", (start["seen_x"], start["seen_y"], self.hole.depth), (0.003, 0.0, 0.0)),)

    def depth(self, signals: Signals) -> Array:
        """How far the peg's end is below the rim, m, while the peg is upright."""
        return self.hole.depth + self.peg.half_length - signals["object_position.z"]


def _peg(signals: Mapping[str, Array]) -> Array:
    return stacked(signals, "object_position", "xyz")


def _aside(signals: Signals) -> Array:
    """Distance of the peg's axis from the hole's, m."""
    x = signals["object_position.x"] - signals["hole_position.x"]
    return np.hypot(x, signals["object_position.y"] - signals["hole_position.y"])
