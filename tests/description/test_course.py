import math
from typing import Any

import numpy as np
import pytest

from grouser.description.course import Course
from grouser.description.pieces import KINDS
from grouser.description.schema import parse_table
from grouser.errors import InvalidDescription, InvalidValue

PLANE = {"kind": "plane"}
RAMP = {
    "kind": "ramp", "x_m": 2.0, "y_m": 1.0, "angle_deg": 30.0, "up_m": 0.6, "top_m": 0.4,
    "down_m": 1.0, "width_m": 0.8,
}  # fmt: skip
STAIRS = {
    "kind": "stairs", "x_m": 1.0, "count": 3, "tread_m": 0.3, "rise_m": 0.2, "width_m": 1.0,
    "landing_m": 0.5,
}  # fmt: skip


def course(*terrain: dict[str, Any], **more: Any) -> Course:
    content = {"name": "test", "terrain": [PLANE, *terrain], **more}
    return parse_table(Course, content, "test.toml")


def mistakes(*terrain: Any, **more: Any) -> tuple[str, ...]:
    with pytest.raises(InvalidDescription) as caught:
        course(*terrain, **more)
    return caught.value.mistakes


def heights(of: Course, x: list[float], y: float = 0.0) -> np.ndarray:
    return of.terrain.height(np.array(x), y)


def test_a_ramp_is_placed_by_the_middle_of_its_footprint():
    top = 0.6 * math.tan(math.radians(30.0))
    terrain = course(RAMP)
    found = heights(terrain, [0.99, 1.3, 1.6, 2.0, 2.25, 3.01], 1.0)
    assert found == pytest.approx([0.0, top / 2, top, top, 0.75 * top, 0.0])
    assert terrain.terrain.height(2.0, 1.41) == 0.0
    assert terrain.features == {"slopes"}


def test_a_ramp_without_a_way_down_ends_in_a_drop():
    assert course({**RAMP, "down_m": 0.0}).features == {"slopes", "drops"}


def test_a_step_begins_at_its_place():
    step = {"kind": "step", "x_m": 0.8, "height_m": 0.12, "depth_m": 1.5, "width_m": 2.0}
    terrain = course(step)
    assert heights(terrain, [0.79, 0.81, 2.29, 2.31]) == pytest.approx([0.0, 0.12, 0.12, 0.0])
    assert terrain.features == {"steps"}


def test_stairs_rise_from_their_first_edge_to_the_landing():
    found = heights(course(STAIRS), [0.99, 1.1, 1.4, 1.7, 2.09, 2.11])
    assert found == pytest.approx([0.0, 0.2, 0.4, 0.6, 0.6, 0.0])
    assert course(STAIRS).features == {"stairs"}


def test_stairs_may_lead_down_behind_the_landing():
    found = heights(course({**STAIRS, "down": True}), [2.09, 2.2, 2.5, 2.69, 2.71])
    assert found == pytest.approx([0.6, 0.4, 0.2, 0.2, 0.0])


def test_stairs_turned_round_rise_the_other_way():
    found = heights(course({**STAIRS, "yaw_deg": 180.0}), [1.01, 0.9, 0.6, 0.3])
    assert found == pytest.approx([0.0, 0.2, 0.4, 0.6])


def test_stairs_turned_to_the_left_rise_along_y():
    turned = course({**STAIRS, "yaw_deg": 90.0}).terrain
    found = turned.height(1.0, np.array([-0.01, 0.1, 0.4, 0.7]))
    assert found == pytest.approx([0.0, 0.2, 0.4, 0.6])


def test_the_landing_is_one_tread_deep_unless_told_otherwise():
    stairs = {key: value for key, value in STAIRS.items() if key != "landing_m"}
    assert heights(course(stairs), [1.89, 1.91]) == pytest.approx([0.6, 0.0])


def test_a_pallet_has_gaps_between_its_deck_boards():
    pallet = course({"kind": "pallet"})
    across = [0.0, 0.09, 0.15, 0.23, 0.3, 0.41]  # board, gap, board, gap, board, outside
    found = [float(pallet.terrain.height(0.3, y)) for y in across]
    assert found == pytest.approx([0.144, 0.0, 0.144, 0.0, 0.144, 0.0])
    assert pallet.terrain.height(0.0, 0.09) == pytest.approx(0.122)  # the stringer below
    assert {outline.name for outline in pallet.outlines()} == {"pallet"}
    assert pallet.features == {"steps", "gaps"}


def test_a_turned_pallet_is_the_same_pallet():
    plain = course({"kind": "pallet"}).terrain
    turned = course({"kind": "pallet", "x_m": 2.0, "y_m": -1.0, "yaw_deg": 30.0}).terrain
    u, v = np.random.default_rng(0).uniform(-0.7, 0.7, (2, 300))
    cos, sin = math.cos(math.radians(30.0)), math.sin(math.radians(30.0))
    found = turned.height(2.0 + u * cos - v * sin, -1.0 + u * sin + v * cos)
    assert found == pytest.approx(plain.height(u, v))


def test_a_pallet_is_empty_between_its_boards_and_blocks():
    slabs = course({"kind": "pallet"}).terrain.slabs
    assert len(slabs) == 20
    volume = sum(
        s.footprint.length * s.footprint.width * (s.top_end - s.bottom) for s in slabs
    )  # fmt: skip
    deck = 1.2 * (3 * 0.145 + 2 * 0.1) * 0.022
    stringers, blocks = 3 * 0.145 * 0.8 * 0.022, 3 * 0.145 * 0.345 * 0.078
    bottom = 1.2 * 0.345 * 0.022
    assert volume == pytest.approx(deck + stringers + blocks + bottom)


def test_a_box_stands_on_its_base_and_may_be_turned():
    box = {"kind": "box", "x_m": 1.0, "length_m": 0.6, "width_m": 0.2, "height_m": 0.1}
    turned = course({**box, "yaw_deg": 90.0, "base_m": 0.5})
    assert heights(turned, [0.89, 0.91, 1.09, 1.11], 0.29) == pytest.approx([0.0, 0.6, 0.6, 0.0])
    assert turned.terrain.slabs[0].bottom == 0.5


def test_features_of_planes_and_fields():
    rough = {"kind": "heightfield", "heights_m": [[0.0, 0.1], [0.1, 0.0]], "spacing_m": 1.0}
    assert course().features == frozenset()
    assert course({"kind": "plane", "slope_deg": 3.0}).features == {"slopes"}
    assert course({"kind": "plane", "cross_slope_deg": 3.0}).features == {"slopes"}
    assert course(rough).features == {"rough"}


def test_a_patch_is_no_obstacle():
    patch = {"kind": "patch", "surface": "ice", "length_m": 1.0, "width_m": 1.0}
    slippery = course(patch, surfaces={"ice": {"friction": 0.1}})
    assert slippery.terrain.is_flat
    assert slippery.features == frozenset()
    assert slippery.terrain.friction(np.array([0.0, 2.0]), 0.0).tolist() == [0.1, 0.8]


def test_the_start_lies_on_the_terrain():
    slope = {"kind": "plane", "slope_deg": 20.0}
    pose = course(slope, start={"x_m": 1.0, "y_m": 2.0, "yaw_deg": 180.0}).start_pose
    assert (pose.x, pose.y, pose.z) == pytest.approx((1.0, 2.0, math.tan(math.radians(20.0))))
    assert (pose.yaw, pose.pitch) == pytest.approx((math.pi, math.radians(20.0)))


def test_a_start_over_nothing_is_refused_when_it_is_asked_for():
    empty = parse_table(Course, {"name": "empty"}, "empty.toml")
    assert not empty.has_ground
    with pytest.raises(InvalidValue, match=r"start must lie on the terrain, not \(0.0, 0.0\)"):
        _ = empty.start_pose


def test_the_path_begins_at_the_start():
    path = course(start={"x_m": 1.0, "yaw_deg": 90.0}, path={"elements": [{"line_m": 2.0}]}).path
    assert path is not None
    assert path.at(0.0) == pytest.approx((1.0, 0.0, math.pi / 2))
    assert path.at(2.0)[:2] == pytest.approx((1.0, 2.0))
    assert course().path is None


def test_outlines_come_lowest_first_and_without_planes():
    box = {"kind": "box", "name": "low", "length_m": 0.2, "width_m": 0.4, "height_m": 0.05}
    patch = {"kind": "patch", "length_m": 1.0, "width_m": 1.0}
    outlines = course({**box, "name": "high", "height_m": 0.5}, box, patch).outlines()
    assert [outline.name for outline in outlines] == ["patch", "low", "high"]
    assert [outline.height for outline in outlines[1:]] == [0.05, 0.5]
    name, polygon, _ = outlines[1]
    assert name == "low"
    assert polygon == pytest.approx(np.array([[-0.1, -0.2], [0.1, -0.2], [0.1, 0.2], [-0.1, 0.2]]))


def test_the_hash_follows_what_moves_a_robot_and_nothing_else():
    plain = course(RAMP).content_hash
    assert plain == course(RAMP, title="Other", sources={"terrain": "x [A]"}).content_hash
    assert plain != course({**RAMP, "angle_deg": 30.1}).content_hash
    assert plain != course(RAMP, surfaces={"ground": {"friction": 0.7}}).content_hash
    assert plain != course(RAMP, start={"x_m": 0.1}).content_hash


def test_all_mistakes_are_told_at_once():
    found = mistakes(
        {**RAMP, "angle_deg": -5.0, "lenght_m": 2.0},
        {"kind": "moat"},
        {"kind": "step", "height_cm": 3},
        speed_m_s=0.0,
        area={"x_m": [1.0, 0.0], "y_m": [0.0, 1.0]},
        path={"elements": [{"line_m": -1.0}, {"arc_m": 3.0}, {"arc_radius_m": 1, "turn_deg": 0}]},
        surfaces={"ice": {"friction": -1.0}},
        start={"x": 1.0},
    )
    expected = (
        "speed_m_s: input should be greater than 0, given 0.0",
        "start.x is not a known key; did you mean x_m?",
        "area: x_m and y_m must go from the smaller to the larger number, 1e-06 m apart at least; "
        "x_m goes from 1 to 0",
        "path.elements[0].line_m: input should be greater than 0, given -1.0",
        "path.elements[1]: must have one of line_m, arc_radius_m, turn_in_place_deg, not arc_m",
        "path.elements[2].turn_deg: must turn left (above zero) or right (below zero), not 0",
        "surfaces.ice.friction: input should be greater than or equal to 0, given -1.0",
        "terrain[1].angle_deg: input should be greater than 0, given -5.0",
        "terrain[1].lenght_m is not a known key; did you mean length_m?",
        f"terrain[2]: no kind of terrain named 'moat'; available: {', '.join(sorted(KINDS))}",
        "terrain[3].height_m is missing",
        "terrain[3].depth_m is missing",
        "terrain[3].width_m is missing",
        "terrain[3].height_cm is not a known key; did you mean height_m?",
    )
    assert set(expected) == set(found)


@pytest.mark.parametrize(
    ("terrain", "more", "mistake"),
    [
        ({}, {}, "terrain[1]: kind is missing; one of: box, cone, cylinder, gap, heightfield, "
                 "mesh, pallet, patch, plane, ramp, ramps, stairs, step, stepfield, waves"),
        ({"kind": "rmap"}, {},
         "terrain[1]: no kind of terrain named 'rmap' (did you mean 'ramp'?); available: box, "),
        ({"kind": ["ramp"]}, {}, "terrain[1]: no kind of terrain named \"['ramp']\""),
        (3, {}, "terrain[1]: must be a table [[terrain]], not 3"),
        ({**PLANE, "count": 3}, {},
         "terrain[1].count is not a known key; count belongs to terrain[] of kind 'stairs'"),
        ({**STAIRS, "count": 0}, {},
         "terrain[1].count: input should be greater than or equal to 1, given 0"),
        ({**PLANE, "surface": "mud"}, {},
         "terrain[1].surface: no surface named 'mud'; available: ground"),
        ({"kind": "plane", "slope_deg": 90.0}, {},
         "terrain[1].slope_deg: input should be less than or equal to 89, given 90.0"),
        ({"kind": "heightfield", "spacing_m": 1.0}, {},
         "terrain[1]: needs either heights_m or a file"),
        ({"kind": "heightfield", "heights_m": [[1.0, 2.0], [3.0]], "spacing_m": 1.0}, {},
         "terrain[1]: rows of heights_m must be equally long, not [1, 2]"),
        ({"kind": "heightfield", "heights_m": [[1.0, 2.0]], "spacing_m": 1.0}, {},
         "terrain[1]: heights_m must have two rows and two columns at least"),
        ({"kind": "heightfield", "heights_m": [[1.0, 2.0], [3.0, 4.0]]}, {},
         "terrain[1]: spacing_m is missing"),
        (PLANE, {"path": {"elements": [{}]}}, "path.elements[0]: must have one of line_m, "
         "arc_radius_m, turn_in_place_deg, not none"),
        (PLANE, {"path": {}}, "path: needs either elements or waypoints_m"),
        (PLANE, {"path": {"elements": [{"turn_in_place_deg": 9.0}]}},
         "path: needs a line or an arc; turns in place alone are no path"),
        (PLANE, {"path": {"waypoints_m": [[0.0, 0.0]]}},
         "path.waypoints_m must lead away from the start, which is at (0.0, 0.0)"),
        (PLANE, {"path": {"elements": [{"line_m": 1.0}]},
                 "disturbance": {"at_path_m": 2.0, "yaw_deg": 3.0}},
         "disturbance.at_path_m must be on the path of 1 m, not at 2 m"),
        (PLANE, {"sources": {"terain": "x"}}, 'sources."terain" covers no number of this file'),
    ],
)  # fmt: skip
def test_mistake_is_told_with_its_key(terrain: dict, more: dict, mistake: str):
    (found,) = mistakes(terrain, **more)
    assert found.startswith(mistake)
