"""P4's Quince on the six steps of Table IV."""

import csv
import json
from math import radians
from pathlib import Path

import pytest

from grouser.description import load_course, load_robot
from grouser.papers.p4.step_climbing import SPEED, STEP, TILT, attempt_step, hooking_height

DATA = Path(__file__).parents[2] / "data" / "okada2020"
with (DATA / "table4_step_climbing.csv").open() as file:
    TABLE4 = list(csv.DictReader(file))
STATED = json.loads((DATA / "step_climbing.json").read_text())


@pytest.mark.parametrize(
    "row", TABLE4, ids=lambda r: f"{r['step_height_mm']} mm at {r['front_subtrack_angle_deg']} deg"
)
def test_with_grousers_quince_climbs_what_p4_says(row):
    height, angle = float(row["step_height_mm"]) / 1e3, float(row["front_subtrack_angle_deg"])
    climbed = attempt_step(STEP.vary("course.height_m", height), radians(angle)).climbed
    assert ("S" if climbed else "F") == row["simulation"] == row["reality"]


@pytest.mark.parametrize(("height", "angle"), [(0.12, 0.0), (0.24, 45.0)])
def test_without_grousers_quince_fails_on_the_steps_above_its_front_pulleys(height, angle):
    # The balance of two contacts asks for friction of 0.86 and 0.78; there is 0.6.
    scenario = STEP.vary("course.height_m", height, model="segments:grousers=0")
    assert not attempt_step(scenario, radians(angle)).climbed


def test_quince_drives_as_in_p4():
    assert STATED["speed_mps"] == SPEED
    for surface in load_course("step").terrain.surfaces.values():
        assert surface.friction == STATED["mu_ground"] == STATED["mu_step"]


def test_with_its_sub_tracks_exactly_level_quince_climbs_as_high_as_its_grousers_can_hook():
    # P4 climbed 120 mm; ours, rigid and exactly level, 114 mm. Hence the tilt.
    belt = load_robot("quince").flippers[0].track
    limit = hooking_height(belt, 0.075 + 0.016)
    assert limit == pytest.approx(0.1145, abs=1e-4)
    below, above = (
        attempt_step(STEP.vary("course.height_m", limit + off), 0.0, tilt=0.0)
        for off in (-0.003, 0.003)
    )
    assert below.climbed
    assert not above.climbed


def test_the_tilt_is_what_120_mm_needs_and_no_more_than_a_centimetre():
    belt = load_robot("quince").flippers[0].track
    lifted = 0.195 * TILT
    assert hooking_height(belt, 0.091 + lifted) == pytest.approx(0.1247, abs=1e-4)
    assert lifted < 0.0103
