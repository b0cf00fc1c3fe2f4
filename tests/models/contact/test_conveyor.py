"""Belts that stand in the world and carry a body."""

import pytest

from grouser.description import load_robot
from grouser.errors import InvalidValue
from grouser.geometry import Pose
from tests.models.contact.rides import GRAVITY, ground, loads, ride, start
from tests.models.contact.test_segments import grousered

BELTS = grousered()
FLIGHTS = 'count = 20, shape = "cuboid", length_m = 0.01, height_m = 0.05'


@pytest.fixture
def crate():
    """Return belts with a body that lies on both and does not fit between their runs."""
    body = BELTS.body.model_copy(
        update={
            "size": (0.3, 0.8, 0.2),
            "centre": (0.0, 0.0, 0.1),
            "centre_of_mass": (0.0, 0.0, 0.05),
        }
    )
    return BELTS.model_copy(update={"body": body})


@pytest.mark.parametrize("speed", [0.2, -0.2])
def test_a_smooth_conveyor_carries_a_crate_at_belt_speed(crate, speed):
    plant = start(crate, ground(0.6), "segments:fixed=1,grousers=0")
    assert plant.motion.pose.z == pytest.approx(0.24, abs=1e-3)
    ride(plant, crate, speed, speed, 0.5)
    motion = ride(plant, crate, speed, speed, 0.5)
    assert motion.twist.vx == pytest.approx(speed, abs=1e-4)
    assert abs(motion.pose.y) < 1e-4
    assert loads(plant).sum() == pytest.approx(60.0 * GRAVITY, rel=1e-3)


def test_a_crate_slips_on_a_conveyor_that_starts_faster_than_friction_allows(crate):
    plant = start(crate, ground(0.1), "segments:fixed=1,grousers=0")
    motion = ride(plant, crate, 1.0, 1.0, 0.4)
    assert motion.twist.vx == pytest.approx(0.1 * GRAVITY * 0.4, rel=0.03)


def test_grousers_carry_a_crate_without_friction_up_a_slope(crate):
    track = crate.tracks[0]
    flights = grousered(FLIGHTS).tracks[0].grousers
    belts = tuple(t.model_copy(update={"grousers": flights}) for t in crate.tracks)
    robot = crate.model_copy(update={"tracks": belts})
    assert track.loop.length / 20 > 0.1
    body = robot.body.model_copy(update={"size": (0.06, 0.8, 0.2)})
    robot = robot.model_copy(update={"body": body})
    plant = start(robot, ground(0.0, slope=10.0), "segments:fixed=1", Pose(x=-0.2))
    begin = plant.motion.pose
    end = ride(plant, robot, 0.1, 0.1, 3.0).pose
    assert end.z - begin.z > 0.02
    assert end.x - begin.x == pytest.approx(0.3, abs=0.12)  # it first slides back to a flight


def test_belts_with_flippers_are_not_fixed():
    with pytest.raises(InvalidValue, match="robot must have no flippers for its belts to be fixed"):
        start(load_robot("quince"), ground(0.6), "segments:fixed=1")
