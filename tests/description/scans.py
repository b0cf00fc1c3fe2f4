"""Files of scans with known points, written byte by byte."""

import struct

import numpy as np

POINTS = np.array([[0.0, 0.5, 1.0], [1.25, -2.0, 0.25], [3.0, 4.0, -5.0], [0.0, 0.0, 0.5]])


def pcd(way: str, body: bytes, *, count: int = len(POINTS), kind: str = "F") -> bytes:
    """Return a PCD file of points with x, y, z and two numbers of `rest` before z."""
    head = (
        "# .PCD v0.7\nVERSION 0.7\nFIELDS x y rest z\nSIZE 4 4 1 4\n"
        f"TYPE {kind} {kind} U {kind}\nCOUNT 1 1 2 1\nWIDTH {count}\nHEIGHT 1\n"
        f"VIEWPOINT 0 0 0 1 0 0 0\nPOINTS {count}\nDATA {way}\n"
    )
    return head.encode() + body


def pcd_text() -> bytes:
    return pcd("ascii", "".join(f"{x} {y} 7 8 {z}\n" for x, y, z in POINTS).encode())


def pcd_binary() -> bytes:
    return pcd("binary", b"".join(struct.pack("<ffBBf", x, y, 7, 8, z) for x, y, z in POINTS))


def pcd_packed() -> bytes:
    x, y, z = (column.astype("<f4").tobytes() for column in POINTS.T)
    columns = x + y + b"\7\10" * len(POINTS) + z
    packed = pack_lzf(columns)
    return pcd("binary_compressed", struct.pack("<II", len(packed), len(columns)) + packed)


def pack_lzf(data: bytes) -> bytes:
    """Pack bytes as LZF: the longest copy of what came before, or bytes as they are."""
    out, at = bytearray(), 0
    while at < len(data):
        length, back = max(
            ((_same(data, at, back), -back) for back in range(1, min(at, 8191) + 1)),
            default=(0, 0),
        )
        length = min(length, 264)
        if length < 3:
            out += bytes((0, data[at]))
            at += 1
            continue
        away = -back - 1
        size = length - 2
        out.append(min(size, 7) << 5 | away >> 8)
        if size >= 7:
            out.append(size - 7)
        out.append(away & 255)
        at += length
    return bytes(out)


def _same(data: bytes, at: int, back: int) -> int:
    length = 0
    while at + length < len(data) and data[at + length] == data[at + length - back]:
        length += 1
    return length


def las(
    points: np.ndarray = POINTS, *, kind: int = 1, minor: int = 2, noise: tuple[int, ...] = ()
) -> bytes:
    """Return a LAS file with a scale of 0.001 and offsets of 100, 200 and 300 m."""
    size, length = (375 if minor >= 4 else 227), (28 if kind < 6 else 30)
    head = bytearray(size)
    head[:4], head[24], head[25] = b"LASF", 1, minor
    struct.pack_into("<HI", head, 94, size, size)
    struct.pack_into("<BHI", head, 104, kind, length, len(points) if kind < 6 else 0)
    struct.pack_into("<6d", head, 131, 0.001, 0.001, 0.001, 100.0, 200.0, 300.0)
    if minor >= 4:
        struct.pack_into("<Q", head, 247, len(points))
    rows = bytearray()
    for number, point in enumerate(points):
        row = bytearray(length)
        whole = np.rint((point - (100.0, 200.0, 300.0)) / 0.001).astype(int)
        struct.pack_into("<3i", row, 0, *whole.tolist())
        row[15 if kind < 6 else 16] = 7 if number in noise else 2
        rows += row
    return bytes(head + rows)


def ply_points() -> bytes:
    head = "ply\nformat binary_little_endian 1.0\nelement vertex 4\n"
    head += "".join(f"property float {axis}\n" for axis in "xyz") + "end_header\n"
    return head.encode() + POINTS.astype("<f4").tobytes()
