"""Plan view of runs on a course."""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import shapely
from numpy.typing import NDArray

from grouser.description import Course, Robot
from grouser.description.solids import Slab
from grouser.geometry import Array, Pose, running_length
from grouser.log import Comparison, Log
from grouser.report import colours
from grouser.report.measure import divergence_mark, find_divergences
from grouser.report.panel import Label, Mark, Panel, Series, Shape, rows_to_draw
from grouser.scenario import robot_of_log

TOUCHING = 1e-6
"""Slabs with a smaller gap between them share a label [m]."""


def course_shapes(course: Course) -> tuple[Shape, ...]:
    """Return the shapes of a course, back to front."""
    terrain = course.terrain
    shapes: list[Shape] = []
    if course.area is not None:
        (left, right), (low, high) = course.area.x, course.area.y
        corners = np.array([(left, low), (right, low), (right, high), (left, high)])
        shapes.append(_shape("area", corners, colours.AREA_FILL, colours.AREA_EDGE))
    ramp = colours.RAMP_FILL, colours.RAMP_EDGE, True
    block = colours.OBSTACLE_FILL, colours.OBSTACLE_EDGE, False
    patch = colours.PATCH_FILL, colours.PATCH_EDGE, False
    pieces: list[tuple[Any, tuple[str, str, bool]]] = [
        (solid, ramp) for solid in (*terrain.meshes, *terrain.fields)
    ]
    pieces += [(s, block if s.is_level else ramp) for s in sorted(terrain.slabs, key=_top)]
    pieces += [(piece, patch) for piece in terrain.patches]  # on top of the slabs
    shapes += [_shape(piece.name, piece.footprint.corners, *look) for piece, look in pieces]
    return tuple(shapes)


def course_labels(course: Course) -> tuple[Label, ...]:
    """Return the name and height of each obstacle and ramp, and the surface of each patch.

    Slabs of one name that touch, such as the steps of a flight of stairs, get one label.
    """
    labels: list[Label] = []
    by_name: dict[str, list[Slab]] = {}
    for slab in course.terrain.slabs:
        by_name.setdefault(slab.name, []).append(slab)
    for name, slabs in by_name.items():
        footprints = [(slab, shapely.Polygon(slab.footprint.corners)) for slab in slabs]
        grown = shapely.union_all([polygon.buffer(TOUCHING) for _, polygon in footprints])
        for group in getattr(grown, "geoms", [grown]):
            top = max(_top(slab) for slab, polygon in footprints if group.intersects(polygon))
            labels.append(_label(f"{name}\n{top:.3g} m", group))
    for field in course.terrain.fields:
        text = f"{field.name}\n{float(np.nanmax(field.heights)):.3g} m"
        labels.append(_label(text, shapely.Polygon(field.footprint.corners)))
    for mesh in course.terrain.meshes:
        text = f"{mesh.name}\n{mesh.top:.3g} m"
        labels.append(_label(text, shapely.Polygon(mesh.footprint.corners)))
    for patch in course.terrain.patches:
        same = patch.name == patch.surface
        text = patch.name if same else f"{patch.name}\n({patch.surface})"
        labels.append(_label(text, shapely.Polygon(patch.footprint.corners)))
    return tuple(labels)


def _label(text: str, polygon: shapely.Geometry) -> Label:
    """Return a label above a polygon, where it does not cover the path."""
    low_x, _, high_x, high_y = (float(bound) for bound in shapely.bounds(polygon))
    return Label(text=text, x=0.5 * (low_x + high_x), y=high_y)


def _top(slab: Slab) -> float:
    return max(slab.top_start, slab.top_end)


def _shape(name: str, corners: np.ndarray, fill: str, edge: str, hatched: bool = False) -> Shape:
    return Shape(name=name, corners=corners, fill=fill, edge=edge, hatched=hatched)


OUTLINE_SPACING = 1.5
"""Least distance between two outlines over the length of the robot [1]."""

_ATTITUDE = ("roll", "pitch", "yaw")


def robot_outlines(robot: Robot, log: Log, count: int) -> tuple[Array, Array]:
    """Return outlines of the robot at equal distances along its path, including its end.

    x and y [m]: each outline has a line from its middle to its front; NaN separates outlines. There
    are fewer than `count` where they would overlap.
    """
    rows = _spread(log, count, OUTLINE_SPACING * (robot.front - robot.rear))
    attitude = {name: log[name][rows] if name in log else np.zeros(len(rows)) for name in _ATTITUDE}
    in_world = Pose(**attitude).rotation.as_matrix() @ _outline(robot).T
    x, y = log["x"][rows], log["y"][rows]
    return (x[:, np.newaxis] + in_world[:, 0]).ravel(), (y[:, np.newaxis] + in_world[:, 1]).ravel()


def _spread(log: Log, count: int, least: float) -> NDArray[np.intp]:
    """Return rows at equal distances along the path, at least `least` apart [m]."""
    poses = np.stack([log[name] for name in ("x", "y", *_ATTITUDE) if name in log])
    known = np.flatnonzero(np.isfinite(poses).all(axis=0))
    if not known.size:
        return known
    steps = np.hypot(np.diff(log["x"][known]), np.diff(log["y"][known]))
    driven = running_length(steps)
    count = min(count, 1 + int(driven[-1] / least))
    wanted = np.linspace(driven[-1], 0.0, count)[:0:-1]
    # The first row at that distance; a stop gives many rows there.
    return np.append(known[np.searchsorted(driven, wanted)], known[-1])


def _outline(robot: Robot) -> Array:
    """Return outline and heading line (n, 3) in the body frame, each ended by NaN [m]."""
    tracks = [abs(drive.y) + 0.5 * drive.width for drive in robot.drives]
    side = max(*tracks, 0.5 * robot.body.size[1])
    rear, front = robot.rear, robot.front
    gap = (np.nan, np.nan, np.nan)
    return np.array(
        [
            (rear, -side, 0.0), (front, -side, 0.0), (front, side, 0.0), (rear, side, 0.0),
            (rear, -side, 0.0), gap, (0.5 * (rear + front), 0.0, 0.0), (front, 0.0, 0.0), gap,
        ]
    )  # fmt: skip


MAX_OUTLINES = 6
"""Largest number of outlines of a single run."""
PATH_SPACING = 0.01
"""Spacing of the points of a drawn reference path over its length [1]."""


def plan_panel(
    runs: Mapping[str, Log], course: Course | None, comparisons: Mapping[str, Comparison]
) -> Panel | None:
    """Return the plan view; None if no run has positions."""
    placed = {name: log for name, log in runs.items() if "x" in log and "y" in log and len(log)}
    if not placed:
        return None
    numbers = {name: number for number, name in enumerate(runs)}
    lines: list[Series] = []
    if course and course.path:
        x, y = course.path.points(PATH_SPACING * course.path.length).T
        grey = colours.REFERENCE
        lines.append(Series(name="reference path", x=x, y=y, colour=grey, dash="dashed"))
    marks: list[Mark] = list(_start(placed, course))
    for name, log in placed.items():
        colour = colours.line_colour(numbers[name])
        robot = robot_of_log(log)
        if robot and "yaw" in log:
            x, y = robot_outlines(robot, log, MAX_OUTLINES if len(placed) == 1 else 1)
            lines.append(Series(name="", x=x, y=y, colour=colour, faint=True))
        rows = np.union1d(rows_to_draw(log["x"]), rows_to_draw(log["y"]))
        lines.append(Series(name=name, x=log["x"][rows], y=log["y"][rows], colour=colour))
    marks += _divergence_marks(runs, comparisons)
    return Panel(
        key="plan",
        title="Path seen from above",
        x_label="x [m]",
        y_label="y [m]",
        series=tuple(lines),
        shapes=course_shapes(course) if course else (),
        marks=tuple(marks),
        labels=course_labels(course) if course else (),
        equal_axes=True,
    )


def _start(runs: Mapping[str, Log], course: Course | None) -> Iterator[Mark]:
    if course:
        x, y = course.start.x, course.start.y
    else:
        first = next(iter(runs.values()))
        x, y = float(first["x"][0]), float(first["y"][0])
    if np.isfinite(x) and np.isfinite(y):
        yield Mark(symbol="start", x=x, y=y, colour=colours.TEXT, name="start")


def _divergence_marks(
    runs: Mapping[str, Log], comparisons: Mapping[str, Comparison]
) -> Iterator[Mark]:
    """Yield marks at the positions where runs diverge from the first one."""
    for name, comparison in comparisons.items():
        log = runs[name]
        for divergence in find_divergences(comparison):
            if divergence.time is not None:
                row = int(np.searchsorted(log.time, divergence.time))
                x, y = float(log["x"][row]), float(log["y"][row])
                yield divergence_mark(divergence, x, y, name, list(runs))
