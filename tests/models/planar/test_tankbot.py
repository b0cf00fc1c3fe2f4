"""The model `tankbot` in the catalogue: any robot, any smooth course, treadmills."""

import numpy as np
import pytest

from grouser.description import load_course, load_robot, parse_course
from grouser.errors import InvalidValue, Unsupported
from grouser.geometry import Pose
from grouser.models import Command, command_sides, make_model, start_model
from grouser.models.planar.constants import measured_traction, robot_constants
from tests.models.drives import drive

TANKBOT, TREADMILL = load_robot("tankbot"), load_course("treadmill")


def test_belts_reach_what_they_are_asked_for():
    motion = drive(make_model("tankbot"), TANKBOT, load_course("flat"), 0.3, 0.4, duration=3.0)
    assert motion.belt_speeds == pytest.approx((0.3, 0.4), abs=1e-3)
    # S_h: the Tankbot drives 2.5 % faster than its sprockets say.
    assert motion.twist.vx == pytest.approx(0.35 / (1.0 - 0.025), rel=1e-2)
    assert motion.twist.yaw_rate == pytest.approx(0.1 / 0.476 / (1.0 - 0.025), rel=1e-2)


def test_a_robot_takes_time_to_start_and_coasts():
    plant = start_model(make_model("tankbot"), TANKBOT, load_course("flat"))
    speeds = []
    for tick in range(40):
        ahead = 0.5 if tick < 20 else 0.0
        plant.advance(command_sides(TANKBOT, ahead, ahead), 0.01)
        speeds.append(plant.motion.twist.vx)
    assert 0.0 < speeds[0] < speeds[10] < speeds[19]
    assert speeds[20] > 0.05  # still rolling when told to stop


def test_without_motor_a_speed_that_needs_too_much_torque_is_not_reached():
    weak = TANKBOT.model_copy(
        update={
            "drive": TANKBOT.drive.model_copy(
                update={"motor": TANKBOT.drive.motor.model_copy(update={"torque_limit": 4.0})}
            )
        }
    )
    motion = drive(make_model("tankbot"), weak, load_course("flat"), 0.5, 0.5, duration=3.0)
    assert motion.belt_speeds == pytest.approx((0.2032, 0.2032), abs=1e-3)  # T / B_D times R


def test_standing_on_the_treadmill_carries_a_robot_backwards():
    model = make_model("tankbot")
    stay = drive(model, TANKBOT, TREADMILL, 0.39126 * 0.975, 0.39126 * 0.975, duration=3.0)
    assert abs(stay.pose.x) < 1e-6
    carried = drive(model, TANKBOT, TREADMILL, 0.0, 0.0, duration=3.0)
    assert carried.pose.x == pytest.approx(-0.39126 * 3.0, abs=0.12)
    assert carried.twist.vx == pytest.approx(-0.39126, abs=1e-3)


def test_the_treadmill_starts_with_belts_that_roll_along():
    plant = start_model(make_model("tankbot"), TANKBOT, TREADMILL)
    assert plant.motion.belt_speeds == pytest.approx((0.39126 * 0.975,) * 2)
    assert plant.motion.twist.vx == 0.0


def test_other_models_refuse_the_treadmill():
    with pytest.raises(Unsupported, match="needs treadmill.*models that can: .*tankbot"):
        start_model(make_model("slip"), TANKBOT, TREADMILL)


def test_uphill_slows_and_a_cross_slope_drifts_downhill():
    model = make_model("tankbot")
    on_slope = load_course("treadmill:slope_deg=5")
    uphill = drive(model, TANKBOT, on_slope, 0.39126 * 0.975, 0.39126 * 0.975, duration=3.0)
    assert uphill.pose.x < -0.005
    rolled = load_course("treadmill:roll_deg=5")  # right side down
    drifted = drive(model, TANKBOT, rolled, 0.39126 * 0.975, 0.39126 * 0.975, duration=3.0)
    assert drifted.pose.y < -0.005
    assert drifted.pose.roll == pytest.approx(np.deg2rad(5.0))


def test_a_steep_slope_is_too_much_for_little_friction():
    # 0.174 of the weight is the largest lateral force on the treadmill: ten degrees of roll.
    model = make_model("tankbot")
    ends = [
        drive(model, TANKBOT, load_course(f"treadmill:roll_deg={deg}"), 0.38, 0.38).twist.vy
        for deg in (8, 14)
    ]
    assert abs(ends[0]) < 0.05
    assert ends[1] < -0.3


def test_the_published_shift_drives_a_robot_that_should_stand():
    course = load_course("flat")
    still = drive(make_model("tankbot"), TANKBOT, course, 0.0, 0.0, duration=1.0)
    assert still.pose.x == 0.0
    pushed = drive(make_model("tankbot:resting_shift=0"), TANKBOT, course, 0.0, 0.0, duration=1.0)
    assert pushed.pose.x > 1e-4


def turn_forces(model):
    """Return the yaw moment that the tracks need in a steady turn, by their difference of slip."""
    motion = drive(make_model(model), TANKBOT, TREADMILL, 0.25, 0.45, duration=4.0)
    return motion.slips[1] - motion.slips[0], motion.twist.yaw_rate


def test_distributed_friction_resists_a_steady_turn_which_one_point_hardly_does():
    published, free = turn_forces("tankbot")
    distributed, held = turn_forces("tankbot:points=9")
    assert abs(published) < 1e-3
    assert distributed > 10.0 * abs(published)
    assert held < free


def test_distributed_friction_is_the_published_force_when_driving_straight():
    course = load_course("treadmill:roll_deg=3")
    one, nine = (
        drive(make_model(f"tankbot:points={n}"), TANKBOT, course, 0.38, 0.38, duration=0.3)
        for n in (1, 9)
    )
    assert nine.pose.y == pytest.approx(one.pose.y, rel=1e-3)


def test_a_robot_without_traction_has_the_tankbots_scaled():
    robot = load_robot("absolem")
    traction, mass = measured_traction(robot), robot.mass / 46.8
    assert traction.lateral.largest_force == pytest.approx(80.0 * mass)
    assert traction.track.largest_force == pytest.approx(61.0 * mass)
    length = robot.contact_length / 0.6
    assert traction.track.stiffness_factor == pytest.approx(29.8 * length)
    assert traction.shift == 0.0
    assert robot_constants(robot).drive_inertia == pytest.approx(
        0.1 * mass * (robot.sprocket_radius / 0.0508) ** 2
    )
    assert measured_traction(TANKBOT) is TANKBOT.traction


def test_more_friction_holds_a_robot_that_slid():
    sliding = load_course("treadmill:roll_deg=14")
    model = make_model("tankbot", friction_factor=np.array([1.0, 2.0]))
    poses = Pose(x=np.zeros(2))
    motion = drive(model, TANKBOT, sliding, 0.38, 0.38, pose=poses)
    assert motion.twist.vy[0] < -0.3
    assert abs(motion.twist.vy[1]) < 0.05


PATCH = """
name = "patch"
[surfaces.ice]
friction = 0.02
[[terrain]]
kind = "plane"
cross_slope_deg = 5.0
[[terrain]]
kind = "patch"
surface = "ice"
x_m = 5.0
length_m = 9.6
width_m = 9.0
"""


def test_a_slippery_patch_counts_where_it_lies():
    course = parse_course(PATCH, "patch.toml")
    plant = start_model(make_model("tankbot"), TANKBOT, course)
    drifts = []
    for _ in range(200):
        plant.advance(command_sides(TANKBOT, 0.4, 0.4), 0.01)
        drifts.append((float(plant.motion.pose.x), float(plant.motion.twist.vy)))
    assert max(abs(vy) for x, vy in drifts if x < 0.19) < 0.02
    assert drifts[-1][0] > 0.4
    assert drifts[-1][1] < -0.3


def test_voltages_drive_a_robot_with_motors_and_are_refused_by_others():
    plant = start_model(make_model("tankbot"), TANKBOT, load_course("flat"))
    for _ in range(200):
        plant.advance(Command(belt_speeds=(0.0, 0.0), motor_voltages=(2.0, 3.0)), 0.01)
    # T(2 V) = 5 and T(3 V) = 9 N m; unloaded speeds T / B_D, shared through the ground.
    assert sum(plant.motion.belt_speeds) == pytest.approx(0.0508 * 14.0, rel=0.02)
    assert plant.motion.twist.yaw_rate > 0.1
    robot = load_robot("tp100")
    plant = start_model(make_model("tankbot"), robot, load_course("flat"))
    with pytest.raises(InvalidValue, match=r"motor_voltages must be left out: robot 'tp100' has"):
        plant.advance(Command(belt_speeds=(0.0, 0.0), motor_voltages=(2.0, 3.0)), 0.01)


def test_each_side_and_sign_may_have_a_motor_of_its_own():
    motor = TANKBOT.drive.motor
    weak = motor.model_copy(update={"left_backward": motor.model_copy(update={"gain": 1.0})})
    drive_train = TANKBOT.drive.model_copy(update={"motor": weak})
    robot = TANKBOT.model_copy(update={"drive": drive_train})
    yaws = {}
    for volts in (3.0, -3.0):
        plant = start_model(make_model("tankbot"), robot, load_course("flat"))
        for _ in range(100):
            plant.advance(Command(belt_speeds=(0.0, 0.0), motor_voltages=(volts, volts)), 0.01)
        yaws[volts] = plant.motion.pose.yaw
    assert yaws[3.0] == pytest.approx(0.0, abs=1e-9)
    assert yaws[-3.0] < -0.1  # the left side lags behind on the way back: it turns right


def test_a_kick_turns_the_robot_at_once():
    plant = start_model(make_model("tankbot"), TANKBOT, TREADMILL)
    plant.turn(0.3)
    assert plant.motion.pose.yaw == 0.3


@pytest.mark.parametrize(
    ("reference", "sentence"),
    [
        ("tankbot:points=0", "tankbot:points must be a whole number from 1 to 100, not 0"),
        ("tankbot:points=1.5", "tankbot:points must be a whole number from 1 to 100"),
        ("tankbot:servo_time=0", "tankbot:servo_time must be from 1e-05 to 1 s, not 0"),
        ("tankbot:longest_step=2", "tankbot:longest_step must be from 1e-05 to 1 s, not 2"),
    ],
)
def test_parameters_out_of_range_are_refused(reference, sentence):
    with pytest.raises(InvalidValue, match=sentence):
        make_model(reference)
