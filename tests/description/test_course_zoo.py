"""Every course that comes with the package, and the published numbers in them.

Numbers of P0 are in data/tp100/courses.json, which tells given ones from chosen ones.
"""

import json
import math
import re
from pathlib import Path

import numpy as np
import pytest

from grouser.description.course import Course
from grouser.description.load import (
    course_names,
    find_description,
    load_course,
    parse_toml,
    read_text,
)
from grouser.description.piece import FEATURES
from grouser.description.schema import MARKS, find_source, numeric_leaves

GIVEN = json.loads((Path(__file__).parents[1] / "data/tp100/courses.json").read_text())


@pytest.fixture(params=course_names())
def name(request: pytest.FixtureRequest) -> str:
    return request.param


def end_of(course: Course) -> tuple[float, float, float]:
    assert course.path is not None
    x, y, heading = course.path.at(course.path.length)
    return float(x), float(y), float(heading)


def test_the_zoo_has_the_courses_of_the_papers():
    assert set(course_names()) >= {
        "flat", "behaviour-1-straight", "behaviour-1-radius", "behaviour-1-sharp", "behaviour-2",
        "behaviour-3", "ramp", "pallet", "staircase", "staircase-down", "staircase-stand", "step",
        "slope", "rough", "slippery",
    }  # fmt: skip


def test_every_course_is_called_as_its_file_and_has_a_title(name: str):
    course = load_course(name)
    assert course.name == name
    assert course.title
    assert course.features <= set(FEATURES)


def test_every_number_has_a_source_that_ends_in_a_mark(name: str):
    content = parse_toml(read_text(find_description("course", name)), name)
    sources = content["sources"]
    assert [key for key in numeric_leaves(content) if not find_source(sources, key)] == []
    for source in sources.values():
        assert re.search(rf"\[[{''.join(MARKS)}]\]$", source), source


def test_every_course_can_be_started_and_its_path_followed_on_the_ground(name: str):
    course = load_course(name)
    assert course.has_ground
    assert math.isfinite(course.start_pose.z)
    if course.path is not None:
        x, y, _ = course.path.at(np.linspace(0.0, course.path.length, 200))
        assert np.isfinite(course.terrain.height(x, y)).all()
        assert 10.0 <= course.path.length / course.speed <= 40.0


def test_every_path_stays_in_its_area(name: str):
    course = load_course(name)
    if course.area is not None and course.path is not None:
        x, y = course.path.points(0.01).T
        assert course.area.x[0] <= x.min() <= x.max() <= course.area.x[1]
        assert course.area.y[0] <= y.min() <= y.max() <= course.area.y[1]


def test_areas_have_the_size_that_p0_states():
    for name, size in (
        ("behaviour-1-straight", GIVEN["real_area"]["size_m"]),
        ("behaviour-1-radius", GIVEN["real_area"]["size_m"]),
        ("behaviour-1-sharp", GIVEN["real_area"]["size_m"]),
        ("behaviour-2", GIVEN["virtual_area_courses_2_3"]["size_m"]),
        ("behaviour-3", GIVEN["virtual_area_courses_2_3"]["size_m"]),
    ):
        area = load_course(name).area
        assert area is not None
        assert (area.x[1] - area.x[0], area.y[1] - area.y[0]) == pytest.approx(size)


def test_paths_of_p0_are_made_of_the_elements_chosen_for_them():
    course_1 = GIVEN["course1"]["assumption"]
    for name, elements in (
        ("behaviour-1-straight", [{"line_m": course_1["straight"]["length_m"]}]),
        ("behaviour-1-radius", course_1["radius_curve"]),
        ("behaviour-1-sharp", course_1["sharp_turn"]),
        ("behaviour-2", GIVEN["course2"]["assumption"]["segments"]),
        ("behaviour-3", GIVEN["course3"]["assumption"]["segments"]),
    ):
        content = parse_toml(read_text(find_description("course", name)), name)
        assert content["path"]["elements"] == elements
        assert content["speed_m_s"] == course_1["nominal_speed_mps"]


def test_paths_of_p0_end_where_their_elements_lead():
    assert end_of(load_course("behaviour-1-straight")) == pytest.approx((1.5, 0.0, 0.0))
    assert end_of(load_course("behaviour-1-radius")) == pytest.approx((1.2, 0.6, 0.0))
    assert end_of(load_course("behaviour-1-sharp")) == pytest.approx((0.8, 0.4, 0.0))
    assert end_of(load_course("behaviour-2")) == pytest.approx((1.0, -0.6, 0.0))
    assert end_of(load_course("behaviour-3")) == pytest.approx((0.0, -0.8, -math.pi), abs=1e-12)


def test_the_disturbance_of_course_2_is_a_kick_to_the_left():
    disturbance, chosen = load_course("behaviour-2").disturbance, GIVEN["course2"]["assumption"]
    assert disturbance is not None
    assert disturbance.at == chosen["disturbance"]["at_path_m"]
    assert disturbance.yaw == pytest.approx(chosen["disturbance"]["yaw_rad"])


def test_course_3_leads_over_the_obstacle_first_and_the_ramp_second():
    course, given = load_course("behaviour-3"), GIVEN["course3"]
    obstacle, ramp = given["obstacle"], given["ramp"]
    terrain, path = course.terrain, course.path
    assert path is not None
    assert terrain.height(*obstacle["position_m"]) == pytest.approx(obstacle["height_m"])
    apex = given["assumption"]["ramp_apex_height_m"]
    assert terrain.height(*ramp["position_m"]) == pytest.approx(apex, abs=5e-7)
    s_obstacle, s_ramp = (path.nearest(*place["position_m"]) for place in (obstacle, ramp))
    assert 0.0 < s_obstacle < s_ramp < path.length
    assert path.distance(*obstacle["position_m"]) == pytest.approx(0.0, abs=1e-6)
    slopes = [math.degrees(terrain.pose_at(x, -0.8, math.pi).pitch) for x in (0.8, 0.6)]
    assert slopes == pytest.approx([-ramp["angle_deg"], ramp["angle_deg"]])
    assert course.features == {"slopes", "steps"}


def test_only_the_obstacle_of_course_3_makes_risers():
    course = load_course("behaviour-3")
    length = GIVEN["course3"]["assumption"]["obstacle_length_along_path_m"]
    faces = {riser.normal_to_high: riser for riser in course.terrain.risers}
    assert set(faces) == {(1.0, 0.0), (-1.0, 0.0), (0.0, 1.0), (0.0, -1.0)}
    assert faces[(1.0, 0.0)].start[0] == pytest.approx(1.2 - length / 2)
    assert faces[(-1.0, 0.0)].start[0] == pytest.approx(1.2 + length / 2)
    assert {riser.height for riser in course.terrain.risers} == {0.037}
    assert course.terrain.smooth.height(1.2, -0.8) == 0.0
    assert course.terrain.smooth.height(0.7, -0.8) > 0.1


@pytest.mark.parametrize("height", [0.04, 0.12, 0.19, 0.24, 0.38])
def test_the_step_has_every_height_of_p4(height: float):
    """P4, Table IV; friction of ground and step 0.6, speed 0.1 m/s."""
    course = load_course("step", height_m=height)
    front = [r for r in course.terrain.risers if r.normal_to_high == (1.0, 0.0)]
    assert [riser.height for riser in front] == [height]
    assert course.terrain.height(front[0].start[0] + 0.1, 0.0) == height
    assert course.terrain.friction(np.array([0.0, 1.0]), 0.0).tolist() == [0.6, 0.6]
    assert course.speed == 0.1


def test_the_slope_has_its_angle():
    course = load_course("slope:angle_deg=28")
    assert course.start_pose.pitch == pytest.approx(-math.radians(28.0))
    assert load_course("slope:angle_deg=-28").start_pose.pitch == pytest.approx(math.radians(28.0))


def test_stairs_have_one_riser_of_equal_height_for_each_step():
    terrain = load_course("staircase").terrain
    up = sorted(r.start[0] for r in terrain.risers if r.normal_to_high == (1.0, 0.0))
    down = [r for r in terrain.risers if r.normal_to_high == (-1.0, 0.0)]
    assert up == pytest.approx([0.6 + 0.29 * i for i in range(6)])
    assert len(down) == 6
    fronts = [r.height for r in terrain.risers if abs(r.normal_to_high[0]) > 0.5]
    assert fronts == pytest.approx([0.17] * 12)


def test_the_way_down_starts_on_the_landing_and_ends_on_the_ground():
    course = load_course("staircase-down")
    assert course.start_pose.z == pytest.approx(1.02)
    assert course.path is not None
    x, y, _ = course.path.at(np.linspace(0.0, course.path.length, 400))
    heights = course.terrain.height(x, y)
    assert np.all(np.diff(heights) <= 0.0)
    assert heights[-1] == 0.0
    assert course.path.length == pytest.approx(0.3 * 10.0)  # P1: 0.3 m/s for 10 s


def test_the_pallet_is_crossed_by_the_path():
    course = load_course("pallet")
    assert course.terrain.height(np.array([0.59, 0.61, 1.79, 1.81]), 0.0) == pytest.approx(
        [0.0, 0.144, 0.144, 0.0]
    )
    assert load_course("pallet", yaw_deg=90.0).terrain.height(0.79, 0.59) == 0.0


def test_the_slippery_patch_lies_on_level_ground():
    terrain = load_course("slippery").terrain
    assert terrain.is_flat
    assert terrain.slip_factor(np.array([0.9, 1.5, 2.1]), 0.0).tolist() == [1.0, 3.0, 1.0]


def test_the_bumps_join_the_plane_without_an_edge():
    course = load_course("rough")
    (field,) = course.terrain.fields
    border = np.concatenate([field.heights[[0, -1]].ravel(), field.heights[:, [0, -1]].ravel()])
    assert not border.any()
    assert 0.02 < course.terrain.height(2.25, 0.0) < 0.05
    assert course.features == {"rough"}
