"""Points of PCD files, as the Point Cloud Library writes them: text, bytes, or packed bytes.

A head says which fields a point has, and how many points there are. Only x, y, z are kept.
"""

import io
import struct
import warnings
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from grouser import limits
from grouser.description.mesh_formats import check_count

_HEAD = 64 * limits.KB
_TYPES = {
    ("F", 4): "<f4", ("F", 8): "<f8", ("I", 1): "i1", ("I", 2): "<i2", ("I", 4): "<i4",
    ("I", 8): "<i8", ("U", 1): "u1", ("U", 2): "<u2", ("U", 4): "<u4", ("U", 8): "<u8",
}  # fmt: skip


class _Head(NamedTuple):
    fields: list[tuple[str, str, int]]
    """Name, type and count of each field."""
    points: int
    """How many points there are."""
    way: str
    """How they are written."""
    body: bytes
    """All that follows the head."""


def read_pcd(file: Path, content: bytes) -> NDArray[np.float64]:
    """Return the points.

    Raises:
        InvalidDescription: It has too many points.
        Exception: Of any kind, if it is damaged.
    """
    head = _parse_head(content)
    check_count(file, head.points, limits.SCAN_POINTS, "points")
    names = [name for name, _, _ in head.fields]
    if missing := [axis for axis in "xyz" if axis not in names]:
        raise ValueError(f"its points have no {', '.join(missing)}")
    if head.way == "ascii":
        return _read_text(head)
    sizes = [np.dtype(kind).itemsize * count for _, kind, count in head.fields]
    total = sum(sizes) * head.points
    if head.way == "binary":
        if len(head.body) < total:
            raise ValueError("it is cut off")
        kinds = [(f"{i}", kind, (count,)) for i, (_, kind, count) in enumerate(head.fields)]
        rows = np.frombuffer(head.body, np.dtype(kinds), head.points)
        return np.column_stack(
            [rows[f"{names.index(axis)}"][:, 0].astype(np.float64) for axis in "xyz"]
        )
    packed, unpacked = struct.unpack_from("<II", head.body)
    if unpacked != total or packed > len(head.body) - 8:
        raise ValueError("it is cut off")
    check_count(file, unpacked, limits.SCAN_BYTES, "bytes")
    columns = unpack_lzf(head.body[8 : 8 + packed], unpacked)
    starts = np.cumsum([0, *sizes]) * head.points  # field after field, each for all points
    return np.column_stack(
        [
            np.frombuffer(columns, head.fields[place][1], head.points, starts[place])
            if head.fields[place][2] == 1
            else np.frombuffer(
                columns, head.fields[place][1], head.points * head.fields[place][2], starts[place]
            )[:: head.fields[place][2]]
            for place in (names.index(axis) for axis in "xyz")
        ]
    ).astype(np.float64)


def _parse_head(content: bytes) -> _Head:
    words: dict[str, list[str]] = {}
    stream = io.BytesIO(content)
    while line := stream.readline(_HEAD):
        key, *values = line.decode("latin-1").split() or ["#"]
        if not key.startswith("#"):
            words[key] = values
        if key == "DATA" or stream.tell() > _HEAD:
            break
    if "DATA" not in words:
        raise ValueError("it has no head")
    names = words["FIELDS"]
    counts = [int(word) for word in words.get("COUNT", ["1"] * len(names))]
    kinds = zip(words["TYPE"], map(int, words["SIZE"]), strict=True)
    fields = list(zip(names, (_TYPES[kind] for kind in kinds), counts, strict=True))
    if not all(1 <= count <= limits.COLUMNS for count in counts) or len(names) > limits.COLUMNS:
        raise ValueError("a field has no numbers, or too many")
    (count,), (way,) = words.get("POINTS") or _multiply(words), words["DATA"]
    if way not in ("ascii", "binary", "binary_compressed") or int(count) < 0:
        raise ValueError(f"{count} points in {way}")
    return _Head(fields, int(count), way, content[stream.tell() :])


def _multiply(words: dict[str, list[str]]) -> list[str]:
    (width,), (height,) = words["WIDTH"], words["HEIGHT"]
    return [str(int(width) * int(height))]


def _read_text(head: _Head) -> NDArray[np.float64]:
    if head.points > len(head.body):
        raise ValueError("it is cut off")
    places = dict[str, int]()
    at = 0
    for name, _, count in head.fields:
        places.setdefault(name, at)
        at += count
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of a text without rows
        return np.loadtxt(
            io.BytesIO(head.body), usecols=[places[axis] for axis in "xyz"], ndmin=2,
            max_rows=head.points, encoding="latin-1", comments=None,
        )  # fmt: skip


def unpack_lzf(packed: bytes, size: int) -> bytes:
    """Return what LZF packed, which must have `size` bytes.

    A byte below 32 begins that many and one more bytes; any other a copy of what came before:
    three bits of length, and 13 of how far back.

    Raises:
        ValueError: It is damaged.
        IndexError: It is cut off.
    """
    out = bytearray()
    at, end = 0, len(packed)
    while at < end:
        control = packed[at]
        at += 1
        if control < 32:
            out += packed[at : at + control + 1]
            at += control + 1
            continue
        length = control >> 5
        if length == 7:
            length += packed[at]
            at += 1
        back = len(out) - ((control & 31) << 8) - packed[at] - 1
        at, length = at + 1, length + 2
        if back < 0 or len(out) + length > size:
            raise ValueError("its packed bytes are damaged")
        if back + length <= len(out):
            out += out[back : back + length]
        else:  # what is copied overlaps what it makes: it repeats
            piece = bytes(out[back:])
            out += (piece * (length // len(piece) + 1))[:length]
    if len(out) != size:
        raise ValueError("its packed bytes are damaged")
    return bytes(out)
