"""Triangles of PLY files, as text or as bytes of either order.

A head says how many entries of what there are. Only corners and the lists of faces are kept.
"""

import struct
from array import array
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from grouser import limits
from grouser.description.mesh_formats import Found, check_count, fan_out, read_lines

_TYPES = {
    "char": "b", "int8": "b", "uchar": "B", "uint8": "B", "short": "h", "int16": "h",
    "ushort": "H", "uint16": "H", "int": "i", "int32": "i", "uint": "I", "uint32": "I",
    "float": "f", "float32": "f", "double": "d", "float64": "d",
}  # fmt: skip
_ORDERS = {"ascii": "", "binary_little_endian": "<", "binary_big_endian": ">"}
_LISTS = ("vertex_indices", "vertex_index")
_COUNTED = {"vertex": (limits.MESH_CORNERS, "corners"), "face": (limits.MESH_TRIANGLES, "faces")}
_HEAD = 64 * limits.KB


class _Property(NamedTuple):
    name: str
    kind: str
    length: str = ""
    """Kind of the length of a list; empty if it is none."""


@dataclass(frozen=True, slots=True)
class _Element:
    name: str
    count: int
    properties: list[_Property]

    def place(self, *names: str) -> int:
        """Return which property has one of these names."""
        return next(i for i, one in enumerate(self.properties) if one.name in names)


Entry = list[Any]
"""What an entry has for each property: a number, or a list of numbers."""


def read_ply(file: Path, content: bytes) -> Found:
    """Return the triangles of a PLY file; a face of more corners becomes a fan.

    Raises:
        InvalidDescription: It has too many corners or triangles.
        Exception: Of any kind, if it is damaged.
    """
    order, elements, body = _parse_head(content)
    for element in elements:
        check_count(file, element.count, *_COUNTED.get(element.name, _COUNTED["vertex"]))
    cursor = _Cursor(order, body)
    text = read_lines(file, b"" if order else body)
    corners, triangles = np.empty((0, 3)), np.empty((0, 3), np.intp)
    for element in elements:
        begin: Callable[[], Take] = (lambda: cursor.take) if order else (lambda: _words(text))
        entries: Any = cursor.take_table(element) if order else None
        entries = _walk(element, begin) if entries is None else entries
        if element.name == "vertex":
            corners = _corners(element, entries)
        elif element.name == "face":
            triangles = _triangles(file, element, entries)
        else:
            deque(entries, maxlen=0)
    return corners, triangles


def _parse_head(content: bytes) -> tuple[str, list[_Element], bytes]:
    """Return the order of bytes, the elements, and all that follows the head."""
    end = content.find(b"end_header", 0, _HEAD)
    start = content.find(b"\n", end) + 1
    if not content.startswith(b"ply") or end < 0 or not start:
        raise ValueError("it has no head")
    order, elements = None, []
    for line in content[:end].decode("latin-1").splitlines():
        match line.split():
            case ["format", name, *_]:
                order = _ORDERS[name]
            case ["element", name, count]:
                elements.append(_Element(name, max(int(count), 0), []))
            case ["property", "list", length, kind, name]:
                elements[-1].properties.append(_Property(name, _TYPES[kind], _TYPES[length]))
            case ["property", kind, name]:
                elements[-1].properties.append(_Property(name, _TYPES[kind]))
    if order is None:
        raise ValueError("its head has no format")
    return order, elements, content[start:]


class _Cursor:
    """Bytes, and where the next number is."""

    def __init__(self, order: str, body: bytes) -> None:
        self._order, self._body, self._at = order, body, 0

    def take(self, kind: str, count: int) -> tuple[Any, ...]:
        """Return the next numbers of a kind; ValueError if there are not so many."""
        end = self._at + struct.calcsize(self._order + kind) * count
        if end > len(self._body):
            raise ValueError("it is cut off")
        found = struct.unpack_from(f"{self._order}{count}{kind}", self._body, self._at)
        self._at = end
        return found

    def take_table(self, element: _Element) -> NDArray[Any] | None:
        """Return all entries at once; None if their lists are not equally long."""
        fields: list[Any] = []
        for i, one in enumerate(element.properties):
            kind, length_kind = self._order + one.kind, self._order + one.length
            if not one.length:
                fields.append((f"{i}", kind))
                continue
            size = np.dtype(fields).itemsize
            (length,) = struct.unpack_from(length_kind, self._body, self._at + size)
            if not 0 <= length * struct.calcsize(kind) <= len(self._body):
                return None
            fields += [(f"length {i}", length_kind), (f"{i}", kind, (length,))]
        size = np.dtype(fields).itemsize
        if not element.count or self._at + size * element.count > len(self._body):
            return None
        rows = np.frombuffer(self._body, np.dtype(fields), element.count, self._at)
        lengths = [rows[name] for name, *_ in fields if name.startswith("length")]
        if any((length != length[0]).any() for length in lengths):
            return None
        self._at += rows.nbytes
        return rows


Take = Callable[[str, int], tuple[Any, ...]]


def _words(text: Iterator[bytes]) -> Take:
    """Return what takes numbers from the next line that is not empty."""
    words = next(line for line in text if line.strip()).split()
    left = iter(words)

    def take(kind: str, count: int) -> tuple[Any, ...]:
        if count > len(words):
            raise ValueError("a list is longer than its line")
        return tuple(float(next(left)) if kind in "fd" else int(next(left)) for _ in range(count))

    return take


def _walk(element: _Element, begin: Callable[[], Take]) -> Iterator[Entry]:
    """Yield entry after entry."""
    for _ in range(element.count):
        take, entry = begin(), []
        for one in element.properties:
            if one.length:
                (length,) = take(one.length, 1)
                entry.append(take(one.kind, max(length, 0)))
            else:
                entry.append(take(one.kind, 1)[0])
        yield entry


def _corners(element: _Element, entries: Any) -> NDArray[np.float64]:
    places = [element.place(name) for name in "xyz"]
    if isinstance(entries, np.ndarray):
        return np.column_stack([entries[f"{place}"].astype(np.float64) for place in places])
    numbers = array("d")
    for entry in entries:
        numbers.extend(entry[place] for place in places)
    return np.frombuffer(numbers, np.float64).reshape(-1, 3)


def _triangles(file: Path, element: _Element, entries: Any) -> NDArray[np.intp]:
    place = element.place(*_LISTS)
    if isinstance(entries, np.ndarray):
        faces = entries[f"{place}"].astype(np.intp)
        count = len(faces) * max(faces.shape[1] - 2, 0)
        check_count(file, count, limits.MESH_TRIANGLES, "triangles")
        parts = np.broadcast_to(faces[:, :1], faces[:, 1:-1].shape), faces[:, 1:-1], faces[:, 2:]
        return np.stack(parts, axis=-1).reshape(-1, 3)
    numbers = array("q")
    for entry in entries:
        numbers.extend(fan_out(list(entry[place])))
        check_count(file, len(numbers) // 3, limits.MESH_TRIANGLES, "triangles")
    return np.frombuffer(numbers, np.int64).reshape(-1, 3).astype(np.intp)
