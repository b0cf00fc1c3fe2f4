"""Scene nodes of a course."""

import math
from collections.abc import Sequence

import numpy as np
import viser
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation
from trimesh import Trimesh

from grouser.description import Course
from grouser.description.solids import Patch, Plane, Solid
from grouser.description.surface import Rectangle
from grouser.drawing import ground_mesh
from grouser.drawing.colours import CONCRETE, EARTH, PATCH_OPACITY, WOOD
from grouser.drawing.contours import contour_lines
from grouser.drawing.floor_pieces import cut_floor
from grouser.drawing.look.materials import material_of
from grouser.drawing.mesh import creased, disc, flat, join, moved
from grouser.drawing.soil_sheet import SoilSheet, soft_patches
from grouser.viewer.scene.overlays import Rgb, SceneNode, add_mesh, line_rgb, mix, to_rgb

FLOOR, CELL, SECTION = (222, 227, 231), (203, 209, 214), (172, 180, 187)
"""Colours of the floor, of its thinner lines, and of its lines every metre."""
PATH, BORDER, START, GOAL = (52, 62, 78), (120, 127, 134), line_rgb(1), line_rgb(3)
"""Colours of the reference path, the border of the area, the start and the goal."""
WHITE, BLACK = (255, 255, 255), (0, 0, 0)
EDGE, EDGE_WIDTH = 0.35, 0.006
"""Darkness [1] and width [m] of the edges of blocks."""
BANDS, RELIEF = 6, 0.45
"""Number of shades of a height field, and how much lighter its top is [1]."""
SECTION_SIZE = 1.0
"""Distance of the thicker lines of the floor [m]."""
FLOOR_RADIUS = 40.0
"""Distance up to which the floor is drawn [m]."""
CELL_SIZE = 0.25
"""Distance of the thinner lines of the floor: closer ones would flicker from some metres on [m]."""
FADE_DISTANCE, FADE_STRENGTH = 36.0, 1.1
"""Distance from the camera at which the floor has faded away [m], and how soon it does [1]."""


class GroundNode(SceneNode):
    """Terrain, grid, reference path, border, start and goal."""

    def __init__(
        self, scene: viser.SceneApi, name: str, course: Course, soil: SoilSheet | None = None
    ) -> None:
        """Add the ground of a course; where there is a sheet of soil, leave room for it."""
        super().__init__(scene, name)
        hole = None if soil is None else soil.rectangle
        for number, plane in enumerate(course.terrain.planes):
            _add_floor(scene, f"{name}/floor{number}", course, plane, hole)
        _add_solids(scene, name, course, () if soil is None else soil.soft)
        for number, patch in enumerate(course.terrain.patches):
            if soil is None or patch not in soft_patches(course.terrain):
                _add_patch(scene, f"{name}/patch{number}", course, patch)
        size = min(
            max(0.06 * ground_mesh.extent_of(course).size, 0.08), 0.4
        )  # in proportion to the course
        _add_segments(scene, f"{name}/path", ground_mesh.path_dashes(course), PATH, 0.06 * size)
        _add_segments(scene, f"{name}/border", ground_mesh.area_border(course), BORDER, 0.05 * size)
        _add_marks(scene, name, course, size)


def _add_floor(
    scene: viser.SceneApi, name: str, course: Course, plane: Plane, hole: Rectangle | None
) -> None:
    x, y = (round(value) for value in ground_mesh.extent_of(course).middle)
    for number, piece in enumerate(cut_floor(plane, (x, y), FLOOR_RADIUS, hole, SECTION_SIZE)):
        width, height = piece.size
        scene.add_grid(
            name if number == 0 else f"{name}-{number}",
            width,
            height,
            cell_size=CELL_SIZE,
            cell_color=CELL,
            cell_thickness=0.5,
            section_size=SECTION_SIZE,
            section_color=SECTION,
            section_thickness=1.2,
            plane_color=FLOOR,
            plane_opacity=1.0,
            fade_distance=FADE_DISTANCE,
            fade_strength=FADE_STRENGTH,
            shadow_opacity=0.0,
            position=piece.centre,
            wxyz=piece.rotation.as_quat(scalar_first=True),
        )


def _add_patch(scene: viser.SceneApi, name: str, course: Course, patch: Patch) -> None:
    colour = material_of(patch.surface, course.terrain.surfaces[patch.surface]).colour
    sheet = ground_mesh.drape(course.terrain, patch.footprint)
    add_mesh(scene, name, sheet, to_rgb(colour), opacity=PATCH_OPACITY)


def _add_solids(
    scene: viser.SceneApi, name: str, course: Course, open_topped: Sequence[Solid]
) -> None:
    meshes: dict[Rgb, list[Trimesh]] = {}
    edges: dict[Rgb, list[NDArray[np.float64]]] = {}
    for slab in course.terrain.slabs:
        colour = to_rgb(WOOD if "pallet" in slab.name else CONCRETE)
        block = ground_mesh.slab_mesh(slab)
        if slab in open_topped:
            meshes.setdefault(colour, []).append(ground_mesh.without_top(block))
            continue
        meshes.setdefault(colour, []).append(creased(block))
        edges.setdefault(mix(colour, BLACK, EDGE), []).append(ground_mesh.slab_edges(slab))
    for field in course.terrain.fields:
        block = ground_mesh.field_mesh(field, course.terrain.planes)
        if field in open_topped:
            meshes.setdefault(to_rgb(EARTH), []).append(ground_mesh.without_top(block))
            continue
        # Higher parts are lighter, because without shadows bumps are hard to see.
        for number, band in enumerate(ground_mesh.split_by_height(block, BANDS)):
            tone = mix(to_rgb(EARTH), WHITE, RELIEF * (number + 0.5) / BANDS)
            meshes.setdefault(tone, []).append(band)
        shade = mix(to_rgb(EARTH), BLACK, EDGE)
        edges.setdefault(shade, []).append(contour_lines(field))
    for mesh in course.terrain.meshes:
        whole = ground_mesh.solid_mesh(mesh)
        whole = ground_mesh.without_top(whole) if mesh in open_topped else whole
        meshes.setdefault(to_rgb(CONCRETE), []).append(creased(whole))
    for number, (colour, parts) in enumerate(meshes.items()):
        whole = join(parts)
        if len(whole.faces):
            add_mesh(scene, f"{name}/solids{number}", whole, colour)
    for number, (colour, lines) in enumerate(edges.items()):
        _add_segments(scene, f"{name}/edges{number}", np.concatenate(lines), colour, EDGE_WIDTH)


def _add_segments(
    scene: viser.SceneApi, name: str, lines: NDArray[np.float64], colour: Rgb, thickness: float
) -> None:
    if len(lines):
        scene.add_line_segments(name, lines, colour, thickness=thickness)


def _add_marks(scene: viser.SceneApi, name: str, course: Course, size: float) -> None:
    start = course.terrain.pose_at(course.start.x, course.start.y, course.start.yaw)
    node = add_mesh(scene, f"{name}/start", _start_mark(size), START)
    node.position = (float(start.x), float(start.y), float(np.nan_to_num(start.z)))
    node.wxyz = np.nan_to_num(start.rotation.as_quat(scalar_first=True))
    if course.path is None:
        return
    x, y, heading = (float(value) for value in course.path.at(course.path.length))
    if math.hypot(x - float(start.x), y - float(start.y)) < size:
        return  # the end of a closed path is hidden by the robot at the start
    node = add_mesh(scene, f"{name}/goal", _flag(size), GOAL)
    node.position = (x, y, float(np.nan_to_num(course.terrain.height(x, y))))
    node.wxyz = (math.cos(0.5 * heading), 0.0, 0.0, math.sin(0.5 * heading))


def _flag(size: float) -> Trimesh:
    """Return a flag on a pole with a round base."""
    upright = Rotation.from_euler("x", 90.0, degrees=True)
    pole = moved(disc(0.02 * size, 1.6 * size, 12), (0.0, 0.0, 0.8 * size), upright)
    foot = moved(disc(0.3 * size, 0.006, 24), (0.0, 0.0, 0.003), upright)
    corners = ((0.0, 0.0), (0.0, 0.45 * size), (-0.7 * size, 0.225 * size))
    cloth = moved(flat(corners, 0.02 * size), (0.0, 0.01 * size, 1.15 * size), upright)
    return creased(join((pole, foot, cloth)))


def _start_mark(size: float) -> Trimesh:
    """Return a flat bar across the path and an arrow in front of it."""
    bar = flat([(-0.06 * size, -size), (0.0, -size), (0.0, size), (-0.06 * size, size)], 0.003)
    tip = flat([(0.05 * size, -0.16 * size), (0.3 * size, 0.0), (0.05 * size, 0.16 * size)], 0.003)
    return creased(join((bar, tip)))
