"""The test lanes of the zoo: sizes, parameters, and that a robot passes or fails them."""

import math

import numpy as np
import pytest

from grouser import Scenario, run
from grouser.description import load_course
from grouser.description.load import course_names
from grouser.scenario.parts import Stop

LANES = [name for name in course_names() if name.startswith("lane-")]
FTR = {
    "step": {"height_m": (0.2, 0.4)},
    "lane-step-down": {"height_m": (0.2, 0.6)},
    "lane-uplift": {"height_m": (0.2, 0.4), "depth_m": (0.2, 0.5)},
    "lane-one-sided-step": {"height_m": (0.1, 0.3)},
    "lane-stepfield": {"post_m": (0.2, 0.5), "unit_m": (0.2, 0.5)},
    "lane-waves": {"wave_length_m": (0.25, 1.0), "height_m": (0.1, 0.4)},
    "lane-rails": {"height_m": (0.2, 0.3), "angle_deg": (10.0, 45.0)},
    "lane-stairs": {"angle_deg": (20.0, 45.0)},
    "lane-stairs-down": {"angle_deg": (20.0, 45.0)},
}
"""Ranges of FTR-Benchmark's tasks, as its README has them."""


@pytest.mark.parametrize("lane", LANES)
@pytest.mark.parametrize("width", [0.3, 0.6, 2.4])
def test_a_lane_is_made_for_robots_of_other_sizes(lane: str, width: float):
    course = load_course(lane, width_m=width)
    assert course.path is not None
    x, y, _ = course.path.at(np.linspace(0.0, course.path.length, 300))
    assert np.isfinite(course.terrain.height(x, y)).all()
    apparatus = [solid.footprint.corners for solid in course.terrain.solids[1:]]
    apparatus += [patch.footprint.corners for patch in course.terrain.patches]
    corners = np.concatenate(apparatus)
    most = 0.5 * width + (0.1 if lane == "lane-rails" else 1e-9)
    assert np.abs(corners[:, 1]).max() <= most


@pytest.mark.parametrize("lane", sorted(FTR))
def test_lanes_cover_the_ranges_of_ftr_benchmark(lane: str):
    for name, (low, high) in FTR[lane].items():
        for value in (low, high):
            assert load_course(lane, **{name: value}).parameters[name] == value


@pytest.mark.parametrize("angle", [30.0, 45.0])
def test_stairs_have_the_angle_that_is_chosen(angle: float):
    terrain = load_course("lane-stairs", angle_deg=angle, rise_m=0.2).terrain
    fronts = sorted(r.start[0] for r in terrain.risers if r.normal_to_high == (1.0, 0.0))
    assert np.diff(fronts) == pytest.approx(0.2 / math.tan(math.radians(angle)))
    course = load_course("lane-stairs-down", angle_deg=angle, rise_m=0.2)
    assert course.start_pose.z == pytest.approx(1.2)


def test_a_hurdle_has_a_pipe_on_top_of_a_wall():
    terrain = load_course("lane-hurdles", height_m=0.2).terrain
    heights = terrain.height(np.array([1.2, 1.2 + 0.03, 2.4]), 0.0)
    assert heights == pytest.approx([0.2, 0.19, 0.2], abs=2e-3)


def test_seeds_make_other_stepfields():
    one, same, other = (load_course(f"lane-stepfield:seed={seed}").terrain for seed in (4, 4, 5))
    x, y = np.meshgrid(np.linspace(1.0, 4.4, 60), np.linspace(-0.5, 0.5, 20))
    assert np.array_equal(one.height(x, y), same.height(x, y))
    assert not np.array_equal(one.height(x, y), other.height(x, y))


@pytest.mark.parametrize(
    ("lane", "ending"),
    [("lane-logs:diameter_m=0.06", "done"), ("lane-hurdles:height_m=0.4", "stuck")],
)
def test_a_run_over_a_lane_is_passed_or_failed(lane: str, ending: str):
    scenario = Scenario(robot="absolem", course=lane, model="csm", stop=Stop(stuck_after=2.0))
    assert run(scenario).ending == ending
