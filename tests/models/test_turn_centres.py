"""How wide robots turn where nothing was measured: as statics says, and as `csm` does."""

import math
from functools import cache

import pytest

from grouser import load_course, load_robot, make_model
from grouser.description import Robot
from grouser.description.slip import Icr, Slip
from grouser.models import (
    command_sides,
    computed_turn,
    effective_width,
    find_assumptions,
    find_turning_basis,
    steering_efficiency,
    track_icrs,
    turn_deviations,
    width_source,
)
from tests.models.turning_robots import OWN, ZOO, tracked, without_slip

ROBOTS = {name: without_slip(robot) for name, robot in (ZOO | OWN).items()}
FLAT = load_course("flat")
SPOT, ARC, WIDE = (-1.0, 1.0), (0.3, 1.0), (0.85, 1.0)
KINEMATIC = ("slip", "icr", "turning", "icr-slip", "icr-drift", "smooth")
TICK = 0.02


def slow(robot: Robot) -> float:
    """Return a speed at which nothing but friction counts: v^2 / (g B) of a hundredth [m/s]."""
    return min(0.3 * robot.drive.speed_limit, math.sqrt(0.01 * 9.81 * robot.gauge))


def turn(robot: Robot, model: str, sides: tuple[float, float], after: float, over: float) -> float:
    """Return how far a robot turns with belts at these shares of a slow speed [rad]."""
    plant = make_model(model).start(robot, FLAT)
    command = command_sides(robot, *(share * slow(robot) for share in sides))
    yaws = []
    for duration in (after, over):
        for _ in range(round(duration / TICK)):
            plant.advance(command, TICK)
        yaws.append(float(plant.motion.pose.yaw))
    return yaws[1] - yaws[0]


@cache
def csm_width(name: str, sides: tuple[float, float]) -> float:
    """Return the width of the differential drive that turns like a robot in `csm` [m]."""
    robot = ROBOTS[name]
    pause, over = max(0.3, 1.5 * robot.gauge / slow(robot)), max(0.5, robot.gauge / slow(robot))
    over = TICK * round(over / TICK)
    rate = turn(robot, "csm", sides, pause, over) / over
    return (sides[1] - sides[0]) * slow(robot) / rate


@pytest.mark.parametrize("sides", [SPOT, ARC, WIDE], ids=["spot", "arc", "wide"])
@pytest.mark.parametrize("name", ROBOTS)
def test_computed_width_is_that_of_csm_on_the_spot_and_in_arcs(name, sides):
    width = computed_turn(ROBOTS[name]).icrs.width
    assert width == pytest.approx(csm_width(name, sides), rel=0.02)


@pytest.mark.parametrize("name", ROBOTS)
def test_kinematic_models_end_a_drive_with_the_heading_of_csm(name):
    robot = ROBOTS[name]
    for sides in (SPOT, ARC):
        reference = turn(robot, "csm", sides, 0.0, 6.0)
        for model in KINEMATIC:
            assert turn(robot, model, sides, 0.0, 6.0) == pytest.approx(reference, rel=0.05), model


def test_what_a_file_states_wins():
    robot = ROBOTS["packbot510"]
    icr = Icr(left_y_m=0.4, right_y_m=-0.3, x_m=0.02)
    stated = robot.model_copy(update={"slip": Slip(icr=icr)})
    assert effective_width(stated) == pytest.approx(0.7)
    assert width_source(stated) == "slip.icr"
    assert track_icrs(stated).x == 0.02
    assert effective_width(load_robot("tp100")) == pytest.approx(0.2742, abs=1e-6)


def test_all_who_ask_for_a_width_get_the_same():
    robot = ROBOTS["rover"]
    width = computed_turn(robot).icrs.width
    assert effective_width(robot) == width
    assert steering_efficiency(robot).eta == robot.gauge / width
    for model in KINEMATIC:
        basis = find_turning_basis(make_model(model), robot, FLAT)
        assert basis.width == pytest.approx(width), model
        assert "computed, even loads and Coulomb friction" in basis.words
        assert any(
            "computed, even loads" in found.text
            for found in find_assumptions(make_model(model), robot, FLAT)
        ), model


def test_a_robot_whose_mass_is_off_the_middle_turns_about_it():
    icrs = track_icrs(ROBOTS["rover"])
    assert 0.02 < icrs.x < 0.06
    rolled = track_icrs(ROBOTS["toy"])
    assert rolled.left_y + rolled.right_y < -0.002 or rolled.left_y + rolled.right_y > 0.002


def test_turns_are_uncertain_by_ground_and_load_and_by_what_a_file_says_otherwise():
    robot = ROBOTS["rover"]
    width, x = effective_width(robot), float(track_icrs(robot).x)
    own, other = (turn_deviations(robot, factor * width, x).rate for factor in (1.0, 1.4))
    assert 0.15 < own < 0.5
    assert other == pytest.approx(math.hypot(own, 0.4))


def test_flippers_that_lift_a_robot_leave_its_turns_unknown_and_say_so():
    robot = tracked("lifted", 60.0, 0.7, 0.5, 0.12, 0.1, (0.0, 0.0, 0.15), 0.6, flippers=30.0)
    found = computed_turn(robot)
    assert found.doubt == "flipper 'left-front' lifts the robot at its rest angle"
    bare = tracked("bare", 60.0, 0.7, 0.5, 0.12, 0.1, (0.0, 0.0, 0.15), 0.6)
    assert found.icrs.width == pytest.approx(computed_turn(bare).icrs.width)
    assert turn_deviations(robot, effective_width(robot)).rate >= 0.5


def test_a_robot_that_tips_over_still_has_a_width():
    robot = tracked("nose", 60.0, 0.7, 0.5, 0.12, 0.1, (0.36, 0.0, 0.15), 0.6)
    found = computed_turn(robot)
    assert "centre of mass must lie over what touches the ground" in found.doubt
    assert found.icrs.width > robot.gauge
