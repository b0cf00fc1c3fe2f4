"""Height fields that are the ground: the datum, gaps, and what stays as it was beside a plane."""

import logging
from pathlib import Path

import numpy as np
import pytest
from PIL import Image, TiffImagePlugin

from grouser.description import Course, parse_course
from grouser.description.field_ground import fill_gaps
from grouser.errors import InvalidDescription, InvalidValue

NAN = np.nan
FIELD = '[[terrain]]\nkind = "heightfield"\nfile = "quarry.asc"\n'
PLANE = '[[terrain]]\nkind = "plane"\n'
# 5 by 3 nodes, 2 m apart: the middle one lies at 482304 east, 5421002 north.
CORNER = "xllcorner 482299\nyllcorner 5420999\n"


def write_grid(folder: Path, heights: np.ndarray, place: str = CORNER) -> None:
    rows, columns = heights.shape
    numbers = "\n".join(
        " ".join(f"{h:g}" for h in row) for row in np.nan_to_num(heights, nan=-9999)
    )
    head = f"ncols {columns}\nnrows {rows}\n{place}cellsize 2\nNODATA_value -9999\n"
    (folder / "quarry.asc").write_text(f"{head}{numbers}\n")


def quarry(folder: Path, more: str = "", field: str = FIELD) -> Course:
    return parse_course(f'name = "quarry"\n{more}{field}', folder / "quarry.toml")


@pytest.fixture
def slope(tmp_path: Path) -> Path:
    """A slope of one in two towards the east, 412 m above the sea in its middle."""
    write_grid(tmp_path, np.tile(410.0 + np.arange(5.0), (3, 1)))
    return tmp_path


def test_a_height_field_alone_is_ground_and_the_start_is_at_height_zero(slope):
    course = quarry(slope)
    assert course.has_ground
    assert course.start_pose.z == 0.0
    assert course.terrain.height(np.array([-4.0, 0.0, 3.0, 4.1]), 0.0) == pytest.approx(
        [-2.0, 0.0, 1.5, NAN], nan_ok=True
    )


@pytest.mark.parametrize(
    ("place", "middle"),
    [
        (CORNER, (482304.0, 5421002.0)),
        ("xllcenter 482300\nyllcenter 5421000\n", (482304.0, 5421002.0)),
        ("", (0.0, 0.0)),
    ],
)
def test_the_datum_takes_positions_back_to_the_map(slope, place, middle):
    write_grid(slope, np.tile(410.0 + np.arange(5.0), (3, 1)), place)
    course = quarry(slope, "[start]\nx_m = 2.0\n")
    assert course.datum is not None
    assert course.datum.elevation == 413.0
    east, north, elevation = course.datum.to_map(3.0, -1.0, course.terrain.height(3.0, -1.0))
    assert (east - middle[0], north - middle[1], elevation) == pytest.approx((3.0, -1.0, 413.5))


@pytest.mark.parametrize(("is_point", "shift"), [(False, 0.5), (True, 0.0)])
def test_the_tie_point_of_a_geotiff_is_where_its_first_pixel_is(tmp_path, is_point, shift):
    tags = TiffImagePlugin.ImageFileDirectory_v2()
    for tag, kind, value in (
        (33550, 12, (0.5, 0.25, 0.0)),
        (33922, 12, (0.0, 0.0, 0.0, 1000.0, 2000.0, 0.0)),
        (34735, 3, (1, 1, 0, 1, 1025, 0, 1, 2 if is_point else 1)),
    ):
        tags[tag], tags.tagtype[tag] = value, kind
    heights = np.full((5, 9), 7.0, np.float32)
    Image.fromarray(heights).save(tmp_path / "dem.tif", "TIFF", tiffinfo=tags)
    course = quarry(tmp_path, field=FIELD.replace("quarry.asc", "dem.tif"))
    assert course.datum is not None
    assert course.datum.east == pytest.approx(1000.0 + 0.5 * shift + 2.0)
    assert course.datum.north == pytest.approx(2000.0 - 0.25 * shift - 0.5)


def test_a_stated_elevation_is_taken_instead_and_zero_keeps_those_of_the_map(slope):
    for elevation in (0.0, 400.0):
        course = quarry(slope, f"[datum]\nelevation_m = {elevation}\n")
        assert course.start_pose.z == 412.0 - elevation
        assert course.datum is not None
        assert course.datum.to_map(0.0, 0.0, course.start_pose.z)[2] == 412.0


def test_stated_coordinates_count_more_than_those_of_the_file(slope):
    datum = quarry(slope, "[datum]\neast_m = 5.0\nnorth_m = 6000000.0\n").datum
    assert datum is not None
    assert (datum.east, datum.north, datum.elevation) == (5.0, 6e6, 412.0)


@pytest.mark.parametrize(
    ("datum", "words"),
    [
        ("east_m = 5.0\n", "datum: needs east_m and north_m, or neither"),
        ("elevation_m = 2e5\n", r"datum.elevation_m must be from -100000 to 100000 m, not 200000"),
        ("east_m = 1e9\nnorth_m = 0.0\n", r"datum.east_m must be from -1e\+08 to 1e\+08 m"),
    ],
)
def test_a_datum_that_cannot_be_is_refused(slope, datum, words):
    with pytest.raises(InvalidDescription, match=words):
        quarry(slope, f"[datum]\n{datum}")


def test_beside_a_plane_elevations_stay_as_they_are(slope):
    course = quarry(slope, field=PLANE + FIELD)
    assert course.terrain.height(1.0, 0.0) == 412.5
    assert course.terrain.height(9.0, 0.0) == 0.0


def test_what_a_course_writes_itself_is_not_levelled(tmp_path):
    field = '[[terrain]]\nkind = "heightfield"\nspacing_m = 1.0\nheights_m = [[1, 2], [1, 2]]\n'
    course = quarry(tmp_path, field=field)
    assert course.has_ground
    assert course.start_pose.z == 1.5
    assert course.datum is None


def test_a_start_beyond_the_border_is_refused(slope):
    with pytest.raises(InvalidValue, match="start must lie on the terrain"):
        _ = quarry(slope, "[start]\nx_m = 4.5\n").start_pose


def test_gaps_up_to_ten_spacings_are_filled_and_told(tmp_path, caplog):
    heights = np.add.outer(np.arange(9.0), 0.5 * np.arange(40.0))
    holed = heights.copy()
    holed[3:6, 2:5] = holed[:, 20:30] = NAN  # a gap of four spacings, and one of eleven
    write_grid(tmp_path, holed)
    with caplog.at_level(logging.WARNING):
        course = quarry(tmp_path, "[start]\nx_m = -20.0\n[datum]\nelevation_m = 0.0\n")
        (field,) = course.terrain.fields
    assert field.heights[::-1][:, :20] == pytest.approx(heights[:, :20], abs=1e-12)
    assert np.isnan(field.heights[:, 20:30]).all()
    assert "99 of 360 nodes have no height: 9 in gaps of up to 20 m were filled" in caplog.text
    assert "90 stay holes" in caplog.text


@pytest.mark.parametrize(("fill", "left"), [("0.0", 9), ("4.0", 9), ("8.0", 0)])
def test_the_widest_gap_can_be_stated(tmp_path, fill, left):
    heights = np.ones((9, 9))
    heights[3:6, 2:5] = NAN
    write_grid(tmp_path, heights)
    course = quarry(tmp_path, "[start]\nx_m = 6.0\n", f"{FIELD}fill_m = {fill}\n")
    assert int(np.isnan(course.terrain.fields[0].heights).sum()) == left


def test_beside_a_plane_gaps_stay_holes(tmp_path):
    write_grid(tmp_path, np.array([[1.0, 1.0, 1.0], [1.0, NAN, 1.0], [1.0, 1.0, 1.0]]))
    assert quarry(tmp_path, field=PLANE + FIELD).terrain.height(0.5, 0.5) == 0.0


def test_a_gap_is_filled_along_its_narrower_side():
    heights = np.array([[0.0, 0.0, 0.0], [NAN, NAN, NAN], [2.0, 2.0, 2.0]])
    assert fill_gaps(heights, (1.0, 1.0), 2.0)[1] == pytest.approx([1.0, 1.0, 1.0])
    assert np.isnan(fill_gaps(heights, (1.0, 1.0), 1.9)[1]).all()
    ridge = np.array([[9.0, 0.0, 9.0], [4.0, NAN, 4.0], [9.0, 0.0, 9.0]])
    assert fill_gaps(ridge, (1.0, 2.0), 4.0)[1, 1] == pytest.approx(4.0 / (1.0 + 0.25))
