"""Camera calibration from the grid of the floor."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import least_squares
from scipy.spatial import KDTree

from grouser.description import Rig
from grouser.drawing.markers import import_cv2
from grouser.errors import GrouserError
from grouser.geometry import Array
from grouser.laws.camera import PinholeCamera, overhead_view

MAX_CORNERS = 5000
MIN_CORNER_QUALITY = 0.02
"""Strength of the weakest corner over that of the strongest [1]."""


def find_crossings(picture: NDArray[np.uint8], spacing: float) -> Array:
    """Return candidates (n, 2) for crossings of grid lines, with subpixel accuracy [pixels].

    They include corners of other objects, which `grow_lattice` sorts out. The picture is (height,
    width) in grey or (height, width, 3) in blue, green, red; `spacing` is the approximate distance
    of two lines [pixels].
    """
    cv2 = import_cv2()
    grey = picture if picture.ndim == 2 else cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY)
    # A crossing has four corners; a blur as wide as a line merges them.
    soft = cv2.GaussianBlur(grey, (0, 0), max(0.02 * spacing, 1.0))
    block = 2 * round(0.06 * spacing) + 3
    found = cv2.goodFeaturesToTrack(
        soft, MAX_CORNERS, MIN_CORNER_QUALITY, 0.35 * spacing, blockSize=block
    )
    if found is None:
        return np.empty((0, 2))
    window = max(round(0.1 * spacing), 3)
    ending = (cv2.TERM_CRITERIA_EPS + cv2.TERM_CRITERIA_MAX_ITER, 50, 1e-3)
    refined = cv2.cornerSubPix(grey, found, (window, window), (-1, -1), ending)
    return refined.reshape(-1, 2).astype(np.float64)


MAX_NEIGHBOUR_ERROR = 0.3
"""Largest distance of a neighbour from its expected position, over the grid spacing [1]."""
NEIGHBOURS = ((1, 0), (-1, 0), (0, 1), (0, -1))
"""Column and row steps to the neighbours in the grid."""


def grow_lattice(places: Array, spacing: float) -> dict[tuple[int, int], int]:
    """Return the largest lattice: for each column and row, the index of the point.

    A neighbour of a place (n, 2) is expected at the last step from a member, so that lens
    distortion may bend the lattice gradually; `spacing` is that of the grid, approximately [m].
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
            break  # the remaining points cannot form a much larger lattice
    return best


def _grow(places: Array, tree: KDTree, seed: int, spacing: float) -> dict[tuple[int, int], int]:
    member = {(0, 0): seed}
    steps = {(0, 0): (np.array((spacing, 0.0)), np.array((0.0, spacing)))}
    taken, queue = {seed}, [(0, 0)]
    while queue:
        cell = queue.pop(0)
        here, (along, across) = places[member[cell]], steps[cell]
        for column, row in NEIGHBOURS:
            there = cell[0] + column, cell[1] + row
            if there in member:
                continue
            step = column * along + row * across
            distance, index = tree.query(here + step)
            if distance > MAX_NEIGHBOUR_ERROR * spacing or int(index) in taken:
                continue
            member[there] = int(index)
            taken.add(int(index))
            found = places[index] - here
            sign = column + row
            steps[there] = (sign * found, across) if column else (along, sign * found)
            queue.append(there)
    return member


MIN_CROSSINGS = 20
MAX_CROSSING_ERROR = 3.0
"""Largest reprojection error of a crossing [pixels]."""
MIN_CROSSINGS_PER_LINE = 3
"""Fewest crossings on a line of the grid; fewer may belong to an object beside the floor."""
MAX_RELATIVE_DEVIATION = 0.1
"""Largest standard deviation of a position on the floor, over the grid spacing [1]."""
MIN_PIXEL_DEVIATION = 0.1
"""Least assumed standard deviation of a detected crossing [pixels]."""
ROBUST_SCALE = 0.5
"""Residual above which the robust loss grows linearly [pixels]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibration:
    """A calibrated camera, and the accuracy of the calibration."""

    camera: PinholeCamera
    crossings: int
    """Number of detected crossings of the grid."""
    error: float
    """Root mean square reprojection error of the crossings [pixels]."""
    deviation: float
    """Largest standard deviation of a position on the floor within the picture [m]."""


def calibrate_camera(rig: Rig, pictures: Iterable[NDArray[np.uint8]]) -> Calibration:
    """Return the camera calibrated from the grid on the floor.

    The rig gives an approximate camera pose: rotated by less than 45 degrees, with the height
    within about 20 %. If all lines are visible, the camera may be anywhere above them; otherwise
    within half a square of its position in the rig. Height and focal length cannot be separated in
    one view straight down, so the height is fixed if the rig gives no focal length. The first
    picture with enough of the grid is used; GrouserError if there is none.
    """
    view, most = overhead_view(rig), 0
    for picture in pictures:
        cells, pixels = _find_grid(rig, view, picture)
        most = max(most, len(cells))
        if len(cells) >= MIN_CROSSINGS:
            return _fit(rig, view, rig.floor.crossings()[tuple(cells.T)], pixels)
    raise GrouserError(
        f"no grid was found: {most} crossings of lines, at least {MIN_CROSSINGS} are needed; the "
        f"rig has squares of {rig.floor.grid:g} m seen from {rig.camera.height:g} m, about "
        f"{_spacing(rig, view):.0f} pixels wide"
    )


def _spacing(rig: Rig, view: PinholeCamera) -> float:
    return view.focal * rig.floor.grid / rig.camera.height


def _find_grid(
    rig: Rig, view: PinholeCamera, picture: NDArray[np.uint8]
) -> tuple[NDArray[np.intp], Array]:
    """Return column and row (n, 2) of the crossings in a picture, and their pixels (n, 2)."""
    pixels = find_crossings(picture, _spacing(rig, view))
    floor, counts = rig.floor, np.array(rig.floor.line_counts)
    places = (view.lift(pixels, 0.0)[:, :2] - np.array(floor.centre)) / floor.grid
    lattice = grow_lattice(places, 1.0)
    if len(lattice) < MIN_CROSSINGS:
        return np.empty((0, 2), dtype=np.intp), np.empty((0, 2))
    cells, members = np.array(list(lattice)), list(lattice.values())
    ends = []  # first and last column, first and last row
    for axis in cells.T:
        lines, on_line = np.unique(axis, return_counts=True)
        whole = lines[on_line >= MIN_CROSSINGS_PER_LINE]
        ends.append(whole[[0, -1]] if whole.size else (0, 0))
    extent = np.array(ends).T
    expected = np.rint(np.median(places[members] - cells, axis=0)) + counts // 2
    # If all lines are visible, count from the first; otherwise use the camera pose of the rig.
    first = np.where(extent[1] - extent[0] + 1 == counts, -extent[0], expected)
    cells = cells + first.astype(np.intp)
    inside = np.all((cells >= 0) & (cells < counts), axis=1)
    return cells[inside], pixels[members][inside]


def _fit(rig: Rig, view: PinholeCamera, points: Array, pixels: Array) -> Calibration:
    camera, _ = _refine(rig, _place(view, points, pixels), points, pixels)
    near = np.linalg.norm(camera.project(points) - pixels, axis=1) < MAX_CROSSING_ERROR
    points, pixels = points[near], pixels[near]
    if len(points) < MIN_CROSSINGS:
        raise GrouserError(
            f"the grid was found but no camera fits it: only {len(points)} crossings lie within "
            f"{MAX_CROSSING_ERROR:g} pixels; check camera.lens and floor.grid_m of rig {rig.name!r}"
        )
    camera, deviation = _refine(rig, camera, points, pixels)  # again, without outliers
    distances = np.linalg.norm(camera.project(points) - pixels, axis=1)
    error = float(np.sqrt(np.mean(distances**2)))
    needed = MAX_RELATIVE_DEVIATION * rig.floor.grid
    if not deviation <= needed:
        raise GrouserError(
            f"{len(points)} crossings of the grid do not determine the camera: positions have a "
            f"standard deviation of {1e3 * deviation:.3g} mm, {1e3 * needed:.3g} mm are allowed; "
            f"show more of the grid, or give camera.lens in rig {rig.name!r}"
        )
    return Calibration(camera=camera, crossings=len(points), error=error, deviation=deviation)


def _place(view: PinholeCamera, points: Array, pixels: Array) -> PinholeCamera:
    """Return the camera with the pose that fits the points, its lens unchanged."""
    cv2 = import_cv2()
    (cx, cy), f = view.centre, view.focal
    matrix = np.array([[f, 0.0, cx], [0.0, f, cy], [0.0, 0.0, 1.0]])
    _, turn, shift = cv2.solvePnP(points, pixels, matrix, np.array(view.distortion))
    rotation, _ = cv2.Rodrigues(turn)
    return replace(view, turn=turn.ravel(), position=(-rotation.T @ shift).ravel())


def _refine(
    rig: Rig, start: PinholeCamera, points: Array, pixels: Array
) -> tuple[PinholeCamera, float]:
    """Return the camera with the least robust reprojection error, and its standard deviation."""
    lens = rig.camera.lens
    finds_focal, finds_bend = lens.focal is None, lens.distortion is None

    def build(unknowns: Array) -> PinholeCamera:
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
        f_scale=ROBUST_SCALE,
        x_scale="jac",
    )
    return build(found.x), _deviation(build, found)


def _deviation(build: Callable[[Array], PinholeCamera], found: Any) -> float:
    """Return the largest standard deviation of a floor position at the picture corners [m]."""
    unknowns, jacobian, camera = found.x, found.jac, build(found.x)
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
    noise = max(float(np.sqrt(np.mean(found.fun**2))), MIN_PIXEL_DEVIATION)
    spread = slopes @ axes.T / np.maximum(sizes, 1e-12)
    return float(noise * np.sqrt(np.sum(spread**2, axis=1)).max())
