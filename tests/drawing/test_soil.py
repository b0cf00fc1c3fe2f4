"""Soft ground: its sheet, its tiles, and the floor around it."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from grouser.description import load_course, parse_course
from grouser.description.solids import Plane
from grouser.description.surface import Rectangle
from grouser.drawing.floor_pieces import cut_floor
from grouser.drawing.ground_mesh import slab_mesh, without_top
from grouser.drawing.rut_colours import DEPTHS, RUTS, depth_bands, legend, soil_colour
from grouser.drawing.soil_sheet import SoilSheet
from grouser.drawing.soil_tiles import SHALLOWEST, TILE, Sheet, SoilTiles, merge_cells, palette
from grouser.models.ground.ruts import RutGrid

BIN = load_course("soil-bin")
HEAP = """
name = "heap"
[[terrain]]
kind = "plane"
[[terrain]]
kind = "box"
surface = "sand"
x_m = 1.0
length_m = 1.0
width_m = 1.0
height_m = 0.2
[[terrain]]
kind = "box"
x_m = 3.0
length_m = 1.0
width_m = 1.0
height_m = 0.3
[surfaces.sand]
soil = "dry-sand"
"""


def grid(x: float = -2.0, y: float = -4.0, shape: tuple[int, int] = (400, 550)) -> RutGrid:
    return RutGrid(x=x, y=y, cell=0.02, depth=np.zeros(shape))


def areas(sheets: dict[str, Sheet | None]) -> float:
    """Return the sum of the areas of meshes, seen from above [m^2]."""
    total = 0.0
    for sheet in filter(None, sheets.values()):
        a, b, c = sheet.vertices[sheet.faces, :2].swapaxes(0, 1)
        u, v = b - a, c - a
        signed = 0.5 * (u[:, 0] * v[:, 1] - u[:, 1] * v[:, 0])
        assert (signed > 0.0).all()  # all faces look up
        total += signed.sum()
    return float(total)


@pytest.mark.parametrize("seed", range(3))
def test_squares_cover_every_cell_once_in_its_colour(seed):
    random = np.random.default_rng(seed)
    colours = np.kron(random.integers(-1, 3, (8, 16)), np.ones((TILE // 4, TILE // 8), np.intp))
    colours[5, 7], colours[6, 9] = 4, -1
    quads = merge_cells(colours, np.zeros((2 * TILE + 1, 2 * TILE + 1)))
    painted = np.full_like(colours, -1)
    for row, column, size, colour in zip(*quads, strict=True):
        part = painted[row : row + size, column : column + size]
        assert (part == -1).all()
        part[:] = colour
    assert (painted == colours).all()
    assert len(quads.row) < 0.1 * colours.size


def test_squares_do_not_cut_the_ground_short():
    y, x = np.mgrid[: TILE + 1, : TILE + 1].astype(float)
    flat = np.zeros((TILE, TILE), np.intp)
    assert len(merge_cells(flat, 0.01 * x - 0.02 * y).row) == 1  # a tilted plane
    heights = np.where(x < TILE // 2, 0.0, 0.01 * (x - TILE // 2))  # a bend in the middle
    assert set(merge_cells(flat, heights).size) == {TILE // 2}
    heights[10, 10] = -0.02
    quads = merge_cells(flat, heights)
    around = (abs(quads.row - 9.5) <= 0.5) & (abs(quads.column - 9.5) <= 0.5)
    assert around.sum() == 4
    assert (quads.size[around] == 1).all()


def test_the_sheet_surrounds_the_soft_ground_only():
    sheet = SoilSheet.of(BIN.terrain, grid())
    where = sheet.rectangle
    # Lanes from x = -1 to 7 and y = -3 to 1.5, a cell more at each side.
    assert (where.x, where.y) == pytest.approx((3.0, -0.75), abs=0.021)
    assert (where.length, where.width) == pytest.approx((8.0, 4.5), abs=0.09)
    assert where.length >= 8.0
    assert set(np.unique(sheet.surfaces)) == {0, 1, 2, 3}
    assert (sheet.heights == 0.0).all()
    assert sheet.depth.shape == sheet.heights.shape


def test_ruts_lower_the_sheet_by_their_depth_and_nothing_else():
    ruts = grid()
    tiles = SoilTiles(sheet := SoilSheet.of(BIN.terrain, ruts))
    meshes = tiles.begin()
    area = sheet.rectangle.length * sheet.rectangle.width
    assert areas(meshes) == pytest.approx(area, rel=0.01)
    assert tiles.update(sheet.depth) == {}
    ruts.depth[100:106, 120:280] = 0.03
    meshes |= tiles.update(sheet.depth)
    assert areas(meshes) == pytest.approx(area, rel=0.01)
    assert tiles.deepest == 0.03
    corners = np.concatenate([each.vertices for each in meshes.values() if each is not None])
    column = np.rint((corners[:, 0] - ruts.x) / ruts.cell).astype(int)
    row = np.rint((corners[:, 1] - ruts.y) / ruts.cell).astype(int)
    assert_allclose(corners[:, 2], -ruts.depth[row, column])
    assert (corners[:, 2] < -0.02).sum() > 200


def test_only_tiles_with_new_ruts_are_made_again():
    ruts = grid()
    tiles = SoilTiles(sheet := SoilSheet.of(BIN.terrain, ruts))
    meshes = tiles.begin()
    sheet.depth[10:14, 10:40] = 0.02
    first = tiles.update(sheet.depth)
    assert {name.split(".")[0] for name in first} == {"tile0-0", "block0-0"}
    sheet.depth[10:14, 40:50] = 0.02
    assert {name.split(".")[0] for name in tiles.update(sheet.depth)} == {"tile0-0"}
    sheet.depth[10:14, 50:54] = 0.5 * SHALLOWEST
    assert all(name.startswith("tile0-0.") for name in tiles.update(sheet.depth))
    assert tiles.update(sheet.depth) == {}
    sheet.depth[12, TILE] = 0.02  # the edge of two tiles
    touched = {name.split(".")[0] for name in tiles.update(sheet.depth)}
    assert touched == {"tile0-0", "tile0-1", "block0-0"}
    sheet.depth[:] = 0.0
    last = tiles.update(sheet.depth)
    assert all((each is None) == name.startswith("tile") for name, each in last.items())
    for name, each in last.items():
        if each is not None:
            assert_allclose(each.vertices, meshes[name].vertices)


def test_soft_solids_are_part_of_the_sheet_and_firm_ones_stand_on_it():
    course = parse_course(HEAP, "heap.toml")
    sheet = SoilSheet.of(course.terrain, grid(shape=(400, 400)))
    assert [solid.x for solid in (each.footprint for each in sheet.soft)] == [1.0]
    assert sheet.heights.max() == 0.2
    row, column = (int(np.argmin(abs(axis - at))) for axis, at in ((sheet.y, 0.0), (sheet.x, 1.0)))
    assert sheet.heights[row, column] == 0.2
    open_topped = without_top(slab_mesh(course.terrain.slabs[0]))
    assert (open_topped.face_normals[:, 2] < 0.01).all()
    assert len(open_topped.faces) == 10


def test_where_the_ground_ends_the_sheet_ends():
    floor = '[[terrain]]\nkind = "plane"\n'
    assert floor in HEAP
    course = parse_course(HEAP.replace(floor, ""), "heap.toml")
    tiles = SoilTiles(SoilSheet.of(course.terrain, grid(shape=(400, 400))))
    assert areas(tiles.begin()) == pytest.approx(1.0, rel=0.1)


@pytest.mark.parametrize(
    "plane", [Plane(), Plane(z=0.3, slope=0.4), Plane(z=-0.1, cross_slope=-0.2)]
)
def test_four_pieces_surround_a_hole(plane):
    hole = Rectangle(x=1.3, y=-2.0, length=3.1, width=5.7)
    pieces = cut_floor(plane, (2.0, 1.0), 20.0, hole, 1.0)
    random = np.random.default_rng(1)
    xy = random.uniform(-15.0, 15.0, (2000, 2))
    z = plane.top[0] * xy[:, 0] + plane.top[1] * xy[:, 1] + plane.z
    covered = np.zeros(len(xy), int)
    origin = None
    for piece in pieces:
        local = piece.rotation.inv().apply(np.column_stack((xy, z)) - piece.centre)
        assert_allclose(local[:, 2], 0.0, atol=1e-9)
        covered += (abs(local[:, :2]) < 0.5 * np.array(piece.size)).all(axis=1)
        place = piece.rotation.inv().apply(piece.centre)[:2]
        origin = place if origin is None else origin
        assert_allclose(np.rint(place - origin), place - origin, atol=1e-9)
    assert (covered == np.where(hole.contains(*xy.T), 0, 1)).all()


def test_a_hole_larger_than_the_floor_is_still_surrounded():
    hole = Rectangle(x=0.0, y=0.0, length=100.0, width=100.0)
    for piece in cut_floor(Plane(), (0.0, 0.0), 20.0, hole, 1.0):
        assert min(piece.size) > 0.0


def test_every_depth_has_a_colour_and_the_legend_ends_at_the_deepest():
    assert depth_bands(np.array([0.0, 0.0009, 0.001, 0.03, 1.0])).tolist() == [0, 0, 1, 5, 7]
    assert len(DEPTHS) == len(RUTS)
    assert legend(0.0005) == []
    words = [word for _, word in legend(0.012)]
    assert words == ["1 to 2 mm", "2 to 5 mm", "5 to 10 mm", "10 to 20 mm"]
    assert legend(0.2)[-1] == (RUTS[-1], "over 100 mm")
    # Deeper is darker, for those who see no colours.
    assert (np.diff(np.array(RUTS).mean(axis=1)) < 0.0).all()


def test_soils_are_told_apart_and_firm_ground_is_none_of_them():
    firm = (0.5, 0.5, 0.5)
    colours = palette(BIN.terrain.surfaces, firm)
    assert len(set(colours)) == len(colours) == 4 + len(RUTS)
    assert colours[list(BIN.terrain.surfaces).index("ground")] == firm
    assert colours[list(BIN.terrain.surfaces).index("snow")] == soil_colour("snow")
