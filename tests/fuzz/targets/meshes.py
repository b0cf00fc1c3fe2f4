"""Meshes of a course: STL, OBJ, PLY and GLB.

Nonsense: corners that are not finite or absurdly far away, triangles without corners, no volume.
"""

import json
import struct
from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np
import trimesh

from grouser.description.mesh import Mesh
from grouser.description.mesh_file import MeshContent, read_mesh
from tests.fuzz.target import Target, require, write_input
from tests.viewer.bombs import many_instances


def _file(kind: str) -> bytes:
    content = trimesh.creation.box((1.0, 2.0, 0.5)).export(file_type=kind)
    return content if isinstance(content, bytes) else content.encode()


def _read(suffix: str) -> Callable[[bytes, Path], MeshContent]:
    def read(content: bytes, folder: Path) -> MeshContent:
        return read_mesh(write_input(folder, suffix, content), None)

    return read


@cache
def _glb() -> tuple[bytes, bytes]:
    """Return the JSON and the numbers of a box in a GLB."""
    content = _file("glb")
    (size,) = struct.unpack_from("<I", content, 12)
    return content[20 : 20 + size].strip(), content[28 + size :]


def _scenes() -> list[bytes]:
    """Return descriptions of a box: once, and in nodes under nodes."""
    plain = json.loads(_glb()[0])
    root = {"children": [1, 2], "name": "root", "translation": [0.5, 0.0, 0.0]}
    boxes = [{"mesh": 0, "scale": [1.0, 2.0, 0.5]}, {"mesh": 0, "translation": [3.0, 0.0, 0.0]}]
    nested = plain | {"nodes": [root, *boxes], "scenes": [{"nodes": [0]}], "scene": 0}
    return [json.dumps(one, indent=1).encode() for one in (plain, nested)]


def _read_glb(content: bytes, folder: Path) -> MeshContent:
    """Read a GLB whose description was changed, and its numbers not."""
    text = content + b" " * (-len(content) % 4)
    numbers = _glb()[1]
    total = 28 + len(text) + len(numbers)
    file = struct.pack("<4sIII4s", b"glTF", 2, total, len(text), b"JSON") + text
    file += struct.pack("<I4s", len(numbers), b"BIN\0") + numbers
    return read_mesh(write_input(folder, ".glb", file), None)


def _check(found: MeshContent) -> None:
    vertices, triangles = found
    require(bool(np.isfinite(vertices).all()), "corners are not finite")
    require(float(np.abs(vertices).max()) <= 1e6, "corners are far away")
    require(len(triangles) >= 4 and int(triangles.max()) < len(vertices), "triangles")
    mesh = Mesh(vertices=vertices, triangles=triangles)
    middle = vertices[triangles].mean(axis=1)
    require(bool(np.isfinite(mesh.height(middle[:, 0], middle[:, 1])).any()), "no top")


TARGETS = [
    Target(
        name="mesh STL",
        samples=lambda: [_file("stl"), _file("stl_ascii")],
        attempt=_read(".stl"),
        check=_check,
        is_text=False,
    ),
    Target(
        name="mesh OBJ",
        samples=lambda: [_file("obj")],
        attempt=_read(".obj"),
        check=_check,
        words=("v 1e300 0 0", "f 1 2 9999999999", "mtllib /dev/zero", "usemtl x", "f -1 -2 -3"),
    ),
    Target(
        name="mesh PLY",
        samples=lambda: [
            _file("ply"),
            trimesh.creation.box().export(file_type="ply", encoding="ascii"),
        ],
        attempt=_read(".ply"),
        check=_check,
        is_text=False,
    ),
    Target(
        name="mesh GLB",
        samples=lambda: [_file("glb"), many_instances(3, 0)],
        attempt=_read(".glb"),
        check=_check,
        is_text=False,
    ),
    Target(
        name="GLB description",
        samples=_scenes,
        attempt=_read_glb,
        check=_check,
        words=(
            '"children": [0]',
            '"count": 4294967295',
            '"uri": "/dev/zero"',
            '"byteLength": 1e18',
            '"uri": "../x.bin"',
            '"byteStride": 0',
            '"sparse": {"count": 1000000000}',
            '"mesh": -1',
            '"images": [{"uri": "x.png"}]',
            '"skin": 0',
            '"extensionsRequired": ["x"]',
        ),
    ),
]
