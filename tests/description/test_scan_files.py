"""Points and triangles of scans, from files with known numbers."""

import struct
from pathlib import Path

import numpy as np
import pytest
import trimesh

from grouser import limits
from grouser.description.scan_files import ENDINGS, Scan, cover_triangles, read_scan
from grouser.description.scan_pcd import unpack_lzf
from grouser.errors import InvalidDescription
from tests.description.scans import (
    POINTS,
    las,
    pack_lzf,
    pcd,
    pcd_binary,
    pcd_packed,
    pcd_text,
    ply_points,
)

ROWS = "".join(f"{x} {y} {z} 200 17\n" for x, y, z in POINTS)
FILES = {
    "text.pcd": pcd_text(),
    "bytes.pcd": pcd_binary(),
    "packed.PCD": pcd_packed(),
    "old.las": las(),
    "new.las": las(kind=6, minor=4),
    "cloud.ply": ply_points(),
    "cloud.obj": "".join(f"v {x} {y} {z}\n" for x, y, z in POINTS).encode(),
    "plain.xyz": ROWS.encode(),
    "commas.csv": b"x,y,z,intensity,ring\n" + ROWS.replace(" ", ",").encode(),
    "semicolons.txt": b"// a remark\n4\n" + ROWS.replace(" ", ";").encode(),
    "remark.asc": b"# x y z\n" + ROWS.encode() + b"# the end\n",
}


@pytest.mark.parametrize("name", FILES)
def test_points_are_those_of_the_file(tmp_path: Path, name: str):
    (tmp_path / name).write_bytes(FILES[name])
    scan = read_scan(tmp_path / name)
    assert scan.points == pytest.approx(POINTS, abs=1e-9)
    assert len(scan.triangles) == 0


@pytest.mark.parametrize("kind", ["stl", "obj", "ply", "glb"])
def test_an_open_mesh_is_read_with_its_triangles(tmp_path: Path, kind: str):
    corners = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]])
    mesh = trimesh.Trimesh(corners, [[0, 1, 2], [0, 2, 3]], process=False)
    mesh.export(tmp_path / f"floor.{kind}")
    scan = read_scan(tmp_path / f"floor.{kind}")
    assert len(scan.triangles) == 2
    covered = cover_triangles(tmp_path, scan, 0.1)
    assert np.ptp(covered, axis=0)[:2].max() == pytest.approx(1.0)
    every = np.stack(np.meshgrid(*(np.linspace(0.0, 1.0, 9),) * 2), -1).reshape(-1, 2)
    flat = covered[:, [0, 2]] if kind == "glb" else covered[:, :2]  # its y axis points up
    distance = np.linalg.norm(every[:, None] - np.abs(flat), axis=-1).min(axis=1)
    assert distance.max() < 0.1


def test_noise_of_a_survey_is_left_out(tmp_path: Path):
    for kind, minor in ((1, 2), (6, 4)):
        (tmp_path / "a.las").write_bytes(las(kind=kind, minor=minor, noise=(1, 2)))
        assert read_scan(tmp_path / "a.las").points == pytest.approx(POINTS[[0, 3]], abs=1e-9)


@pytest.mark.parametrize("data", [b"a", b"abcabcabcabc" * 9, bytes(1000), bytes(range(256)) * 40])
def test_lzf_unpacks_what_was_packed(data: bytes):
    packed = pack_lzf(data)
    assert unpack_lzf(packed, len(data)) == data
    with pytest.raises((ValueError, IndexError)):
        unpack_lzf(packed, len(data) - 1)


HUGE = limits.SCAN_POINTS + 1
REFUSED = {
    "cloud.laz": (las(), "is compressed LAS, which is not read: unpack it first"),
    "cloud.e57": (b"", "must be a file that ends in .stl, .obj, .ply, .glb, .pcd, .las, .xyz"),
    "none.xyz": (b"", "it has no row of three numbers"),
    "words.xyz": (b"a b c\n" * 200, "its first 100 lines have no row of three numbers"),
    "ragged.xyz": (b"1 2 3\n4 5\n", "cannot be read as XYZ"),
    "none.pcd": (pcd("ascii", b"", count=0), "has no points"),
    "headless.pcd": (b"1 2 3\n", "it has no head"),
    "flat.pcd": (pcd_text().replace(b"rest z", b"rest w"), "its points have no z"),
    "short.pcd": (pcd_binary()[:-1], "it is cut off"),
    "huge.pcd": (pcd("binary", b"", count=HUGE), "must have at most 20,000,000 points"),
    "bomb.pcd": (
        pcd("binary_compressed", struct.pack("<II", 2, 14 * 9_000_000) + b"\0a", count=9_000_000),
        "its packed bytes are damaged",
    ),
    "torn.pcd": (pcd_packed()[:-3], "it is cut off"),
    "short.las": (las()[:-1], "it is cut off"),
    "other.las": (b"LASER" + bytes(400), "it is cut off|it does not begin with|points of format"),
    "packed.las": (las(kind=1 | 0x80), "its points are compressed"),
    "corner.obj": (b"v 0 0 0\nf 1 2 3\n", "has triangles whose corners it does not list"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_file_with_a_mistake_gets_a_sentence(tmp_path: Path, name: str):
    content, sentence = REFUSED[name]
    (tmp_path / name).write_bytes(content)
    with pytest.raises(InvalidDescription, match=sentence):
        read_scan(tmp_path / name)


def test_a_surface_that_needs_too_many_points_is_refused(tmp_path: Path):
    corners = np.array([[0.0, 0.0, 0.0], [1e4, 0.0, 0.0], [0.0, 1e4, 0.0]])
    with pytest.raises(InvalidDescription, match=r"would need [\d,]+ points of 20,000,000"):
        cover_triangles(tmp_path, Scan(corners, np.array([[0, 1, 2]])), 0.01)


def test_every_ending_is_in_the_help():
    assert ENDINGS == (
        ".stl", ".obj", ".ply", ".glb", ".pcd", ".las", ".xyz", ".txt", ".csv", ".asc",
    )  # fmt: skip
