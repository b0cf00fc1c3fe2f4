"""Steps under the slip model: the plant follows the law of step climbing."""

import numpy as np
import pytest

from grouser.description import load_course, load_robot, parse_course
from grouser.errors import InvalidValue, Unsupported
from grouser.geometry import Pose
from grouser.laws.step_climb import StepClimb
from grouser.models import command_sides, make_model, start_model
from grouser.models.climbing import STUCK
from tests.models.drives import drive

STEP = """
name = "one step"
[[terrain]]
kind = "plane"
[[terrain]]
kind = "step"
x_m = 0.5
height_m = {height}
depth_m = {depth}
width_m = 2.0
"""
V, DT = 0.1, 0.01


def step_course(height: float = 0.037, depth: float = 3.0):
    return parse_course(STEP.format(height=height, depth=depth), "step.toml")


@pytest.fixture
def robot():
    tp100 = load_robot("tp100")
    # Without slip, drift and inertia of the belts, what remains is the step.
    slip = tp100.slip.model_copy(
        update={
            "left": 0.0,
            "right": 0.0,
            "turning_left": 0.0,
            "turning_right": 0.0,
            "slip_angle": 0.0,
        }
    )
    drive = tp100.drive.model_copy(update={"acceleration_limit": np.inf})
    return tp100.model_copy(update={"slip": slip, "drive": drive})


def history(robot, course, speeds, pose=None, model="slip"):
    plant = start_model(make_model(model), robot, course, pose)
    motions = []
    for speed in speeds:
        plant.advance(command_sides(robot, speed, speed), DT)
        motions.append(plant.motion)
    return motions


def climb_of(robot, height: float = 0.037, mode="exact") -> StepClimb:
    com_x, _, com_z = robot.centre_of_mass
    return StepClimb(
        radius=robot.wheel_radius, wheel_distance=robot.wheel_distance, height=height,
        com_x=com_x, com_z=com_z - robot.wheel_radius, mode=mode,
    )  # fmt: skip


@pytest.mark.parametrize("mode", ["exact", "paper"])
def test_the_plant_follows_the_law_of_climbing(robot, mode):
    climb = climb_of(robot, mode=mode)
    r = robot.wheel_radius
    first = 0.5 + climb.grounded(0.0).x
    motions = history(robot, step_course(), [V] * 700, model=f"slip:step_mode={mode}")
    checked = 0
    for tick, motion in enumerate(motions, start=1):
        travel = V * DT * tick - first
        if not 0.0 < travel < climb.tip_travel:
            continue
        law = climb.grounded(travel)
        assert -motion.pose.pitch == pytest.approx(law.nose_up, abs=1e-9)
        assert motion.pose.x == pytest.approx(0.5 + law.x + r * np.sin(law.nose_up), abs=1e-9)
        assert motion.pose.z == pytest.approx(law.z - r * np.cos(law.nose_up), abs=1e-9)
        checked += 1
    assert checked > 100


def test_all_phases_pass_in_their_order(robot):
    phases = [float(m.phase) for m in history(robot, step_course(), [V] * 700)]
    order = [p for p, before in zip(phases, [None, *phases], strict=False) if p != before]
    assert order == [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 0.0]


def test_on_top_the_robot_is_as_high_as_the_step(robot):
    end = history(robot, step_course(), [V] * 800)[-1].pose
    assert (end.z, end.pitch) == pytest.approx((0.037, 0.0), abs=1e-12)


def test_a_descent_is_the_mirrored_climb_run_backwards(robot):
    # Backwards up and forwards down must pass the same poses: same mass distribution to the edge.
    course = step_course(depth=3.0)
    up = history(robot, course, [-V] * 800, pose=Pose(x=0.1, yaw=np.pi))
    down = history(robot, course, [V] * 800, pose=Pose(x=0.9, yaw=np.pi))
    climbed = np.array([(m.pose.pitch, m.pose.x, m.pose.z) for m in up if 1 <= m.phase <= 3])
    descended = np.array([(m.pose.pitch, m.pose.x, m.pose.z) for m in down if 1 <= m.phase <= 3])
    assert len(descended) > 60
    assert np.diff(climbed[:, 0]).min() > 0.0
    within = (descended[:, 0] > climbed[0, 0]) & (descended[:, 0] < climbed[-1, 0])
    descended = descended[within]
    for column in (1, 2):
        expected = np.interp(descended[:, 0], climbed[:, 0], climbed[:, column])
        assert descended[:, column] == pytest.approx(expected, abs=1e-4)


def test_driving_down_dips_the_nose_and_ends_level_below(robot):
    motions = history(robot, step_course(), [V] * 800, pose=Pose(x=0.9, yaw=np.pi))
    assert max(float(m.pose.pitch) for m in motions) > np.deg2rad(10.0)
    assert min(float(m.pose.pitch) for m in motions) > -1e-9
    assert (motions[-1].pose.z, motions[-1].pose.pitch) == pytest.approx((0.0, 0.0), abs=1e-12)


def test_reversing_in_the_middle_takes_the_same_way_back(robot):
    there = history(robot, step_course(), [V] * 500)
    assert 1 <= there[-1].phase <= 3
    back = history(robot, step_course(), [V] * 500 + [-V] * 450)
    assert float(back[-1].pose.x) == pytest.approx(0.05, abs=1e-9)
    assert float(back[-1].pose.z) == pytest.approx(0.0, abs=1e-12)
    assert float(back[520].pose.pitch) == pytest.approx(float(there[478].pose.pitch), abs=1e-9)


def test_a_robot_that_stops_on_the_riser_stays_there(robot):
    motions = history(robot, step_course(), [V] * 420 + [0.0] * 100)
    assert motions[-1].phase == 1.0
    assert motions[-1].pose == motions[419].pose
    assert motions[-1].twist.vx == 0.0


def test_a_robot_that_stops_while_it_tips_falls_over(robot):
    speeds = [V] * 700
    tipping = next(i for i, m in enumerate(history(robot, step_course(), speeds)) if m.phase == 4)
    end = history(robot, step_course(), speeds[: tipping + 3] + [0.0] * 100)[-1]
    assert (float(end.pose.pitch), float(end.pose.z)) == pytest.approx((0.0, 0.037), abs=1e-12)


def test_a_step_above_the_limit_stalls_the_robot(robot):
    motions = history(robot, step_course(height=0.06), [V] * 1500)
    assert motions[-1].phase == STUCK
    assert motions[-1].pose == motions[-200].pose
    assert motions[-1].pose.pitch < -np.deg2rad(45.0)  # nose up, centre of mass behind the edge
    assert motions[-1].slips[0] == 1.0


def test_a_wall_stops_the_robot_and_lets_it_go_back(robot):
    motions = history(robot, step_course(height=0.5), [V] * 600 + [-V] * 100)
    assert motions[599].phase == STUCK
    assert motions[599].pose.x <= 0.5 - robot.wheel_distance / 2 - robot.wheel_radius + 2e-3
    assert motions[-1].phase == 0.0
    assert motions[-1].pose.x == pytest.approx(motions[599].pose.x - 0.1, abs=2e-3)


def test_a_riser_met_too_obliquely_is_a_wall(robot):
    pose = drive(
        make_model("slip"),
        robot,
        step_course(),
        V,
        V,
        pose=Pose(yaw=np.deg2rad(55.0)),
        duration=12.0,
    ).pose
    assert pose.z == 0.0
    assert pose.x < 0.5


def test_an_oblique_climb_works_along_the_heading(robot):
    pose = drive(
        make_model("slip"),
        robot,
        step_course(),
        V,
        V,
        pose=Pose(yaw=np.deg2rad(20.0)),
        duration=9.0,
    ).pose
    assert pose.z == pytest.approx(0.037)
    assert pose.yaw == pytest.approx(np.deg2rad(20.0))


def test_a_box_shorter_than_half_the_track_is_refused(robot):
    with pytest.raises(InvalidValue, match=r"at least 0\.070 m long .* not '0\.05 m'"):
        start_model(make_model("slip"), robot, step_course(depth=0.05))


@pytest.mark.parametrize("name", ["ideal", "icr", "turning"])
def test_a_model_without_steps_refuses_a_course_with_one(name):
    with pytest.raises(
        Unsupported, match="needs steps, which model .* lacks; models that can: csm, .*slip"
    ):
        start_model(make_model(name), load_robot("tp100"), load_course("step"))


@pytest.mark.parametrize("course", ["pallet", "staircase"])
def test_a_course_beyond_all_kinematic_models_is_refused(course):
    with pytest.raises(Unsupported, match="which model 'slip' lacks"):
        start_model(make_model("slip"), load_robot("absolem"), load_course(course))
