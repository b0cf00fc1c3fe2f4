"""Readers of mesh files: the same triangles as another reader finds, and no more than promised."""

import io
import struct
import tracemalloc
from pathlib import Path

import numpy as np
import pytest
import trimesh

from grouser.description.mesh_file import read_drawn_mesh, read_mesh
from grouser.errors import InvalidDescription
from tests.viewer import bombs

MIXED = trimesh.util.concatenate(
    [
        trimesh.creation.icosphere(subdivisions=2),
        trimesh.creation.box().apply_translation((4, 1, 2)),
    ]
)


def corners(vertices: np.ndarray, triangles: np.ndarray) -> np.ndarray:
    """Return the corners of all triangles in an order that does not depend on the file's."""
    found = np.round(np.asarray(vertices, np.float64), 3)[np.asarray(triangles)] + 0.0
    first = np.lexsort(found.transpose(2, 0, 1)[::-1], axis=1)[:, 0]
    found = np.stack([np.roll(one, -k, axis=0) for one, k in zip(found, first, strict=True)])
    return found[np.lexsort(found.reshape(-1, 9).T)]


def read(folder: Path, name: str, content: bytes | str) -> np.ndarray:
    (folder / name).write_bytes(content.encode() if isinstance(content, str) else content)
    return corners(*read_drawn_mesh(folder / name, 1.0))


@pytest.mark.parametrize(
    ("ending", "how"),
    [
        ("stl", {"file_type": "stl"}),
        ("stl", {"file_type": "stl_ascii"}),
        ("obj", {"file_type": "obj"}),
        ("ply", {"file_type": "ply"}),
        ("ply", {"file_type": "ply", "encoding": "ascii"}),
    ],
)
def test_files_of_another_program_have_the_same_triangles(tmp_path, ending, how):
    content = MIXED.export(**how)
    found = read(tmp_path, f"a.{ending}", content)
    assert found == pytest.approx(corners(MIXED.vertices, MIXED.faces), abs=2e-3)


def test_nodes_of_a_scene_are_placed_as_another_reader_places_them(tmp_path):
    scene = trimesh.Scene()
    random = np.random.default_rng(3)
    for k in range(5):
        place = trimesh.transformations.random_rotation_matrix(random.random(3))
        place[:3, 3] = random.normal(size=3)
        place[:3, :3] *= (-1.0 if k == 2 else 1.0) * (1.0 + k)
        scene.add_geometry(MIXED, node_name=f"{k}", geom_name="ball", transform=place)
    content = scene.export(file_type="glb")
    other = trimesh.load_mesh(io.BytesIO(content), file_type="glb", process=False)
    turned = np.asarray(other.vertices)[:, [0, 2, 1]] * (1.0, -1.0, 1.0)
    found = read(tmp_path, "a.glb", content)
    assert found == pytest.approx(corners(turned, other.faces), abs=2e-3)


def test_strips_and_fans_without_numbers_become_triangles(tmp_path):
    points = np.array([(0, 0, 0), (1, 0, 0), (0, 1, 0), (1, 1, 0), (0, 2, 0)], np.float32)
    content, data = bombs.glb_of(trimesh.Trimesh(points, [(0, 1, 2)], process=False))
    areas = []
    for mode in (5, 6):
        part = {"attributes": {"POSITION": 0}, "mode": mode}
        content["meshes"] = [{"primitives": [part]}]
        found = read(tmp_path, "a.glb", bombs.glb(content, data))
        areas.append(np.cross(found[:, 1] - found[:, 0], found[:, 2] - found[:, 0])[:, 1])
    assert len(areas[0]) == len(areas[1]) == 3
    assert (areas[0] < 0.0).all()  # all look the same way: z of the file is -y here


def test_a_ply_of_mixed_faces_big_endian_with_more_in_it(tmp_path):
    points = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (0, 0, 1)]
    faces = [(0, 3, 2, 1), (0, 1, 4), (1, 2, 4), (2, 3, 4), (3, 0, 4)]
    head = (
        "ply\nformat binary_big_endian 1.0\ncomment x\nelement tag 2\nproperty list uchar char a\n"
        "element vertex 5\nproperty double x\nproperty double y\nproperty double z\n"
        "property uchar red\nelement face 5\nproperty float q\n"
        "property list uchar ushort vertex_index\nend_header\n"
    )
    body = b"\1\7\2\7\7" + b"".join(struct.pack(">dddB", *point, 9) for point in points)
    for face in faces:
        body += struct.pack(f">fB{len(face)}H", 0.5, len(face), *face)
    (tmp_path / "a.ply").write_bytes(head.encode() + body)
    assert len(read_mesh(tmp_path / "a.ply", None).triangles) == 6


def test_an_obj_counts_back_and_has_faces_of_many_corners(tmp_path):
    text = (
        "# a pyramid\nmtllib /etc/passwd\no one\nv 0 0 0\nv 1 0 0 1.0 0.2 0.2 0.2\nv 1 1 0\n"
        "v 0 1 0\nf -1 -2 -3 -4\nv 0 0 1\nvn 0 0 1\nusemtl a\ng b\nf 1//1 2//1 5//1\n"
        "f 2/1 3/1 5/1\nf 3/1/1 4 \\\n5\nf 4 1 5\nl 1 2\n"
    )
    (tmp_path / "a.obj").write_text(text)
    assert len(read_mesh(tmp_path / "a.obj", None).triangles) == 6


REFUSED = {
    "instances": "must have at most 4,000,000 triangles",
    "nested instances": "must have at most 100,000 nodes",
    "cyclic nodes": "must have at most 100,000 nodes",
    "draco": "is compressed (KHR_draco_mesh_compression), which is not read",
    "accessor without bytes": "has numbers that it does not list",
    "accessor that lies": "counts 2,000,000,000 numbers where it has bytes for fewer",
    "sparse accessor": "has numbers that it does not list",
    "face of many corners": "line 5 has more than 1,048,576 bytes",
    "corners counted back": "has no triangles, or some whose corners it does not list",
    "huge triangles": "within 100000 m of its origin",
    "lying STL": "has no triangles",
    "lying PLY": "must have at most 12,000,000 corners",
    "long list in a PLY": "cannot be read as PLY (ValueError: it is cut off)",
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_promises_too_much_is_refused_before_it_is_made(tmp_path, name):
    file, make = (bombs.FOUND | bombs.MORE)[name]
    (tmp_path / file).write_bytes(make())
    tracemalloc.start()
    with pytest.raises(InvalidDescription) as caught:
        read_mesh(tmp_path / file, 1.0)
    assert REFUSED[name] in str(caught.value)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 80_000_000


def test_a_picture_on_a_mesh_and_groups_stay_unread(tmp_path):
    (tmp_path / "a.glb").write_bytes(bombs.large_texture(100).replace(b"\x89PNG", b"\0\0\0\0"))
    assert len(read_mesh(tmp_path / "a.glb", None).triangles) == 12
    (tmp_path / "a.obj").write_bytes(bombs.many_groups(8))
    assert len(read_drawn_mesh(tmp_path / "a.obj", None).triangles) == 8


@pytest.mark.parametrize("number", ["nan", "inf", "-inf"])
def test_a_corner_that_is_no_number_is_refused_even_if_no_triangle_has_it(tmp_path, number):
    text = f"{bombs.CORNERS.decode()}v 0 {number} 0\n{bombs.TETRAHEDRON.decode()}"
    (tmp_path / "a.obj").write_text(text)
    for how in (read_mesh, read_drawn_mesh):
        with pytest.raises(InvalidDescription, match="has corners that are not finite numbers"):
            how(tmp_path / "a.obj", None)


def test_numbers_in_another_place_are_not_looked_for(tmp_path):
    content, data = bombs.glb_of(trimesh.creation.box())
    for uri in ("../secret.bin", "data:application/octet-stream;base64,AAAA"):
        content["buffers"] = [{"byteLength": len(data), "uri": uri}]
        (tmp_path / "a.glb").write_bytes(bombs.glb(content, data))
        with pytest.raises(InvalidDescription, match="must hold all its numbers itself"):
            read_mesh(tmp_path / "a.glb", None)
