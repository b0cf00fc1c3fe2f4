"""Scans: points of PCD, LAS and text files, and the ground under them.

Nonsense: heights that are not finite or absurdly far away, no start, more nodes than there may be.
"""

from collections.abc import Callable
from pathlib import Path

import numpy as np

from grouser import limits
from grouser.description.scan_files import read_scan
from grouser.description.scan_ground import ScanGround, ScanRule, make_ground
from tests.description.scans import (
    POINTS,
    las,
    pcd_binary,
    pcd_packed,
    pcd_text,
    ply_points,
)
from tests.fuzz.target import Target, require, write_input

GRID = np.stack(np.meshgrid(np.arange(4.0), np.arange(3.0), [0.0, 2.0]), -1).reshape(-1, 3)


def _read(suffix: str) -> Callable[[bytes, Path], ScanGround]:
    def read(content: bytes, folder: Path) -> ScanGround:
        file = write_input(folder, suffix, content)
        return make_ground(file, read_scan(file), ScanRule(spacing=0.5, fill=1.0))

    return read


def _check(ground: ScanGround) -> None:
    known = ground.heights[~np.isnan(ground.heights)]
    require(known.size > 0 and bool((np.abs(known) <= limits.LENGTH).all()), "heights")
    require(ground.heights.size <= limits.HEIGHT_SAMPLES, "too many nodes")
    places = (*ground.middle, *ground.start, ground.elevation)
    require(bool((np.abs(places) <= 1.1 * limits.COORDINATE).all()), f"places {places}")
    require(all(count >= 0 for count in ground.points.values()), f"{ground.points}")


def _rows(points: np.ndarray, mark: str) -> bytes:
    return "".join(mark.join(f"{number:g}" for number in row) + "\n" for row in points).encode()


TARGETS = [
    Target(
        name="scan PCD",
        samples=lambda: [pcd_text(), pcd_binary(), pcd_packed()],
        attempt=_read(".pcd"),
        check=_check,
        is_text=False,
        words=("FIELDS", "COUNT", "SIZE", "POINTS", "DATA", "binary_compressed", "ascii"),
    ),
    Target(
        name="scan LAS",
        samples=lambda: [las(), las(kind=6, minor=4), las(GRID, noise=(3,))],
        attempt=_read(".las"),
        check=_check,
        is_text=False,
    ),
    Target(
        name="scan XYZ",
        samples=lambda: [_rows(GRID, " "), b"x;y;z\n" + _rows(POINTS, ";"), _rows(GRID, ",")],
        attempt=_read(".xyz"),
        check=_check,
        words=(",", ";", "nan", "inf", "1e400", "#", "//"),
    ),
    Target(
        name="scan PLY",
        samples=lambda: [ply_points()],
        attempt=_read(".ply"),
        check=_check,
        is_text=False,
    ),
]
