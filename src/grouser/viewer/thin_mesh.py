"""Meshes that are dropped on a page: checked, and thinned to what a page can show.

Corners in the same cell of a grid become one. As each triangle keeps its three corners or loses
its area, a closed surface stays closed. A large file is read by a process of its own, so that the
physics goes on: `python -m grouser.viewer.thin_mesh FILE THINNED`.
"""

import json
import subprocess
import sys
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from grouser.description.mesh_file import Points, Triangles, read_mesh
from grouser.errors import GrouserError, InvalidDescription

MOST = 40_000
"""Triangles of a mesh on a page; larger ones are thinned [1]."""
OWN_PROCESS = 2_000_000
"""Size of a file above which another process reads it [B]."""
PATIENCE = 300.0
"""How long that process may take [s]."""
MILLIMETRES = 20.0
"""Size of a mesh above which its unit is taken as the millimetre [1]."""
_COARSER = 1.2  # by which cells grow until a mesh is thin enough
_STL = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("more", "<u2")])


@dataclass(frozen=True, slots=True)
class MeshSummary:
    """What was found in the file of a mesh."""

    triangles: int
    """Number of triangles in the file."""
    kept: int
    """Number of triangles that are used."""
    low: tuple[float, float, float]
    """Least coordinates, in the unit of the file [1]."""
    high: tuple[float, float, float]
    """Greatest coordinates, in the unit of the file [1]."""

    @property
    def scale(self) -> float:
        """Length of the unit of the file: a metre, or a millimetre if it is large [m]."""
        size = max(b - a for a, b in zip(self.low, self.high, strict=True))
        return 0.001 if size > MILLIMETRES else 1.0


def inspect_mesh(file: Path, thinned: Path) -> MeshSummary:
    """Return what is in a file; if it is too large, a thinned mesh is written as STL.

    Raises:
        InvalidDescription: The file is no closed mesh; see `read_mesh`.
    """
    if file.stat().st_size <= OWN_PROCESS:
        return thin_file(file, thinned)
    command = [sys.executable, "-m", "grouser.viewer.thin_mesh", str(file), str(thinned)]
    try:
        done = subprocess.run(
            command, stdin=subprocess.DEVNULL, capture_output=True, timeout=PATIENCE, check=False
        )
    except subprocess.TimeoutExpired:
        mistake = f"could not be read within {PATIENCE:.0f} s: give it fewer triangles"
        raise InvalidDescription(file, [mistake]) from None
    if done.returncode:
        mistake = "needs more memory than there is: give it fewer triangles"
        raise InvalidDescription(file, [mistake])
    answer = json.loads(done.stdout)
    if "mistakes" in answer:
        raise InvalidDescription(file, answer["mistakes"])
    return MeshSummary(**answer | {key: tuple(answer[key]) for key in ("low", "high")})


def thin_file(file: Path, thinned: Path) -> MeshSummary:
    """Read a mesh here, and write a thinned one if it is too large."""
    vertices, triangles = read_mesh(file, 1.0)
    low, high = (tuple(map(float, one(axis=0))) for one in (vertices.min, vertices.max))
    count = len(triangles)
    if count > MOST:
        vertices, triangles = thin(vertices, triangles, MOST)
        write_stl(thinned, vertices, triangles)
    return MeshSummary(count, len(triangles), low, high)  # pyright: ignore[reportArgumentType]


def thin(vertices: Points, triangles: Triangles, most: int) -> tuple[Points, Triangles]:
    """Return a closed mesh of at most so many triangles, as fine as that allows."""
    a, b, c = (vertices[triangles[:, corner]] for corner in range(3))
    area = 0.5 * float(np.linalg.norm(np.cross(b - a, c - a), axis=1).sum())
    cell = float(np.sqrt(2.0 * area / most))
    while True:
        corners, faces = _cluster(vertices, triangles, cell)
        if len(faces) <= most:
            return corners, faces
        cell *= _COARSER


def _cluster(vertices: Points, triangles: Triangles, cell: float) -> tuple[Points, Triangles]:
    cells = np.floor((vertices - vertices.min(axis=0)) / cell).astype(np.int64)
    spans = cells.max(axis=0) + 1
    keys = (cells[:, 0] * spans[1] + cells[:, 1]) * spans[2] + cells[:, 2]
    _, number = np.unique(keys, return_inverse=True)
    count = np.bincount(number)
    means = [np.bincount(number, weights=vertices[:, axis]) / count for axis in range(3)]
    faces = number[triangles]
    x, y, z = faces.T
    return np.column_stack(means), faces[(x != y) & (y != z) & (z != x)].astype(np.intp)


def write_stl(file: Path, vertices: Points, triangles: NDArray[np.intp]) -> None:
    """Write a mesh as binary STL."""
    rows = np.zeros(len(triangles), _STL)
    rows["corners"] = vertices[triangles]
    head = b"thinned by grouser".ljust(80) + np.uint32(len(triangles)).tobytes()
    file.write_bytes(head + rows.tobytes())


def main(file: str, thinned: str) -> None:
    """Read a file and write the summary, or its mistakes, as JSON to the standard output."""
    try:
        answer = asdict(thin_file(Path(file), Path(thinned)))
    except InvalidDescription as error:
        answer = {"mistakes": list(error.mistakes)}
    except GrouserError as error:
        answer = {"mistakes": [str(error)]}
    sys.stdout.write(json.dumps(answer))


if __name__ == "__main__":
    main(*sys.argv[1:])
