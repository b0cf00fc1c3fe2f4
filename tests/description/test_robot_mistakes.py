from typing import Any

import pytest

from grouser.errors import InvalidDescription
from tests.description.sample_robot import CONTENT, SMOOTH, mistakes_with, oval, robot_with

POLYGON = {
    "count": 20, "shape": "polygon", "length_m": 0.01, "height_m": 0.008,
    "corners_m": [[0.005, 0.004], [0.0, 0.008], [-0.005, 0.004]],
}  # fmt: skip


@pytest.mark.parametrize(
    ("changes", "mistake"),
    [
        ({"body__mass_kg": -1.0}, "body.mass_kg: input should be greater than 0, given -1.0"),
        ({"body__mass_kg": float("nan")},
         "body.mass_kg: input should be a finite number, given nan"),
        ({"body__mass_kg": "12"}, "body.mass_kg: input should be a valid number, given '12'"),
        ({"body__mass_kg": None}, "body.mass_kg is missing"),
        ({"body__mass_g": 3}, "body.mass_g is not a known key; did you mean mass_kg?"),
        ({"body__length_m": 3.0},
         "body.length_m is not a known key; length_m belongs to tracks[].grousers, "
         "flippers[].track.grousers or slip.wheelbase"),
        ({"drive__mass_kg": 3.0},
         "drive.mass_kg is not a known key; mass_kg belongs to body, tracks[], flippers[], "
         "flippers[].track or others"),
        ({"body__name": "x"},
         "body.name is not a known key; name belongs to the top level, above all tables"),
        ({"body__mass": 3}, "body.mass is not a known key; did you mean mass_kg?"),
        ({"tracks__1__y_m": 0.17},
         "tracks[1].y_m must be below 0 because its side is 'right', not 0.17"),
        ({"flippers__0__hinge_m": [0.2, -0.2, 0.05]},
         "flippers[0].hinge_m[1] must be above 0 because its side is 'left', not -0.2"),
        ({"tracks__1__name": "left"},
         "name 'left' is given to 2 parts; names must differ"),
        ({"flippers__0__limits_deg": [45, -90]},
         "flippers[0].limits_deg must rise, not go from 45 to -90"),
        ({"flippers__0__rest_deg": 46},
         "flippers[0].rest_deg must be within limits_deg, -90 to 45, not 46"),
        ({"tracks__0__loop": oval(z=0.0)},
         "tracks[0].loop must stay above the ground at z = 0, not reach -0.05 m"),
        ({"sources__drive.speed": "x"}, 'sources."drive.speed" covers no number of this file'),
        ({"slip__left": 1.0}, "slip.left: input should be less than 1, given 1.0"),
        ({"slip__icr__right_y_m": 0.4},
         "slip.icr.right_y_m: input should be less than 0, given 0.4"),
        ({"slip__right": -1.01},
         "slip.right: input should be greater than or equal to -1, given -1.01"),
        ({"slip__smooth": SMOOTH | {"yaw": [0.6, 0.1, 0.1, 0.0, 0.0]}},
         "slip.smooth.yaw[5] is missing"),
        ({"slip__smooth": SMOOTH | {"leftward": [0.6, 0.1, 0.1, 0.0, "x"]}},
         "slip.smooth.leftward[4]: input should be a valid number, given 'x'"),
        ({"slip__smooth": {k: v for k, v in SMOOTH.items() if k != "fastest_m_s"}},
         "slip.smooth.fastest_m_s is missing"),
        ({"slip__smooth": SMOOTH | {"contrast_high": 1.2}},
         "slip.smooth.contrast_high: input should be less than or equal to 1, given 1.2"),
        ({"slip__smooth": SMOOTH | {"contrast_low": 1.0}},
         "slip.smooth.contrast_high must be above contrast_low, 1, not 1"),
        ({"tracks__0__grousers__top_length_m": 0.001},
         "tracks[0].grousers: top_length_m is for a trapezoid, and the shape is triangle"),
        ({"tracks__0__grousers__shape": "trapezoid"},
         "tracks[0].grousers: top_length_m is missing, which a trapezoid needs"),
        ({"tracks__0__grousers__shape": "polygon"},
         "tracks[0].grousers: give corners_m for a polygon, and only for a polygon"),
        ({"tracks__0__grousers": POLYGON | {"height_m": 0.02}},
         "tracks[0].grousers: height_m must be that of corners_m, 0.008, not 0.02"),
        ({"tracks__0__grousers": POLYGON | {"corners_m": [[-0.004, 0.008], [0.004, 0.008]]}},
         "tracks[0].grousers: corners_m must make a convex shape with the base, ordered from "
         "ahead to behind"),
    ],
)  # fmt: skip
def test_mistake_is_told_with_its_key(changes: dict[str, Any], mistake: str):
    assert mistakes_with(**changes) == (mistake,)


def test_side_without_a_drive_is_a_mistake():
    (mistake,) = mistakes_with(tracks=CONTENT["tracks"][:1], sources={})
    assert mistake == "tracks or wheels are missing on the right: each side needs at least one"


def test_tracks_in_the_air_are_a_mistake():
    (mistake,) = mistakes_with(tracks__0__loop=oval(z=0.06), tracks__1__loop=oval(z=0.06))
    assert mistake == "tracks must touch the ground at z = 0; the lowest is 0.01 m above it"


def test_grousers_longer_than_their_pitch_are_a_mistake():
    (mistake,) = mistakes_with(tracks__0__grousers__length_m=0.056)
    assert mistake.startswith("tracks[0]: grousers.length_m must be less than the pitch")
    assert "/ 20 = 0.055708 m, not 0.056" in mistake


def test_pulleys_inside_one_another_are_a_mistake_each():
    pulleys = [
        {"x_m": x, "z_m": 0.1, "radius_m": r} for x, r in ((0.0, 0.1), (0.01, 0.05), (0, 0.02))
    ]
    assert mistakes_with(tracks__0__loop={"pulleys": pulleys}) == (
        "tracks[0].loop.pulleys[1] lies inside pulleys[0]: their centres are 0.01 m apart and "
        "must be more than 0.05 m apart",
        "tracks[0].loop.pulleys[2] lies inside pulleys[0]: their centres are 0 m apart and "
        "must be more than 0.08 m apart",
        "tracks[0].loop.pulleys[2] lies inside pulleys[1]: their centres are 0.01 m apart and "
        "must be more than 0.03 m apart",
    )


def test_loop_that_does_not_close_is_told_with_its_gap_and_its_cure():
    arc = {"arc_radius_m": 0.05, "turn_deg": 180}
    segments = [{"line_m": 0.4}, arc, {"line_m": 0.38}, arc]
    (mistake,) = mistakes_with(tracks__0__loop={"start_m": [0.2, 0.0], "segments": segments})
    assert mistake.startswith("tracks[0].loop: the gap in mm between the end")
    assert "(segments[0].line_m = 0.38 would close it), not 20.0" in mistake


@pytest.mark.parametrize(
    ("loop", "mistake"),
    [
        ({}, "tracks[0].loop: give either pulleys, or segments with start_m"),
        ({"segments": [{"line_m": 1.0}]},
         "tracks[0].loop.start_m is missing: segments need a place to start"),
        ({"segments": [{"line_m": 1.0, "turn_deg": 3}], "start_m": [0, 0]},
         "tracks[0].loop.segments[0]: give either line_m, or arc_radius_m and a turn_deg other "
         "than 0"),
        ({**oval(), "heading_deg": 90},
         "tracks[0].loop.pulleys need neither start_m nor heading_deg, which are for segments"),
        ({"pulleys": oval()["pulleys"][:1]},
         "tracks[0].loop.pulleys must be at least two, not one"),
    ],
)  # fmt: skip
def test_loop_given_half_is_a_mistake(loop: dict[str, Any], mistake: str):
    assert mistakes_with(tracks__0__loop=loop) == (mistake,)


def test_inertia_of_no_body_is_a_mistake():
    (mistake,) = mistakes_with(body__inertia_kg_m2=[0.1, 0.1, 0.3])
    assert "at most the sum of the other two, 0.2, not 0.3" in mistake


def test_all_mistakes_of_a_file_are_told_at_once():
    mistakes = mistakes_with(
        body__mass_kg=-1, tracks__0__width_m=0, flippers__0__limits_deg=[1, 0], drive__speed=1
    )
    keys = [mistake.split(" ")[0].rstrip(":") for mistake in mistakes]
    assert keys == ["body.mass_kg", "tracks[0].width_m", "flippers[0].limits_deg", "drive.speed"]


def test_all_mistakes_between_parts_are_told_at_once():
    mistakes = mistakes_with(tracks__0__name="right", tracks__1__y_m=0.1, sources__nothing="x")
    assert [mistake.split(" ")[0] for mistake in mistakes] == [
        "name",
        "tracks[1].y_m",
        'sources."nothing"',
    ]


def test_an_unknown_key_does_not_hide_how_parts_fit_together():
    found = mistakes_with(body__mass_g=3, tracks__1__y_m=0.17)
    assert "body.mass_g is not a known key; did you mean mass_kg?" in found
    assert "tracks[1].y_m must be below 0 because its side is 'right', not 0.17" in found


@pytest.mark.parametrize(
    ("changes", "may_be_more"),
    [
        ({"body__mass_kg": -1.0, "tracks__1__y_m": 0.17}, True),
        ({"body__mass_kg": None}, True),
        ({"body__mass_g": 3}, False),
        ({"tracks__1__y_m": 0.17}, False),
    ],
)
def test_what_could_not_be_checked_yet_is_announced(changes, may_be_more):
    with pytest.raises(InvalidDescription) as caught:
        robot_with(**changes)
    assert caught.value.may_be_more is may_be_more
    assert ("more may show once th" in str(caught.value)) is may_be_more
