"""What is drawn has the size of what is described, and faces outward."""

import math
from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.spatial.transform import Rotation
from trimesh import Trimesh

from grouser.description import course_names, load_course, load_robot, parse_course, robot_names
from grouser.drawing.belt_marks import find_ribs
from grouser.drawing.ground_mesh import (
    CLEAR,
    LIFT,
    SKIRT,
    area_border,
    drape,
    extent_of,
    field_mesh,
    path_dashes,
    slab_edges,
    slab_mesh,
    solid_mesh,
    split_by_height,
)
from grouser.drawing.mesh import arrow, box, creased, disc, flat, join, moved, prism
from grouser.drawing.robot_mesh import band, pulleys, shape_robot, wheel_loop

ROUGH = """
name = "hill"
[[terrain]]
kind = "plane"
z_m = -1.0
[[terrain]]
kind = "heightfield"
x_m = 1.0
y_m = 0.5
yaw_deg = 30.0
spacing_m = 0.5
heights_m = [[0.1, 0.0, 0.3, 0.2], [0.0, 0.2, 0.0, 0.1], [0.2, 0.1, 0.4, 0.0]]
"""


def highest(mesh: Trimesh, x: float, y: float) -> float:
    """Return the height of the highest triangle above a point."""
    a, b, c = mesh.vertices[mesh.faces].swapaxes(0, 1)
    u, v = b - a, c - a
    area = u[:, 0] * v[:, 1] - u[:, 1] * v[:, 0]
    level = np.abs(area) > 1e-12
    a, u, v, area = a[level], u[level], v[level], area[level]
    dx, dy = x - a[:, 0], y - a[:, 1]
    s, t = (dx * v[:, 1] - dy * v[:, 0]) / area, (u[:, 0] * dy - u[:, 1] * dx) / area
    inside = (s >= -1e-9) & (t >= -1e-9) & (s + t <= 1.0 + 1e-9)
    return float(np.max((a[:, 2] + s * u[:, 2] + t * v[:, 2])[inside]))


@pytest.mark.parametrize(
    ("mesh", "volume"),
    [
        (box((1.0, 2.0, 3.0)), 6.0),
        # Each of the 12 edges loses a wedge; at the 8 corners they overlap.
        (box((1.0, 2.0, 3.0), 0.1), 6.0 - 0.5 * 0.01 * 4 * (0.8 + 1.8 + 2.8) - 8 * 5e-4 / 0.6),
        (prism([(0.0, 0.0), (0.0, 1.0), (2.0, 0.0)], 0.5), 0.5),
        (disc(2.0, 0.5, 400), 0.5 * math.pi * 4.0),
        (flat([(0.0, 0.0), (1.0, 0.0), (0.0, 1.0)], 0.2), 0.1),
        (arrow(0.5, 0.4, 400), math.pi * (0.25 * 0.6 + 0.4 / 3.0)),
    ],
)
def test_plain_shapes_are_closed_face_outward_and_have_their_volume(mesh: Trimesh, volume: float):
    assert mesh.is_volume
    assert mesh.volume == pytest.approx(volume, rel=1e-3)


def test_a_band_has_the_volume_of_its_belt():
    loop = load_robot("absolem").tracks[0].loop
    mesh = band(loop, 0.1, 0.01)
    assert mesh.is_volume
    # The middle of the band is shorter than its outside by pi times its thickness.
    assert mesh.volume == pytest.approx((loop.length - math.pi * 0.01) * 0.1 * 0.01, rel=5e-3)


def test_pulleys_stay_inside_the_belt():
    for name in ("absolem", "quince", "tp100"):
        loop = load_robot(name).tracks[0].loop
        rear, front, low, high = loop.bounds
        x, _, z = pulleys(loop, 0.1, 0.005).vertices.T
        assert rear < x.min() < x.max() < front
        assert low < z.min() < z.max() < high


def test_creases_stay_sharp_and_round_stays_round():
    cylinder = disc(1.0, 1.0, 24)
    sharp = creased(cylinder, math.radians(30.0))
    # The rim belongs once to the mantle and once to a cap.
    assert len(sharp.vertices) == 2 * len(cylinder.vertices)
    assert len(creased(cylinder, math.radians(10.0)).vertices) > len(sharp.vertices)
    assert len(creased(cylinder, math.radians(100.0)).vertices) == len(cylinder.vertices)
    assert sharp.volume == pytest.approx(cylinder.volume)
    assert len(creased(box((1.0, 1.0, 1.0))).vertices) == 24


def test_joined_meshes_keep_their_volumes():
    both = join((box((1.0, 1.0, 1.0)), moved(box((1.0, 1.0, 2.0)), (5.0, 0.0, 0.0))))
    assert both.volume == pytest.approx(3.0)
    assert both.is_volume
    assert not Trimesh(vertices=both.vertices, faces=both.faces[:-1], process=False).is_volume
    assert len(join(()).faces) == 0


def test_a_turned_mesh_is_turned_before_it_is_moved():
    quarter = Rotation.from_euler("z", 90.0, degrees=True)
    x, y, _ = moved(box((2.0, 1.0, 1.0)), (10.0, 0.0, 0.0), quarter).vertices.T
    assert (x.min(), x.max(), y.min(), y.max()) == pytest.approx((9.5, 10.5, -1.0, 1.0))


@pytest.mark.parametrize("name", robot_names())
def test_every_robot_has_outward_parts_of_its_size(name: str):
    robot = load_robot(name)
    shape = shape_robot(robot)
    for part in (shape.hull, shape.trim, shape.mark, shape.rubber, shape.metal):
        assert part.volume > 0.0
        assert np.isfinite(part.vertices).all()
    for flipper in shape.flippers:
        assert flipper.rubber.volume > 0.0
    low, high = shape.rubber.vertices.min(axis=0), shape.rubber.vertices.max(axis=0)
    assert low[2] == pytest.approx(0.0, abs=1e-3)
    outermost = max(abs(drive.y) + 0.5 * drive.width for drive in robot.drives)
    assert high[1] == pytest.approx(outermost)
    assert shape.hull.vertices[:, 0].max() == pytest.approx(
        robot.body.centre[0] + 0.5 * robot.body.size[0]
    )


@pytest.mark.parametrize("name", robot_names())
def test_the_mark_is_above_everything_and_points_ahead(name: str):
    robot = load_robot(name)
    shape = shape_robot(robot)
    top = shape.mark.vertices[:, 2].max()
    grousers = max((t.grousers.height for t in robot.tracks if t.grousers), default=0.0)
    if "zhou" not in name:
        assert top > shape.rubber.vertices[:, 2].max() + grousers - 0.05
    assert top > shape.hull.vertices[:, 2].max()
    deck = shape.mark.vertices[shape.mark.vertices[:, 2] > shape.hull.vertices[:, 2].max()]
    tip = deck[np.isclose(deck[:, 0], deck[:, 0].max())]
    rear = deck[np.isclose(deck[:, 0], deck[:, 0].min())]
    assert np.ptp(tip[:, 1]) < 1e-9 < np.ptp(rear[:, 1])


@pytest.mark.parametrize("name", robot_names())
def test_ribs_are_where_the_loop_says(name: str):
    robot = load_robot(name)
    travels = tuple(0.1 + 0.07 * number for number in range(len(robot.drives)))
    angles = tuple(0.3 - 0.4 * number for number in range(len(robot.flippers)))
    seen = 0
    for ribs in find_ribs(robot):
        points, quaternions = ribs.at(travels, angles)
        first = 0
        for row in ribs.rows:
            part = slice(first, first + row.count)
            first += row.count
            places = (np.arange(row.count) + 0.5) * row.loop.length / row.count
            places = places + travels[row.drive]
            x, z = row.loop.point_at(places)
            angle = 0.0 if row.flipper is None else angles[row.flipper]
            turn = Rotation.from_euler("y", angle)
            local = np.column_stack((x, np.zeros(row.count), z))
            assert_allclose(points[part], turn.apply(local) + row.origin, atol=1e-12)
            headings = np.asarray(row.loop.heading_at(places))
            wanted = turn * Rotation.from_rotvec(np.outer(headings, (0.0, 1.0, 0.0)))
            found = Rotation.from_quat(quaternions[part], scalar_first=True)
            assert_allclose((wanted.inv() * found).magnitude(), 0.0, atol=1e-7)
            seen += 1
    assert seen == len(robot.drives) + len(robot.flippers)


def test_a_full_turn_of_the_belt_brings_ribs_back_and_half_does_not():
    robot = load_robot("tp100")
    (ribs,) = find_ribs(robot)
    length = robot.tracks[0].loop.length
    start, _ = ribs.at((0.0, 0.0), ())
    assert_allclose(ribs.at((length, 3.0 * length), ())[0], start, atol=1e-12)
    assert np.abs(ribs.at((0.5 * length, 0.0), ())[0] - start).max() > 0.1


def test_ribs_below_run_rearward_when_the_robot_drives_forward():
    robot = load_robot("packbot510")
    (ribs,) = find_ribs(robot)
    before, _ = ribs.at((0.0, 0.0), ())
    after, _ = ribs.at((0.01, 0.0), ())
    below = (np.abs(before[:, 2]) < 1e-9) & (np.abs(after[:, 2]) < 1e-9) & (before[:, 1] > 0.0)
    assert below.sum() > 10
    assert_allclose((after - before)[below, 0], -0.01, atol=1e-12)
    assert_allclose((after - before)[before[:, 1] < 0.0], 0.0)


def test_flipper_belts_run_with_the_drives_of_their_side_and_wheels_with_their_own():
    absolem = load_robot("absolem")
    for ribs in find_ribs(absolem):
        for row in ribs.rows:
            assert (row.origin[1] > 0.0) == (absolem.drives[row.drive].side == "left")
    wheels = load_robot("zhou-ugv")
    (ribs,) = find_ribs(wheels)
    assert [row.drive for row in ribs.rows] == [0, 1, 2, 3]
    assert wheel_loop(wheels.wheels[0]).length == pytest.approx(2.0 * math.pi * 0.31)


def test_grousers_have_their_count_and_profile_and_smooth_belts_get_marks():
    (ribs,) = find_ribs(load_robot("quince"))
    assert [row.count for row in ribs.rows] == [40, 40, 22, 22, 22, 22]
    assert np.ptp(ribs.shape.vertices[:, 2]) == pytest.approx(0.016)
    assert ribs.shape.volume == pytest.approx(0.5 * (0.018 + 0.005) * 0.016)  # of width 1
    (marks,) = find_ribs(load_robot("tp100"))
    assert marks.shape.volume == pytest.approx(1.0)
    assert marks.scales.max() == pytest.approx(load_robot("tp100").tracks[0].width)


@pytest.mark.parametrize("name", course_names())
def test_slabs_are_closed_and_as_high_as_the_ground(name: str):
    course = load_course(name)
    looked_at = slice(None, None, max(len(course.terrain.slabs) // 24, 1))
    for slab in course.terrain.slabs[looked_at]:
        mesh = slab_mesh(slab)
        assert mesh.is_volume
        middle = 0.5 * (slab.top_start + slab.top_end) - slab.bottom
        assert mesh.volume == pytest.approx(slab.footprint.length * slab.footprint.width * middle)
        assert slab_edges(slab)[:, :, 2].max() == max(slab.top_start, slab.top_end)
    slabs = [slab_mesh(slab) for slab in course.terrain.slabs]
    solids = [*slabs, *map(solid_mesh, course.terrain.meshes)]
    boxes = np.array([mesh.bounds[:, :2] for mesh in solids]).reshape(-1, 2, 2)
    for mesh in slabs[looked_at]:
        for x, y, _ in mesh.vertices[:: max(len(mesh.vertices) // 5, 1)]:
            inside = np.array([x, y]) * 0.999 + mesh.vertices[:, :2].mean(axis=0) * 0.001
            near = np.flatnonzero(((boxes[:, 0] <= inside) & (inside <= boxes[:, 1])).all(axis=1))
            top = max(highest(solids[n], *inside) for n in near if covers(solids[n], *inside))
            assert top == pytest.approx(course.terrain.height(*inside), abs=1e-6)


def covers(mesh: Trimesh, x: float, y: float) -> bool:
    try:
        highest(mesh, x, y)
    except ValueError:
        return False
    return True


def test_a_drawn_height_field_has_the_heights_of_nodes_and_diagonals():
    terrain = parse_course(ROUGH, "hill.toml").terrain
    (field,) = terrain.fields
    mesh = field_mesh(field)
    assert mesh.is_volume
    u, v = np.meshgrid(np.arange(0.0, 3.01, 0.5), np.arange(0.0, 2.01, 0.5))
    cos, sin = math.cos(field.yaw), math.sin(field.yaw)
    for i, j in zip(0.5 * (u.ravel() - 1.5), 0.5 * (v.ravel() - 1.0), strict=True):
        if not (float(2 * i).is_integer() and float(2 * j).is_integer()):
            continue
        inside = 0.999999
        x, y = 1.0 + inside * (i * cos - j * sin), 0.5 + inside * (i * sin + j * cos)
        assert highest(mesh, x, y) == pytest.approx(terrain.height(x, y), abs=1e-5)
    assert mesh.vertices[:, 2].min() == pytest.approx(-SKIRT)


def test_a_hole_in_a_height_field_stays_open():
    terrain = parse_course(ROUGH, "hill.toml").terrain
    (field,) = terrain.fields
    heights = field.heights.copy()
    heights[0, 0] = np.nan
    holed = type(field)(
        x=field.x, y=field.y, yaw=field.yaw, spacing_along=0.5, spacing_across=0.5, heights=heights
    )
    mesh = field_mesh(holed)
    assert mesh.is_volume
    assert 0.0 < mesh.volume < field_mesh(field).volume
    x, y = field.footprint.corners[0] * 0.99 + np.array([field.x, field.y]) * 0.01
    assert not covers(mesh, x, y)


def test_a_height_field_split_by_height_keeps_all_its_triangles():
    (field,) = load_course("rough").terrain.fields
    whole = field_mesh(field)
    bands = split_by_height(whole, 5)
    assert sum(len(band.faces) for band in bands) == len(whole.faces)
    assert join(bands).volume == pytest.approx(whole.volume)
    middles = [band.vertices[band.faces, 2].mean() for band in bands]
    assert middles == sorted(middles)


def test_a_large_height_field_is_thinned_and_keeps_its_border():
    heights = np.add.outer(np.linspace(0.0, 1.0, 700), np.linspace(0.0, 1.0, 500))
    (field,) = load_course("rough").terrain.fields
    large = type(field)(spacing_along=0.1, spacing_across=0.1, heights=heights)
    mesh = field_mesh(large)
    assert len(mesh.vertices) < 150_000
    assert mesh.vertices[:, 2].max() == pytest.approx(2.0)
    assert np.ptp(mesh.vertices[:, 0]) == pytest.approx(49.9)


def test_the_border_of_a_field_on_a_plane_is_drawn_a_little_above_it():
    """Equally high, chance would decide which is seen: the border was ragged."""
    terrain = load_course("rough").terrain
    (field,), planes = terrain.fields, terrain.planes
    mesh = field_mesh(field, planes)
    top = mesh.vertices[: len(mesh.vertices) // 2, 2]
    assert top.min() == pytest.approx(CLEAR)
    assert top.max() == field.heights.max()
    assert np.abs(top - field.heights.ravel()).max() <= CLEAR
    raised = replace(planes[0], z=-0.5)
    assert np.array_equal(field_mesh(field, (raised,)).vertices, field_mesh(field).vertices)


def test_patches_lie_on_the_ground_and_face_up():
    for name in ("slippery", "playground"):
        course = load_course(name)
        sheet = drape(course.terrain, course.terrain.patches[0].footprint)
        x, y, z = sheet.vertices.T
        assert_allclose(z, course.terrain.height(x, y) + LIFT)
        assert (sheet.face_normals[:, 2] > 0.0).all()


def test_a_path_is_dashed_along_the_ground_from_start_to_end():
    course = load_course("ramp")
    dashes = path_dashes(course)
    x, y, z = dashes.reshape(-1, 3).T
    assert_allclose(course.path.distance(x, y), 0.0, atol=1e-9)
    assert_allclose(z, course.terrain.height(x, y) + 2.0 * LIFT)
    assert x.min() == 0.0
    drawn = np.linalg.norm(np.diff(dashes[:, :, :2], axis=1), axis=-1).sum()
    assert 0.5 < drawn / course.path.length < 0.8
    assert len(path_dashes(load_course("flat"))) == 0


def test_the_border_is_that_of_the_area():
    course = load_course("behaviour-3")
    border = area_border(course).reshape(-1, 3)
    assert (border[:, 0].min(), border[:, 0].max()) == course.area.x
    assert (border[:, 1].min(), border[:, 1].max()) == course.area.y
    assert len(area_border(load_course("step"))) == 0


def test_the_extent_holds_path_pieces_and_area():
    extent = extent_of(load_course("playground"))
    assert (extent.x, extent.y) == ((-2.5, 8.5), (-3.5, 4.5))
    assert extent.size == 11.0
    assert extent.middle == (3.0, 0.5)
    assert extent_of(load_course("pallet")).x == pytest.approx((0.0, 3.0))
