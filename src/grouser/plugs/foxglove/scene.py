"""Course, robot and contacts as entities of Foxglove's 3D panel.

The course is fixed to the map. Robot and flippers are sent once and follow their frames.
"""

from collections.abc import Iterable, Sequence

import numpy as np
from foxglove.messages import (
    ArrowPrimitive,
    Color,
    CubePrimitive,
    LinePrimitive,
    LinePrimitiveLineType,
    Point3,
    Pose,
    Quaternion,
    SceneEntity,
    SceneEntityDeletion,
    SceneEntityDeletionType,
    SceneUpdate,
    TriangleListPrimitive,
    Vector3,
)
from numpy.typing import NDArray
from trimesh import Trimesh

from grouser.description import Course, Robot
from grouser.description.solids import Plane
from grouser.drawing import colours, ground_mesh
from grouser.drawing.colours import Colour
from grouser.drawing.floor_pieces import cut_floor
from grouser.drawing.mesh import join
from grouser.drawing.robot_mesh import shape_robot
from grouser.drawing.rut_colours import soil_colour
from grouser.laws.slope import GRAVITY
from grouser.models import Contact
from grouser.plugs.foxglove.frames import stamp
from grouser.plugs.frames import BODY, MAP

FLOOR: Colour = (0.87, 0.89, 0.91)
PATH: Colour = (0.20, 0.24, 0.31)
BORDER: Colour = (0.47, 0.50, 0.53)
FORCE: Colour = (0.85, 0.16, 0.16)
FLOOR_RADIUS, FLOOR_THICKNESS = 20.0, 0.002
"""Distance up to which a floor is drawn, and its thickness [m]."""
LINE_WIDTH = 0.01
"""Width of the reference path and of the border [m]."""
TONES, RELIEF = 16, 0.45
"""Number of shades of a height field, and how much lighter its top is [1]."""
ARROW = 0.25
"""Length of the arrow of a contact that carries the robot's whole weight [m]."""


def course_scene(course: Course, now: int) -> SceneUpdate:
    """Return the whole course, at a time [ns]."""
    terrain = course.terrain
    cubes = [cube for plane in terrain.planes for cube in _floor(course, plane)]
    wooden = [slab for slab in terrain.slabs if "pallet" in slab.name]
    others = [slab for slab in terrain.slabs if slab not in wooden]
    solids = [ground_mesh.slab_mesh(slab) for slab in others]
    solids += [ground_mesh.solid_mesh(mesh) for mesh in terrain.meshes]
    triangles = [
        *_painted(join(solids), colours.CONCRETE),
        *_painted(join(ground_mesh.slab_mesh(slab) for slab in wooden), colours.WOOD),
        *(_relief(ground_mesh.field_mesh(field)) for field in terrain.fields),
    ]
    for patch in terrain.patches:
        soil = terrain.surfaces[patch.surface].soil
        paint = colours.PATCH if soil is None else soil_colour(soil.name)
        sheet = ground_mesh.drape(terrain, patch.footprint)
        triangles += _painted(sheet, paint, colours.PATCH_OPACITY)
    lines = [
        *_lines(ground_mesh.path_dashes(course), PATH),
        *_lines(ground_mesh.area_border(course), BORDER),
    ]
    entity = SceneEntity(
        timestamp=stamp(now), frame_id=MAP, id="course", frame_locked=True,
        cubes=cubes, triangles=triangles, lines=lines,
    )  # fmt: skip
    return SceneUpdate(deletions=[_delete_all(now)], entities=[entity])


def robot_scene(robot: Robot, now: int) -> SceneUpdate:
    """Return hull, tracks and flippers, each in its own frame, at a time [ns]."""
    shape = shape_robot(robot)
    paints = {
        "hull": colours.HULL, "trim": colours.TRIM, "mark": colours.LAMP,
        "rubber": colours.BELT, "metal": colours.METAL,
    }  # fmt: skip
    body = [
        mesh for name, paint in paints.items() for mesh in _painted(getattr(shape, name), paint)
    ]
    entities = [_follower("body", BODY, body, now)]
    for flipper, parts in zip(robot.flippers, shape.flippers, strict=True):
        meshes = [
            *_painted(parts.rubber, colours.BELT),
            *_painted(parts.metal, colours.FLIPPER_ARM),
        ]
        entities.append(_follower(flipper.name, f"{flipper.name}_link", meshes, now))
    return SceneUpdate(deletions=[_delete_all(now)], entities=entities)


def contact_scene(contacts: Sequence[Contact], mass: float, now: int) -> SceneUpdate:
    """Return an arrow for the force at each contact, at a time [ns].

    Args:
        contacts: Contacts of the robot.
        mass: Mass of the robot [kg].
        now: The time [ns].
    """
    per_newton = ARROW / (mass * GRAVITY)
    arrows = [
        arrow
        for contact in contacts
        if (arrow := _arrow(contact.position_in_world, contact.force_in_world, per_newton))
    ]
    entity = SceneEntity(timestamp=stamp(now), frame_id=MAP, id="contacts", arrows=arrows)
    return SceneUpdate(entities=[entity])


def _arrow(
    place: tuple[float, float, float], force: tuple[float, float, float], per_newton: float
) -> ArrowPrimitive | None:
    size = float(np.linalg.norm(force))
    if not 0.0 < size < np.inf:
        return None
    # The rotation that takes x to the direction of the force: about their half-way axis.
    x, y, z = (component / size for component in force)
    w = 1.0 + x
    turn = (0.0, -z, y, w) if w > 1e-9 else (0.0, 0.0, 1.0, 0.0)
    scale = float(np.linalg.norm(turn))
    qx, qy, qz, qw = (number / scale for number in turn)
    length = size * per_newton
    return ArrowPrimitive(
        pose=Pose(
            position=Vector3(x=place[0], y=place[1], z=place[2]),
            orientation=Quaternion(x=qx, y=qy, z=qz, w=qw),
        ),
        shaft_length=0.75 * length,
        shaft_diameter=0.008,
        head_length=0.25 * length,
        head_diameter=0.016,
        color=_colour(FORCE),
    )


def _follower(
    name: str, frame: str, triangles: list[TriangleListPrimitive], now: int
) -> SceneEntity:
    return SceneEntity(
        timestamp=stamp(now), frame_id=frame, id=name, frame_locked=True, triangles=triangles
    )


def _delete_all(now: int) -> SceneEntityDeletion:
    return SceneEntityDeletion(timestamp=stamp(now), type=SceneEntityDeletionType.All)


def _floor(course: Course, plane: Plane) -> Iterable[CubePrimitive]:
    x, y = (round(value) for value in ground_mesh.extent_of(course).middle)
    for piece in cut_floor(plane, (x, y), FLOOR_RADIUS, None, 1.0):
        normal = piece.rotation.apply((0.0, 0.0, 0.5 * FLOOR_THICKNESS))
        px, py, pz = (np.array(piece.centre) - normal).tolist()
        qx, qy, qz, qw = piece.rotation.as_quat().tolist()
        yield CubePrimitive(
            pose=Pose(
                position=Vector3(x=px, y=py, z=pz),
                orientation=Quaternion(x=qx, y=qy, z=qz, w=qw),
            ),
            size=Vector3(x=piece.size[0], y=piece.size[1], z=FLOOR_THICKNESS),
            color=_colour(FLOOR),
        )


def _painted(mesh: Trimesh, paint: Colour, opacity: float = 1.0) -> list[TriangleListPrimitive]:
    """Return a mesh in one colour; nothing if it is empty."""
    if not len(mesh.faces):
        return []
    return [
        TriangleListPrimitive(
            pose=_origin(),
            points=_points(np.asarray(mesh.vertices)),
            indices=np.asarray(mesh.faces).ravel().tolist(),
            color=_colour(paint, opacity),
        )
    ]


def _relief(mesh: Trimesh) -> TriangleListPrimitive:
    """Return a height field whose higher parts are lighter: bumps are hard to see otherwise."""
    vertices = np.asarray(mesh.vertices)
    heights = vertices[:, 2]
    low, high = float(heights.min()) + ground_mesh.SKIRT, float(heights.max())
    share = np.clip((heights - low) / max(high - low, 1e-9), 0.0, 1.0)
    tones = [
        _colour(tuple(c + (1.0 - c) * RELIEF * n / TONES for c in colours.EARTH))
        for n in range(TONES + 1)
    ]
    return TriangleListPrimitive(
        pose=_origin(),
        points=_points(vertices),
        indices=np.asarray(mesh.faces).ravel().tolist(),
        colors=[tones[n] for n in np.rint(share * TONES).astype(int).tolist()],
    )


def _lines(segments: NDArray[np.float64], paint: Colour) -> list[LinePrimitive]:
    if not len(segments):
        return []
    return [
        LinePrimitive(
            type=LinePrimitiveLineType.LineList,
            pose=_origin(),
            thickness=LINE_WIDTH,
            points=_points(segments.reshape(-1, 3)),
            color=_colour(paint),
        )
    ]


def _points(places: NDArray[np.float64]) -> list[Point3]:
    return [Point3(x=x, y=y, z=z) for x, y, z in places.tolist()]


def _origin() -> Pose:
    return Pose(position=Vector3(), orientation=Quaternion(w=1.0))


def _colour(paint: Sequence[float], opacity: float = 1.0) -> Color:
    red, green, blue = paint
    return Color(r=red, g=green, b=blue, a=opacity)
