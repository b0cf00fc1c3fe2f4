"""Descriptions inside a GLB: nodes, instances, counts and addresses, with the numbers of a box.

Nonsense is that of all meshes.
"""

import json
import struct
from functools import cache
from pathlib import Path

import trimesh

from grouser.description.mesh_file import MeshContent, read_mesh
from tests.fuzz.target import Target, write_input
from tests.fuzz.targets import meshes


@cache
def _parts() -> tuple[bytes, bytes]:
    """Return the JSON and the numbers of a box in a GLB."""
    content = trimesh.creation.box((1.0, 2.0, 0.5)).export(file_type="glb")
    assert isinstance(content, bytes)
    (size,) = struct.unpack_from("<I", content, 12)
    return content[20 : 20 + size].strip(), content[28 + size :]


def _scenes() -> list[bytes]:
    """Return descriptions of a box: once, and in nodes under nodes."""
    plain = json.loads(_parts()[0])
    root = {"children": [1, 2], "name": "root", "translation": [0.5, 0.0, 0.0]}
    boxes = [{"mesh": 0, "scale": [1.0, 2.0, 0.5]}, {"mesh": 0, "translation": [3.0, 0.0, 0.0]}]
    nested = plain | {"nodes": [root, *boxes], "scenes": [{"nodes": [0]}], "scene": 0}
    return [json.dumps(one, indent=1).encode() for one in (plain, nested)]


def _read(content: bytes, folder: Path) -> MeshContent:
    """Read a GLB whose description was changed, and its numbers not."""
    text = content + b" " * (-len(content) % 4)
    numbers = _parts()[1]
    total = 28 + len(text) + len(numbers)
    file = struct.pack("<4sIII4s", b"glTF", 2, total, len(text), b"JSON") + text
    file += struct.pack("<I4s", len(numbers), b"BIN\0") + numbers
    return read_mesh(write_input(folder, ".glb", file), None)


TARGETS = [
    Target(
        name="GLB description",
        samples=_scenes,
        attempt=_read,
        check=meshes.TARGETS[0].check,
        words=(
            '"children": [0]', '"count": 4294967295', '"uri": "/dev/zero"', '"byteLength": 1e18',
            '"uri": "../x.bin"', '"byteStride": 0', '"sparse": {"count": 1000000000}', '"mesh": -1',
            '"images": [{"uri": "x.png"}]', '"skin": 0', '"extensionsRequired": ["x"]',
        ),
    ),
]  # fmt: skip
