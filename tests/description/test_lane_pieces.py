"""Stepfields, fields of ramps, waves and gaps."""

import math

import numpy as np
import pytest

from grouser import limits
from grouser.description import parse_course
from grouser.description.course import Course
from grouser.description.lane_pieces import RampsPiece, StepfieldPiece
from grouser.errors import InvalidDescription
from grouser.models.rays.scene import RayScene

FIELD = 'kind = "stepfield"\nlength_m = 1.2\nwidth_m = 0.8\npost_m = 0.1\n'
PIECES = {
    "stepfield": f'{FIELD}pattern = "diagonal"\nseed = 3\n',
    "continuous": 'kind = "ramps"\nlength_m = 2.4\nwidth_m = 1.2\n',
    "crossing": 'kind = "ramps"\nlength_m = 2.4\nwidth_m = 1.2\npattern = "crossing"\n',
    "waves": 'kind = "waves"\nwave_length_m = 0.5\nheight_m = 0.1\nwidth_m = 1.0\n',
    "gap": 'kind = "gap"\ngap_m = 0.3\nlength_m = 1.0\nwidth_m = 1.0\nheight_m = 0.4\n',
}

FIRST_ROW = [0, 2, 3, 1, 0, 3, 3, 3]


def course(*pieces: str) -> Course:
    tables = "".join(f"[[terrain]]\n{piece}" for piece in ("kind = 'plane'\n", *pieces))
    return parse_course(f"name = 'lane'\n{tables}", "lane.toml")


def field(**numbers: float | str) -> StepfieldPiece:
    return StepfieldPiece(**{"length": 1.2, "width": 0.8, "post": 0.1, **numbers})


@pytest.mark.parametrize("piece", PIECES)
def test_heights_are_what_rays_from_above_meet(piece: str):
    terrain = course(f"{PIECES[piece]}x_m = 0.3\nyaw_deg = 20.0\n").terrain
    x, y = np.random.default_rng(1).uniform(-1.5, 1.5, (2, 400))
    origins = np.column_stack((x, y, np.full(400, 3.0)))
    hits = 3.0 - RayScene(terrain).cast(origins, np.tile((0.0, 0.0, -1.0), (400, 1)))
    assert hits == pytest.approx(np.asarray(terrain.height(x, y)), abs=1e-6)


def test_a_seed_makes_the_same_field_for_ever():
    units = field(levels=3, seed=7).units()
    assert units.shape == (12, 8)
    assert units[0].tolist() == FIRST_ROW
    assert np.array_equal(units, field(levels=3, seed=7).units())
    assert not np.array_equal(units, field(levels=3, seed=8).units())


@pytest.mark.parametrize("pattern", ["flat", "hill", "diagonal"])
@pytest.mark.parametrize("size", [(1.2, 0.8), (0.9, 0.7), (1.1, 0.8)])
def test_a_symmetric_field_is_the_same_from_both_ends(pattern: str, size: tuple[float, float]):
    length, width = size
    units = field(length=length, width=width, pattern=pattern, levels=2, seed=5).units()
    assert np.array_equal(units, units[::-1, ::-1])
    random = field(pattern=pattern, levels=2, seed=5, symmetric=False).units()
    assert not np.array_equal(random, random[::-1, ::-1])


def test_all_heights_occur_about_as_often():
    counts = np.bincount(field(length=6.0, width=6.0, levels=2, seed=1).units().ravel())
    assert counts.size == 3
    assert counts.min() > 0.8 * counts.max()


def test_hills_rise_to_the_middle_and_diagonals_from_two_corners():
    hill = field(pattern="hill", levels=0, rise=1.0).units()
    assert hill[:, 0].tolist() == [0, 1, 2, 3, 4, 5, 5, 4, 3, 2, 1, 0]
    assert (np.ptp(hill, axis=1) == 0).all()
    diagonal = field(pattern="diagonal", levels=0, rise=1.0).units()
    assert (diagonal[0, 0], diagonal[-1, -1]) == (0, 0)
    assert diagonal.max() == diagonal[0 + 5, 4] == 9


def test_posts_stand_where_their_units_say():
    piece = field(levels=2, seed=5, unit=0.05, x=0.6)
    text = f"{FIELD}levels = 2\nseed = 5\nunit_m = 0.05\nx_m = 0.6\n"
    x, y = np.meshgrid(0.05 + 0.1 * np.arange(12), -0.35 + 0.1 * np.arange(8), indexing="ij")
    assert course(text).terrain.height(x, y) == pytest.approx(0.05 * piece.units())


def test_continuous_ramps_have_one_angle_and_no_step():
    terrain = course(PIECES["continuous"]).terrain
    x, y = np.random.default_rng(2).uniform((-1.3, -0.59), (1.3, 0.59), (500, 2)).T
    angles = np.degrees(np.arccos(terrain.at(x, y)[1][:, 2]))
    assert angles[np.abs(x) < 0.6] == pytest.approx(15.0, abs=1e-6)
    assert angles.max() < 15.0 + 1e-6
    near = np.asarray(terrain.height(x + 1e-5, y)) - np.asarray(terrain.height(x - 1e-5, y))
    assert np.abs(near).max() < 1e-5


def test_crossing_ramps_have_one_angle_and_meet_in_steps():
    terrain = course(PIECES["crossing"]).terrain
    middles = np.meshgrid([-0.9, -0.3, 0.3, 0.9], [-0.3, 0.3])
    _, normals = terrain.at(*middles)
    assert np.degrees(np.arccos(normals[..., 2])) == pytest.approx(15.0)
    headings = np.degrees(np.arctan2(-normals[..., 1], -normals[..., 0])).round() % 360.0
    assert (np.diff(headings, axis=1) % 360.0 == 90.0).all()
    height = RampsPiece(length=2.4, width=1.2, pattern="crossing").height
    assert height == pytest.approx(0.6 * math.tan(math.radians(15.0)))
    edges = [
        terrain.height(x + side, y) for x, y in ((-0.6, 0.1), (0.0, -0.3)) for side in (-1e-6, 1e-6)
    ]
    assert abs(edges[0] - edges[1]) > 0.05
    assert abs(edges[2] - edges[3]) > 0.05


def test_waves_go_from_trough_to_trough():
    terrain = course(PIECES["waves"]).terrain
    heights = terrain.height(np.array([-0.75, -0.5, -0.25, 0.0, 0.75]), 0.3)
    assert heights == pytest.approx([0.0, 0.1, 0.0, 0.1, 0.0], abs=1e-9)


def test_a_gap_is_a_hole_between_platforms():
    terrain = course(PIECES["gap"]).terrain
    assert terrain.height(np.array([-1.1, -0.2, 0.0, 0.2, 1.1, 1.2]), 0.0) == pytest.approx(
        [0.4, 0.4, 0.0, 0.4, 0.4, 0.0]
    )


def test_features_keep_models_away_that_cannot_drive_them():
    features = {name: course(piece).features for name, piece in PIECES.items()}
    assert features["stepfield"] == {"steps", "stairs"}
    assert features["continuous"] == features["waves"] == {"rough"}
    assert features["crossing"] == {"slopes", "drops"}
    assert features["gap"] == {"steps", "gaps"}


def test_too_many_posts_are_a_mistake():
    most = f"{limits.TERRAIN_PIECES:,} cells"
    with pytest.raises(InvalidDescription, match=f"at most {most}, not 1e"):
        course(FIELD.replace("1.2", "10").replace("0.1", "0.001"))
    large = FIELD.replace("1.2", "12").replace("0.8", "9.0")
    course(large)
    with pytest.raises(InvalidDescription, match=f"at most {most} together, not 21,600"):
        course(large, large)
