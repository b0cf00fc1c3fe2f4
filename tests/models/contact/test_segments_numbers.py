"""What grousers do: hook, drive without friction, load weak belts; and what is refused."""

import numpy as np
import pytest

from grouser.description import load_robot
from grouser.errors import InvalidValue
from grouser.geometry import Pose
from grouser.laws.step_feasibility import friction_demand
from grouser.models import make_model
from tests.models.contact.rides import distance, ground, loads, ride, start
from tests.models.contact.test_csm_terrain import LOOPS
from tests.models.contact.test_segments import GROUSERS, grousered

STEP = """
[[terrain]]
kind = "step"
x_m = 0.55
height_m = 0.10
depth_m = 3.0
width_m = 3.0
"""


@pytest.mark.parametrize("grousers", [0, 1])
def test_straight_for_ten_seconds_is_three_metres(grousers):
    # P1's straight drive and P4's benchmark: 0.3 m/s for 10 s.
    plant = start("packbot510", "flat", f"segments:grousers={grousers}")
    pose = ride(plant, "packbot510", 0.3, 0.3, 10.0).pose
    assert pose.x == pytest.approx(3.0, abs=0.02)
    assert (pose.y, pose.yaw) == pytest.approx((0.0, 0.0), abs=1e-5)


@pytest.mark.parametrize("course", ["slope:angle_deg=30", "staircase-stand"])
def test_a_standing_robot_does_not_creep(course):
    plant = start("packbot510", course, "segments")
    begin = plant.motion.pose
    assert abs(begin.pitch) > 0.4
    assert distance(ride(plant, "packbot510", 0.0, 0.0, 10.0).pose, begin) < 1e-4


def test_grousers_climb_a_step_for_which_friction_does_not_suffice():
    assert friction_demand(0.12, 0.76, 0.10) > 0.66
    course = ground(0.5, pieces=STEP)
    robot = grousered()
    ends = [
        ride(start(robot, course, f"segments:grousers={on}"), robot, 0.2, 0.2, 6.0, tick=0.05)
        for on in (0, 1)
    ]
    assert ends[0].pose.z < 0.02
    assert ends[1].pose.z == pytest.approx(0.112, abs=1e-3)


def rack(pitch):
    """Return level ground without friction, with bars as far apart as grousers; 11 mm of play."""
    bar = '[[terrain]]\nkind = "box"\nx_m = {x}\nlength_m = 0.040\nwidth_m = 2\nheight_m = 0.006'
    bars = [bar.format(x=(k + 0.5) * pitch - 0.5) for k in range(50)]
    return ground(0.0, pieces="\n".join(bars))


@pytest.mark.parametrize("speed", [0.1, -0.1])
def test_grousers_drive_along_a_rack_without_friction(speed):
    # Nothing but the normal forces on the flanks of the grousers moves the robot.
    robot = grousered()
    course = rack(robot.tracks[0].pitch)
    plant = start(robot, course, "segments", Pose(x=0.2))
    ride(plant, robot, speed, speed, 1.0)
    begin = plant.motion.pose.x
    end = ride(plant, robot, speed, speed, 3.0).pose.x
    assert end - begin == pytest.approx(3.0 * speed, abs=0.012)
    smooth = start(robot, course, "segments:grousers=0", Pose(x=0.2))
    assert abs(ride(smooth, robot, speed, speed, 4.0).pose.x - 0.2) < 0.01


def test_a_weak_drive_stalls_on_what_its_grousers_hook_and_a_stronger_one_climbs():
    course = ground(0.6, pieces=STEP)
    found = []
    for torque in (10.0, 40.0):
        robot = grousered(drive=f"torque_limit_N_m = {torque}")
        found.append(ride(start(robot, course, "segments"), robot, 0.2, 0.2, 6.0, tick=0.05))
    weak, strong = found
    assert weak.belt_speeds == pytest.approx((0.0, 0.0), abs=1e-3)
    assert weak.pose.z < 0.02
    assert strong.pose.z == pytest.approx(0.112, abs=1e-3)
    assert strong.belt_speeds == pytest.approx((0.2, 0.2), abs=1e-3)


SHAPES = {
    "cuboid": GROUSERS,
    "trapezoid": 'count = 40, shape = "trapezoid", length_m = 0.012, top_length_m = 0.004, '
    "height_m = 0.012",
    "narrow trapezoid": 'count = 40, shape = "trapezoid", length_m = 0.012, '
    "top_length_m = 0.001, height_m = 0.012",
    "triangle": 'count = 40, shape = "triangle", length_m = 0.012, height_m = 0.012',
    "saw tooth": 'count = 40, shape = "polygon", length_m = 0.012, height_m = 0.012, '
    "corners_m = [[0.006, 0.012], [0.003, 0.012]]",
}


@pytest.mark.parametrize("shape", SHAPES)
def test_grousers_of_any_convex_shape_carry_drive_and_climb(shape):
    robot = grousered(SHAPES[shape])
    plant = start(robot, ground(0.6, pieces=STEP), "segments")
    assert plant.motion.pose.z == pytest.approx(0.012, abs=1e-4)
    pose = ride(plant, robot, 0.2, 0.2, 6.0, tick=0.05).pose
    assert pose.z == pytest.approx(0.112, abs=1e-3)
    assert abs(pose.y) < 0.02


@pytest.mark.parametrize("loop", LOOPS)
def test_any_loop_stands_on_its_grousers_and_drives_straight(loop):
    robot = grousered(loop=LOOPS[loop])
    plant = start(robot, ground(0.9), "segments")
    pose = plant.motion.pose
    assert (pose.z, pose.pitch, pose.roll) == pytest.approx((0.012, 0.0, 0.0), abs=1e-3)
    end = ride(plant, robot, 0.3, 0.3, 1.0).pose
    assert end.x - pose.x == pytest.approx(0.3, abs=0.01)
    assert abs(end.y) < 1e-3


def test_soft_grousers_sink_and_soften_what_they_touch():
    stiff, soft = (
        start("packbot510", "flat", model) for model in ("segments", "segments:stiffness=2e4")
    )
    sunk = [0.008 - plant.motion.pose.z for plant in (stiff, soft)]
    assert sunk[1] > 10.0 * sunk[0] > 0.0
    assert ride(soft, "packbot510", 0.3, 0.3, 2.0).pose.x == pytest.approx(0.6, abs=0.02)


def test_p4s_links_drive_too():
    # Grousers that jump at roll-backs shake the robot: it is not as smooth as on the loop.
    pose = ride(start("quince", "flat", "segments:path=links"), "quince", 0.3, 0.3, 4.0).pose
    assert pose.x == pytest.approx(1.2, abs=0.06)
    assert pose.z == pytest.approx(0.016, abs=2e-3)


def test_both_sides_of_a_turn_push_the_robot_around():
    robot = load_robot("packbot510")
    plant = start(robot, "flat", "segments")
    ride(plant, robot, -0.2, 0.2, 1.0)
    airborne = []
    pose = ride(
        plant, robot, -0.2, 0.2, 1.0, tick=0.002, watch=lambda p: airborne.append(not len(loads(p)))
    )
    assert pose.twist.yaw_rate > 0.3
    assert np.mean(airborne) < 0.01


@pytest.mark.parametrize(
    ("reference", "sentence"),
    [
        ("segments:patches=0", "segments:patches must be a whole number from 2"),
        ("segments:timestep=1", "segments:timestep must be from"),
        ("segments:stiffness=0", r"segments:stiffness must be from 10000 to 1e\+12 Pa"),
        ("segments:path=belt", "segments:path must be one of loop, links"),
    ],
)
def test_parameters_that_make_no_sense_are_refused(reference, sentence):
    with pytest.raises(InvalidValue, match=sentence):
        make_model(reference)
