import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from grouser.description.heightfield import HeightField
from grouser.description.solids import Patch, Plane, Slab
from grouser.description.surface import Rectangle, Surface
from grouser.description.terrain import Terrain
from grouser.errors import UnknownName


def slab(x: float, length: float, top_start: float, top_end: float, **more: float) -> Slab:
    width, y, yaw = more.get("width", 1.0), more.get("y", 0.0), more.get("yaw", 0.0)
    middle = x + 0.5 * length * math.cos(yaw), y + 0.5 * length * math.sin(yaw)
    footprint = Rectangle(x=middle[0], y=middle[1], yaw=yaw, length=length, width=width)
    return Slab(footprint=footprint, top_start=top_start, top_end=top_end)


WEDGE = Terrain(
    solids=(
        Plane(),
        slab(1.0, 0.2, 0.0, 0.1),
        slab(1.2, 0.5, 0.1, 0.1),
        slab(1.7, 0.4, 0.1, 0.0),
    )
)
EVERYTHING = Terrain(
    solids=(
        Plane(slope=math.radians(5.0), cross_slope=math.radians(-3.0)),
        slab(0.3, 0.4, 0.3, 0.6, yaw=0.7, width=0.5),
        slab(0.0, 1.0, 0.35, 0.35, yaw=-2.1),
        HeightField(
            x=-0.5,
            y=0.4,
            yaw=0.3,
            spacing_along=0.25,
            spacing_across=0.2,
            heights=np.array([[0.0, 0.3, 0.1], [0.4, 0.2, 0.5], [0.1, 0.1, 0.3]]),
        ),
    ),
    patches=(Patch(footprint=Rectangle(x=0.0, y=0.0, length=0.7, width=0.7), surface="ice"),),
    surfaces={"ground": Surface(), "ice": Surface(friction=0.2, slip_factor=3.0)},
)


def test_a_sloped_plane_rises_by_the_tangent_of_its_angle():
    terrain = Terrain(solids=(Plane(z=0.5, slope=math.radians(15.0)),))
    height, normal = terrain.at(2.0, -7.0)
    assert height == pytest.approx(0.5 + 2.0 * math.tan(math.radians(15.0)))
    assert normal == pytest.approx([-math.sin(math.radians(15.0)), 0.0, math.cos(math.radians(15))])


def test_a_cross_slope_rises_to_the_left():
    terrain = Terrain(solids=(Plane(cross_slope=math.radians(10.0)),))
    assert terrain.height(3.0, 1.0) == pytest.approx(math.tan(math.radians(10.0)))
    assert terrain.at(3.0, 1.0)[1][1] == pytest.approx(-math.sin(math.radians(10.0)))


def test_a_slab_rises_along_its_length_and_nowhere_else():
    x = np.array([0.9, 1.0, 1.1, 1.2, 1.5, 1.7, 1.9, 2.1, 2.2])
    height, normal = WEDGE.at(x, 0.2 * np.ones_like(x))
    assert height == pytest.approx([0.0, 0.0, 0.05, 0.1, 0.1, 0.1, 0.05, 0.0, 0.0])
    assert normal[2] == pytest.approx(np.array([-0.1, 0.0, 0.2]) / math.hypot(0.1, 0.2))
    assert normal[6] == pytest.approx(np.array([0.1, 0.0, 0.4]) / math.hypot(0.1, 0.4))
    assert WEDGE.height(1.1, 0.51) == 0.0


def test_a_turned_slab_rises_along_its_own_direction():
    terrain = Terrain(solids=(Plane(), slab(0.0, 2.0, 0.0, 1.0, yaw=math.radians(90.0))))
    assert terrain.height(0.1, 0.5) == pytest.approx(0.25)
    assert terrain.height(0.1, 1.5) == pytest.approx(0.75)
    assert terrain.at(0.1, 0.5)[1] == pytest.approx(np.array([0.0, -0.5, 1.0]) / math.hypot(0.5, 1))


def test_a_turned_slab_ends_at_its_own_edges():
    terrain = Terrain(solids=(Plane(), slab(0.4, 2.0, 0.5, 0.5, y=-0.3, yaw=0.5, width=0.6)))
    u, v = np.array([-0.01, 0.01, 1.99, 2.01, 1.0, 1.0, 1.0, 1.0]), np.array([0.0] * 8)
    v[4:] = -0.31, -0.29, 0.29, 0.31
    x = 0.4 + u * math.cos(0.5) - v * math.sin(0.5)
    y = -0.3 + u * math.sin(0.5) + v * math.cos(0.5)
    assert terrain.height(x, y) == pytest.approx([0.0, 0.5, 0.5, 0.0, 0.0, 0.5, 0.5, 0.0])
    patch = Patch(footprint=terrain.slabs[0].footprint, surface="ground")
    assert patch.footprint.contains(x, y).tolist() == (terrain.height(x, y) > 0.0).tolist()


def test_the_highest_solid_is_the_ground():
    terrain = Terrain(solids=(slab(0.0, 1.0, 0.3, 0.3), Plane(), slab(0.5, 1.0, 0.2, 0.2)))
    assert terrain.height(np.array([0.25, 0.75, 1.25, 2.0]), 0.0) == pytest.approx(
        [0.3, 0.3, 0.2, 0]
    )


def test_neighbours_leave_no_slit():
    edges = 0.7 + 0.29 * np.arange(10)
    row = tuple(slab(float(x), 0.29, 0.17, 0.17) for x in edges)
    heights = Terrain(solids=(Plane(), *row)).height(edges, np.zeros(10))
    assert np.all(heights == 0.17)


def test_where_there_is_nothing_all_answers_are_nan():
    terrain = Terrain(solids=(slab(0.0, 1.0, 0.2, 0.2),))
    height, normal = terrain.at(np.array([0.5, 3.0]), 0.0)
    assert height == pytest.approx([0.2, math.nan], nan_ok=True)
    assert np.isnan(normal[1]).all()
    assert math.isnan(terrain.at(3.0, 0.0)[0])
    assert np.isnan(terrain.at(3.0, 0.0)[1]).all()
    assert terrain.surface(3.0, 0.0) == -1
    assert math.isnan(terrain.friction(3.0, 0.0))
    assert terrain.solid_at(3.0, 0.0) is None
    assert not terrain.has_ground
    assert math.isnan(Terrain(solids=()).height(0.0, 0.0))
    assert np.isnan(Terrain(solids=()).height(np.zeros(2), 0.0)).all()


@given(x=st.floats(-1.5, 1.5), y=st.floats(-1.5, 1.5))
def test_one_point_and_many_points_get_the_same_answer_to_the_last_bit(x: float, y: float):
    many = np.full((2, 3), x), np.full((2, 3), y)
    height, normal = EVERYTHING.at(x, y)
    heights, normals = EVERYTHING.at(*many)
    assert np.all(heights == height)
    assert np.all(normals == normal)
    assert np.all(EVERYTHING.surface(*many) == EVERYTHING.surface(x, y))
    assert np.all(EVERYTHING.height(*many) == EVERYTHING.height(x, y))


@given(x=st.floats(-1.5, 1.5), y=st.floats(-1.5, 1.5))
def test_normals_are_upright_unit_vectors_across_the_slope(x: float, y: float):
    height, normal = EVERYTHING.at(x, y)
    assert np.linalg.norm(normal) == pytest.approx(1.0)
    assert normal[2] > 0.0
    step = 1e-7
    for dx, dy in ((step, 0.0), (0.0, step)):
        after, other = EVERYTHING.at(x + dx, y + dy)
        if np.allclose(other, normal, atol=1e-5):  # not across an edge
            assert normal @ [dx, dy, after - height] == pytest.approx(0.0, abs=1e-11)


def test_many_points_are_the_same_in_small_and_large_batches():
    x, y = np.random.default_rng(1).uniform(-1.5, 1.5, (2, 20000))
    whole = EVERYTHING.height(x, y)
    assert np.array_equal(whole[7000:7050], EVERYTHING.height(x[7000:7050], y[7000:7050]))


def test_a_pose_lies_on_the_tangent_plane():
    pose = EVERYTHING.pose_at(1.4, -1.2, 0.8)
    height, normal = EVERYTHING.at(1.4, -1.2)
    assert pose.z == height
    assert pose.yaw == 0.8
    assert pose.rotation.apply([0.0, 0.0, 1.0]) == pytest.approx(normal)
    ahead = pose.rotation.apply([1.0, 0.0, 0.0])
    assert math.atan2(ahead[1], ahead[0]) == pytest.approx(0.8)


def test_uphill_is_nose_up_and_a_slope_to_the_left_lifts_the_left_side():
    uphill = Terrain(solids=(Plane(slope=0.2),)).pose_at(0.0, 0.0, 0.0)
    assert (uphill.pitch, uphill.roll) == (pytest.approx(-0.2), 0.0)
    sideways = Terrain(solids=(Plane(cross_slope=0.2),)).pose_at(0.0, 0.0, 0.0)
    assert (sideways.pitch, sideways.roll) == (0.0, pytest.approx(0.2))


def test_only_a_level_plane_at_zero_is_flat():
    patch = EVERYTHING.patches[0]
    surfaces = EVERYTHING.surfaces
    assert Terrain(solids=(Plane(),)).is_flat
    assert Terrain(solids=(Plane(),), patches=(patch,), surfaces=surfaces).is_flat
    assert not Terrain(solids=(Plane(z=0.1),)).is_flat
    assert not Terrain(solids=(Plane(slope=0.1),)).is_flat
    assert not Terrain(solids=(Plane(cross_slope=0.1),)).is_flat
    assert not WEDGE.is_flat
    assert not Terrain(solids=()).is_flat


def test_a_patch_changes_the_surface_of_what_lies_there():
    surface = EVERYTHING.surface(np.array([0.0, 0.3, 0.4]), np.array([0.0, 0.3, 0.0]))
    assert surface.tolist() == [1, 1, 0]
    assert EVERYTHING.friction(0.0, 0.0) == 0.2
    assert EVERYTHING.friction_across(0.0, 0.0) == 0.2
    assert EVERYTHING.slip_factor(np.array([0.0, 2.0]), 0.0).tolist() == [3.0, 1.0]


def test_a_patch_over_nothing_paints_nothing():
    terrain = Terrain(solids=(), patches=EVERYTHING.patches, surfaces=EVERYTHING.surfaces)
    assert terrain.surface(0.0, 0.0) == -1
    assert terrain.surface(np.zeros(2), 0.0).tolist() == [-1, -1]


def test_friction_across_may_differ_from_friction_along():
    surfaces = {"ground": Surface(friction=2.0, friction_across=0.5)}
    terrain = Terrain(solids=(Plane(),), surfaces=surfaces)
    assert (terrain.friction(0.0, 0.0), terrain.friction_across(0.0, 0.0)) == (2.0, 0.5)


def test_a_surface_must_exist():
    with pytest.raises(UnknownName, match="no surface named 'mud'; available: ground"):
        Terrain(solids=(Plane(surface="mud"),))


def test_a_box_has_four_risers_that_point_inward():
    terrain = Terrain(solids=(Plane(), slab(1.0, 0.5, 0.037, 0.037, width=0.4)))
    assert len(terrain.risers) == 4
    for riser in terrain.risers:
        middle = 0.5 * np.add(riser.start, riser.end)
        assert np.dot(riser.normal_to_high, np.array([1.25, 0.0]) - middle) > 0.0
        assert (riser.low, riser.high) == (0.0, 0.037)
        along = np.subtract(riser.end, riser.start)
        assert np.cross([*along, 0.0], [*riser.normal_to_high, 0.0])[2] > 0.0
    front = next(riser for riser in terrain.risers if riser.normal_to_high == (1.0, 0.0))
    assert sorted((front.start, front.end)) == [(1.0, -0.2), (1.0, 0.2)]


def test_faces_between_neighbours_are_no_risers():
    terrain = Terrain(solids=(Plane(), slab(0.0, 1.0, 0.1, 0.1), slab(1.0, 1.0, 0.1, 0.1)))
    across = [riser for riser in terrain.risers if abs(riser.normal_to_high[0]) > 0.5]
    assert sorted(riser.start[0] for riser in across) == pytest.approx([0.0, 2.0])


def test_a_face_is_divided_where_its_foot_changes():
    beside = slab(0.5, 0.5, 0.06, 0.06, y=1.0)
    terrain = Terrain(solids=(Plane(), slab(0.0, 1.0, 0.1, 0.1), beside))
    left = [riser for riser in terrain.risers if riser.normal_to_high == (0.0, -1.0)]
    left = [riser for riser in left if riser.high == 0.1]
    assert [(r.start[0], r.end[0], r.low) for r in left] == [(1.0, 0.5, 0.06), (0.5, 0.0, 0.0)]


def test_stacked_slabs_make_risers_only_where_they_are_seen():
    terrain = Terrain(solids=(Plane(), slab(0.0, 1.0, 0.1, 0.1), slab(0.3, 0.7, 0.2, 0.2)))
    faces = [r for r in terrain.risers if abs(r.normal_to_high[0]) > 0.5]
    assert {(round(r.start[0], 9), r.low, r.high) for r in faces} == {
        (0.0, 0.0, 0.1),
        (0.3, 0.1, 0.2),
        (1.0, 0.0, 0.2),
    }


def test_a_face_lower_than_a_millimetre_is_no_riser():
    assert Terrain(solids=(Plane(), slab(0.0, 1.0, 0.0009, 0.0009))).risers == ()
    assert len(Terrain(solids=(Plane(), slab(0.0, 1.0, 0.0011, 0.0011))).risers) == 4


def test_the_foot_of_a_riser_over_nothing_is_the_underside():
    assert {riser.low for riser in Terrain(solids=(slab(0.0, 1.0, 0.3, 0.3),)).risers} == {0.0}


def test_the_level_top_of_a_ramp_makes_no_risers_and_stays():
    assert WEDGE.risers == ()
    assert WEDGE.smooth.solids == WEDGE.solids


def test_a_top_that_ends_in_a_wall_makes_one_riser():
    terrain = Terrain(solids=WEDGE.solids[:3])
    (riser,) = terrain.risers
    assert riser.normal_to_high == (-1.0, 0.0)
    assert (riser.start[0], riser.low, riser.high) == pytest.approx((1.7, 0.0, 0.1))


def test_the_smooth_terrain_keeps_ground_and_slopes_but_no_steps():
    terrain = Terrain(solids=(*WEDGE.solids, slab(3.0, 0.5, 0.05, 0.05)))
    assert terrain.height(3.1, 0.0) == 0.05
    assert terrain.smooth.height(3.1, 0.0) == 0.0
    assert terrain.smooth.height(1.5, 0.0) == 0.1
