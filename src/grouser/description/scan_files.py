"""Points of scans: what a laser or a camera saw of the ground, which encloses nothing.

| ending | what |
|---|---|
| .ply | points, or an open mesh |
| .stl, .obj, .glb | an open mesh |
| .pcd | point cloud: `DATA` ascii, binary or binary_compressed |
| .las | points of a survey; those marked as noise are left out |
| .xyz, .txt, .csv, .asc | rows that begin with x, y, z |

Every count is checked against the limits and against the bytes that are there, before numbers are
made. Surfaces of meshes become points that lie no farther apart than asked.
"""

import io
import math
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from grouser import limits
from grouser.description.mesh_file import ENDINGS as MESHES
from grouser.description.mesh_file import parse_mesh
from grouser.description.mesh_formats import check_count
from grouser.description.scan_las import read_las
from grouser.description.scan_pcd import read_pcd
from grouser.errors import GrouserError, InvalidDescription, Unreadable
from grouser.storage import read_file

Points = NDArray[np.float64]
"""Places (n, 3)."""
_MARKS = (b"#", b"//", b";", b"%")
"""Beginnings of lines of a text that are remarks."""


class Scan(NamedTuple):
    """What a scan has, in the unit and the axes of its file."""

    points: Points
    """Places that were seen (n, 3)."""
    triangles: NDArray[np.intp]
    """Numbers of the three corners of each triangle (m, 3); none of a cloud of points."""


def read_scan(file: Path) -> Scan:
    """Return the points and triangles of a scan.

    Raises:
        InvalidDescription: The file is missing, of another kind, or has mistakes.
    """
    ending = file.suffix.lower()
    if ending == ".laz":
        mistake = (
            "is compressed LAS, which is not read: unpack it first, as with "
            f"`pdal translate {file.name} {file.stem}.las`"
        )
        raise InvalidDescription(file, [mistake])
    if ending not in (*MESHES, *_READERS):
        mistake = f"must be a file that ends in {', '.join(ENDINGS)}, not in {file.suffix!r}"
        raise InvalidDescription(file, [mistake])
    content = _read(file)
    scan = _attempt(file, content, ending)
    if not len(scan.points):
        raise InvalidDescription(file, ["has no points"])
    return scan


def _read(file: Path) -> bytes:
    try:
        return read_file(file, limits.SCAN_BYTES)
    except Unreadable as error:
        raise InvalidDescription(file, [error.problem]) from None


def _attempt(file: Path, content: bytes, ending: str) -> Scan:
    try:
        with np.errstate(all="ignore"):  # numbers are looked at by those who use them
            if ending in MESHES:
                points, triangles = parse_mesh(file, content)
            else:
                points, triangles = _READERS[ending](file, content), np.empty((0, 3), np.intp)
    except (GrouserError, MemoryError):
        raise
    except Exception as error:  # damaged bytes raise any exception
        reason = f"{type(error).__name__}: {error}".replace("\n", " ")[:200]
        mistake = f"cannot be read as {ending.upper().removeprefix('.')} ({reason})"
        raise InvalidDescription(file, [mistake]) from None
    if len(triangles) and not 0 <= triangles.min() <= triangles.max() < len(points):
        raise InvalidDescription(file, ["has triangles whose corners it does not list"])
    return Scan(np.asarray(points, np.float64), triangles)


def read_xyz(file: Path, content: bytes) -> Points:
    """Return the points of a text: rows of numbers, of which the first three are x, y and z.

    Numbers are parted by blanks, commas or semicolons. Remarks, a heading and a line with the
    number of points may come first.
    """
    check_count(file, content.count(b"\n"), limits.SCAN_POINTS + 100, "lines")
    stream, skipped = io.BytesIO(content), 0
    for line in stream:
        words = line[: limits.LINE_BYTES].replace(b",", b" ").replace(b";", b" ").split()
        is_remark = line.lstrip().startswith(_MARKS)
        if not is_remark and len(words) >= 3 and all(map(_is_number, words[:3])):
            break
        skipped += 1
        if skipped > _HEADING:
            raise ValueError(f"its first {_HEADING} lines have no row of three numbers")
    else:
        raise ValueError("it has no row of three numbers")
    mark = next((m for m in (",", ";") if m.encode() in line), None)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return np.loadtxt(
            io.BytesIO(content), delimiter=mark, skiprows=skipped, usecols=(0, 1, 2), ndmin=2,
            comments=[m.decode() for m in _MARKS if m.decode() != mark], encoding="latin-1",
        )  # fmt: skip


_HEADING = 100
"""Lines before the first row of numbers, at most [1]."""


def _is_number(word: bytes) -> bool:
    try:
        return math.isfinite(float(word))
    except ValueError:
        return False


_READERS: dict[str, Callable[[Path, bytes], Points]] = {
    ".pcd": read_pcd,
    ".las": read_las,
    ".xyz": read_xyz,
    ".txt": read_xyz,
    ".csv": read_xyz,
    ".asc": read_xyz,
}
ENDINGS = (*MESHES, *_READERS)
"""Endings of files that are read."""


def cover_triangles(file: Path, scan: Scan, apart: float) -> Points:
    """Return the points of a scan, and places on its triangles that are at most `apart` apart.

    Raises:
        InvalidDescription: There would be more than `limits.SCAN_POINTS`.
    """
    if not len(scan.triangles):
        return scan.points
    corners = scan.points[scan.triangles]
    with np.errstate(all="ignore"):
        sides = np.linalg.norm(corners - np.roll(corners, -1, axis=1), axis=2).max(axis=1)
        steps = np.ceil(sides / apart)
    usable = np.isfinite(steps)
    corners, steps = corners[usable], np.maximum(steps[usable], 1.0)
    total = float(((steps + 1.0) * (steps + 2.0) / 2.0).sum())
    if not total + len(scan.points) <= limits.SCAN_POINTS:
        most = f"{limits.SCAN_POINTS:,}"
        mistake = f"its surface would need {total:,.0f} points of {most}: give a larger spacing"
        raise InvalidDescription(file, [f"{mistake}, or crop it"])
    parts = [scan.points[np.unique(scan.triangles)]]
    for count in np.unique(steps):
        at = corners[steps == count]
        if count > 1.0:
            i, j = np.meshgrid(*(np.arange(int(count) + 1),) * 2, indexing="ij")
            inside = i + j <= count
            u, v = i[inside] / count, j[inside] / count
            shares = np.stack((1.0 - u - v, u, v))
            parts.append(np.einsum("ks,nkd->nsd", shares, at).reshape(-1, 3))
    return np.concatenate(parts)
