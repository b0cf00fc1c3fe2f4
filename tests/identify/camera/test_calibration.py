"""Camera calibration from the grid on the floor."""

import numpy as np
import pytest

from grouser.description import load_rig, parse_rig
from grouser.errors import GrouserError
from grouser.identify.camera.calibrate import calibrate_camera, find_crossings, grow_lattice
from grouser.laws.camera import overhead_view

TEXT = load_rig("tp100-overhead").text.replace("size_px = [1920, 1080]", "size_px = [960, 540]")
TEXT = TEXT.replace("focal_px = 1700.0", "focal_px = 850.0")
RIG = parse_rig(TEXT, "half")
ELSEWHERE = "offset_m = [0.12, -0.06]\nyaw_deg = 6.0\ntilt_deg = 3.0\nlatency_s ="
BENT = parse_rig(
    TEXT.replace("[0.0, 0.0, 0.0, 0.0, 0.0]", "[-0.15, 0.03, 0.0, 0.0, 0.0]").replace(
        "latency_s =", ELSEWHERE
    ),
    "bent",
)
UNKNOWN = parse_rig(
    TEXT.replace("focal_px = 850.0", "").replace("distortion = [0.0, 0.0, 0.0, 0.0, 0.0]", "")
    .replace('"camera.lens"', '"camera"'),
    "unknown",
)  # fmt: skip


PAINTED: dict[str, np.ndarray] = {}


def paint(rig) -> np.ndarray:
    """Return the floor as the rig's camera sees it, with smooth dark lines."""
    if rig.text not in PAINTED:
        PAINTED[rig.text] = _paint(rig)
    return PAINTED[rig.text].copy()


def _paint(rig) -> np.ndarray:
    width, height = rig.camera.size
    x, y = np.meshgrid(np.arange(width, dtype=float), np.arange(height, dtype=float))
    floor, camera = rig.floor, overhead_view(rig)
    on = camera.lift(np.stack((x, y), axis=-1), 0.0)[..., :2] - np.array(floor.centre)
    pixel = rig.camera.height / camera.focal
    to_edge = np.min(0.5 * np.array(floor.size) - np.abs(on), axis=-1)
    to_line = np.min(np.abs(on - floor.grid * np.rint(on / floor.grid)), axis=-1)
    outside = np.clip(0.5 - to_edge / pixel, 0.0, 1.0)
    bright = np.clip(0.5 + (to_line - 0.5 * floor.line) / pixel, 0.0, 1.0)
    return (170.0 * outside + (1.0 - outside) * (30.0 + 180.0 * bright)).astype(np.uint8)


def largest_shift(camera, truth, rig, height: float) -> float:
    """Return how far a camera would put a marker at a height from where it is, at most [m]."""
    points = rig.floor.crossings().reshape(-1, 3) + np.array((0.0, 0.0, height))
    lifted = camera.lift(truth.project(points), height)
    return float(np.linalg.norm(lifted - points, axis=1).max())


@pytest.mark.parametrize(
    ("seen", "assumed"), [(RIG, RIG), (BENT, BENT)], ids=["straight", "bent and elsewhere"]
)
def test_a_known_lens_gives_the_camera_within_a_millimetre_on_the_floor(seen, assumed):
    found = calibrate_camera(assumed, [paint(seen)])
    assert found.crossings > 300
    assert found.error < 0.3
    assert largest_shift(found.camera, overhead_view(seen), seen, 0.06) < 1e-3


def test_an_unknown_lens_is_found_from_the_grid_and_the_height():
    found = calibrate_camera(UNKNOWN, [paint(BENT)])
    assert found.camera.focal == pytest.approx(850.0, rel=0.005)
    assert found.camera.distortion[0] == pytest.approx(-0.15, abs=0.02)
    assert found.camera.position == pytest.approx((0.12, -0.06, 2.5), abs=5e-3)
    assert largest_shift(found.camera, overhead_view(BENT), BENT, 0.06) < 2e-3


def test_the_grid_is_found_in_the_first_picture_that_shows_it():
    white = np.full((540, 960), 200, dtype=np.uint8)
    assert calibrate_camera(RIG, [white, paint(RIG)]).crossings > 300


def test_a_part_of_the_grid_will_do_where_the_rig_says_about_where_it_is():
    picture = paint(RIG)
    picture[:, :400] = 120
    found = calibrate_camera(RIG, [picture])
    assert 100 < found.crossings < 250
    assert largest_shift(found.camera, overhead_view(RIG), RIG, 0.06) < 2e-3


def test_the_error_without_a_grid_names_the_expected_grid():
    with pytest.raises(GrouserError, match=r"no grid was found: 0 crossings .* about 34 pixels"):
        calibrate_camera(RIG, [np.full((540, 960, 3), 200, dtype=np.uint8)])


def test_crossings_are_found_to_a_fraction_of_a_pixel():
    expected = overhead_view(RIG).project(RIG.floor.crossings().reshape(-1, 3))
    found = find_crossings(paint(RIG), 34.0)
    nearest = np.linalg.norm(found[None] - expected[:, None], axis=2).min(axis=1)
    assert np.median(nearest) < 0.1
    assert np.mean(nearest < 0.5) > 0.95


def test_a_lattice_grows_over_bent_lines_and_ignores_strays():
    column, row = np.meshgrid(np.arange(12), np.arange(7), indexing="ij")
    x, y = column + 0.01 * row**2, row + 0.02 * column
    places = np.stack((x.ravel(), y.ravel()), axis=1)
    strays = np.array(((3.5, 3.5), (20.0, 20.0), (6.5, 2.5)))
    grown = grow_lattice(np.concatenate((places, strays)), 1.0)
    assert len(grown) == 84
    origin = min(grown)
    for (i, j), index in grown.items():
        assert index == (i - origin[0]) * 7 + (j - origin[1])


def test_nothing_is_no_lattice():
    assert grow_lattice(np.empty((0, 2)), 1.0) == {}
