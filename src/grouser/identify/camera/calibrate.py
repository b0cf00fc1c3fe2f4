"""Camera calibration from the grid of the floor."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import least_squares
from scipy.spatial import KDTree

from grouser.description import Rig
from grouser.drawing.markers import import_cv2
from grouser.errors import GrouserError
from grouser.laws.camera import PinholeCamera, overhead_view

MOST = 5000
"""Most places that are looked at."""
QUALITY = 0.02
"""Weakest place that counts, as a share of the strongest [1]."""


def find_crossings(picture: NDArray[np.uint8], spacing: float) -> NDArray[np.float64]:
    """Return places (n, 2) that may be crossings, to a fraction of a pixel [pixels].

    Corners of other things are among them: a lattice tells which belong to the grid.

    Args:
        picture: Pixels (height, width) in grey, or (height, width, 3) in blue, green, red.
        spacing: Distance between two lines, about [pixels].
    """
    cv2 = import_cv2()
    grey = picture if picture.ndim == 2 else cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY)
    # Where two lines cross are four corners; a blur as wide as a line makes them one.
    soft = cv2.GaussianBlur(grey, (0, 0), max(0.02 * spacing, 1.0))
    block = 2 * round(0.06 * spacing) + 3
    found = cv2.goodFeaturesToTrack(soft, MOST, QUALITY, 0.35 * spacing, blockSize=block)
    if found is None:
        return np.empty((0, 2))
    window = max(round(0.1 * spacing), 3)
    ending = (cv2.TERM_CRITERIA_EPS + cv2.TERM_CRITERIA_MAX_ITER, 50, 1e-3)
    refined = cv2.cornerSubPix(grey, found, (window, window), (-1, -1), ending)
    return refined.reshape(-1, 2).astype(np.float64)


REACH = 0.3
"""How far from where it is expected a neighbour may be, in steps of the grid [1]."""
SIDES = ((1, 0), (-1, 0), (0, 1), (0, -1))


def grow_lattice(places: NDArray[np.float64], spacing: float) -> dict[tuple[int, int], int]:
    """Return the largest lattice: for each column and row, the index of the place.

    Neighbours are looked for where the last step points to, so that a lattice may be bent and
    stretched a little at a time. Columns and rows are counted from an arbitrary member.

    Args:
        places: Places (n, 2), with axes about along the grid [m].
        spacing: Step of the grid, about [m].
    """
    if not len(places):
        return {}
    tree, best = KDTree(places), {}
    middle = np.argsort(np.linalg.norm(places - np.median(places, axis=0), axis=1))
    tried: set[int] = set()
    for seed in middle:
        if int(seed) in tried:
            continue
        grown = _grow(places, tree, int(seed), spacing)
        tried |= set(grown.values())
        if len(grown) > len(best):
            best = grown
        if 2 * len(best) >= len(places) - len(tried):
            break  # what is left cannot hold a larger one worth having
    return best


def _grow(
    places: NDArray[np.float64], tree: KDTree, seed: int, spacing: float
) -> dict[tuple[int, int], int]:
    member = {(0, 0): seed}
    steps = {(0, 0): (np.array((spacing, 0.0)), np.array((0.0, spacing)))}
    taken, queue = {seed}, [(0, 0)]
    while queue:
        cell = queue.pop(0)
        here, (along, across) = places[member[cell]], steps[cell]
        for column, row in SIDES:
            there = cell[0] + column, cell[1] + row
            if there in member:
                continue
            step = column * along + row * across
            distance, index = tree.query(here + step)
            if distance > REACH * spacing or int(index) in taken:
                continue
            member[there] = int(index)
            taken.add(int(index))
            found = places[index] - here
            sign = column + row
            steps[there] = (sign * found, across) if column else (along, sign * found)
            queue.append(there)
    return member


FEWEST = 20
"""Fewest crossings from which a camera is calibrated."""
ALLOWED = 3.0
"""Farthest that a crossing may be from where the camera would show it [pixels]."""
SEVERAL = 3
"""How many crossings a line of the grid has at least; fewer may be a thing beside the floor."""
LEAST_EXACT = 0.1
"""Largest standard deviation of a place in the picture, over a square of the grid [1]."""
SEEN = 0.1
"""Least standard deviation of a crossing that was found [pixels]."""
SOFT = 0.5
"""Distance above which a crossing counts less in the search [pixels]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibration:
    """A camera, and how well it explains the grid."""

    camera: PinholeCamera
    """The camera."""
    crossings: int
    """How many crossings of the grid were seen."""
    error: float
    """Root of the mean squared distance between seen and expected crossings [pixels]."""
    deviation: float
    """Standard deviation of a place on the floor that the camera shows, the largest within the
    picture [m]."""


def calibrate_camera(rig: Rig, pictures: Iterable[NDArray[np.uint8]]) -> Calibration:
    """Return the camera that shows the grid of the floor where the picture has it.

    The rig says about where the camera is: turned by less than 45 degrees, at a height within a
    fifth or so. Where all lines are seen it may be anywhere above them; otherwise within half a
    square of where the rig has it. Height and, if the rig gives it, focal length are taken as they
    are; from one view straight down they cannot be told apart.

    Args:
        rig: Floor and camera.
        pictures: Pictures of the same view, as many as it takes to find enough of the grid; a
            robot hides different parts of it in each.

    Raises:
        GrouserError: No picture shows enough of the grid.
    """
    view, most = overhead_view(rig), 0
    for picture in pictures:
        cells, pixels = _find_grid(rig, view, picture)
        most = max(most, len(cells))
        if len(cells) >= FEWEST:
            return _fit(rig, view, rig.floor.crossings()[tuple(cells.T)], pixels)
    raise GrouserError(
        f"no grid was found: {most} crossings of lines, but it takes {FEWEST}; the rig expects "
        f"squares of {rig.floor.grid:g} m seen from {rig.camera.height:g} m, about "
        f"{_spacing(rig, view):.0f} pixels wide"
    )


def _spacing(rig: Rig, view: PinholeCamera) -> float:
    return view.focal * rig.floor.grid / rig.camera.height


def _find_grid(
    rig: Rig, view: PinholeCamera, picture: NDArray[np.uint8]
) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
    """Return column and row (n, 2) of the crossings in a picture, and their pixels (n, 2)."""
    pixels = find_crossings(picture, _spacing(rig, view))
    floor, counts = rig.floor, np.array(rig.floor.line_counts)
    places = (view.lift(pixels, 0.0)[:, :2] - np.array(floor.centre)) / floor.grid
    lattice = grow_lattice(places, 1.0)
    if len(lattice) < FEWEST:
        return np.empty((0, 2), dtype=np.intp), np.empty((0, 2))
    cells, members = np.array(list(lattice)), list(lattice.values())
    extent = _extent(cells)
    expected = np.rint(np.median(places[members] - cells, axis=0)) + counts // 2
    # All lines seen: the first is the first. Otherwise the rig's own camera decides.
    first = np.where(extent[1] - extent[0] + 1 == counts, -extent[0], expected)
    cells = cells + first.astype(np.intp)
    inside = np.all((cells >= 0) & (cells < counts), axis=1)
    return cells[inside], pixels[members][inside]


def _extent(cells: NDArray[np.intp]) -> NDArray[np.intp]:
    """Return the first and the last line each way (2, 2) on which there are several crossings."""
    ends = []
    for axis in cells.T:
        lines, counts = np.unique(axis, return_counts=True)
        ends.append(lines[counts >= SEVERAL][[0, -1]] if np.any(counts >= SEVERAL) else (0, 0))
    return np.array(ends).T


def _fit(
    rig: Rig, view: PinholeCamera, points: NDArray[np.float64], pixels: NDArray[np.float64]
) -> Calibration:
    camera, _ = _refine(rig, _place(view, points, pixels), points, pixels)
    near = np.linalg.norm(camera.project(points) - pixels, axis=1) < ALLOWED
    points, pixels = points[near], pixels[near]
    if len(points) < FEWEST:
        raise GrouserError(
            f"the grid was found but no camera shows it so: only {len(points)} crossings lie "
            f"within {ALLOWED:g} pixels; check camera.lens and floor.grid_m of rig {rig.name!r}"
        )
    camera, deviation = _refine(rig, camera, points, pixels)  # without what was no crossing
    distances = np.linalg.norm(camera.project(points) - pixels, axis=1)
    error = float(np.sqrt(np.mean(distances**2)))
    needed = LEAST_EXACT * rig.floor.grid
    if not deviation <= needed:
        raise GrouserError(
            f"{len(points)} crossings of the grid cannot tell the camera: places in the picture "
            f"would be known to {1e3 * deviation:.3g} mm, where {1e3 * needed:.3g} mm are needed; "
            f"show more of the grid, or give camera.lens in rig {rig.name!r}"
        )
    return Calibration(camera=camera, crossings=len(points), error=error, deviation=deviation)


def _place(
    view: PinholeCamera, points: NDArray[np.float64], pixels: NDArray[np.float64]
) -> PinholeCamera:
    """Return the camera where the points are seen from, its lens unchanged."""
    cv2 = import_cv2()
    (cx, cy), f = view.centre, view.focal
    matrix = np.array([[f, 0.0, cx], [0.0, f, cy], [0.0, 0.0, 1.0]])
    _, turn, shift = cv2.solvePnP(points, pixels, matrix, np.array(view.distortion))
    rotation, _ = cv2.Rodrigues(turn)
    return replace(view, turn=turn.ravel(), position=(-rotation.T @ shift).ravel())


def _refine(
    rig: Rig, start: PinholeCamera, points: NDArray[np.float64], pixels: NDArray[np.float64]
) -> tuple[PinholeCamera, float]:
    """Return the camera with the least distances to what is seen, robustly; how exact it is."""
    lens = rig.camera.lens
    finds_focal, finds_bend = lens.focal is None, lens.distortion is None

    def build(unknowns: NDArray[np.float64]) -> PinholeCamera:
        x, y, z, *rest = (float(unknown) for unknown in unknowns)
        k1, k2 = rest[3:5] if finds_bend else (0.0, 0.0)
        return replace(
            start,
            position=np.array((x, y, rig.camera.height if finds_focal else z)),
            turn=np.array(rest[:3]),
            focal=start.focal * rest[-1] if finds_focal else start.focal,
            distortion=(k1, k2, 0.0, 0.0, 0.0) if finds_bend else start.distortion,
        )

    first = [*start.position, *start.turn, *(start.distortion[:2] if finds_bend else ())]
    if finds_focal:
        first.append(rig.camera.height / float(start.position[2]))
    found = least_squares(
        lambda unknowns: (build(unknowns).project(points) - pixels).ravel(),
        np.array(first),
        loss="soft_l1",
        f_scale=SOFT,
        x_scale="jac",
    )
    return build(found.x), _deviation(build, found.x, found.jac, found.fun)


def _deviation(
    build: Callable[[NDArray[np.float64]], PinholeCamera],
    unknowns: NDArray[np.float64],
    jacobian: NDArray[np.float64],
    left: NDArray[np.float64],
) -> float:
    """Return the largest standard deviation of a place on the floor at the picture's corners [m].

    Unknowns that do not show at all, such as a height that is taken as it is, do not count.
    """
    camera = build(unknowns)
    corners = np.array([(sx, sy) for sx in (0.0, 2.0) for sy in (0.0, 2.0)]) * camera.centre
    here = camera.lift(corners, 0.0)[:, :2].ravel()
    shown = np.any(jacobian != 0.0, axis=0)
    steps = 1e-6 * np.maximum(np.abs(unknowns), 1e-2)
    moved = [
        (build(unknowns + step * row).lift(corners, 0.0)[:, :2].ravel() - here) / step
        for step, row in zip(steps, np.eye(unknowns.size), strict=True)
    ]
    slopes = np.array(moved)[shown].T
    _, sizes, axes = np.linalg.svd(jacobian[:, shown], full_matrices=False)
    noise = max(float(np.sqrt(np.mean(left**2))), SEEN)
    spread = slopes @ axes.T / np.maximum(sizes, 1e-12)
    return float(noise * np.sqrt(np.sum(spread**2, axis=1)).max())
