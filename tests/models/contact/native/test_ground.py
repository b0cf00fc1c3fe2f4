"""Tables of the ground: what can be touched, once each, and where to find it."""

import numpy as np
import pytest

from grouser.description.heightfield import HeightField
from grouser.description.pieces import PalletPiece
from grouser.description.solids import Patch, Plane
from grouser.description.surface import Rectangle, Surface
from grouser.description.terrain import Terrain
from grouser.models.ground.ground import build_ground
from tests.models.contact.native.scenes import (
    REACH,
    box,
    build,
    covered,
    edge_points,
    extrude,
    face_points,
    free,
    mesh_of,
    on_edges,
    owned_corners,
)


def unique(points):
    return {tuple(p) for p in np.round(points, 6) + 0.0}


def test_a_box_has_five_faces_eight_edges_and_four_corners():
    tables = build(box(0.3, -0.2, 1.0, 0.6, 0.2, yaw=0.4))
    assert tables.faces.shape == (5, 16)
    assert tables.edges.shape == (8, 10)
    assert (tables.faces[:, 12:14] > 0.0).all()
    assert tables.faces[:, 11].min() > -0.5
    upright = np.abs(tables.edges[:, 5]) > 0.5
    assert upright.sum() == 4
    assert tables.edges[upright, 6] == pytest.approx(0.2)
    corners = owned_corners(tables)
    assert len(corners) == len(unique(corners)) == 4
    assert corners[:, 2] == pytest.approx(0.2)
    assert len(set(tables.faces[:, 15])) == 5
    assert np.cross(tables.faces[:, 3:6], tables.faces[:, 6:9]) == pytest.approx(
        tables.faces[:, 9:12]
    )


def test_planes_and_patches_are_rows():
    surfaces = {"ground": Surface(), "ice": Surface(friction=0.1)}
    patch = Patch(footprint=Rectangle(x=1.0, y=2.0, yaw=0.3, length=2.0, width=1.0), surface="ice")
    plane = Plane(z=0.5, slope=0.1, cross_slope=-0.2, surface="ice")
    terrain = Terrain(solids=(plane,), patches=(patch,), surfaces=surfaces)
    tables = build_ground(terrain, reach=REACH)
    (nx, ny, nz, offset, surface), x, y = tables.planes[0], 3.0, -1.0
    assert (offset - nx * x - ny * y) / nz == pytest.approx(float(terrain.height(x, y)))
    assert np.hypot(np.hypot(nx, ny), nz) == pytest.approx(1.0)
    assert surface == 1.0
    assert tables.patches[0] == pytest.approx([1.0, 2.0, np.cos(0.3), np.sin(0.3), 1.0, 0.5, 1.0])
    assert tables.faces.shape == (0, 16)
    assert tables.edges.shape == (0, 10)
    assert (tables.most_faces, tables.most_edges) == (1, 1)
    assert tables.face_starts.tolist() == [0, 0]


def test_tables_are_contiguous():
    tables = build(box(0.0, 0.0, 1.0, 1.0, 0.2))
    for name in tables.__slots__:
        array = getattr(tables, name)
        if isinstance(array, np.ndarray):
            assert array.flags.c_contiguous, name
            assert array.dtype == (np.int64 if "starts" in name or "items" in name else np.float64)


@pytest.mark.parametrize("yaw", [0.0, 0.7])
def test_flush_boxes_have_no_seam(yaw):
    along = np.array([np.cos(yaw), np.sin(yaw)])
    tables = build(*(box(*(k * along), 1.0, 0.5, 0.2, yaw=yaw) for k in range(3)))
    assert len(tables.edges) == 8
    assert sorted(tables.edges[:, 6])[-2:] == pytest.approx([3.0, 3.0])
    assert len(tables.faces) == 3 + 2 + 2 * 3
    assert len(unique(owned_corners(tables))) == 4


def test_boxes_that_overlap_with_flush_sides_have_each_face_once():
    slabs = box(0.0, 0.0, 1.0, 0.5, 0.2), box(0.5, 0.0, 1.0, 0.5, 0.2)
    tables = build(*slabs)
    assert len(tables.edges) == 8
    points, which = face_points(tables.faces)
    level = np.abs(tables.faces[:, 11]) < 0.5
    area = 4.0 * tables.faces[level, 12] * tables.faces[level, 13]
    assert area.sum() == pytest.approx(0.2 * 2 * (1.5 + 0.5))
    assert covered(points, tables.faces[which, 9:12], tables.faces).all()


def test_edges_of_flush_boxes_with_other_surfaces_stay_apart():
    surfaces = {"ground": Surface(), "ice": Surface(friction=0.1)}
    first, second = box(0.0, 0.0, 1.0, 0.5, 0.2), box(1.0, 0.0, 1.0, 0.5, 0.2)
    icy = type(second)(footprint=second.footprint, top_start=0.2, top_end=0.2, surface="ice")
    tables = build_ground(Terrain(solids=(Plane(), first, icy), surfaces=surfaces), reach=REACH)
    assert len(tables.edges) == 10
    assert set(tables.edges[:, 7]) == set(tables.faces[:, 14]) == {0.0, 1.0}
    assert len(owned_corners(tables)) == 4


def test_a_ramp_onto_a_platform_has_one_crest_and_no_wall_between():
    tables = build(box(0.0, 0.0, 1.0, 1.0, 0.0, top_end=0.3), box(1.0, 0.0, 1.0, 1.0, 0.3))
    crest = np.abs(edge_points(tables.edges)[:, 0] - 0.5) < 1e-9
    assert crest.any()
    crests = tables.edges[
        (np.abs(tables.edges[:, 4]) > 0.5) & (np.abs(tables.edges[:, 0] - 0.5) < 1e-9)
    ]
    assert len(crests) == 1
    assert crests[0, 6] == pytest.approx(1.0)
    walls = tables.faces[np.abs(tables.faces[:, 9]) > 0.99]
    assert walls[:, 0] == pytest.approx([1.5])
    assert (tables.faces[:, 12] < 0).sum() == 2  # below the sloping top
    assert len(tables.edges) == 8
    assert len(unique(owned_corners(tables))) == 4


def test_ramps_side_by_side_have_no_seam():
    tables = build(*(box(0.0, y, 1.0, 0.5, 0.0, top_end=0.3) for y in (0.0, 0.5)))
    assert (np.abs(tables.faces[:, 10]) > 0.99).sum() == 2
    assert len(tables.edges) == 5  # the far edge, two slopes, two upright


def test_a_valley_is_no_edge():
    tables = build(box(0.0, 0.0, 1.0, 1.0, 0.3, top_end=0.1), box(1.0, 0.0, 1.0, 1.0, 0.1))
    across = (np.abs(tables.edges[:, 4]) > 0.5) & (np.abs(tables.edges[:, 0] - 0.5) < 1e-9)
    assert not across.any()


def stairs(count=4, tread=0.3, rise=0.15, width=1.0):
    return [box((k + 0.5) * tread, 0.0, tread, width, (k + 1) * rise) for k in range(count)]


def test_stairs_of_boxes_equal_stairs_of_one_mesh():
    profile = [(1.2, 0.0), (1.2, 0.6)]
    for k in range(3, 0, -1):
        profile += [(0.3 * k, 0.15 * (k + 1)), (0.3 * k, 0.15 * k)]
    profile += [(0.0, 0.15), (0.0, 0.0)]
    boxes, mesh = build(*stairs()), build(mesh_of(*extrude(profile, 1.0)))
    for one, two in ((boxes, mesh), (mesh, boxes)):
        points, which = face_points(one.faces)
        assert covered(points, one.faces[which, 9:12], two.faces).all()
        assert on_edges(edge_points(one.edges), two.edges).max() < 1e-9
    assert unique(owned_corners(boxes)) == unique(owned_corners(mesh))
    assert len(owned_corners(boxes)) == len(owned_corners(mesh)) == 8 + 2


def test_an_overhang_has_an_underside_and_a_block_on_another_has_none():
    tables = build(box(0.0, 0.0, 1.0, 1.0, 0.5, bottom=0.3))
    assert len(tables.faces) == 6
    assert len(tables.edges) == 12
    assert len(unique(owned_corners(tables))) == len(owned_corners(tables)) == 8
    stacked = build(box(0.0, 0.0, 1.0, 1.0, 0.3), box(0.0, 0.0, 1.0, 1.0, 0.5, bottom=0.3))
    assert (stacked.faces[:, 11] < -0.5).sum() == 0
    assert (stacked.faces[:, 11] > 0.5).sum() == 1
    assert len(stacked.edges) == 8


def test_a_top_that_others_cover_together_is_left_out():
    lower = box(0.0, 0.0, 1.0, 0.4, 0.1)
    upper = [box(x, 0.0, 0.5, 0.6, 0.2, bottom=0.1) for x in (-0.25, 0.25)]
    tops = build(lower, *upper).faces
    assert not (np.abs(tops[tops[:, 11] > 0.5, 2] - 0.1) < 1e-9).any()
    tops = build(lower, upper[0]).faces
    assert (np.abs(tops[tops[:, 11] > 0.5, 2] - 0.1) < 1e-9).sum() == 1


def uncovered(own, others, faces):
    """Return the points of a slab's own faces that are free, but not on any of the faces."""
    points, which = face_points(own)
    normals = own[which, 9:12]
    steps = (5e-5, 2e-4, 1e-3)  # also where another slab sticks out by less than the last
    seen = np.all([free(points + d * normals, others, -0.5 * d) for d in steps], axis=0)
    points, normals = points[seen], normals[seen]
    return points[~covered(points, normals, faces, 1.1e-3)].tolist()


def check_scene(slabs, tables):
    """Compare faces and edges with what is free around points of the slabs."""
    alone = [build(slab, plane=False) for slab in slabs]
    for number, own in enumerate(alone):
        others = slabs[:number] + slabs[number + 1 :]
        assert uncovered(own.faces, others, tables.faces) == []
        points, out = box_edges(slabs[number])
        around = [points + 2e-3 * step for step in out]
        seen = np.all([free(place, others, -1e-3) for place in around], axis=0)
        seen &= free(points, others, -1e-4)
        assert on_edges(points[seen], tables.edges).max(initial=0.0) < 1e-4
    points, which = face_points(tables.faces)
    sides = np.abs(tables.faces[which, 11]) < 0.5
    buried = ~free(points + 1e-4 * tables.faces[which, 9:12], slabs, 1e-3)
    assert buried[sides].mean() < 1e-3
    assert free(edge_points(tables.edges), slabs, 1e-3).mean() > 0.999


def box_edges(slab):
    """Return points of all edges, and three places outside of each."""
    corners = slab.footprint.corners
    share = (np.arange(15) + 0.5)[:, None] / 15
    points, steps = [], []
    for k in range(4):
        a, b = corners[k], corners[(k + 1) % 4]
        way = (b - a) / np.linalg.norm(b - a)
        out = np.array([way[1], -way[0], 0.0])
        flat = a + share * (b - a)
        for z, up in ((slab.top_end, 1.0), (slab.bottom, -1.0)):
            points.append(np.column_stack((flat, np.full(15, z))))
            up = np.array([0.0, 0.0, up])
            steps.append([out - up, up - out, out + up])
        before = corners[k - 1] - a
        side, other = np.append(-before / np.linalg.norm(before), 0.0), np.append(-way, 0.0)
        z = slab.bottom + share * (slab.top_end - slab.bottom)
        points.append(np.column_stack((np.tile(a, (15, 1)), z)))
        steps.append([side - other, other - side, side + other])
    steps = np.repeat(np.array(steps), 15, axis=0)
    return np.concatenate(points), np.moveaxis(steps, 1, 0)


@pytest.mark.parametrize("seed", range(6))
def test_features_of_random_boxes_are_those_that_are_free(seed):
    rng = np.random.default_rng(seed)
    slabs = []
    for _ in range(30):
        bottom = rng.choice([0.0, 0.0, 0.2])
        yaw = rng.choice([0.0, 0.5 * np.pi, rng.uniform(0.0, 6.0)])
        x, y = rng.integers(-6, 6, 2) / 5 if seed % 2 else rng.uniform(-1.2, 1.2, 2)
        length, width = rng.integers(1, 5, 2) / 5
        top = bottom + rng.integers(1, 5) / 10
        slabs.append(box(x, y, length, width, top, yaw=yaw, bottom=bottom))
    check_scene(slabs, build(*slabs))


@pytest.mark.parametrize("seed", range(6))
def test_faces_of_random_ramps_are_those_that_are_free(seed):
    rng = np.random.default_rng(seed)
    slabs = []
    for _ in range(20):
        yaw = rng.choice([0.0, 0.5 * np.pi, np.pi, rng.uniform(0.0, 6.0)])
        x, y = rng.integers(-6, 6, 2) / 5 if seed % 2 else rng.uniform(-1.2, 1.2, 2)
        start, end = rng.permutation([0.0, 0.1, 0.2, 0.3, 0.4])[:2]
        slabs.append(box(x, y, *rng.integers(1, 5, 2) / 5, start, yaw=yaw, top_end=end))
    tables = build(*slabs)
    for number, slab in enumerate(slabs):
        others = slabs[:number] + slabs[number + 1 :]
        assert uncovered(build(slab, plane=False).faces, others, tables.faces) == []
    assert free(edge_points(tables.edges), slabs, 1e-3).mean() > 0.97


def test_a_pallet_has_what_is_free_of_its_boards():
    slabs = list(PalletPiece(yaw=0.3).solids())
    tables = build(*slabs)
    check_scene(slabs, tables)
    assert (tables.faces[:, 11] > 0.5).sum() == 3 + 3 + 5  # blocks are covered by stringers


@pytest.mark.parametrize("reach", [0.3, 0.8, 5.0])
def test_the_index_finds_everything_within_reach(reach):
    rng = np.random.default_rng(3)
    slabs = [
        box(*rng.uniform(-5, 5, 2), *rng.uniform(0.1, 2, 2), 0.2, rng.uniform(0, 6))
        for _ in range(60)
    ]
    tables = build(*slabs, reach=reach)
    x0, y0, per_metre, nx, ny = tables.cells
    nx, ny = int(nx), int(ny)
    assert len(tables.face_starts) == len(tables.edge_starts) == nx * ny + 1
    points, which = face_points(tables.faces, 0.1)
    for x, y in rng.uniform(-6, 6, (200, 2)):
        first = np.clip(
            np.floor((np.array([x, y]) - reach - [x0, y0]) * per_metre), 0, [nx - 1, ny - 1]
        )
        last = np.clip(
            np.floor((np.array([x, y]) + reach - [x0, y0]) * per_metre), 0, [nx - 1, ny - 1]
        )
        faces, edges = set(), set()
        for j in range(int(first[1]), int(last[1]) + 1):
            for i in range(int(first[0]), int(last[0]) + 1):
                cell = j * nx + i
                mine = tables.face_items[tables.face_starts[cell] : tables.face_starts[cell + 1]]
                assert (np.diff(mine) > 0).all()
                faces |= set(mine)
                edges |= set(
                    tables.edge_items[tables.edge_starts[cell] : tables.edge_starts[cell + 1]]
                )
        near = np.abs(points[:, :2] - [x, y]).max(axis=1) < reach
        assert set(which[near]) <= faces
        on = tables.edges[:, :2] + 0.5 * tables.edges[:, 6:7] * tables.edges[:, 3:5]
        near = (np.abs(tables.edges[:, :2] - [x, y]).max(axis=1) < reach) | (
            np.abs(on - [x, y]).max(axis=1) < reach
        )
        assert set(np.flatnonzero(near)) <= edges
        assert len(faces) <= tables.most_faces <= len(tables.faces)
        assert len(edges) <= tables.most_edges <= len(tables.edges)


def test_a_wide_ground_has_larger_cells():
    tables = build(*(box(x, y, 1.0, 1.0, 0.2) for x in (0.0, 5e4) for y in (0.0, 5e4)))
    assert tables.cells[3] * tables.cells[4] <= 4_000_000
    assert tables.face_starts[-1] >= len(tables.faces) == 20
    assert (tables.most_faces, tables.most_edges) == (5, 8)


def test_buffers_hold_what_one_place_meets_not_the_whole_ground():
    slabs = [box(2.0 * i, 2.0 * j, 0.5, 0.5, 0.1) for i in range(20) for j in range(20)]
    tables = build(*slabs)
    assert 5 <= tables.most_faces <= 9 * 5
    assert 8 <= tables.most_edges <= 9 * 8


def test_a_box_on_a_slope_or_in_a_field_stands_on_what_is_there():
    slab = box(1.0, 0.0, 1.0, 1.0, 0.4)
    sloping = build_ground(Terrain(solids=(Plane(slope=0.2), slab)), reach=REACH)
    front = sloping.faces[sloping.faces[:, 9] < -0.9][0]
    assert front[2] - front[13] == pytest.approx(np.tan(0.2) * 0.5)
    heights = np.full((21, 21), 0.1)
    field = HeightField(spacing_along=0.2, spacing_across=0.2, heights=heights)
    tables = build_ground(Terrain(solids=(field, slab)), reach=REACH)
    assert len(tables.faces) == 5
    walls = tables.faces[np.abs(tables.faces[:, 11]) < 0.5]
    assert walls[:, 2] - walls[:, 13] == pytest.approx(np.full(4, 0.1))
    sunk = build_ground(Terrain(solids=(Plane(z=0.5), slab)), reach=REACH)
    assert len(sunk.faces) == len(sunk.edges) == 0


def field_height(tables, number, x, y):
    """Return the height of a field as a reader of the tables finds it."""
    row = tables.fields[number]
    dx, dy = x - row[0], y - row[1]
    u, v = (dx * row[2] + dy * row[3]) * row[4], (dy * row[2] - dx * row[3]) * row[5]
    columns = int(row[6])
    i = np.clip(np.floor(u), 0, columns - 2).astype(int)
    j = np.clip(np.floor(v), 0, row[7] - 2).astype(int)
    u, v, at = u - i, v - j, int(row[8]) + j * columns + i
    a, b, c, d = (tables.heights[at + k] for k in (0, 1, columns, columns + 1))
    if row[9] == 1.0:
        return a + np.where(v > u, d - c, b - a) * u + np.where(v > u, c - a, d - b) * v
    upper = u + v > 1.0
    return np.where(upper, d - (d - c) * (1 - u) - (d - b) * (1 - v), a + (b - a) * u + (c - a) * v)


def some_fields(rng):
    first = HeightField(
        x=1.0, y=-2.0, yaw=0.6, spacing_along=0.1, spacing_across=0.25,
        heights=rng.normal(size=(13, 40)),
    )  # fmt: skip
    second = HeightField(
        x=-8.0, y=3.0, spacing_along=0.3, spacing_across=0.2, heights=rng.normal(size=(30, 7))
    )
    return first, second


def test_tables_of_fields_give_their_heights():
    rng = np.random.default_rng(1)
    fields = some_fields(rng)
    tables = build_ground(Terrain(solids=fields), reach=REACH)
    for number, field in enumerate(fields):
        rows, columns = field.heights.shape
        # On the lines between nodes all ways to fill a cell agree.
        u = np.concatenate((rng.uniform(0, columns - 1, 200), rng.integers(0, columns, 200)))
        v = np.concatenate((rng.integers(0, rows, 200), rng.uniform(0, rows - 1, 200)))
        u, v = (
            (u - 0.5 * (columns - 1)) * field.spacing_along,
            (v - 0.5 * (rows - 1)) * field.spacing_across,
        )
        u, v = u * (1 - 1e-12), v * (1 - 1e-12)
        x = field.x + u * np.cos(field.yaw) - v * np.sin(field.yaw)
        y = field.y + u * np.sin(field.yaw) + v * np.cos(field.yaw)
        assert field_height(tables, number, x, y) == pytest.approx(field.height(x, y), abs=1e-9)
        assert tables.fields[number, 15:17] == pytest.approx(
            [field.heights.min(), field.heights.max()]
        )
    assert tables.fields[:, 9].tolist() == [1.0, 1.0]


def test_the_diagonal_of_a_field_is_that_of_the_engine():
    mujoco = pytest.importorskip("mujoco")
    rng = np.random.default_rng(5)
    heights = rng.uniform(0.0, 1.0, (4, 5))
    heights[0, 0], heights[-1, -1] = 0.0, 1.0
    field = HeightField(spacing_along=0.5, spacing_across=0.5, heights=heights)
    tables = build_ground(Terrain(solids=(field,)), reach=REACH)
    spec = mujoco.MjSpec()
    spec.add_hfield(
        name="f", nrow=4, ncol=5, size=[1.0, 0.75, 1.0, 0.1], userdata=heights.ravel().tolist()
    )
    spec.worldbody.add_geom(type=mujoco.mjtGeom.mjGEOM_HFIELD, hfieldname="f")
    model = spec.compile()
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    geom = np.zeros(1, np.int32)
    for x, y in rng.uniform(-0.7, 0.7, (50, 2)):
        down = mujoco.mj_ray(model, data, [x, y, 3.0], [0, 0, -1.0], None, 1, -1, geom)
        assert field_height(tables, 0, np.array([x]), np.array([y]))[0] == pytest.approx(
            3.0 - down, abs=1e-6
        )


def test_tiles_bound_the_ground_within_half_a_tile():
    rng = np.random.default_rng(2)
    fields = some_fields(rng)
    tables = build_ground(Terrain(solids=fields), reach=REACH)
    for number, row in enumerate(tables.fields):
        first, per_metre, across, along = int(row[11]), row[12], int(row[13]), int(row[14])
        tiles = tables.tiles[first : first + across * along].reshape(along, across)
        assert 1.0 / per_metre >= REACH
        rows, columns = fields[number].heights.shape
        length, width = (columns - 1) / row[4], (rows - 1) / row[5]
        for u, v in rng.uniform(0, 1, (100, 2)) * [length, width]:
            i = int(np.clip(u * per_metre - 0.5, 0, across - 2))
            j = int(np.clip(v * per_metre - 0.5, 0, along - 2))
            du, dv = rng.uniform(-0.5, 0.5, (2, 300)) / per_metre
            a, b = np.clip(u + du, 0, length), np.clip(v + dv, 0, width)
            x, y = row[0] + a * row[2] - b * row[3], row[1] + a * row[3] + b * row[2]
            assert (
                field_height(tables, number, x, y).max() <= tiles[j : j + 2, i : i + 2].max() + 1e-9
            )


def test_holes_of_a_field_are_far_below():
    heights = np.zeros((5, 5))
    heights[2, 2] = np.nan
    field = HeightField(spacing_along=1.0, spacing_across=1.0, heights=heights)
    tables = build_ground(Terrain(solids=(field,)), reach=REACH)
    assert tables.heights.min() == -1e30
    assert tables.fields[0, 15:17].tolist() == [0.0, 0.0]
