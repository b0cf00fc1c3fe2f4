"""Steady driving of a robot on soil: balances of forces, limits, and published numbers."""

import math
from dataclasses import replace

import numpy as np
import pytest

from grouser.description import load_robot, load_soil, parse_robot
from grouser.description.track import SoilContact
from grouser.errors import InvalidValue
from grouser.laws.slope import GRAVITY
from grouser.laws.soil_drive import Belts, SoilDrive, belts_of

BELTS = Belts(
    weight=60.0 * GRAVITY,
    count=2,
    length=0.5,
    width=0.1,
    gauge=0.6,
    com_height=0.2,
    com_to_rear=0.25,
)
"""A robot of 60 kg."""


def drive_on(name: str, belts: Belts = BELTS, **changes: float | bool) -> SoilDrive:
    return SoilDrive(belts=belts, soil=load_soil(name).model_copy(update=changes))


def test_thrust_of_60_kg_on_dry_sand_is_that_of_the_closed_form():
    """Janosi's form with Wong's dry sand, evaluated by hand: 153.4, 236.7, 314.6, 364.9 N."""
    drive, slips = drive_on("dry-sand"), np.array([0.05, 0.1, 0.2, 0.4])
    assert drive.thrust(slips) == pytest.approx([153.4, 236.7, 314.6, 364.9], abs=0.05)
    assert drive.compaction() == pytest.approx(3.56, abs=0.01)
    assert drive.sinkage() == pytest.approx(6.35e-3, abs=1e-5)
    assert drive.pull(slips) == pytest.approx(drive.thrust(slips) - drive.resistance())


@pytest.mark.parametrize(
    ("soil", "gain"),
    [("dry-sand", 0.13), ("lete-sand", 0.13), ("clayey-soil", 0.18)],
)
def test_grousers_of_10_mm_add_what_block_shear_says(soil: str, gain: float):
    ribbed = replace(BELTS, grouser_height=0.01, grouser_pitch=0.025)
    strength, rule = drive_on(soil, ribbed).strength()
    assert rule == "block"
    assert strength / drive_on(soil).strength()[0] - 1.0 == pytest.approx(gain, abs=0.01)
    assert drive_on(soil, ribbed).strength_across() == drive_on(soil).strength()[0]
    assert drive_on(soil, replace(ribbed, grouser_pitch=0.25)).strength()[1] == "single"


def test_four_belts_are_two_pairs():
    four = replace(BELTS, count=4, grouser_height=0.01, grouser_pitch=0.025)
    two = replace(four, count=2, weight=BELTS.weight / 2.0)
    assert drive_on("dry-sand", four).strength()[0] == pytest.approx(
        2.0 * drive_on("dry-sand", two).strength()[0]
    )


@pytest.mark.parametrize("soil", ["dry-sand", "snow", "lunar"])
def test_forces_balance_on_the_steepest_slope(soil: str):
    drive = drive_on(soil, cohesion=200.0)
    slope, limit = drive.greatest_slope()
    assert limit == "grip"
    down = BELTS.weight * math.sin(slope)
    assert drive.pull(1.0, BELTS.weight * math.cos(slope)) == pytest.approx(down)
    assert drive.greatest_slope(0.2)[0] < slope


def test_firm_cohesionless_soil_is_climbed_up_to_its_angle():
    drive = drive_on("lunar", cohesion=0.0, shear_modulus=1e-6, frictional_modulus=1e9)
    assert drive.greatest_slope() == (pytest.approx(math.radians(35.0), abs=1e-3), "grip")
    top_heavy = replace(BELTS, com_height=0.5)
    steep = drive_on("lete-sand", top_heavy, friction_angle=1.0).greatest_slope()
    assert steep == (pytest.approx(math.atan2(0.25, 0.5)), "tipping over")


def test_a_robot_that_cannot_move_climbs_nothing():
    stuck = drive_on("snow", replace(BELTS, weight=6000.0), friction_angle=0.05)
    assert stuck.greatest_slope() == (0.0, "resistance")
    assert math.isnan(stuck.slip_for_pull(0.0))
    assert math.isnan(stuck.straight_power(0.2)[0])


def test_the_slip_for_a_pull_gives_that_pull():
    drive = drive_on("snow")
    slip = drive.slip_for_pull(0.2 * BELTS.weight)
    assert drive.pull(slip) == pytest.approx(0.2 * BELTS.weight)
    assert math.isnan(drive.slip_for_pull(10.0 * BELTS.weight))
    assert math.isnan(drive_on("snow", slip_sinkage=True).slip_for_pull(0.2 * BELTS.weight))
    sand, sinking = drive_on("dry-sand"), drive_on("dry-sand", slip_sinkage=True)
    assert sinking.slip_for_pull(0.4 * BELTS.weight) > sand.slip_for_pull(0.4 * BELTS.weight)


@pytest.mark.parametrize("soil", ["dry-sand", "clayey-soil"])
def test_forces_and_moments_of_turns_balance(soil: str):
    thin = replace(BELTS, width=1e-3)
    drive = drive_on(soil, thin, frictional_modulus=1e10)
    turn = drive.turn(thin.gauge * np.array([2.0, 5.0, 20.0, 50.0]), 1e-3)
    total = turn.outer_forces + turn.inner_forces
    assert total == pytest.approx(np.full(4, float(drive.resistance())), rel=1e-3, abs=1e-4)
    moments = 0.5 * thin.gauge * (turn.outer_forces - turn.inner_forces)
    assert turn.moments == pytest.approx(moments, rel=1e-3)
    assert np.all(np.diff(turn.outer_forces) < 0.0)
    assert np.all(np.diff(turn.powers) < 0.0)


def test_a_turn_of_great_radius_takes_the_power_of_driving_straight():
    drive = drive_on("snow")
    power, slip = drive.straight_power(0.2)
    assert power == pytest.approx(float(drive.resistance()) * 0.2 / (1.0 - slip))
    assert drive.turn(np.array([2e3]), 0.2).powers == pytest.approx([power], rel=1e-2)
    place = drive.pivot(0.2)
    assert place.outer_forces == pytest.approx(-place.inner_forces)


def test_a_smooth_belt_has_its_own_grip_and_grousers_do_without_it():
    contact = SoilContact(adhesion=100.0, friction_angle=15.0)
    smooth = drive_on("dry-sand", replace(BELTS, contact=contact))
    assert smooth.strength() == (
        pytest.approx(100.0 * BELTS.area + BELTS.weight * math.tan(math.radians(15.0))),
        "belt",
    )
    ribs = {"grouser_height": 0.01, "grouser_pitch": 0.02}
    ribbed = replace(BELTS, contact=contact, **ribs)
    assert (
        drive_on("dry-sand", ribbed).strength()
        == drive_on("dry-sand", replace(BELTS, **ribs)).strength()
    )
    other = smooth.with_grip(50.0, 0.2, 0.01)
    assert other.strength()[0] == pytest.approx(50.0 * BELTS.area + BELTS.weight * math.tan(0.2))
    assert (other.soil.cohesion, other.soil.shear_modulus) == (smooth.soil.cohesion, 0.01)


def test_belts_are_those_of_the_robot():
    belts = belts_of(load_robot("quince"))
    assert (belts.count, belts.length) == (2, pytest.approx(0.535))
    assert belts.grouser_height == 0.016
    rover = """
name = "rover"
body = { mass_kg = 5.0, size_m = [0.5, 0.3, 0.1], centre_m = [0, 0, 0.2], \
centre_of_mass_m = [0, 0, 0.2] }
drive = { speed_limit_m_s = 1.0, acceleration_limit_m_s2 = 1.0 }
wheels = [
  { name = "l", side = "left", x_m = 0, y_m = 0.2, radius_m = 0.1, width_m = 0.05 },
  { name = "r", side = "right", x_m = 0, y_m = -0.2, radius_m = 0.1, width_m = 0.05 },
]
"""
    with pytest.raises(InvalidValue, match="have tracks with a straight run on the ground"):
        belts_of(parse_robot(rover, "rover.toml"))
