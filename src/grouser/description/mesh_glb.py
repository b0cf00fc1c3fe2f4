"""Triangles of a GLB file: all that its scene shows, counted before any of it is made.

Only positions and corners are read. Pictures, materials, animations and skins stay unread, and no
other file is opened. The y axis of such a file points up.
"""

import math
import struct
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from grouser import limits
from grouser.description.mesh_formats import Found, check_count
from grouser.errors import InvalidDescription
from grouser.storage import parse_json

_KINDS = {5120: "<i1", 5121: "<u1", 5122: "<i2", 5123: "<u2", 5125: "<u4", 5126: "<f4"}
_WIDTHS = {"SCALAR": 1, "VEC3": 3}
_TRIANGLES, _STRIP, _FAN = 4, 5, 6
_COMPRESSED = ("KHR_draco_mesh_compression", "EXT_meshopt_compression")
Matrix: TypeAlias = NDArray[np.float64]
"""Rotation, scale and translation of a node (4, 4)."""


class _Shown(NamedTuple):
    """A mesh, and where the scene shows it."""

    mesh: int
    matrix: Matrix


def read_glb(file: Path, content: bytes) -> Found:
    """Return corners and triangles of all meshes that the scene shows, z up.

    Raises:
        InvalidDescription: It shows too much, is compressed, or its numbers are not in the file.
        Exception: Of any kind, if it is damaged.
    """
    head, data = _chunks(file, content)
    meshes = [_Primitives(file, head, data, mesh) for mesh in head.get("meshes", ())]
    shown, corners, triangles = [], 0, 0
    for part in _shown(file, head):
        shown.append(part)
        corners += meshes[part.mesh].corners
        triangles += meshes[part.mesh].triangles
        check_count(file, corners, limits.MESH_CORNERS, "corners")
        check_count(file, triangles, limits.MESH_TRIANGLES, "triangles")
    places, faces = np.empty((corners, 3)), np.empty((triangles, 3), np.intp)
    corner = triangle = 0
    for part in shown:
        turned = -1 if np.linalg.det(part.matrix[:3, :3]) < 0.0 else 1
        for points, numbers in meshes[part.mesh].read():
            placed = points @ part.matrix[:3, :3].T + part.matrix[:3, 3]
            places[corner : corner + len(points)] = placed
            faces[triangle : triangle + len(numbers)] = corner + numbers[:, ::turned]
            corner, triangle = corner + len(points), triangle + len(numbers)
    return np.column_stack((places[:, 0], -places[:, 2], places[:, 1])), faces


def _chunks(file: Path, content: bytes) -> tuple[dict[str, Any], bytes]:
    """Return the JSON and the buffer of a file."""
    magic, version, length = struct.unpack_from("<4sII", content)
    if magic != b"glTF" or version != 2 or length > len(content):
        raise ValueError("no GLB file of version 2, or cut off")
    size, kind = struct.unpack_from("<I4s", content, 12)
    if kind != b"JSON":
        raise ValueError("its first chunk is not JSON")
    check_count(file, size, limits.MESH_HEAD_BYTES, "bytes of JSON")
    head = parse_json(content[20 : 20 + size])
    rest = content[20 + size :]
    if len(rest) < 8:
        return head, b""
    size, kind = struct.unpack_from("<I4s", rest)
    return head, rest[8 : 8 + size] if kind == b"BIN\0" else b""


def _shown(file: Path, head: Mapping[str, Any]) -> Iterator[_Shown]:
    """Yield each mesh as often as the scene shows it."""
    nodes = head.get("nodes", [])
    waiting = [(number, np.eye(4)) for number in _roots(head)]
    count = 0
    while waiting:
        number, outer = waiting.pop()
        count += 1
        check_count(file, count, limits.MESH_PARTS, "nodes")
        node = nodes[_index(number)]
        matrix = outer @ _matrix(node)
        if "mesh" in node:
            yield _Shown(_index(node["mesh"]), matrix)
        children = node.get("children", ())
        check_count(file, len(waiting) + len(children), limits.MESH_PARTS, "nodes")
        waiting += [(child, matrix) for child in children]
    if not nodes:
        yield from (_Shown(mesh, np.eye(4)) for mesh in range(len(head.get("meshes", ()))))


def _roots(head: Mapping[str, Any]) -> list[int]:
    if head.get("scenes"):
        return head["scenes"][_index(head.get("scene", 0))].get("nodes", [])
    nodes = head.get("nodes", [])
    inner = {child for node in nodes for child in node.get("children", ())}
    return [number for number in range(len(nodes)) if number not in inner]


def _matrix(node: Mapping[str, Any]) -> Matrix:
    if "matrix" in node:
        return np.array(node["matrix"], np.float64).reshape(4, 4).T
    made = np.eye(4)
    x, y, z, w = map(float, node.get("rotation", (0.0, 0.0, 0.0, 1.0)))
    length = math.hypot(x, y, z, w)
    if length > 0.0:
        x, y, z, w = (part / length for part in (x, y, z, w))
        made[:3, :3] = (
            (1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)),
            (2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)),
            (2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)),
        )
    made[:3, :3] *= np.array(node.get("scale", (1.0, 1.0, 1.0)), np.float64).reshape(3)
    made[:3, 3] = node.get("translation", (0.0, 0.0, 0.0))
    return made


class _Primitives:
    """The triangles of one mesh, as often as it may be shown."""

    def __init__(
        self, file: Path, head: Mapping[str, Any], data: bytes, mesh: Mapping[str, Any]
    ) -> None:
        self._file, self._head, self._data = file, head, data
        modes = [(one, one.get("mode", _TRIANGLES)) for one in mesh["primitives"]]
        self._parts = [(one, mode) for one, mode in modes if mode in (_TRIANGLES, _STRIP, _FAN)]
        self.corners = self.triangles = 0
        for one, mode in self._parts:
            self._check_plain(one.get("extensions", {}))
            corners = self._find(one["attributes"]["POSITION"])["count"]
            numbers = self._find(one["indices"])["count"] if "indices" in one else corners
            self.corners += corners
            self.triangles += numbers // 3 if mode == _TRIANGLES else max(numbers - 2, 0)

    def read(self) -> Iterator[Found]:
        """Yield corners and triangles of each part."""
        for one, mode in self._parts:
            points = self._numbers(one["attributes"]["POSITION"], "VEC3").astype(np.float64)
            order = np.arange(len(points))
            if "indices" in one:
                order = self._numbers(one["indices"], "SCALAR").ravel().astype(np.intp)
            if order.size and order.max() >= len(points):
                raise ValueError("a triangle has a corner that is not listed")
            yield points, _triangles(order, mode)

    def _find(self, number: int) -> Mapping[str, Any]:
        """Return an accessor whose numbers are in the file."""
        found = self._head["accessors"][_index(number)]
        if "sparse" in found or "bufferView" not in found:
            mistake = "has numbers that it does not list (sparse accessors): export it without"
            raise InvalidDescription(self._file, [mistake])
        view = self._head["bufferViews"][_index(found["bufferView"])]
        self._check_plain(view.get("extensions", {}))
        if "uri" in self._head["buffers"][_index(view["buffer"])] or view["buffer"] != 0:
            mistake = "must hold all its numbers itself, and names another place for some (uri)"
            raise InvalidDescription(self._file, [mistake])
        size, stride = self._sizes(found, view)
        start = _index(found.get("byteOffset", 0))
        count = _index(found["count"])
        inside = min(
            _index(view["byteLength"]), len(self._data) - _index(view.get("byteOffset", 0))
        )
        if count and start + (count - 1) * stride + size > inside:
            mistake = f"counts {count:,} numbers where it has bytes for fewer"
            raise InvalidDescription(self._file, [mistake])
        return found

    def _sizes(self, found: Mapping[str, Any], view: Mapping[str, Any]) -> tuple[int, int]:
        """Return how many bytes an entry has, and how far it is to the next [B]."""
        size = np.dtype(_KINDS[found["componentType"]]).itemsize * _WIDTHS[found["type"]]
        stride = _index(view.get("byteStride", 0)) or size
        if stride < size:
            raise ValueError("its entries overlap")
        return size, stride

    def _numbers(self, number: int, kind: str) -> NDArray[Any]:
        found = self._find(number)
        if found["type"] != kind:
            raise ValueError(f"an accessor is {found['type']!r} in place of {kind!r}")
        view = self._head["bufferViews"][found["bufferView"]]
        first = view.get("byteOffset", 0) + found.get("byteOffset", 0)
        dtype = np.dtype(_KINDS[found["componentType"]])
        size, stride = self._sizes(found, view)
        shape = (found["count"], size // dtype.itemsize)
        steps = (stride, dtype.itemsize)
        numbers = np.ndarray(shape, dtype, self._data, first if found["count"] else 0, steps)
        if found.get("normalized") and dtype.kind in "iu":
            return np.maximum(numbers / np.iinfo(dtype).max, -1.0)
        return numbers

    def _check_plain(self, extensions: Mapping[str, Any]) -> None:
        for name in _COMPRESSED:
            if name in extensions:
                mistake = f"is compressed ({name}), which is not read: export it without"
                raise InvalidDescription(self._file, [mistake])


def _triangles(order: NDArray[np.intp], mode: int) -> NDArray[np.intp]:
    if mode == _TRIANGLES:
        return order[: len(order) // 3 * 3].reshape(-1, 3)
    if len(order) < 3:
        return np.empty((0, 3), np.intp)
    if mode == _FAN:
        first = np.full(len(order) - 2, order[0])
        return np.column_stack((first, order[1:-1], order[2:]))
    strip = np.column_stack((order[:-2], order[1:-1], order[2:]))
    strip[1::2] = strip[1::2, [1, 0, 2]]
    return strip


def _index(given: Any) -> int:
    """Return a number of JSON that counts something; Python would count negative ones back."""
    if not isinstance(given, int) or isinstance(given, bool) or given < 0:
        raise ValueError(f"a whole number is {str(given)[:20]!r}")
    return given
