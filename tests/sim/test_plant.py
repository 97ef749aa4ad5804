"""Physics of the plant against analytic answers, and the traps that must fail loudly."""

import numpy as np
import pytest

from sim.plant import Plant
from sim.tasks import get_task
from sim.tasks.finger_push import FingerPush
from store.errors import UserError

TASK = FingerPush()


def quiet_plant(count: int, threads: int = 1) -> Plant:
    """A plant without sensor noise at one typical start in every simulation."""
    plant = Plant(TASK, count, threads)
    for name, parameter in TASK.parameters.items():
        if parameter.kind == "sensor" and name.endswith("noise"):
            plant.set(name, 0.0)
    start = TASK.sample_start(np.random.default_rng(1), 1)
    plant.reset({name: np.repeat(value, count) for name, value in start.items()}, seed=0)
    return plant


def joints_of(plant: Plant) -> np.ndarray:
    return np.stack([plant.truth[f"joint_position.{name}"] for name in TASK.joints], axis=1)


def test_resting_finger_does_not_jerk_after_reset() -> None:
    """MuJoCo's delay history starts at zero; ours starts at the pose that the finger holds."""
    plant = quiet_plant(1)
    plant.set("delay", 0.06)
    before = joints_of(plant)
    for _ in range(3):
        plant.step(before)
    assert np.abs(joints_of(plant) - before).max() < 0.03  # droop under gravity alone


@pytest.mark.parametrize("delay", [0.0, 0.02, 0.04, 0.06, 0.1])
def test_motion_starts_after_the_delay(delay: float) -> None:
    plant = quiet_plant(2)
    plant.set("delay", delay)
    hold = joints_of(plant)
    for _ in range(10):  # settle under gravity
        plant.step(hold)
    moved = hold.copy()
    moved[1, 0] += 0.3  # simulation 1 gets a step of the yaw target, simulation 0 goes on holding
    gaps, dt, steps = [], TASK.timestep, round(0.2 / TASK.timestep)
    plant.batch.bind("ctrl")[:] = moved
    for _ in range(steps):
        plant.batch.step()
        qpos = plant.batch.bind("qpos")
        gaps.append(abs(qpos[1, 0] - qpos[0, 0]))
    first = next(i for i, gap in enumerate(gaps) if gap > 1e-9) * dt
    assert first == pytest.approx(delay, abs=1.01 * dt)


def test_a_delay_that_the_history_cannot_hold_is_refused() -> None:
    plant = quiet_plant(1)
    knob = next(k for k in TASK.knobs if k.parameter.name == "delay")
    plant.values["delay"][0] = 1.0
    with pytest.raises(ValueError, match="nsample"):
        knob.apply(plant, np.array([0]))
    with pytest.raises(UserError, match="outside its bounds"):
        plant.set("delay", 1.0)


def test_jitter_that_is_switched_off_leaves_no_delay_behind() -> None:
    plant = quiet_plant(2)
    hold = joints_of(plant)
    plant.set("control_jitter", 0.01)
    plant.step(hold)
    assert (plant.batch.expand("actuator_delay") > plant.model.actuator_delay).any()
    plant.set("control_jitter", 0.0)
    plant.step(hold)
    assert np.array_equal(plant.batch.expand("actuator_delay"), np.full((2, 3), plant.values["delay"][0]))


def test_a_compliance_below_what_the_timestep_resolves_is_refused() -> None:
    plant = quiet_plant(1)
    knob = next(k for k in TASK.knobs if k.parameter.name == "compliance")
    plant.values["compliance"][0] = 1e-7
    with pytest.raises(ValueError, match="does not resolve"):
        knob.apply(plant, np.array([0]))


def test_puck_slides_down_an_incline_above_the_friction_angle_only() -> None:
    friction, excess = 0.5, np.array([-0.05, 0.05, 0.2])
    plant = quiet_plant(3)
    plant.set("friction", friction)
    hold = joints_of(plant)
    for _ in range(10):  # settle, so that the table carries the weight
        plant.step(hold)
    slope = np.arctan(friction) + excess
    gravity = plant.batch.expand("opt.gravity")
    gravity[:, 1], gravity[:, 2] = 9.81 * np.sin(slope), -9.81 * np.cos(slope)
    speeds = []
    for _ in range(5):
        plant.step(hold)
        speeds.append(plant.batch.bind("qvel")[:, 4].copy())
    acceleration = (speeds[4] - speeds[1]) / (3 * TASK.control_period)
    sliding = 9.81 * (np.sin(slope) - friction * np.cos(slope))
    assert acceleration[1:] == pytest.approx(sliding[1:], abs=0.1)
    assert abs(speeds[4][0]) < 0.01  # below the angle it creeps at most: MuJoCo's contacts are soft


def test_fingertip_deflects_by_force_times_compliance() -> None:
    """A weight on a pad of known compliance sinks in by F c."""
    import mujoco

    compliances = np.array([3e-4, 6e-4, 2e-3])
    plant = quiet_plant(3)
    plant.set("compliance", compliances)
    index = plant.model.pair("puck_tip").id
    for i, compliance in enumerate(compliances):
        model = plant.batch.get_model(i)
        impedance, time_constant = model.pair_solimp[index, 0], plant.batch.expand("pair_solref")[i, index, 0]
        inverse = model.body("puck").invweight0[0] + model.body("fingertip").invweight0[0]
        stiffness = 1 / (time_constant**2 * (1 - impedance) * inverse)
        assert 1 / stiffness == pytest.approx(compliance, rel=1e-6)
    spec = mujoco.MjSpec()
    spec.option.timestep = TASK.timestep
    spec.worldbody.add_geom(name="pad", type=mujoco.mjtGeom.mjGEOM_PLANE, size=[1, 1, 1])
    ball = spec.worldbody.add_body(name="ball", pos=[0, 0, 0.03])
    ball.add_freejoint()
    ball.add_geom(name="ball", type=mujoco.mjtGeom.mjGEOM_SPHERE, size=[0.03, 0, 0], mass=0.1)
    pair = spec.add_pair(geomname1="pad", geomname2="ball", condim=1)
    pair.solimp = [0.9, 0.9, 0.001, 0.5, 2]
    model = spec.compile()
    for compliance in compliances:  # the formula itself, on a ball that rests on the pad
        weight = model.body("ball").invweight0[0]
        model.pair_solref[0] = [np.sqrt(compliance / (0.1 * weight)), 1.0]
        data = mujoco.MjData(model)
        mujoco.mj_step(model, data, 2000)
        assert 0.03 - data.qpos[2] == pytest.approx(0.1 * 9.81 * compliance, rel=0.02)


def test_forward_and_inverse_kinematics_agree_with_the_model() -> None:
    plant = quiet_plant(32)
    start = TASK.sample_start(np.random.default_rng(3), 32)
    plant.reset(start)
    tip = np.stack([plant.truth[f"tip_position.{axis}"] for axis in "xyz"], axis=1)
    finger = TASK.finger
    assert finger.tip_position(joints_of(plant)) == pytest.approx(tip, abs=1e-6)
    assert tip[:, 0] == pytest.approx(start["tip_x"], abs=1e-6)
    assert tip[:, 1] == pytest.approx(start["tip_y"], abs=1e-6)


def test_same_bits_on_one_and_two_threads() -> None:
    traces = []
    for threads in (1, 2):
        plant = Plant(TASK, 16, threads)
        rng = np.random.default_rng(5)
        readings = plant.reset(TASK.sample_start(rng, 16), seed=5)
        rows = []
        command = np.stack([readings.signals[f"joint_position.{name}"] for name in TASK.joints], axis=1)
        for _ in range(20):
            command = command + rng.uniform(-0.1, 0.1, command.shape)
            rows.append(np.stack(list(plant.step(command).signals.values())))
        traces.append(np.stack(rows))
    assert np.array_equal(traces[0], traces[1])


def test_unknown_names_list_the_valid_ones() -> None:
    with pytest.raises(UserError, match="finger_push"):
        get_task("fold_towel")
    with pytest.raises(UserError, match="distance"):
        get_task("finger_push", {"distanse": 0.1})
    with pytest.raises(UserError, match="friction"):
        quiet_plant(1).set("frictoin", 0.5)
