"""Small files that ask a reader for much: memory, time, or both."""

import io
import json
import struct
import zlib
from collections.abc import Callable
from typing import Any

import numpy as np
import trimesh
from PIL import Image, PngImagePlugin

CORNERS = b"v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n"
TETRAHEDRON = b"f 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n"


def glb(content: dict[str, Any], data: bytes = b"") -> bytes:
    """Return a GLB file of some JSON and a buffer."""
    words = json.dumps({"asset": {"version": "2.0"}, **content}).encode()
    words += b" " * (-len(words) % 4)
    data += b"\0" * (-len(data) % 4)
    chunks = struct.pack("<I4s", len(words), b"JSON") + words
    if data:
        chunks += struct.pack("<I4s", len(data), b"BIN\0") + data
    return struct.pack("<4sII", b"glTF", 2, 12 + len(chunks)) + chunks


def glb_of(mesh: trimesh.Trimesh, **more: Any) -> tuple[dict[str, Any], bytes]:
    """Return JSON and buffer of a mesh without nodes."""
    corners = np.asarray(mesh.vertices, np.float32).tobytes()
    faces = np.asarray(mesh.faces, np.uint32).tobytes()
    views = [
        {"buffer": 0, "byteLength": len(corners)},
        {"buffer": 0, "byteOffset": len(corners), "byteLength": len(faces)},
    ]
    accessors = [
        {"bufferView": 0, "componentType": 5126, "count": len(mesh.vertices), "type": "VEC3"},
        {"bufferView": 1, "componentType": 5125, "count": 3 * len(mesh.faces), "type": "SCALAR"},
    ]
    data = corners + faces
    content = {
        "buffers": [{"byteLength": len(data)}],
        "bufferViews": views,
        "accessors": accessors,
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1}]}],
    }
    return {**content, **more}, data


def png(width: int, height: int, bits: int = 8, colour: int = 0, *more: bytes) -> bytes:
    """Return a PNG of black pixels, which packs very well."""
    row = 1 + width * bits * (3 if colour == 2 else 1) // 8
    packer = zlib.compressobj(9)
    rows = min(height, 12_000)  # a picture that promises more is cut off
    packed = b"".join(packer.compress(bytes(row)) for _ in range(rows)) + packer.flush()
    head = struct.pack(">IIBBBBB", width, height, bits, colour, 0, 0, 0)
    chunks = [_chunk(b"IHDR", head), *more, _chunk(b"IDAT", packed), _chunk(b"IEND", b"")]
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunks)


def _chunk(kind: bytes, content: bytes) -> bytes:
    check = zlib.crc32(kind + content)
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", check)


def many_instances(count: int = 3_000, subdivisions: int = 5) -> bytes:
    """One ball that very many nodes show."""
    content, data = glb_of(trimesh.creation.icosphere(subdivisions=subdivisions))
    nodes = [{"mesh": 0, "translation": [3.0 * k, 0.0, 0.0]} for k in range(count)]
    return glb({**content, "nodes": nodes, "scenes": [{"nodes": list(range(count))}]}, data)


def nested_instances(depth: int = 30) -> bytes:
    """Each node shows the next one twice: 2 to the power of the depth."""
    content, data = glb_of(trimesh.creation.box())
    nodes: list[dict[str, Any]] = [{"children": [k + 1, k + 1]} for k in range(depth)]
    return glb({**content, "nodes": [*nodes, {"mesh": 0}], "scenes": [{"nodes": [0]}]}, data)


def many_groups(count: int = 60_000) -> bytes:
    """An OBJ whose every triangle is a group of another material."""
    faces = TETRAHEDRON.splitlines()
    groups = [b"g a%d\nusemtl m%d\n%s\n" % (k, k, faces[k % 4]) for k in range(count)]
    return CORNERS + b"".join(groups)


def large_texture(size: int = 12_000) -> bytes:
    """A box with a picture that nobody sees."""
    content, data = glb_of(trimesh.creation.box())
    picture = png(size, size, colour=2)
    views = [
        *content["bufferViews"],
        {"buffer": 0, "byteOffset": len(data), "byteLength": len(picture)},
    ]
    look = {"pbrMetallicRoughness": {"baseColorTexture": {"index": 0}}}
    primitive = {**content["meshes"][0]["primitives"][0], "material": 0}
    content |= {
        "buffers": [{"byteLength": len(data + picture)}],
        "bufferViews": views,
        "images": [{"bufferView": 2, "mimeType": "image/png"}],
        "textures": [{"source": 0}],
        "materials": [look],
        "meshes": [{"primitives": [primitive]}],
        "nodes": [{"mesh": 0}],
        "scenes": [{"nodes": [0]}],
    }
    return glb(content, data + picture)


def _accessor(**changes: Any) -> bytes:
    content, data = glb_of(trimesh.creation.box(), nodes=[{"mesh": 0}], scenes=[{"nodes": [0]}])
    content["accessors"][0] |= changes
    if "bufferView" in changes and changes["bufferView"] is None:
        del content["accessors"][0]["bufferView"]
    return glb(content, data)


def _draco() -> bytes:
    content, data = glb_of(trimesh.creation.box(), nodes=[{"mesh": 0}], scenes=[{"nodes": [0]}])
    claim = {"KHR_draco_mesh_compression": {"bufferView": 0, "attributes": {"POSITION": 0}}}
    content["meshes"][0]["primitives"][0]["extensions"] = claim
    return glb({**content, "extensionsRequired": list(claim), "extensionsUsed": list(claim)}, data)


def _sparse() -> bytes:
    where = {"bufferView": 1, "componentType": 5125}
    sparse = {"count": 10**9, "indices": where, "values": {"bufferView": 0}}
    return _accessor(bufferView=None, count=10**9, sparse=sparse)


def _lying_stl() -> bytes:
    content = trimesh.creation.box().export(file_type="stl")
    assert isinstance(content, bytes)
    return content[:80] + struct.pack("<I", 2**32 - 1) + content[84:]


def _ply(vertices: int, faces: int, list_length: bytes, more: bytes) -> bytes:
    head = f"ply\nformat binary_little_endian 1.0\nelement vertex {vertices}\n"
    head += "property float x\nproperty float y\nproperty float z\n"
    head += f"element face {faces}\nproperty list uint int vertex_indices\nend_header\n"
    return head.encode() + bytes(36) + list_length + more


def _tiff(pages: int) -> bytes:
    stream = io.BytesIO()
    page = Image.new("L", (4, 4))
    page.save(stream, "tiff", save_all=True, append_images=[page] * pages)
    return stream.getvalue()


def _wide_tiff() -> bytes:
    """A map of 4 x 4 whose only strip says to have 2 GB."""
    stream = io.BytesIO()
    Image.new("L", (4, 4)).save(stream, "tiff", compression="tiff_deflate")
    content = bytearray(stream.getvalue())
    (first,) = struct.unpack_from("<I", content, 4)
    (count,) = struct.unpack_from("<H", content, first)
    for at in range(first + 2, first + 2 + 12 * count, 12):
        if struct.unpack_from("<H", content, at)[0] in (278, 279):  # rows and bytes of a strip
            struct.pack_into("<HII", content, at + 2, 4, 1, 2**31 - 1)
    return bytes(content)


def _text_png(size: int) -> bytes:
    info = PngImagePlugin.PngInfo()
    info.add_text("note", "a" * size, zip=True)
    stream = io.BytesIO()
    Image.new("L", (4, 4)).save(stream, "png", pnginfo=info)
    return stream.getvalue()


def _profile_png() -> bytes:
    profile = b"grey\0\0" + zlib.compress(bytes(200_000_000), 9)
    return png(4, 4, 8, 0, _chunk(b"iCCP", profile))


def _deep_toml() -> bytes:
    return b"terrain = " + b"[" * 100_000 + b"]" * 100_000


def _many_pieces() -> bytes:
    box = b"{kind='box',length_m=1,width_m=1,height_m=1},"
    return b"name='many'\nterrain=[" + box * (4_000_000 // len(box)) + b"]\n"


def _lying_npy() -> bytes:
    stream = io.BytesIO()
    np.save(stream, np.zeros((2, 2)))
    return stream.getvalue().replace(b"(2, 2), }  ", b"(4000, 4000), }")[:-4]


def _huge_triangles() -> bytes:
    corners = CORNERS.replace(b"1", b"1e300").replace(b"v 0 0 0", b"v -1e300 0 0")
    return corners + TETRAHEDRON


_MANY_CORNERS = b"f" + b" 1 2 3" * 333_334 + b"\n"

FOUND: dict[str, tuple[str, Callable[[], bytes]]] = {
    "instances": ("instances.glb", many_instances),
    "groups": ("groups.obj", many_groups),
    "picture": ("picture.png", lambda: png(4_000, 4_000)),
    "texture": ("texture.glb", large_texture),
}
"""Name and content of the files that once took minutes or gigabytes."""

MORE: dict[str, tuple[str, Callable[[], bytes]]] = {
    "nested instances": ("nested.glb", nested_instances),
    "cyclic nodes": (
        "cyclic.glb",
        lambda: glb({"nodes": [{"children": [0, 0]}], "scenes": [{"nodes": [0]}]}),
    ),
    "draco": ("draco.glb", _draco),
    "accessor without bytes": ("zeros.glb", lambda: _accessor(bufferView=None, count=2 * 10**9)),
    "accessor that lies": ("lies.glb", lambda: _accessor(count=2 * 10**9)),
    "sparse accessor": ("sparse.glb", _sparse),
    "long line": ("line.obj", lambda: CORNERS + b"# " + b"x" * 100_000_000 + b"\n" + TETRAHEDRON),
    "face of many corners": ("polygon.obj", lambda: CORNERS + _MANY_CORNERS),
    "corners counted back": ("back.obj", lambda: CORNERS + b"f -9999999999 -1 -2\n" * 100_000),
    "huge triangles": ("huge.obj", _huge_triangles),
    "lying STL": ("lies.stl", _lying_stl),
    "lying PLY": ("lies.ply", lambda: _ply(4 * 10**9, 4 * 10**9, b"\3\0\0\0", bytes(12))),
    "long list in a PLY": ("list.ply", lambda: _ply(3, 1, b"\xff\xff\xff\xff", bytes(12))),
    "text in a PNG": ("text.png", lambda: _text_png(300_000_000)),
    "profile in a PNG": ("profile.png", _profile_png),
    "large 16-bit PNG": ("large.png", lambda: png(60_000, 60_000, 16)),
    "long strip in a TIFF": ("strip.tif", _wide_tiff),
    "pages in a TIFF": ("pages.tif", lambda: _tiff(5_000)),
    "lying NPY": ("lies.npy", _lying_npy),
    "deep TOML": ("deep.toml", _deep_toml),
    "course of many pieces": ("many.toml", _many_pieces),
}
"""Name and content of other files that promise much."""

SLOW = {"long line", "text in a PNG", "profile in a PNG", "large 16-bit PNG", "pages in a TIFF"}
SLOW |= {"course of many pieces"}
"""Files that take long to make: `python -m benchmarks.dropped` drops them."""
