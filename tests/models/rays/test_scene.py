"""Rays against the shapes of courses: distances by geometry, by the terrain and by MuJoCo."""

import math

import mujoco
import numpy as np
import pytest

from grouser.description import load_course, parse_course
from grouser.description.heightfield import HeightField
from grouser.description.mesh import Mesh
from grouser.description.solids import Plane, Slab
from grouser.description.surface import Rectangle
from grouser.description.terrain import Terrain
from grouser.errors import InvalidValue
from grouser.models.mujoco.terrain import add_terrain
from grouser.models.rays import RayScene, ray_scene

EXACT = 3e-9
"""Difference that rounding and the tolerance of edges explain; 1 mm is wanted [m]."""


def scene(*solids) -> RayScene:
    return RayScene(Terrain(solids=solids))


def slab(x=0.0, y=0.0, yaw=0.0, length=1.0, width=1.0, top=1.0, end=None, bottom=0.0) -> Slab:
    where = Rectangle(x=x, y=y, yaw=yaw, length=length, width=width)
    return Slab(footprint=where, top_start=top, top_end=top if end is None else end, bottom=bottom)


def rough_field(seed=0, **changes) -> HeightField:
    heights = np.random.default_rng(seed).uniform(0.0, 0.4, (37, 70))
    given = {"x": 0.7, "y": -0.3, "yaw": 0.4, "spacing_along": 0.1, "spacing_across": 0.07}
    return HeightField(**(given | {"heights": heights} | changes))


def random_rays(count, seed=0, low=(-4.0, -4.0, 0.5), high=(4.0, 4.0, 2.0)):
    generator = np.random.default_rng(seed)
    rays = generator.normal(size=(count, 3))
    return generator.uniform(low, high, (count, 3)), rays / np.linalg.norm(rays, axis=1)[:, None]


def test_a_level_plane_is_as_far_as_height_over_sine():
    angles = np.radians([-5.0, -30.0, -90.0, 0.0, 10.0])
    rays = np.column_stack((np.cos(angles), np.zeros(5), np.sin(angles)))
    found = scene(Plane()).cast((3.0, 1.0, 0.4), rays)
    assert found[:3] == pytest.approx(0.4 / np.sin(-angles[:3]), abs=EXACT)
    assert np.isinf(found[3:]).all()


def test_a_sloping_plane_is_met_where_its_height_is_that_of_the_ray():
    slope, cross = 0.2, -0.1
    origins, rays = random_rays(500, low=(-1.0, -1.0, 2.0))
    found = scene(Plane(slope=slope, cross_slope=cross, z=0.3)).cast(origins, rays)
    hit = np.isfinite(found)
    ends = origins[hit] + found[hit, None] * rays[hit]
    z = 0.3 + math.tan(slope) * ends[:, 0] + math.tan(cross) * ends[:, 1]
    assert 100 < hit.sum() < 400
    assert ends[:, 2] == pytest.approx(z, abs=1e-8)


def test_faces_of_a_turned_box_are_as_far_as_drawn():
    box = scene(slab(x=2.0, yaw=math.radians(30.0), length=1.0, width=0.6, top=0.5))
    towards = (math.cos(math.radians(30.0)), math.sin(math.radians(30.0)), 0.0)
    start = np.array([2.0, 0.0, 0.3]) - 3.0 * np.array(towards)
    assert box.cast(start, [towards])[0] == pytest.approx(2.5, abs=EXACT)
    assert box.cast((2.0, 0.0, 4.0), [(0.0, 0.0, -1.0)])[0] == pytest.approx(3.5, abs=EXACT)
    assert math.isinf(box.cast(start + (0.0, 0.0, 0.25), [towards])[0])
    assert box.cast((2.0, 0.0, 0.3), [towards])[0] == pytest.approx(0.5, abs=EXACT)  # from inside


def test_a_ramp_has_a_slope_and_upright_sides():
    ramp = scene(slab(x=1.0, length=2.0, width=1.0, top=0.0, end=1.0))
    ahead, aside = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0)
    assert ramp.cast((-1.0, 0.0, 0.25), [ahead])[0] == pytest.approx(1.5, abs=EXACT)
    assert ramp.cast((1.5, -2.0, 0.7), [aside])[0] == pytest.approx(1.5, abs=EXACT)
    assert math.isinf(ramp.cast((1.5, -2.0, 0.76), [aside])[0])
    assert ramp.cast((3.0, 0.1, 0.99), [(-1.0, 0.0, 0.0)])[0] == pytest.approx(1.0, abs=EXACT)


def test_risers_of_stairs_are_one_tread_apart():
    stairs = ray_scene(load_course("staircase"))
    heights = 0.17 * (np.arange(6) + 0.5)
    found = [stairs.cast((0.0, 0.2, z), [(1.0, 0.0, 0.0)])[0] for z in heights]
    assert found == pytest.approx(0.6 + 0.29 * np.arange(6), abs=EXACT)


@pytest.mark.parametrize("course", ["playground", "rough", "ramp", "staircase", "pallet", "slope"])
def test_rays_straight_down_find_the_height_of_the_terrain(course):
    place = np.random.default_rng(3).uniform((-2.0, -3.0), (8.0, 4.0), (3000, 2))
    terrain = load_course(course).terrain
    origins = np.column_stack((place, np.full(len(place), 6.0)))
    found = RayScene(terrain).cast(origins, np.tile([0.0, 0.0, -1.0], (len(place), 1)))
    assert 6.0 - found == pytest.approx(terrain.height(*place.T), abs=EXACT)


@pytest.mark.parametrize("shape", [(37, 70), (2, 2), (17, 33), (16, 18)])
def test_rays_meet_a_height_field_on_its_triangles(shape):
    heights = np.random.default_rng(1).uniform(0.0, 0.4, shape)
    field = rough_field(
        heights=heights, spacing_along=5.0 / (shape[1] - 1), spacing_across=3.0 / (shape[0] - 1)
    )
    origins, rays = random_rays(4000)
    found = scene(field).cast(origins, rays)
    hit = np.isfinite(found)
    ends = origins[hit] + found[hit, None] * rays[hit]
    ground = np.asarray(field.height(ends[:, 0], ends[:, 1]))
    on_top = np.abs(ends[:, 2] - ground) < EXACT
    at_side = np.isnan(field.height(*(ends - 1e-6 * rays[hit]).T[:2]))  # outside, just before
    assert hit.sum() > 20
    assert (on_top | at_side).all()
    assert on_top.any()
    if shape == (37, 70):
        assert (at_side & ~on_top).any()


def test_no_ray_passes_below_a_height_field():
    field = rough_field()
    origins, rays = random_rays(2000, seed=4)
    found = np.minimum(scene(field).cast(origins, rays), 12.0)
    for share in np.linspace(0.0, 1.0, 300, endpoint=False):
        x, y, z = (origins + share * found[:, None] * rays).T
        above = z - np.nan_to_num(field.height(x, y), nan=-np.inf)
        outside_below = z < field.heights.min() - 0.1
        assert ((above > -EXACT) | outside_below).all()


def test_a_hole_of_a_height_field_lets_rays_through_and_has_sides():
    heights = np.full((11, 11), 0.5)
    heights[5, 5] = np.nan
    field = HeightField(spacing_along=0.1, spacing_across=0.1, heights=heights)
    ground = scene(Plane(), field)
    down = [(0.0, 0.0, -1.0)]
    assert ground.cast((0.05, 0.02, 1.0), down)[0] == pytest.approx(1.0, abs=EXACT)
    assert ground.cast((0.15, 0.02, 1.0), down)[0] == pytest.approx(0.5, abs=EXACT)
    assert ground.cast((0.0, 0.0, 0.2), [(1.0, 0.0, 0.0)])[0] == pytest.approx(0.1, abs=EXACT)
    assert ground.cast((2.0, 0.0, 0.2), [(-1.0, 0.0, 0.0)])[0] == pytest.approx(1.5, abs=EXACT)


ARCH = 0.1 * np.array(
    [(-10, 0), (10, 0), (10, 20), (-10, 20), (-5, 0), (5, 0), (5, 15), (-5, 15)], np.float64
)


def arch() -> Mesh:
    """Return an arch 1 m deep along y with a gap of 1 m below a beam of 0.5 m: not convex."""
    outline = ARCH[[0, 4, 7, 6, 5, 1, 2, 3]]
    front = np.column_stack((outline[:, 0], np.zeros(8), outline[:, 1]))
    vertices = np.concatenate((front, front + (0.0, 1.0, 0.0)))
    caps = [(0, 1, 7), (1, 2, 7), (2, 3, 6), (2, 6, 7), (3, 4, 6), (4, 5, 6)]
    sides = [(i, (i + 1) % 8) for i in range(8)]
    faces = [*caps, *((8 + a, 8 + c, 8 + b) for a, b, c in caps)]
    faces += [f for a, b in sides for f in ((a, a + 8, b), (b, a + 8, b + 8))]
    return Mesh(vertices=vertices, triangles=np.array(faces))


def test_rays_pass_under_an_arch_and_meet_its_beam():
    gate = scene(Plane(), arch())
    ahead = [(0.0, 1.0, 0.0)]
    assert math.isinf(gate.cast((0.0, -2.0, 1.4), ahead)[0])
    assert gate.cast((0.0, -2.0, 1.6), ahead)[0] == pytest.approx(2.0, abs=EXACT)
    assert gate.cast((0.0, 0.5, 0.5), [(0.0, 0.0, 1.0)])[0] == pytest.approx(1.0, abs=EXACT)
    assert gate.cast((0.0, 0.5, 0.5), [(-1.0, 0.0, 0.0)])[0] == pytest.approx(0.5, abs=EXACT)


def test_the_nearest_of_many_solids_is_met():
    generator = np.random.default_rng(6)
    solids = [
        slab(*generator.uniform(-4.0, 4.0, 2), yaw=a, length=0.4, top=b, end=c)
        for a, b, c in generator.uniform(0.1, 1.5, (60, 3))
    ]
    solids += [Plane(), arch(), rough_field(x=-2.0)]
    origins, rays = random_rays(3000, seed=7)
    alone = np.min([scene(solid).cast(origins, rays, 6.0) for solid in solids], axis=0)
    assert scene(*solids).cast(origins, rays, 6.0).tolist() == alone.tolist()
    assert 0.2 < np.isinf(alone).mean() < 0.8


BLOCKS = """
name = "blocks"
[[terrain]]
kind = "plane"
[[terrain]]
kind = "box"
x_m = 2.0
y_m = 1.0
yaw_deg = 20.0
length_m = 1.0
width_m = 0.5
height_m = 0.7
[[terrain]]
kind = "stairs"
x_m = -3.0
count = 5
tread_m = 0.3
rise_m = 0.15
width_m = 1.0
[[terrain]]
kind = "heightfield"
x_m = 0.0
y_m = -2.5
spacing_m = 0.2
heights_m = [[0.0, 0.1, 0.3, 0.0], [0.2, 0.4, 0.1, 0.0], [0.0, 0.3, 0.2, 0.1]]
"""


def test_mujoco_finds_the_same_distances():
    course = parse_course(BLOCKS, "blocks.toml")
    spec = mujoco.MjSpec()
    add_terrain(spec, course)
    model = spec.compile()
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    origins, rays = random_rays(3000, seed=8, low=(-4.0, -4.0, 0.8))
    theirs = np.array([
        mujoco.mj_ray(model, data, origin, ray, None, 1, -1, None)
        for origin, ray in zip(origins, rays, strict=True)
    ])  # fmt: skip
    found = ray_scene(course).cast(origins, rays)
    assert found == pytest.approx(np.where(theirs < 0.0, np.inf, theirs), abs=1e-5)
    assert len(set(np.isinf(found))) == 2


def test_nothing_is_met_beyond_reach_or_without_a_course():
    ground = scene(Plane())
    assert math.isinf(ground.cast((0.0, 0.0, 2.0), [(0.0, 0.0, -1.0)], 1.9)[0])
    assert ground.cast((0.0, 0.0, 2.0), [(0.0, 0.0, -3.0)], 2.1)[0] == pytest.approx(2.0)
    assert math.isinf(scene().cast((0.0, 0.0, 2.0), [(0.0, 0.0, -1.0)])[0])


@pytest.mark.parametrize(
    ("origins", "directions", "message"),
    [
        ((0.0, 0.0), [(0.0, 0.0, 1.0)], r"origins must be of shape \(3,\) or \(1, 3\)"),
        ((0.0, 0.0, 1.0), (0.0, 0.0, 1.0), r"directions must be of shape \(n, 3\)"),
        ((0.0, 0.0, 1.0), [(0.0, 0.0, 0.0)], "directions must be finite and not zero"),
        ((0.0, 0.0, 1.0), [(0.0, math.nan, 0.0)], "directions must be finite and not zero"),
    ],
)
def test_rays_that_are_none_are_rejected(origins, directions, message):
    with pytest.raises(InvalidValue, match=message):
        scene(Plane()).cast(origins, directions)


def test_scenes_of_equal_courses_are_made_once():
    assert ray_scene(load_course("flat")) is ray_scene(load_course("flat"))
    assert ray_scene(load_course("flat")) is not ray_scene(load_course("ramp"))
