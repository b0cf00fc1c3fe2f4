"""Contacts and the course as visualization_msgs/MarkerArray, for RViz and Foxglove."""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from grouser.description import Course
from grouser.drawing import ground_mesh
from grouser.drawing.colours import CONCRETE, EARTH, PATCH, PATCH_OPACITY, WOOD, Colour
from grouser.drawing.floor_pieces import cut_floor
from grouser.models import Contact
from grouser.plugs.frames import MAP
from grouser.plugs.ros.messages import find_message_class, set_stamp

FLOOR: Colour = (0.87, 0.89, 0.91)
PATH: Colour = (0.2, 0.24, 0.31)
FORCE: Colour = (0.85, 0.2, 0.15)
FLOOR_MARGIN = 5.0
"""How far a plane without end is drawn beyond the course [m]."""
METRES_PER_WEIGHT = 0.5
"""Length of the arrow of a force as large as the robot's weight [m]."""
KIND = "visualization_msgs/msg/MarkerArray"
"""Type of the messages."""
_CUBE, _LINE_LIST, _POINTS, _TRIANGLE_LIST = 1, 5, 8, 11  # Marker.type
_ADD, _DELETE_ALL = 0, 3  # Marker.action


def course_markers(course: Course) -> Any:
    """Return the ground, its blocks and its path, in the map frame."""
    markers = [*_floors(course), *_solids(course)]
    for patch in course.terrain.patches:
        sheet = ground_mesh.drape(course.terrain, patch.footprint)
        markers.append(_triangles("patch", sheet.triangles, PATCH, PATCH_OPACITY))
    for name, lines in (
        ("path", ground_mesh.path_dashes(course)),
        ("border", ground_mesh.area_border(course)),
    ):
        if len(lines):
            markers.append(_lines(name, lines, PATH))
    for number, marker in enumerate(markers):
        marker.id = number
    return find_message_class(KIND)(markers=[_remove_all(), *markers])


def contact_markers(contacts: Sequence[Contact], time: float, weight: float) -> Any:
    """Return the contact points, and the force on each as an arrow, in the map frame.

    Args:
        contacts: Contacts of a robot.
        time: Time of the message [s].
        weight: Weight of the robot, which sets the length of the arrows [N].
    """
    points = np.array([c.position_in_world for c in contacts], np.float64).reshape(-1, 3)
    forces = np.array([c.force_in_world for c in contacts], np.float64).reshape(-1, 3)
    tips = points + forces * (METRES_PER_WEIGHT / weight)
    dots = _new("contacts", _POINTS, CONCRETE)
    dots.scale.x = dots.scale.y = 0.01
    dots.points = _points(points)
    arrows = _lines("forces", np.stack((points, tips), axis=1), FORCE)
    arrows.id = 1
    for marker in (dots, arrows):
        set_stamp(marker.header.stamp, time)
    return find_message_class(KIND)(markers=[dots, arrows])


def _floors(course: Course) -> Iterable[Any]:
    extent = ground_mesh.extent_of(course)
    radius = 0.5 * extent.size + FLOOR_MARGIN
    for plane in course.terrain.planes:
        for piece in cut_floor(plane, extent.middle, radius, None, 1.0):
            marker = _new("floor", _CUBE, FLOOR)
            x, y, z = piece.centre
            marker.pose.position.x, marker.pose.position.y = x, y
            marker.pose.position.z = z - 0.5 * ground_mesh.LIFT
            turn = marker.pose.orientation
            turn.x, turn.y, turn.z, turn.w = piece.rotation.as_quat().tolist()
            marker.scale.x, marker.scale.y = (float(side) for side in piece.size)
            marker.scale.z = ground_mesh.LIFT
            yield marker


def _solids(course: Course) -> Iterable[Any]:
    terrain = course.terrain
    for slab in terrain.slabs:
        colour = WOOD if "pallet" in slab.name else CONCRETE
        yield _triangles("slab", ground_mesh.slab_mesh(slab).triangles, colour)
    for field in terrain.fields:
        yield _triangles("field", ground_mesh.field_mesh(field).triangles, EARTH)
    for mesh in terrain.meshes:
        yield _triangles("mesh", ground_mesh.solid_mesh(mesh).triangles, CONCRETE)


def _triangles(
    name: str, corners: NDArray[np.float64], colour: Colour, opacity: float = 1.0
) -> Any:
    marker = _new(name, _TRIANGLE_LIST, colour, opacity)
    marker.scale.x = marker.scale.y = marker.scale.z = 1.0
    marker.points = _points(corners.reshape(-1, 3))
    return marker


def _lines(name: str, lines: NDArray[np.float64], colour: Colour) -> Any:
    marker = _new(name, _LINE_LIST, colour)
    marker.scale.x = 0.01
    marker.points = _points(lines.reshape(-1, 3))
    return marker


def _new(name: str, kind: int, colour: Colour, opacity: float = 1.0) -> Any:
    marker = find_message_class("visualization_msgs/msg/Marker")(ns=name, type=kind, action=_ADD)
    marker.header.frame_id = MAP
    marker.pose.orientation.w = 1.0
    red, green, blue = (float(share) for share in colour)
    marker.color = find_message_class("std_msgs/msg/ColorRGBA")(r=red, g=green, b=blue, a=opacity)
    return marker


def _remove_all() -> Any:
    marker = find_message_class("visualization_msgs/msg/Marker")(action=_DELETE_ALL)
    marker.header.frame_id = MAP
    return marker


def _points(places: NDArray[np.float64]) -> list[Any]:
    point = find_message_class("geometry_msgs/msg/Point")
    return [point(x=x, y=y, z=z) for x, y, z in places.tolist()]
