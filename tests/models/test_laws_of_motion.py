"""Laws that every model of the catalogue obeys."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from grouser.description import load_course, load_robot, parse_course
from grouser.errors import InvalidValue
from grouser.geometry import Pose
from grouser.models import CATALOGUE, Motion, command_sides, make_model, start_model
from tests.models.drives import drive, numbers, numbers_of_all

SLOW, FAST = 0.06, 0.12
KINEMATIC = [name for name, kind in CATALOGUE.items() if kind.computed_by.startswith("numpy")]


def exactness(
    model,
    *,
    kinematic: float,
    contact: float,
    plates: float | None = None,
    grousers: float | None = None,
    wheels: float | None = None,
) -> float:
    """Return how exactly a law holds: contacts are found by an engine, and the ground gives.

    Belts of plates hang together by springs of the engine, creep on its friction around their
    sprockets, and a plate more or less on the ground makes rounding errors grow.
    """
    own = {"plates": plates, "segments": grousers, "wheels": wheels}.get(model.name)
    if own is not None:
        return own
    return kinematic if model.name in KINEMATIC else contact


def standing_height(model, robot) -> float:
    """Return how far a robot is lifted by its grousers, in models that have them [m]."""
    if model.name != "segments":
        return 0.0
    return max((t.grousers.height for t in robot.tracks if t.grousers), default=0.0)


@cache
def steered(model, robot: str) -> Motion:
    """Return the motion of a robot after a drive to the left on level ground."""
    return drive(model, load_robot(robot), load_course("flat"), SLOW, FAST)


def test_stays_put_when_tracks_stand_still(model, robot, flat):
    found = drive(model, robot, flat, 0.0, 0.0)
    lifted = float(found.pose.z) - standing_height(model, robot)
    found = replace(found, pose=replace(found.pose, z=lifted))
    largest = np.abs(numbers(found)).max()
    # A robot of the engine sinks into the ground by hundredths of a millimetre as it settles.
    assert largest <= exactness(model, kinematic=0.0, contact=1e-4, plates=1e-3)


def test_a_robot_that_stands_does_not_creep(model, robot, flat):
    # A chain of plates hangs still after a few tenths of a second.
    start, end = (drive(model, robot, flat, 0.0, 0.0, duration=t).pose for t in (0.5, 3.0))
    crept = np.hypot(end.x - start.x, end.y - start.y)
    # Plates have the friction of MuJoCo, which creeps: Quince rolls by 0.3 mm as its belts settle.
    assert crept <= exactness(model, kinematic=1e-7, contact=1e-7, plates=5e-4)


def test_seen_in_a_mirror_it_is_the_mirrored_robot(model, robot, flat):
    seen = steered(model, robot.name).pose
    mirrored = drive(model, robot.mirrored(), flat, FAST, SLOW).pose
    assert (mirrored.x, mirrored.y, mirrored.yaw) == pytest.approx(
        (seen.x, -seen.y, -seen.yaw),
        # Impulses are found to 2e-5 of the weight's in the order of contacts. Quince has 80 wheels
        # on the ground, and grousers that set down one after another: small differences grow.
        abs=exactness(
            model, kinematic=1e-12, contact=1e-6, plates=1e-3, grousers=1e-3, wheels=1e-4
        ),
    )


def test_the_mirror_test_can_fail(flat):
    # A robot that slips more on one side is not its own mirror image.
    robot = load_robot("tp100")
    seen = drive(make_model("slip"), robot, flat, SLOW, FAST).pose
    mirrored = drive(make_model("slip"), robot, flat, FAST, SLOW).pose
    assert abs(mirrored.yaw + seen.yaw) > 1e-3


@pytest.mark.parametrize("angle", [np.pi / 2, -2.0, 7.0])
def test_the_world_has_no_preferred_direction(model, robot, flat, angle):
    plain = steered(model, robot.name).pose
    start = Pose(x=0.3, y=-0.2, yaw=angle)
    turned = drive(model, robot, flat, SLOW, FAST, pose=start).pose
    cos, sin = np.cos(angle), np.sin(angle)
    expected = (
        0.3 + cos * plain.x - sin * plain.y,
        -0.2 + sin * plain.x + cos * plain.y,
        angle + plain.yaw,
    )
    tolerance = exactness(model, kinematic=1e-12, contact=1e-5, plates=3e-3, wheels=1e-3)
    assert (turned.x, turned.y, turned.yaw) == pytest.approx(expected, abs=tolerance)


def test_a_faster_right_side_turns_left(model, robot):
    assert steered(model, robot.name).pose.yaw > 0.0


def test_many_robots_at_once_equal_one_by_one_bit_for_bit(model, robot, flat):
    generator = np.random.default_rng(7)
    count = 3 if model.name == "plates" else 13  # plates are slow
    poses = Pose(x=generator.normal(size=count), y=generator.normal(size=count),
                 yaw=generator.uniform(-4.0, 4.0, count))  # fmt: skip
    left, right = generator.uniform(-0.2, 0.2, (2, count))
    together = drive(model, robot, flat, left, right, pose=poses, duration=1.0)
    for i in range(count):
        alone = drive(model, robot, flat, left[i], right[i], pose=poses[i], duration=1.0)
        assert [together.pose.x[i], together.pose.y[i], together.pose.yaw[i]] == [
            alone.pose.x, alone.pose.y, alone.pose.yaw
        ]  # fmt: skip
        assert [slip[i] for slip in together.slips] == [float(slip) for slip in alone.slips]
        assert [travel[i] for travel in together.belt_travels] == list(alone.belt_travels)


def test_same_input_same_output(model, robot, flat):
    first = numbers(steered(model, robot.name))
    assert numbers(drive(model, robot, flat, SLOW, FAST)).tobytes() == first.tobytes()


def test_state_can_be_kept_and_brought_back(model, robot, flat):
    plant = start_model(model, robot, flat)
    command = command_sides(robot, SLOW, FAST)
    plant.advance(command, 0.01)
    kept = plant.state
    plant.advance(command, 0.01)
    once, travels = numbers(plant.motion), plant.motion.belt_travels
    plant.state = kept
    plant.advance(command, 0.01)
    assert numbers(plant.motion).tobytes() == once.tobytes()
    assert plant.motion.belt_travels == travels


def test_a_live_state_branches_into_many_robots_bit_for_bit(model, robot, flat):
    live = start_model(model, robot, flat)
    for _ in range(7):
        live.advance(command_sides(robot, SLOW, FAST), 0.01)
    count = 5
    many = start_model(model, robot, flat, Pose(x=np.linspace(0.0, 4.0, count)))
    many.advance(command_sides(robot, FAST, SLOW), 0.01)  # has gone its own way before
    many.state = live.state
    for _ in range(10):
        for plant in (live, many):
            plant.advance(command_sides(robot, FAST, -SLOW), 0.01)
    alone, together = numbers(live.motion), numbers_of_all(many.motion, count)
    for i in range(count):
        assert together[:, i].tobytes() == alone.tobytes()
        assert [t[i] for t in many.motion.belt_travels] == list(live.motion.belt_travels)


def test_states_of_some_robots_are_taken_by_their_numbers(model, robot, flat):
    count, chosen = 4, [3, 3, 1]
    poses = Pose(x=np.linspace(0.0, 6.0, count))
    many, few = (start_model(model, robot, flat, p) for p in (poses, poses[:3]))
    many.advance(command_sides(robot, np.linspace(0.0, FAST, count), FAST), 0.01)
    states = many.state
    taken = states.take(chosen)
    assert (states.count, taken.count, states.take([2]).count) == (count, 3, 1)
    few.state = taken
    seen = numbers_of_all(many.motion, count)[:, chosen]
    assert numbers_of_all(few.motion, 3).tobytes() == seen.tobytes()
    one = start_model(model, robot, flat)
    one.state = states.take([2])
    assert numbers(one.motion).tolist() == numbers_of_all(many.motion, count)[:, 2].tolist()


def test_a_state_that_does_not_fit_is_refused_with_one_sentence(model, robot, flat):
    many = start_model(model, robot, flat, Pose(x=np.linspace(0.0, 6.0, 3)))
    one = start_model(model, robot, flat)
    with pytest.raises(InvalidValue, match=r"state must be of 1 (or 1 )?robots?, not '3 robots'"):
        one.state = many.state
    with pytest.raises(InvalidValue, match=r"state must be of 1 or 3 robots, not '2 robots'"):
        many.state = many.state.take([0, 1])
    with pytest.raises(InvalidValue, match="state must be "):
        many.state = None


def test_belt_travel_is_the_integral_of_belt_speed(model, robot, flat):
    dt, plant = 0.01, start_model(model, robot, flat)
    speeds = [plant.motion.belt_speeds]
    for k in range(60):
        # Forward, then back: belts change their speed, and their direction.
        left, right = (SLOW, FAST) if k < 50 else (-FAST, -SLOW)
        plant.advance(command_sides(robot, left, right), dt)
        speeds.append(plant.motion.belt_speeds)
    integral = np.trapezoid(np.array(speeds, dtype=float), dx=dt, axis=0)
    # The rule takes the speed at the end of each tick: half a tick times the changes of speed.
    changes = np.abs(np.diff(np.array(speeds, dtype=float), axis=0)).sum(axis=0)
    travels = np.array(plant.motion.belt_travels, dtype=float)
    assert (np.abs(travels - integral) <= 0.5 * dt * changes + 1e-12).all()
    assert (np.abs(travels) > 0.005).all()
    plant.reset()
    assert plant.motion.belt_travels == (0.0,) * len(robot.drives)


def test_some_of_many_robots_start_again_with_no_belt_travel(model, robot, flat):
    poses = Pose(x=np.array([0.0, 2.0]), y=np.zeros(2), yaw=np.zeros(2))
    plant = start_model(model, robot, flat, poses)
    for _ in range(10):
        plant.advance(command_sides(robot, SLOW, FAST), 0.01)
    before = [np.broadcast_to(travel, 2).copy() for travel in plant.motion.belt_travels]
    plant.reset_some(np.array([True, False]), poses)
    for travel, old in zip(plant.motion.belt_travels, before, strict=True):
        assert travel.tolist() == [0.0, old[1]]
        assert old[1] > 0.0


@pytest.mark.parametrize("name", KINEMATIC)
def test_halving_the_tick_halves_the_error(name, robot, flat):
    model = make_model(name)
    # Only the ramp of the belts depends on the tick: first order.
    speed = robot.drive.speed_limit
    ends = [
        drive(model, robot, flat, 0.3 * speed, speed, dt=dt).pose
        for dt in (0.04, 0.02, 0.01, 0.0025)
    ]
    errors = [np.hypot(end.x - ends[-1].x, end.y - ends[-1].y) for end in ends[:-1]]
    assert errors[0] > errors[1] > errors[2]
    assert errors[0] / errors[1] == pytest.approx(2.17, abs=0.45)


@pytest.mark.parametrize("name", [n for n in KINEMATIC if hasattr(CATALOGUE[n], "integration")])
def test_euler_steps_converge_to_exact_arcs_with_first_order(name, flat):
    robot = load_robot("tp100")
    gaps = []
    for dt in (0.02, 0.01):
        exact = drive(make_model(name), robot, flat, SLOW, FAST, dt=dt).pose
        plain = drive(make_model(f"{name}:integration=euler"), robot, flat, SLOW, FAST, dt=dt).pose
        gaps.append(np.hypot(plain.x - exact.x, plain.y - exact.y))
    assert gaps[0] / gaps[1] == pytest.approx(2.0, rel=0.2)


LONG_RAMP = """
name = "long ramp"
[[terrain]]
kind = "plane"
[[terrain]]
kind = "ramp"
x_m = 0.0
angle_deg = 15.0
up_m = 20.0
width_m = 20.0
"""


@pytest.mark.parametrize("heading", [0.0, np.pi, 0.7, -2.0])
@pytest.mark.parametrize("long_ramp", [False, True], ids=["plane", "settled"])
def test_a_robot_lies_on_the_slope_it_drives_on(model, heading, long_ramp):
    course = (
        parse_course(LONG_RAMP, "ramp.toml") if long_ramp else load_course("slope:angle_deg=15")
    )
    robot, start = load_robot("tp100"), Pose(x=-1.0, yaw=heading)
    plant = model.start(robot, course, start)
    for _ in range(100):
        plant.advance(command_sides(robot, 0.1, 0.1), 0.01)
    pose = plant.motion.pose
    ground = course.terrain.pose_at(pose.x, pose.y, pose.yaw)
    tolerance = exactness(model, kinematic=1e-9, contact=5e-4)
    assert (pose.roll, pose.pitch) == pytest.approx((ground.roll, ground.pitch), abs=tolerance)
    assert pose.z == pytest.approx(ground.z, abs=2e-4)  # the wheels are sampled every 5 mm
    assert abs(pose.roll) + abs(pose.pitch) > 0.1


def test_a_slope_shortens_the_way_in_plan():
    robot, up = load_robot("tp100"), load_course("slope:angle_deg=28")
    # P0's ramp with the ratios of level ground, a test of geometry: 0.078635 m/s (P0 Table 3).
    model = make_model("slip")
    level = robot.model_copy(
        update={
            "slip": robot.slip.model_copy(update={"slope_coefficient": 0.0}),
            "drive": robot.drive.model_copy(update={"acceleration_limit": np.inf}),
        }
    )
    pose = drive(model, level, up, 0.1, 0.1, duration=0.1).pose
    assert pose.x == pytest.approx(0.0078635, rel=1e-4)
    assert pose.z == pytest.approx(0.0041811, abs=2e-4)


def test_batch_equals_single_over_a_slope_and_a_step():
    robot, course, model = load_robot("tp100"), load_course("behaviour-3"), make_model("slip")
    starts = Pose(x=np.array([1.45, 1.0, 0.3]), y=np.full(3, -0.8), yaw=np.full(3, np.pi))
    speeds = np.array([0.1, 0.12, -0.1])
    together = drive(model, robot, course, speeds, speeds, pose=starts, duration=4.0)
    for i in range(3):
        alone = drive(model, robot, course, speeds[i], speeds[i], pose=starts[i], duration=4.0)
        for name in ("x", "y", "z", "pitch", "yaw"):
            assert getattr(together.pose, name)[i] == getattr(alone.pose, name), name


def test_a_state_on_a_step_branches_bit_for_bit():
    robot, course, model = load_robot("tp100"), load_course("behaviour-3"), make_model("slip")
    live = start_model(model, robot, course, Pose(x=1.45, y=-0.8, yaw=np.pi))
    for _ in range(150):
        live.advance(command_sides(robot, 0.1, 0.1), 0.01)
    many = start_model(model, robot, course, Pose(x=np.linspace(0.0, 0.2, 5), y=np.zeros(5)))
    kept = live.state
    many.state = kept
    phases = set()
    for _ in range(300):
        for plant in (live, many):
            plant.advance(command_sides(robot, 0.1, 0.1), 0.01)
        phases.add(float(live.motion.phase))
        assert (many.motion.phase == live.motion.phase).all()
    together = numbers_of_all(many.motion, 5)
    assert all(together[:, i].tobytes() == numbers(live.motion).tobytes() for i in range(5))
    assert len(phases) > 2  # it was on the step
    live.state = many.state.take([4])
    many.state = kept
    assert numbers(live.motion).tobytes() == together[:, 4].tobytes()
    assert (many.motion.pose.x == kept.driven.pose.x).all()


def test_every_model_says_what_it_is():
    for name, kind in CATALOGUE.items():
        assert kind.name == name
        assert kind.summary
        assert kind.source


PATCH = """[[terrain]]
kind = "patch"
"""

MIRRORED = """
name = "one side"
[surfaces.ice]
friction = 0.1
slip_factor = 2.0
[[terrain]]
kind = "plane"
[[terrain]]
kind = "ramp"
x_m = 0.6
y_m = {side}
angle_deg = 20.0
up_m = 0.3
down_m = 0.3
width_m = 0.3
[[terrain]]
kind = "patch"
surface = "ice"
x_m = 0.1
y_m = {side}
length_m = 0.3
width_m = 0.3
"""


def test_mirrored_ground_gives_a_mirrored_run(model):
    robot = load_robot("tp100")
    # MuJoCo has one friction for a whole plane, so plates drive without the ice.
    text = MIRRORED.split(PATCH)[0] if model.name == "plates" else MIRRORED
    left, right = (parse_course(text.format(side=side), "side.toml") for side in (0.15, -0.15))
    seen = drive(model, robot, left, 0.1, 0.1, duration=5.0).pose
    mirrored = drive(model, robot.mirrored(), right, 0.1, 0.1, duration=5.0).pose
    assert abs(seen.roll) > 0.01  # one track is on the ramp
    assert (mirrored.x, mirrored.y, mirrored.z) == pytest.approx(
        (seen.x, -seen.y, seen.z), abs=exactness(model, kinematic=1e-9, contact=1e-3)
    )
    assert (mirrored.roll, mirrored.pitch, mirrored.yaw) == pytest.approx(
        (-seen.roll, seen.pitch, -seen.yaw), abs=exactness(model, kinematic=1e-9, contact=1e-3)
    )
