"""Points of LAS files, versions 1.0 to 1.4, without compression.

ASPRS: LAS specification 1.4, R15, 2019. Whatever the format of a record, it begins with x, y, z as
whole numbers; class and flags lie at places that depend on the format. Only places are returned.
"""

import struct
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from grouser import limits
from grouser.description.mesh_formats import check_count

_HEAD = 227
_NOISE = (7, 18)
"""Classes of points that are noise, low and high."""


def read_las(file: Path, content: bytes) -> NDArray[np.float64]:
    """Return the points, without those that are marked as noise or withheld.

    Raises:
        InvalidDescription: It has too many points.
        Exception: Of any kind, if it is damaged.
    """
    if content[:4] != b"LASF" or len(content) < _HEAD:
        raise ValueError("it does not begin with LASF")
    minor, start, kind, length = _head(content)
    count = struct.unpack_from("<I", content, 107)[0]
    if minor >= 4 and len(content) >= 255:
        count = struct.unpack_from("<Q", content, 247)[0] or count
    if kind & 0xC0:
        raise ValueError("its points are compressed (LAZ); unpack them first")
    if kind > 10 or length < (20 if kind < 6 else 30):
        raise ValueError(f"points of format {kind} with {length} bytes")
    check_count(file, count, limits.SCAN_POINTS, "points")
    if start < _HEAD or start + count * length > len(content):
        raise ValueError("it is cut off")
    rows = np.frombuffer(content, _record(kind, length), count, start)
    scales, offsets = (
        struct.unpack_from("<3d", content, 131),
        struct.unpack_from("<3d", content, 155),
    )
    is_kept = ~np.isin(rows["class"] & (0x1F if kind < 6 else 0xFF), _NOISE)
    is_kept &= rows["flags"] & (0x80 if kind < 6 else 0x04) == 0  # withheld
    kept = rows[is_kept]
    columns = zip("xyz", scales, offsets, strict=True)
    return np.column_stack([kept[axis] * scale + offset for axis, scale, offset in columns])


def _head(content: bytes) -> tuple[int, int, int, int]:
    """Return the minor version, where points begin, their format, and their length [B]."""
    kind, length = struct.unpack_from("<BH", content, 104)
    return content[25], struct.unpack_from("<I", content, 96)[0], kind, length


def _record(kind: int, length: int) -> np.dtype:
    place = 15 if kind < 6 else 16
    return np.dtype(
        {
            "names": ["x", "y", "z", "flags", "class"],
            "formats": ["<i4", "<i4", "<i4", "u1", "u1"],
            "offsets": [0, 4, 8, 15, place],
            "itemsize": length,
        }
    )
