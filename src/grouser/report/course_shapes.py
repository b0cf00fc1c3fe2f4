"""A course seen from above: its floor, patches, blocks and ramps, with words at each."""

from collections.abc import Iterable, Iterator

import numpy as np
import shapely

from grouser.description import Course
from grouser.description.solid import Slab
from grouser.report import colours
from grouser.report.panel import Label, Shape

TOUCHING = 1e-6
"""Slabs with a smaller gap between them belong together [m]."""


def course_shapes(course: Course) -> tuple[Shape, ...]:
    """Return what to draw of a course, backmost first."""
    terrain = course.terrain
    shapes: list[Shape] = []
    if course.area is not None:
        (left, right), (low, high) = course.area.x, course.area.y
        corners = np.array([(left, low), (right, low), (right, high), (left, high)])
        shapes.append(_shape("area", corners, colours.AREA_FILL, colours.AREA_EDGE))
    for field in terrain.fields:
        corners = field.footprint.corners
        shapes.append(_shape(field.name, corners, colours.RAMP_FILL, colours.RAMP_EDGE, True))
    for slab in sorted(terrain.slabs, key=_top):
        fill, edge = colours.OBSTACLE_FILL, colours.OBSTACLE_EDGE
        if not slab.is_level:
            fill, edge = colours.RAMP_FILL, colours.RAMP_EDGE
        shapes.append(_shape(slab.name, slab.footprint.corners, fill, edge, not slab.is_level))
    # Patches are paint on whatever lies there, so they come after the slabs.
    for patch in terrain.patches:
        corners = patch.footprint.corners
        shapes.append(_shape(patch.name, corners, colours.PATCH_FILL, colours.PATCH_EDGE))
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
        labels += _labels_of_groups(name, slabs)
    for field in course.terrain.fields:
        text = f"{field.name}\n{float(np.nanmax(field.heights)):.3g} m"
        labels.append(_label(text, shapely.Polygon(field.footprint.corners)))
    for patch in course.terrain.patches:
        same = patch.name == patch.surface
        text = patch.name if same else f"{patch.name}\n({patch.surface})"
        labels.append(_label(text, shapely.Polygon(patch.footprint.corners)))
    return tuple(labels)


def _labels_of_groups(name: str, slabs: Iterable[Slab]) -> Iterator[Label]:
    footprints = [(slab, shapely.Polygon(slab.footprint.corners)) for slab in slabs]
    grown = shapely.union_all([polygon.buffer(TOUCHING) for _, polygon in footprints])
    for group in getattr(grown, "geoms", [grown]):
        top = max(_top(slab) for slab, polygon in footprints if group.intersects(polygon))
        yield _label(f"{name}\n{top:.3g} m", group)


def _label(text: str, polygon: shapely.Geometry) -> Label:
    """Return words above a polygon: inside they would hide the way over it."""
    low_x, _, high_x, high_y = (float(bound) for bound in shapely.bounds(polygon))
    return Label(text=text, x=0.5 * (low_x + high_x), y=high_y)


def _top(slab: Slab) -> float:
    return max(slab.top_start, slab.top_end)


def _shape(name: str, corners: np.ndarray, fill: str, edge: str, hatched: bool = False) -> Shape:
    return Shape(name=name, corners=corners, fill=fill, edge=edge, hatched=hatched)
