"""Triangles of STL and OBJ files, read line by line or by counted bytes.

Nothing is made that was only promised: a count is checked against the bytes that are there, and
against the limits, before numbers are read. Groups, materials, normals and colours stay unread.
"""

import io
import re
from array import array
from collections.abc import Iterator
from pathlib import Path
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from grouser import limits
from grouser.errors import InvalidDescription

Found: TypeAlias = tuple[NDArray[np.float64], NDArray[np.intp]]
"""Corners (n, 3) in the unit of the file, and the three corners of each triangle (m, 3)."""
_STL = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("more", "<u2")])
_CORNER = re.compile(rb"vertex\s+(\S+)\s+(\S+)\s+(\S+)", re.IGNORECASE)


def read_stl(file: Path, content: bytes) -> Found:
    """Return the triangles of an STL file, binary or text; each lists its own corners."""
    count = int.from_bytes(content[80:84], "little")
    if count > 0 and 84 + count * _STL.itemsize <= len(content):
        check_count(file, count, limits.MESH_TRIANGLES, "triangles")
        corners = np.frombuffer(content, _STL, count, 84)["corners"].reshape(-1, 3)
        return corners.astype(np.float64), _in_threes(len(corners))
    numbers = array("d")
    for corner in _CORNER.finditer(content):
        numbers.extend(map(float, corner.groups()))
        check_count(file, len(numbers) // 9, limits.MESH_TRIANGLES, "triangles")
    corners = np.frombuffer(numbers, np.float64).reshape(-1, 3)
    return corners, _in_threes(len(corners))


def write_stl(file: Path, vertices: NDArray[np.float64], triangles: NDArray[np.intp]) -> None:
    """Write a mesh as binary STL."""
    rows = np.zeros(len(triangles), _STL)
    rows["corners"] = vertices[triangles]
    head = b"written by grouser".ljust(80) + np.uint32(len(triangles)).tobytes()
    file.write_bytes(head + rows.tobytes())


def _in_threes(count: int) -> NDArray[np.intp]:
    return np.arange(count // 3 * 3).reshape(-1, 3)


def read_obj(file: Path, content: bytes) -> Found:
    """Return the triangles of an OBJ file; a face of more corners becomes a fan."""
    corners, numbers = array("d"), array("q")
    for line in read_lines(file, content.replace(b"\\\n", b" ") if b"\\\n" in content else content):
        words = line.split(None, 4) if line.startswith((b"v ", b"v\t")) else ()
        if words:
            x, y, z = words[1:4]
            corners.extend((float(x), float(y), float(z)))
            check_count(file, len(corners) // 3, limits.MESH_CORNERS, "corners")
        elif line.startswith((b"f ", b"f\t")):
            known = len(corners) // 3
            face = [int(word.partition(b"/")[0]) for word in line.split()[1:]]
            face = [number - 1 if number > 0 else known + number for number in face]
            numbers.extend(fan_out(face))
            check_count(file, len(numbers) // 3, limits.MESH_TRIANGLES, "triangles")
    return (
        np.frombuffer(corners, np.float64).reshape(-1, 3),
        np.frombuffer(numbers, np.int64).reshape(-1, 3).astype(np.intp),
    )


def read_lines(file: Path, content: bytes) -> Iterator[bytes]:
    """Yield the lines of a text, none of which may be too long."""
    stream = io.BytesIO(content)
    number = 0
    while line := stream.readline(limits.LINE_BYTES + 1):
        number += 1
        if len(line) > limits.LINE_BYTES:
            mistake = f"line {number} has more than {limits.LINE_BYTES:,} bytes"
            raise InvalidDescription(file, [f"{mistake}; no line may be longer"])
        yield line.lstrip()


def fan_out(face: list[int]) -> Iterator[int]:
    """Yield the corners of the triangles of a face, each three in a row."""
    for second, third in zip(face[1:-1], face[2:], strict=True):
        yield from (face[0], second, third)


def check_count(file: Path, count: int, most: int, what: str) -> None:
    """Raise InvalidDescription if there are more of something than may be."""
    if count > most:
        raise InvalidDescription(
            file, [f"must have at most {most:,} {what}, not {count:,} or more"]
        )
