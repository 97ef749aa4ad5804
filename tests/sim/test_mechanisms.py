"""Physics of the mechanisms against analytic answers, on the finger's yaw joint, which gravity leaves alone."""

import mujoco
import numpy as np
import pytest

from sim.mechanisms import MECHANISMS, get_mechanism, get_mechanisms
from sim.plant import Plant
from sim.tasks.finger_push import FINGER, FingerPush
from sim.tasks.task import Array
from store.errors import UserError

YAW = 0
DT = FingerPush.timestep
SERVO = FINGER.servos["yaw"]
KP, DAMPING, FRICTION, TORQUE = SERVO.kp, SERVO.damping, SERVO.frictionloss, SERVO.torque


class Fine(FingerPush):
    """One physics step a control step, so that a test sees every one."""

    control_period = FingerPush.timestep


class Stub(FingerPush):
    """A finger of one joint, that no tendon can couple to another."""

    fingers = {"finger": ("elbow",)}


def bench(count: int, *mechanisms: str, **values: float | list[float]) -> Plant:
    """Equal simulations at rest, puck out of the way, no noise and no delay; `__` in a name stands for its dot."""
    plant = Plant(Fine(), count, 1, mechanisms)
    quiet: dict[str, float] = {"joint_noise": 0, "object_noise": 0, "force_noise": 0, "delay": 0}
    for name, value in (quiet | values).items():
        plant.set(name.replace("__", "."), np.asarray(value, dtype=float))
    place = {"object_x": 0.1, "object_y": -0.2, "goal_x": 0, "goal_y": 0, "tip_x": 0.02, "tip_y": 0.0}
    plant.reset({name: np.full(count, float(value)) for name, value in place.items()}, seed=0)
    return plant


def joints(plant: Plant) -> Array:
    return plant.batch.bind("qpos")[:, plant.joint_addresses].copy()


def speeds(plant: Plant) -> Array:
    return plant.batch.bind("qvel")[:, plant.joint_dofs].copy()


def twist(plant: Plant, torque: float | Array) -> None:
    """Turn the yaw link by an outside torque, Nm."""
    plant.batch.bind("xfrc_applied")[:, plant.model.body("yaw_link").id, 5] = torque


def friction(plant: Plant) -> Array:
    """Friction of the yaw joint in the model, Nm."""
    return plant.batch.expand("dof_frictionloss")[:, plant.joint_dofs[YAW]].copy()


def spin(plant: Plant, speed: Array, ahead: float | Array = 0.0) -> None:
    """Set the yaw joint going at `speed`, (n,), its set-point `ahead` of it, and take one physics step."""
    qpos, qvel = plant.batch.bind("qpos").copy(), np.zeros((plant.count, plant.model.nv))
    qvel[:, plant.joint_dofs[YAW]] = speed
    command = joints(plant)
    command[:, YAW] += ahead
    plant.set_state(qpos, qvel, command[:, None])
    plant.step(command)


def ramp(plant: Plant, size: float, seconds: float) -> tuple[Array, Array]:
    """Set-points and positions of yaw, (n, steps), after a step of its command."""
    command = joints(plant)
    command[:, YAW] += size
    points, positions = [], []
    for _ in range(round(seconds / DT)):
        plant.step(command)
        points.append(plant.batch.bind("act")[:, YAW].copy())
        positions.append(joints(plant)[:, YAW])
    return np.stack(points, axis=1), np.stack(positions, axis=1)


def test_a_limited_set_point_ramps_at_its_speed() -> None:
    limits = np.array([0.5, 1.0, 2.0])
    plant = bench(3, "velocity_limit", velocity_limit__speed=[0.5, 1.0, 2.0])
    points, positions = ramp(plant, 0.8, 1.8)
    for limit, point, position in zip(limits, points, positions, strict=True):
        steps = round(0.8 / limit / DT)
        assert np.diff(point[: steps - 1]) == pytest.approx(limit * DT, rel=1e-9)
        assert np.ptp(point[steps + 1 :]) == 0.0
        quarter, three_quarters = steps // 4, 3 * steps // 4
        slope = (position[three_quarters] - position[quarter]) / ((three_quarters - quarter) * DT)
        assert slope == pytest.approx(limit, rel=0.1)  # the finger swings about the ramp


def test_a_limit_that_commands_never_reach_changes_nothing() -> None:
    free, limited = bench(1), bench(1, "velocity_limit", velocity_limit__speed=3.0)
    start = joints(free)
    for step in range(100):
        command = start.copy()
        command[:, YAW] += 0.3 * np.sin(step * DT * 5)
        free.step(command)
        limited.step(command)
    assert np.array_equal(joints(free), joints(limited))


def test_velocity_limit_and_delay_commute() -> None:
    late = bench(2, "velocity_limit", velocity_limit__speed=1.0, delay=[0.0, 0.04])
    points, _ = ramp(late, 0.5, 0.4)
    shift = round(0.04 / DT)
    assert points[1, shift:] == pytest.approx(points[0, :-shift], abs=1e-12)


def test_a_window_that_starts_amid_a_slew_goes_on_with_it() -> None:
    """Replay knows past commands only; the limiter has to find out where its set-point had got to."""
    first, second = (bench(1, "velocity_limit", velocity_limit__speed=1.0, delay=0.02) for _ in range(2))
    hold = joints(first)
    command = hold.copy()
    command[:, YAW] += 0.5
    past = [hold] * 20 + [command] * 30
    for one in past:
        first.step(one)
    second.set_state(first.batch.bind("qpos"), first.batch.bind("qvel"), np.stack(past, axis=1))
    for _ in range(30):
        first.step(command)
        second.step(command)
    assert joints(second) == pytest.approx(joints(first), abs=1e-9)


def hysteresis(plant: Plant) -> Array:
    """Largest distance, (n,), between the ways up and down of yaw while its command follows a slow triangle."""
    start, track = joints(plant), []
    quarter = 1000
    for step in range(5 * quarter):
        phase = step / quarter % 4
        command = start.copy()
        command[:, YAW] += 0.2 * (phase if phase < 1 else 2 - phase if phase < 3 else phase - 4)
        plant.step(command)
        track.append(joints(plant)[:, YAW])
    down, up = np.stack(track[quarter : 3 * quarter]), np.stack(track[3 * quarter :])
    middle = slice(quarter // 2, -quarter // 2)
    return np.abs(down[::-1][middle][:quarter] - up[middle][:quarter]).max(axis=0)


def test_backlash_is_a_hysteresis_of_its_gap() -> None:
    gaps = np.array([0.0, 0.02, 0.06, 0.15])
    widths = hysteresis(bench(4, "backlash", backlash__gap=list(gaps), frictionloss=0.001, damping=0.1))
    assert widths - widths[0] == pytest.approx(gaps, abs=5e-4)


def test_backlash_leaves_the_joint_loose_inside_its_gap() -> None:
    gap, torque = 0.1, 0.02
    plant = bench(2, "backlash", backlash__gap=gap, frictionloss=0.001)
    hold = joints(plant)
    twist(plant, np.array([torque, -torque]))
    for _ in range(1000):
        plant.step(hold)
    play = joints(plant)[0, YAW] - joints(plant)[1, YAW]
    assert play == pytest.approx(gap + 2 * (torque - 0.001) / KP, rel=0.02)


def test_stribeck_friction_falls_with_speed() -> None:
    """A joint keeps its speed when an outside torque is friction plus damping."""
    speed = np.array([0.05, 0.1, 0.3, 1.0])
    plant = bench(4, "stribeck", stribeck__torque=0.2, stribeck__speed=0.1)
    expected = FRICTION + 0.2 * np.exp(-((speed / 0.1) ** 2))
    twist(plant, expected + DAMPING * speed)
    spin(plant, speed)
    assert friction(plant) == pytest.approx(expected, rel=1e-9)
    assert speeds(plant)[:, YAW] == pytest.approx(speed, rel=0.01)


def test_a_joint_at_rest_takes_the_whole_stribeck_torque() -> None:
    plant = bench(2, "stribeck", stribeck__torque=0.2, stribeck__speed=0.1)
    hold = joints(plant)
    twist(plant, np.array([0.95, 1.05]) * (FRICTION + 0.2))
    for _ in range(20):
        plant.step(hold)
    moved = joints(plant)[:, YAW] - hold[:, YAW]
    assert moved[0] < 1e-4
    assert moved[1] > 1e-2


def test_load_friction_is_a_share_of_the_servos_torque() -> None:
    share, ahead = np.array([0.4, 0.1, 0.2, 0.4, 0.4]), np.array([0.0, 0.1, 0.1, 0.1, -0.2])
    plant = bench(5, "load_friction", load_friction__coefficient=list(share))
    servo = KP * ahead
    rubbing = FRICTION + share * np.abs(servo)
    twist(plant, rubbing + DAMPING * 0.5 - servo)
    spin(plant, np.full(5, 0.5), ahead)
    assert friction(plant) == pytest.approx(rubbing, rel=1e-9)
    assert speeds(plant)[:, YAW] == pytest.approx(0.5, rel=0.02)


def test_torque_falls_to_zero_at_the_no_load_speed() -> None:
    speed = np.array([-3.0, 0.0, 1.0, 2.0, 4.0, 5.0])
    plant = bench(6, "torque_speed", torque_speed__no_load=4.0)
    felt = plant.batch.bind("actuator_force")
    spin(plant, speed, ahead=0.9)  # far enough to ask for all of the torque
    assert felt[:, YAW] == pytest.approx(TORQUE * np.array([1, 1, 0.75, 0.5, 0, 0]), abs=1e-9)
    plant.set("torque", 0.5)
    spin(plant, speed, ahead=0.9)
    assert felt[:, YAW] == pytest.approx(0.5 * TORQUE * np.array([1, 1, 0.75, 0.5, 0, 0]), abs=1e-9)


def test_a_soft_fingertip_gives_sideways_by_force_over_stiffness() -> None:
    stiffness = [300.0, 1000.0, 4000.0]
    plant = bench(3, "shear_compliance", shear_compliance__stiffness=stiffness, shear_compliance__damping=20.0)
    tip, hold = plant.model.body("fingertip").id, joints(plant)
    for slide in ("shear_compliance.finger.0", "shear_compliance.finger.1"):
        joint = plant.model.joint(slide)
        data = mujoco.MjData(plant.model)
        data.qpos[:] = plant.batch.bind("qpos")[0]
        mujoco.mj_forward(plant.model, data)
        along, ends = data.xaxis[joint.id].copy(), []
        for sign in (-1.0, 1.0):
            plant.batch.bind("xfrc_applied")[:, tip, :3] = sign * 1.5 * along
            for _ in range(400):
                plant.step(hold)
            ends.append(plant.batch.bind("qpos")[:, joint.qposadr[0]].copy())
        plant.batch.bind("xfrc_applied")[:] = 0.0
        assert ends[1] - ends[0] == pytest.approx(3.0 / np.array(stiffness), rel=0.03)
        # neither slide gives in the direction in which the elbow presses
        elbow = plant.model.joint("elbow").id
        pressing = np.cross(data.xaxis[elbow], data.xpos[tip] - data.xanchor[elbow])
        assert along @ pressing / np.linalg.norm(pressing) == pytest.approx(0.0, abs=0.02)


def test_tendon_coupling_pulls_neighbours_together() -> None:
    stiffness = np.array([0.05, 0.2, 0.8])
    plant = bench(3, "tendon_coupling", tendon_coupling__stiffness=list(stiffness))
    spring = plant.batch.bind("qfrc_spring")
    plant.step(joints(plant))
    plant.batch.forward()
    position = joints(plant)
    middle = np.array([(FINGER.low[i] + FINGER.high[i]) / 2 for i in range(3)])
    apart = (position[:, 2] - middle[2]) - (position[:, 1] - middle[1])
    pull = spring[:, plant.joint_dofs]
    assert pull[:, 2] == pytest.approx(-stiffness * apart, rel=1e-9)
    assert pull[:, 1] == pytest.approx(stiffness * apart, rel=1e-9)
    assert pull[:, 0] == pytest.approx(0.0, abs=1e-12)  # yaw turns about another axis: no tendon can run over both


def test_a_drifting_encoder_hides_that_the_joint_moves() -> None:
    rate = np.array([-0.05, 0.0, 0.05])
    plant = bench(3, "encoder_drift", encoder_drift__rate=list(rate), frictionloss=0.001)
    hold = joints(plant)
    for _ in range(499):
        plant.step(hold)
    readings = plant.step(hold)
    drift = rate * readings.time
    assert readings.time == pytest.approx(500 * DT)
    assert readings.signals["joint_position.yaw"] - plant.truth["joint_position.yaw"] == pytest.approx(drift)
    assert plant.truth["joint_position.yaw"] - hold[:, YAW] == pytest.approx(-drift, abs=3e-3)
    assert readings.signals["joint_position.yaw"] == pytest.approx(hold[:, YAW], abs=3e-3)


def test_a_rested_joint_breaks_away_at_the_extra_torque() -> None:
    extra = np.array([0.0, 0.05, 0.1, 0.3])
    plant = bench(4, "stiction", stiction__torque=list(extra), stiction__dwell=0.05)
    hold = joints(plant)
    for _ in range(100):
        plant.step(hold)
    broken = np.zeros(4)
    for step in range(2000):
        torque = step * 2e-4
        twist(plant, torque)
        plant.step(hold)
        # what the servo holds back by then is not friction's work
        held = torque - KP * (joints(plant)[:, YAW] - hold[:, YAW])
        fresh = (broken == 0) & (speeds(plant)[:, YAW] > 0.03)
        broken[fresh] = held[fresh]
    assert broken[1:] == pytest.approx(FRICTION + extra[1:], rel=0.05)
    assert friction(plant)[0] == pytest.approx(FRICTION)


def test_stiction_builds_up_with_rest_and_goes_with_motion() -> None:
    plant = bench(1, "stiction", stiction__torque=0.2, stiction__dwell=0.1)
    hold = joints(plant)
    plant.step(hold)
    assert friction(plant)[0] == pytest.approx(FRICTION + 0.2)  # at reset it has rested for long
    plant.set_state(plant.batch.bind("qpos"), plant.batch.bind("qvel"), np.stack([hold + 0.1, hold], axis=1))
    for step in range(2, 60):  # the command has been the same for one step
        plant.step(hold)
        assert friction(plant)[0] == pytest.approx(FRICTION + 0.2 * (1 - np.exp(-step * DT / 0.1)))
    spin(plant, np.array([1.0]))
    assert friction(plant)[0] == pytest.approx(FRICTION)


def test_packets_are_lost_at_their_rate_and_the_seed_says_which() -> None:
    chances = np.array([0.0, 0.05, 0.3, 0.6])

    def losses(seed: int) -> Array:
        plant = bench(4, "packet_loss", packet_loss__probability=list(chances))
        plant.reset({name: np.zeros(4) for name in FingerPush.start_names}, seed=seed)
        hold, sent = joints(plant), []
        for step in range(3000):
            plant.step(hold + 1e-6 * (step + 1))  # a new command every time
            sent.append(plant.batch.bind("ctrl")[:, YAW].copy())
        return np.diff(np.stack(sent), axis=0) == 0

    lost = losses(1)
    deviation = np.sqrt(chances * (1 - chances) / len(lost))
    assert np.all(np.abs(lost.mean(axis=0) - chances) <= 4 * deviation)
    assert np.array_equal(lost, losses(1))
    assert not np.array_equal(lost, losses(2))


def test_frictions_add_up() -> None:
    plant = bench(
        1, "stribeck", "load_friction", "stiction", frictionloss=0.02, stribeck__torque=0.1, stribeck__speed=0.1,
        load_friction__coefficient=0.3, stiction__torque=0.2, stiction__dwell=0.05,
    )  # fmt: skip
    torque, hold = plant.batch.bind("actuator_force"), joints(plant)
    twist(plant, 0.1)
    for _ in range(500):
        plant.step(hold)
    expected = 0.02 + 0.1 + 0.3 * abs(torque[0, YAW]) + 0.2
    assert friction(plant)[0] == pytest.approx(expected, rel=1e-3)


@pytest.mark.parametrize(
    ("name", "zero"),
    [("backlash", "backlash.gap"), ("packet_loss", "packet_loss.probability"), ("encoder_drift", "encoder_drift.rate")],
)
def test_a_mechanism_at_zero_is_as_good_as_absent(name: str, zero: str) -> None:
    ends = []
    for plant in (bench(1), bench(1, name)):
        if name in [one.name for one in plant.mechanisms]:
            plant.set(zero, 0.0)
        ramp(plant, 0.4, 0.4)
        ends.append(joints(plant))
    assert np.array_equal(ends[0], ends[1])


def test_a_part_of_the_simulations_can_be_reset() -> None:
    """State of mechanisms belongs to its own simulation."""
    plant = bench(2, *MECHANISMS)
    ramp(plant, 0.3, 0.2)
    fresh = bench(2, *MECHANISMS)
    start = {"object_x": 0.1, "object_y": -0.2, "goal_x": 0, "goal_y": 0, "tip_x": 0.02, "tip_y": 0.0}
    plant.set("packet_loss.probability", 0.0)
    fresh.set("packet_loss.probability", 0.0)
    plant.reset({name: np.full(1, float(value)) for name, value in start.items()}, ids=np.array([1]))
    ramp(plant, 0.3, 0.2)
    ramp(fresh, 0.3, 0.2)
    assert np.array_equal(joints(plant)[1], joints(fresh)[1])
    assert not np.array_equal(joints(plant)[0], joints(fresh)[0])


def test_names_are_checked_and_ordered() -> None:
    with pytest.raises(UserError, match="velocity_limit"):
        get_mechanism("velocity_limmit")
    with pytest.raises(UserError, match="parallel axes"):
        Plant(Stub(), 1, 1, ("tendon_coupling",))
    names = [one.name for one in get_mechanisms(["backlash", "packet_loss", "torque_speed"])]
    assert names == ["packet_loss", "torque_speed", "backlash"]


@pytest.mark.parametrize("name", list(MECHANISMS))
def test_every_mechanism_explains_itself(name: str) -> None:
    mechanism = get_mechanism(name)
    assert mechanism.name == name
    assert len(mechanism.explanation) > 200
    knobs = mechanism.knobs(FingerPush())
    assert knobs
    for knob in knobs:
        parameter = knob.parameter
        assert parameter.name.startswith(f"{name}.")
        assert parameter.low < parameter.nominal < parameter.high
        assert parameter.nominal != 0.0
