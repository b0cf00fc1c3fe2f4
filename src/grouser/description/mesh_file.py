"""Closed meshes from STL, OBJ, PLY and GLB files."""

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from grouser import limits
from grouser.description.mesh_formats import Found, read_obj, read_stl
from grouser.description.mesh_glb import read_glb
from grouser.description.mesh_ply import read_ply
from grouser.errors import GrouserError, InvalidDescription, Unreadable
from grouser.storage import read_file

LARGEST = 500.0
"""Size of a mesh above which its unit is unlikely to be the metre [m]."""

Points: TypeAlias = NDArray[np.float64]
Triangles: TypeAlias = NDArray[np.intp]


class MeshContent(NamedTuple):
    """A closed mesh in the frame of its file."""

    vertices: Points
    """Corners (n, 3) [m]."""
    triangles: Triangles
    """Numbers of the three corners of each triangle (m, 3), counter-clockwise from outside."""


def read_mesh(file: Path, scale: float | None) -> MeshContent:
    """Return the mesh of a file; `scale` is the length of its unit, 1 m if not given [m].

    Triangles without area are left out.

    Raises:
        InvalidDescription: The file is missing, of another kind, or no closed mesh.
    """
    vertices, triangles = _parse(file, _read(file), scale)
    vertices, triangles = _merged(vertices, triangles)
    _check_closed(file, triangles)
    a, b, c = (vertices[triangles[:, corner]] - vertices[0] for corner in range(3))
    doubled = np.cross(b - a, c - a)
    volume = float((a * doubled).sum()) / 6.0
    size = float(np.ptp(vertices, axis=0).max())
    if abs(volume) <= 1e-12 * size**3:
        raise InvalidDescription(file, ["must enclose a volume, and has none: it is flat"])
    if volume < 0.0:
        mistake = "is inside out: turn its triangles over (in Blender: Mesh > Normals > Flip)"
        raise InvalidDescription(file, [mistake])
    has_area = np.linalg.norm(doubled, axis=1) > 1e-12 * size * size
    return MeshContent(vertices, triangles[has_area])


def read_drawn_mesh(file: Path, scale: float | None) -> MeshContent:
    """Return the mesh of a file that is only drawn: it may be open, and of fewer triangles.

    Raises:
        InvalidDescription: The file is missing, of another kind, or too large to be drawn.
    """
    vertices, triangles = _parse(file, _read(file), scale)
    if len(triangles) > limits.DRAWN_TRIANGLES:
        most = f"{limits.DRAWN_TRIANGLES:,}"
        mistake = f"must have at most {most} triangles to be drawn, not {len(triangles):,}"
        raise InvalidDescription(file, [mistake])
    return MeshContent(vertices, triangles)


def _read(file: Path) -> bytes:
    if file.suffix.lower() not in ENDINGS:
        mistake = f"must be a file that ends in {', '.join(ENDINGS)}, not in {file.suffix!r}"
        raise InvalidDescription(file, [mistake])
    try:
        return read_file(file, limits.MESH_BYTES)
    except Unreadable as error:
        raise InvalidDescription(file, [error.problem]) from None


_READERS: dict[str, Callable[[Path, bytes], Found]] = {
    ".stl": read_stl,
    ".obj": read_obj,
    ".ply": read_ply,
    ".glb": read_glb,
}
ENDINGS = tuple(_READERS)
"""Endings of files that are read."""


def parse_mesh(file: Path, content: bytes) -> Found:
    """Return what a mesh file has, unchecked; it may be open, or points without triangles.

    Raises:
        InvalidDescription: It has too many corners or triangles.
        Exception: Of any kind, if it is damaged.
    """
    return _READERS[file.suffix.lower()](file, content)


def _parse(file: Path, content: bytes, scale: float | None) -> tuple[Points, Triangles]:
    """Return corners [m] and triangles of a file; no other file that it mentions is read."""
    ending = file.suffix.lower()
    try:
        with np.errstate(over="ignore", invalid="ignore"):  # numbers are checked below
            vertices, triangles = parse_mesh(file, content)
    except (GrouserError, MemoryError):
        raise
    except Exception as error:  # damaged bytes raise any exception
        reason = f"{type(error).__name__}: {error}".replace("\n", " ")[:200]
        mistake = f"cannot be read as {ending.upper().removeprefix('.')} ({reason})"
        raise InvalidDescription(file, [mistake]) from None
    if not len(triangles) or triangles.min() < 0 or triangles.max() >= len(vertices):
        raise InvalidDescription(file, ["has no triangles, or some whose corners it does not list"])
    if not np.isfinite(vertices).all():
        raise InvalidDescription(file, ["has corners that are not finite numbers"])
    is_used = np.zeros(len(vertices), bool)
    is_used[triangles] = True
    with np.errstate(over="ignore"):  # what is too large is found by its size
        vertices = vertices[is_used] * (1.0 if scale is None else scale)
        _check_size(file, vertices, scale)
    return vertices, (np.cumsum(is_used) - 1)[triangles]


def _check_size(file: Path, vertices: Points, scale: float | None) -> None:
    size, farthest = float(np.ptp(vertices, axis=0).max()), float(np.abs(vertices).max())
    if scale is None and size > LARGEST:
        mistake = (
            f"is {size:g} m across, which looks like millimetres: give scale = 0.001, "
            f"or scale = 1.0 if its unit is the metre"
        )
        raise InvalidDescription(file, [mistake])
    least, most = limits.RANGES["m"]
    if size < least or farthest > most:
        mistake = f"must be {least:g} m across or more and within {most:g} m of its origin"
        given = f"not {size:g} m and {farthest:g} m; scale is the length of its unit in metres"
        raise InvalidDescription(file, [f"{mistake}, {given}"])


def _merged(vertices: Points, triangles: Triangles) -> tuple[Points, Triangles]:
    """Return corners that occur once each, and the triangles between three different ones.

    Corners merge if they are equal: files that list corners triangle by triangle repeat them.
    """
    order = np.lexsort(vertices.T)
    ordered = vertices[order]
    is_new = np.append(True, (ordered[1:] != ordered[:-1]).any(axis=1))
    number = np.empty(len(vertices), np.intp)
    number[order] = np.cumsum(is_new) - 1
    triangles = number[triangles]
    a, b, c = triangles.T
    triangles = triangles[(a != b) & (b != c) & (c != a)]
    is_used = np.zeros(int(is_new.sum()), bool)
    is_used[triangles] = True
    renumbered = np.cumsum(is_used) - 1
    return ordered[is_new][is_used], renumbered[triangles].astype(np.intp)


def _check_closed(file: Path, triangles: Triangles) -> None:
    """Raise unless each side of a triangle is a side of another that runs the other way."""
    if not len(triangles):
        raise InvalidDescription(file, ["must enclose a volume: all its triangles are lines"])
    start, end = triangles.ravel(), np.roll(triangles, -1, axis=1).ravel()
    count = int(triangles.max()) + 1
    side, place = np.unique(
        np.minimum(start, end) * count + np.maximum(start, end), return_inverse=True
    )
    balance = np.zeros(len(side), np.int64)
    np.add.at(balance, place.ravel(), np.where(start < end, 1, -1))
    uses = np.bincount(place.ravel(), minlength=len(side))
    if (odd := int((uses % 2).sum())) > 0:
        mistake = (
            f"is not closed: {odd:,} of its {len(side):,} edges belong to one triangle only; close "
            "its holes (in Blender: Mesh > Clean Up > Fill Holes, after Merge by Distance), or use "
            'a height field (kind = "heightfield") for an open surface'
        )
        raise InvalidDescription(file, [mistake])
    if balance.any():
        mistake = (
            "has triangles that are turned over against their neighbours: make all look outside "
            "(in Blender: Mesh > Normals > Recalculate Outside)"
        )
        raise InvalidDescription(file, [mistake])
