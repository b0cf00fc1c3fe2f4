"""P4's Quince on the six steps of Table IV, sub-tracks exactly as stated."""

import csv
import json
from math import radians
from pathlib import Path

import pytest

from grouser.datasheet.attempt import SPEED
from grouser.description import load_course, load_robot
from grouser.geometry import Pose, Twist
from grouser.models import Contact, Motion
from grouser.papers.p4.hinges import DELAY, GivingHinges
from grouser.papers.p4.sensitivity import SETTINGS, SOFT, TILT, climbs
from grouser.papers.p4.step_climbing import (
    STEP,
    attempt_step,
    hook_height,
    start_at_phase,
)

DATA = Path(__file__).parents[2] / "data" / "okada2020"
with (DATA / "table4_step_climbing.csv").open() as file:
    TABLE4 = list(csv.DictReader(file))
STATED = json.loads((DATA / "step_climbing.json").read_text())
DIFFERS = (0.0, 120.0)


@pytest.mark.parametrize(
    "row", TABLE4, ids=lambda r: f"{r['step_height_mm']} mm at {r['front_subtrack_angle_deg']} deg"
)
def test_with_grousers_quince_climbs_what_p4_says_but_for_one_step(row):
    height, angle = float(row["step_height_mm"]), float(row["front_subtrack_angle_deg"])
    climbed = attempt_step(STEP.vary("course.height_m", height / 1e3), radians(angle)).climbed
    agrees = ("S" if climbed else "F") == row["simulation"] == row["reality"]
    assert agrees == ((angle, height) != DIFFERS)


@pytest.mark.parametrize(("height", "angle"), [(0.12, 0.0), (0.24, 45.0)])
def test_without_grousers_quince_fails_on_the_steps_above_its_front_pulleys(height, angle):
    # The balance of two contacts needs friction of 0.86 and 0.78; there is 0.6.
    scenario = STEP.vary("course.height_m", height, model="segments:grousers=0")
    assert not attempt_step(scenario, radians(angle)).climbed


def test_quince_drives_as_in_p4():
    assert STATED["speed_mps"] == SPEED
    for surface in load_course("step").terrain.surfaces.values():
        assert surface.friction == STATED["mu_ground"] == STATED["mu_step"]


def test_quince_climbs_as_high_as_its_grousers_can_hook():
    limit = hook_height(load_robot("quince").flippers[0], 0.0)
    assert limit == pytest.approx(0.1145, abs=1e-4)
    below, above = (
        attempt_step(STEP.vary("course.height_m", limit + off), 0.0) for off in (-0.003, 0.003)
    )
    assert below.climbed
    assert not above.climbed


@pytest.mark.parametrize("change", [(TILT, 2.5), (SOFT, 3.0)])
def test_some_settings_that_p4_does_not_state_climb_120_mm_and_not_190_mm(change):
    assert change[1] in SETTINGS[change[0]][1]
    assert climbs(0.0, 120.0, [change])
    assert not climbs(0.0, 190.0, [change])


def test_a_seed_starts_at_another_phase_of_the_belts():
    pitch = load_robot("quince").flippers[0].track.pitch or 0.0
    first, second = (start_at_phase(STEP.vary(seed=seed).load()) for seed in (0, 1))
    assert 0.1 * pitch < second.x - first.x < pitch
    assert start_at_phase(STEP.load(), 0.5).x - first.x == pytest.approx(0.5 * pitch)


def test_a_hinge_that_gives_lifts_its_sub_track_where_the_riser_does():
    robot = load_robot("quince")
    hinges = GivingHinges(robot, (0.0, 0.0, 0.0, 0.0), give=0.01)
    push = Contact(
        drive="front-left", position_in_world=(0.5675, 0.2, 0.075),
        normal_in_world=(-1.0, 0.0, 0.0), force_in_world=(-70.0, 0.0, 40.0),
        slip_in_world=(0.0, 0.0, 0.0),
    )  # fmt: skip
    motion = Motion(
        pose=Pose(), twist=Twist(), belt_speeds_commanded=(), belt_speeds=(), belt_travels=(),
        contacts=(push,),
    )  # fmt: skip
    hinges.follow(motion, DELAY)
    # 40 N upwards, 0.3 m ahead of the hinge: 12 N m.
    assert hinges.angles == pytest.approx((-0.12, 0.0, 0.0, 0.0))
