"""Camera rigs as files."""

import numpy as np
import pytest

from grouser.description import load_rig, parse_rig, rig_names
from grouser.errors import InvalidDescription, UnknownName

RIG = load_rig("tp100-overhead")


@pytest.mark.parametrize("name", rig_names())
def test_every_number_of_a_rig_has_a_source(name):
    rig = load_rig(name)
    assert rig.name == name
    for key in ("floor.size_m", "camera.height_m", "camera.lens", "markers.position_m"):
        assert key in rig.sources


def test_the_floor_of_p0_has_lines_every_ten_centimetres():
    # P0: 8 ft x 4 ft with squares of 10 cm.
    assert RIG.floor.size == pytest.approx((8 * 0.3048, 4 * 0.3048))
    crossings = RIG.floor.crossings()
    assert crossings.shape == (25, 13, 3)
    assert crossings[0, 0] == pytest.approx((-1.2, -0.6, 0.0))
    assert np.diff(crossings[:, 0, 0]) == pytest.approx(np.full(24, 0.1))


def test_the_floor_goes_where_its_parameters_put_it():
    rig = load_rig("tp100-overhead:x_m=0.4,y_m=-0.1")
    assert rig.floor.crossings()[12, 6] == pytest.approx((0.4, -0.1, 0.0))
    assert rig.choices == {"x_m": 0.4, "y_m": -0.1}


def test_corners_go_clockwise_from_the_upper_left_and_keep_the_side():
    for marker in RIG.markers:
        corners = marker.corners()
        assert corners.mean(axis=0) == pytest.approx(marker.position)
        sides = np.linalg.norm(corners - np.roll(corners, 1, axis=0), axis=1)
        assert sides == pytest.approx(np.full(4, 0.05))
        looking = np.cross(corners[1] - corners[0], corners[0] - corners[3])
        assert looking / 0.05**2 == pytest.approx((0.0, 0.0, 1.0))


def test_a_marker_on_its_side_looks_to_the_left():
    text = RIG.text.replace("id = 72", "id = 72\nroll_deg = -90.0")
    corners = parse_rig(text, "rig").markers[2].corners()
    assert np.ptp(corners[:, 1]) == pytest.approx(0.0, abs=1e-12)
    looking = np.cross(corners[1] - corners[0], corners[0] - corners[3])
    assert looking[1] > 0.0


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ("id = 11", "id = 10", "markers: id 10 is given to 2 of them; they must differ"),
        ("id = 73", "id = 100", r"markers\[3\].id must be below 100 in dictionary '4x4_100'"),
        ("grid_m = 0.1", "grid_m = 0", "floor.grid_m: input should be greater than 0"),
        ("height_m = 2.5", "heigt_m = 2.5", "camera.height_m is missing"),
        ('"floor.line_m" =', '"floor.lines_m" =', "covers no number"),
    ],
)
def test_a_mistake_in_a_rig_is_named(old, new, sentence):
    assert old in RIG.text
    with pytest.raises(InvalidDescription, match=sentence):
        parse_rig(RIG.text.replace(old, new), "rig")


def test_an_unknown_parameter_or_rig_is_named():
    with pytest.raises(UnknownName, match="no parameter named 'z_m'"):
        load_rig("tp100-overhead:z_m=1")
    with pytest.raises(UnknownName, match="no rig named 'gopro'; available: tp100-overhead"):
        load_rig("gopro")
