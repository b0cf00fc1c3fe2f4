"""Robots and courses as cards in notebooks."""

import math
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from grouser import svg
from grouser.errors import GrouserError
from grouser.svg import Sketch, html_card

if TYPE_CHECKING:
    from grouser.description.course import Course
    from grouser.description.robot import Robot

MOST_PIECES = 300
"""Pieces of a terrain that are drawn."""


def robot_card(robot: "Robot") -> str:
    """Return the robot with its views from the right side and from above."""
    rows = {
        "": robot.title,
        "mass": f"{robot.mass:.4g} kg",
        "gauge": f"{robot.gauge:.4g} m",
        "length": f"{robot.front - robot.rear:.4g} m",
        "drives": ", ".join(robot.belt_order),
        "flippers": ", ".join(flipper.name for flipper in robot.flippers),
        "speed": f"at most {robot.drive.speed_limit:g} m/s",
    }
    return html_card("Robot", robot.name, rows, [_robot_views(robot).to_svg()])


def course_card(course: "Course") -> str:
    """Return the course with its plan."""
    path = course.path
    rows = {
        "": course.title,
        "terrain": ", ".join(dict.fromkeys(piece.label for piece in course.pieces[:MOST_PIECES])),
        "path": f"{path.length:.4g} m" if path else "",
        "parameters": ", ".join(f"{name} = {value}" for name, value in course.parameters.items()),
    }
    return html_card("Course", course.name, rows, [course_plan(course).to_svg()])


def course_plan(course: "Course") -> Sketch:
    """Return a course seen from above: pieces, path, start; empty if a file of it is missing."""
    sketch = Sketch()
    try:
        outlines = course.outlines()[:MOST_PIECES]
    except GrouserError:
        outlines = []
    for outline in outlines:
        is_patch = math.isnan(outline.height)
        sketch.fill(outline.polygon, svg.PATCH if is_patch else svg.GROUND, 0.5)
    if course.path is not None:
        sketch.line(course.path.points(course.path.length / 200.0), svg.PATH)
    start = course.start
    arrow = 0.03 * sketch.span * np.array([(1.0, 0.0), (-1.0, 0.7), (-1.0, -0.7)])
    if sketch.span:
        sketch.fill(_turn(arrow, start.yaw) + (start.x, start.y), svg.HULL)
    return sketch


def _robot_views(robot: "Robot") -> Sketch:
    """Return the side view above the plan, x to the right in both."""
    sketch = Sketch()
    widest = max(
        0.5 * robot.body.size[1],
        *(abs(drive.y) + 0.5 * drive.width for drive in robot.drives),
        *(abs(f.hinge[1]) + 0.5 * f.track.width for f in robot.flippers),
    )
    (length, width, height), (x, y, z) = robot.body.size, robot.body.centre
    along = x - 0.5 * length, x + 0.5 * length
    below = -1.3 * widest
    sketch.rectangle(along, (z - 0.5 * height, z + 0.5 * height), svg.HULL)
    sketch.rectangle(along, (below + y - 0.5 * width, below + y + 0.5 * width), svg.HULL)
    for outline, (middle, across), colour in belt_outlines(robot):
        sketch.fill(outline, colour)
        ends = float(outline[:, 0].min()), float(outline[:, 0].max())
        sketch.rectangle(ends, (below + middle - across, below + middle + across), colour)
    sketch.line([(robot.rear, 0.0), (robot.front, 0.0)], svg.INK, 1.0)
    return sketch


def belt_outlines(robot: "Robot") -> list[tuple[NDArray[np.float64], tuple[float, float], str]]:
    """Return outlines in the x-z plane with middle and half width along y, and a colour [m]."""
    found = []
    for track in robot.tracks:
        found.append((track.loop.outline(), (track.y, 0.5 * track.width), svg.BELT))
    for wheel in robot.wheels:
        angles = np.linspace(0.0, 2.0 * np.pi, 32, endpoint=False)
        rim = wheel.radius * np.column_stack((np.cos(angles), np.sin(angles)))
        rim += (wheel.x, wheel.radius)
        found.append((rim, (wheel.y, 0.5 * wheel.width), svg.BELT))
    for flipper in robot.flippers:
        outline = _turn(flipper.track.loop.outline(), -flipper.rest_angle)
        place = flipper.hinge[0], flipper.hinge[2]
        side = flipper.hinge[1], 0.5 * flipper.track.width
        found.append((outline + place, side, svg.FLIPPER))
    return found


def _turn(points: NDArray[np.float64], angle: float) -> NDArray[np.float64]:
    """Return points (n, 2) turned counter-clockwise [m]."""
    cos, sin = math.cos(angle), math.sin(angle)
    return points @ np.array([(cos, sin), (-sin, cos)])
