import math
import struct
import sys
import zlib
from pathlib import Path

import numpy as np
import pytest
from PIL import Image, TiffImagePlugin

from grouser.description.file_pieces import HeightFieldPiece
from grouser.description.height_files import read_heights
from grouser.description.heightfield import HeightField
from grouser.description.solids import Plane
from grouser.description.terrain import Terrain
from grouser.errors import InvalidDescription, MissingExtra

HEIGHTS = np.array([[0.0, 0.1, 0.4], [0.2, 0.5, 0.3]])
FIELD = HeightField(x=1.0, y=2.0, spacing_along=0.5, spacing_across=0.25, heights=HEIGHTS)


def test_nodes_have_their_heights():
    x, y = np.meshgrid([0.5, 1.0, 1.5], [1.875, 2.125])
    assert FIELD.height(x, y) == pytest.approx(HEIGHTS)


def test_each_cell_is_two_triangles_with_the_rising_diagonal():
    assert FIELD.height(0.75, 2.0) == pytest.approx(np.mean([0.0, 0.5]))
    assert FIELD.height(1.125, 1.875) == pytest.approx(0.75 * 0.1 + 0.25 * 0.4)
    below, above = FIELD.height(0.875, 1.9375), FIELD.height(0.625, 2.0625)
    assert below == pytest.approx(0.25 * 0.0 + 0.5 * 0.1 + 0.25 * 0.5)
    assert above == pytest.approx(0.25 * 0.0 + 0.5 * 0.2 + 0.25 * 0.5)


def test_a_turned_field_has_the_same_nodes_and_the_other_diagonal():
    x, y = np.meshgrid([0.5, 1.0, 1.5], [1.875, 2.125])
    assert FIELD.turned.height(x, y) == pytest.approx(HEIGHTS)
    assert FIELD.turned.height(0.75, 2.0) == pytest.approx(np.mean([0.1, 0.2]))
    assert FIELD.turned.turned.height(0.75, 2.0) == pytest.approx(np.mean([0.0, 0.5]))


def test_the_file_states_the_diagonal_as_seen_on_a_map():
    corners = ((0.0, 0.0), (0.0, 1.0))  # a peak at the lower right
    rising = HeightFieldPiece(heights=corners, spacing=1.0)
    falling = HeightFieldPiece(heights=corners, spacing=1.0, diagonal="falling")
    assert float(rising.solids()[0].height(0.0, 0.0)) == 0.0
    assert float(falling.solids()[0].height(0.0, 0.0)) == pytest.approx(0.5)


def test_the_engine_cuts_cells_along_the_same_diagonal():
    import mujoco

    spec = mujoco.MjSpec()
    size = [0.5, 0.125, 1.0, 0.1]
    spec.add_hfield(name="f", nrow=2, ncol=3, size=size, userdata=HEIGHTS.ravel().tolist())
    spec.worldbody.add_geom(type=mujoco.mjtGeom.mjGEOM_HFIELD, hfieldname="f", pos=[1.0, 2.0, 0.0])
    model = spec.compile()
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    # The engine scales heights to a range from 0 to 1.
    stretched = FIELD.heights.max()
    for x, y in np.random.default_rng(0).uniform((0.51, 1.88), (1.49, 2.12), (50, 2)):
        fall = mujoco.mj_rayHfield(
            model, data, 0, np.array([x, y, 9.0]), np.array([0.0, 0.0, -1.0])
        )
        assert (9.0 - fall) * stretched == pytest.approx(FIELD.height(x, y), abs=1e-6)


def test_gradient_is_that_of_the_height():
    step = 1e-6
    for x, y in ((0.6, 1.9), (0.9, 2.1), (1.2, 2.0), (1.4, 1.95)):
        gradient = FIELD.gradient(x, y)
        along_x = (FIELD.height(x + step, y) - FIELD.height(x - step, y)) / (2.0 * step)
        along_y = (FIELD.height(x, y + step) - FIELD.height(x, y - step)) / (2.0 * step)
        assert gradient == pytest.approx((along_x, along_y), abs=1e-9)


def test_a_turned_field_turns_its_heights_and_its_gradient():
    turned = HeightField(
        yaw=math.radians(90.0), spacing_along=0.5, spacing_across=0.25, heights=HEIGHTS
    )
    plain = HeightField(spacing_along=0.5, spacing_across=0.25, heights=HEIGHTS)
    assert turned.height(-0.05, 0.3) == pytest.approx(plain.height(0.3, 0.05))
    along, across = plain.gradient(0.3, 0.05)
    assert turned.gradient(-0.05, 0.3) == pytest.approx((-across, along))


def test_outside_there_is_nothing():
    assert np.isnan(FIELD.height(np.array([0.49, 1.51, 1.0, 1.0]), [2.0, 2.0, 1.87, 2.13])).all()
    assert np.isfinite(FIELD.height(np.array([0.5, 1.5]), 2.125)).all()


def test_a_node_without_height_makes_a_hole_through_which_the_plane_shows():
    heights = np.full((3, 3), 0.5)
    heights[0, 0] = np.nan
    field = HeightField(spacing_along=1.0, spacing_across=1.0, heights=heights)
    terrain = Terrain(solids=(Plane(), field))
    assert terrain.height(np.array([-0.5, 0.5]), -0.5).tolist() == [0.0, 0.5]
    assert terrain.height(-0.5, -0.5) == 0.0


def test_a_terrain_asks_the_field_for_its_normal():
    height, normal = Terrain(solids=(Plane(), FIELD)).at(0.75, 2.0)
    gradient_x, gradient_y = FIELD.gradient(0.75, 2.0)
    assert height == FIELD.height(0.75, 2.0)
    expected = np.array([-gradient_x, -gradient_y, 1.0])
    assert normal == pytest.approx(expected / np.linalg.norm(expected))


def test_rows_are_written_as_seen_on_a_map():
    piece = HeightFieldPiece(heights=((1.0, 2.0), (3.0, 4.0)), spacing=1.0, base=0.5)
    (field,) = piece.solids()
    corners_of_map = [(-0.5, 0.5), (0.5, 0.5), (-0.5, -0.5), (0.5, -0.5)]
    assert [float(field.height(x, y)) for x, y in corners_of_map] == [1.5, 2.5, 3.5, 4.5]


@pytest.mark.parametrize("bits", [8, 16])
def test_a_grey_picture_has_black_low_and_white_high(tmp_path: Path, bits: int):
    full = 2**bits - 1
    grey = np.array([[0, full, full // 5], [full // 3, 0, full]])
    Image.fromarray(grey.astype(f"uint{bits}")).save(tmp_path / "bumps.png")
    heights, spacings, _ = read_heights(tmp_path / "bumps.png", (-0.1, 0.4))
    assert heights == pytest.approx(-0.1 + 0.5 * grey / full)
    assert spacings is None


def save_map(path: Path, heights: np.ndarray, geographic: bool = False) -> Path:
    tags = TiffImagePlugin.ImageFileDirectory_v2()
    tags.tagtype[33550], tags[33550] = 12, (2.0, 3.0, 0.0)
    tags.tagtype[34735], tags[34735] = 3, (1, 1, 0, 1, 1024, 0, 1, 2 if geographic else 1)
    tags.tagtype[42113], tags[42113] = 2, "-9999"
    Image.fromarray(heights).save(path, tiffinfo=tags)
    return path


def test_a_map_has_heights_in_metres_and_its_own_spacings(tmp_path: Path):
    numbers = np.array([[401.5, 402.25], [-9999.0, 400.0], [0.0, 1.0]], dtype=np.float32)
    heights, spacings, _ = read_heights(save_map(tmp_path / "dem.tif", numbers), None)
    assert spacings == (2.0, 3.0)
    assert math.isnan(heights[1, 0])
    assert np.nan_to_num(heights, nan=-9999.0) == pytest.approx(numbers)


def test_a_map_becomes_a_field_of_its_size(tmp_path: Path):
    numbers = np.array([[1.0, 2.0], [3.0, 4.0]], dtype=np.float32)
    piece = HeightFieldPiece(file=save_map(tmp_path / "dem.tif", numbers), x=10.0)
    (field,) = piece.solids()
    assert (field.footprint.length, field.footprint.width) == (2.0, 3.0)
    assert field.height(9.0, 1.5) == pytest.approx(1.0)


def test_a_map_in_degrees_is_refused(tmp_path: Path):
    file = save_map(tmp_path / "dem.tif", np.zeros((2, 2), np.float32), geographic=True)
    with pytest.raises(InvalidDescription, match="measured in degrees; project it to metres"):
        read_heights(file, None)


def test_pictures_that_cannot_be_heights_are_refused(tmp_path: Path):
    Image.new("RGB", (3, 3)).save(tmp_path / "colour.png")
    Image.new("L", (3, 3)).save(tmp_path / "grey.png")
    Image.new("L", (1, 3)).save(tmp_path / "line.png")
    (tmp_path / "text.png").write_text("no picture")
    save_map(tmp_path / "dem.tif", np.zeros((2, 2), np.float32))
    for name, height_range, mistake in (
        ("colour.png", (0.0, 1.0), "must be grey with 8 bits or more, not 'RGB'"),
        ("grey.png", None, "needs height_range_m"),
        ("line.png", (0.0, 1.0), "must have 2 x 2 pixels at least"),
        ("text.png", (0.0, 1.0), "cannot be read"),
        ("missing.png", (0.0, 1.0), "there is no such file"),
        ("dem.tif", (0.0, 1.0), "are metres already: leave out height_range_m"),
    ):
        with pytest.raises(InvalidDescription, match=mistake):
            read_heights(tmp_path / name, height_range)


def test_a_picture_without_spacing_is_refused(tmp_path: Path):
    Image.new("L", (3, 3)).save(tmp_path / "grey.png")
    piece = HeightFieldPiece(file=tmp_path / "grey.png", height_range=(0.0, 1.0))
    with pytest.raises(InvalidDescription, match="so spacing_m must be given"):
        piece.solids()


def test_without_pillow_the_error_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "PIL", None)
    with pytest.raises(MissingExtra, match=r"'pillow', .*pip install 'grouser\[terrain\]'"):
        read_heights(Path("bumps.png"), (0.0, 1.0))


def test_what_only_claims_to_be_a_picture_is_refused_before_it_fills_the_memory(tmp_path):
    size = struct.pack(">II5B", 60_000, 60_000, 8, 0, 0, 0, 0)
    chunk = b"IHDR" + size
    header = struct.pack(">I", len(size)) + chunk + struct.pack(">I", zlib.crc32(chunk))
    end = struct.pack(">I", 0) + b"IDAT" + struct.pack(">I", zlib.crc32(b"IDAT"))
    (tmp_path / "bomb.png").write_bytes(b"\x89PNG\r\n\x1a\n" + header + end)
    with pytest.raises(InvalidDescription, match=r"bomb\.png: .*(pixels|DecompressionBomb)"):
        read_heights(tmp_path / "bomb.png", (0.0, 1.0))
    with pytest.raises(InvalidDescription, match="/dev/zero: this is not a regular file"):
        read_heights(Path("/dev/zero"), (0.0, 1.0))


@pytest.mark.parametrize(
    ("heights", "mistake"),
    [
        (np.full((2, 2), np.inf), "heights must be from -100000 to 100000 m, not from inf to inf"),
        (np.full((2, 2), 1e30), "heights must be from -100000 to 100000 m"),
        (np.full((2, 2), np.nan), "every pixel is without data"),
    ],
)
def test_a_map_of_no_ground_is_refused(tmp_path, heights, mistake):
    save_map(tmp_path / "dem.tif", heights.astype(np.float32))
    with pytest.raises(InvalidDescription, match=mistake):
        read_heights(tmp_path / "dem.tif", None)


def test_a_map_needs_a_scale_that_makes_sense(tmp_path):
    for scale in ((0.0, 1.0, 0.0), (1e-300, 1.0, 0.0), (math.inf, 1.0, 0.0), (1.0,)):
        tags = TiffImagePlugin.ImageFileDirectory_v2()
        tags[33550] = scale
        tags.tagtype[33550] = 12
        Image.fromarray(np.zeros((2, 2), np.float32)).save(tmp_path / "dem.tif", tiffinfo=tags)
        with pytest.raises(InvalidDescription, match="scale of the map .* from 1e-06 to 100000 m"):
            read_heights(tmp_path / "dem.tif", None)
