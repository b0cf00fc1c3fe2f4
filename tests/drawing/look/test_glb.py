"""Binary glTF files."""

import io
import json
import struct

import numpy as np
import trimesh
from numpy.testing import assert_allclose

from grouser.drawing.look.glb import Image, Part, Skin, box_places, corner_normals, write_glb
from grouser.drawing.look.painted import as_part
from grouser.drawing.look.pictures import texture
from grouser.drawing.mesh import box


def tree_of(content: bytes) -> dict:
    magic, version, size = struct.unpack_from("<4sII", content)
    assert (magic, version, size) == (b"glTF", 2, len(content))
    length, kind = struct.unpack_from("<I4s", content, 12)
    assert kind == b"JSON"
    return json.loads(content[20 : 20 + length])


def square(**options) -> Part:
    vertices = np.array([(0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (1.0, 1.0, 0.0), (0.0, 1.0, 0.0)])
    return Part(vertices=vertices, faces=np.array([(0, 1, 2), (0, 2, 3)]), **options)


def test_what_is_written_is_read_again_by_others():
    content = write_glb([square(skin=Skin(colour=(1.0, 0.5, 0.0)))])
    (mesh,) = trimesh.load(io.BytesIO(content), file_type="glb").geometry.values()
    assert_allclose(mesh.bounds, [[0, 0, 0], [1, 1, 0]])
    assert len(mesh.faces) == 2


def test_parts_with_one_material_and_one_picture_have_them_once():
    picture = texture("ice", 64)
    skin, other = Skin(texture=picture), Skin(texture=picture, is_unlit=True)
    places = np.zeros((4, 2))
    parts = [square(skin=one, places=places) for one in (skin, skin, other)]
    tree = tree_of(write_glb(parts))
    assert len(tree["materials"]) == 2
    assert len(tree["images"]) == len(tree["textures"]) == 1
    assert tree["extensionsUsed"] == ["KHR_materials_unlit"]
    assert [p["material"] for p in tree["meshes"][0]["primitives"]] == [0, 0, 1]


def test_every_view_begins_at_a_multiple_of_four_bytes_and_is_inside():
    parts = [
        square(skin=Skin(texture=Image(content=b"\x89PNG123")), light=np.ones((4, 3))),
        as_part([("red", box((1.0, 2.0, 3.0), 0.1))]),
    ]
    tree = tree_of(write_glb(parts))
    (buffer,) = tree["buffers"]
    for view in tree["bufferViews"]:
        assert view["byteOffset"] % 4 == 0
        assert view["byteOffset"] + view["byteLength"] <= buffer["byteLength"]
    assert tree["images"][0]["mimeType"] == "image/png"


def test_painted_meshes_are_one_part():
    part = as_part([("red", box((1.0, 1.0, 1.0))), ("steel", box((2.0, 1.0, 1.0)))])
    assert len(part.faces) == 24
    assert part.places is not None
    assert len(np.unique(part.places[:, 0])) == 2


def test_normals_and_places_follow_the_triangles():
    one = square(skin=Skin())
    normals = corner_normals(one.vertices, one.faces)
    assert_allclose(normals, np.tile((0.0, 0.0, 1.0), (4, 1)))
    assert_allclose(box_places(one.vertices, normals, 0.5), 2.0 * one.vertices[:, :2])
    upright = np.tile((1.0, 0.0, 0.0), (4, 1))
    assert_allclose(box_places(one.vertices, upright, 1.0), one.vertices[:, 1:])
