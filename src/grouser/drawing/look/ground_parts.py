"""A course as parts with materials: floor, blocks, patches, painted lines."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation
from trimesh import Trimesh

from grouser.description import Course
from grouser.description.solids import Plane, Slab, Solid
from grouser.description.surface import Rectangle
from grouser.drawing import ground_mesh
from grouser.drawing.contours import bands, contour_lines
from grouser.drawing.floor_pieces import cut_floor
from grouser.drawing.look.blocks import block, nosing
from grouser.drawing.look.glb import Part, Skin, box_places, corner_normals
from grouser.drawing.look.materials import Material, material_of, palette_places
from grouser.drawing.look.pictures import palette_skin, skin_of
from grouser.drawing.look.shade import Shade, light_on, shade_ground
from grouser.drawing.look.stripes import painted_marks
from grouser.drawing.mesh import creased
from grouser.drawing.soil_sheet import SoilSheet, soft_patches

FLOOR_RADIUS = 120.0
"""Distance up to which the floor is drawn; it ends in haze [m]."""
HOLLOWS = 2.2
"""How much darker the hollows of height fields are: power of the share of the sky they see [1]."""
CONTOUR_WIDTH = 0.006
"""Width of the lines of equal height on height fields [m]."""
SHADE_LIFT = 0.0018
"""Height of the contact shadows above the floor [m]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GroundParts:
    """The parts of a course, by how light acts on them."""

    floor: list[Part]
    """Planes."""
    flat: list[Part]
    """Patches and lines, which cast no shadow."""
    solid: list[Part]
    """Blocks, which cast shadows."""
    shade: list[Part]
    """Contact shadows, above the floor and the patches; in the painted look shadows, too."""


def ground_parts(course: Course, soil: SoilSheet | None = None, *, is_painted: bool) -> GroundParts:
    """Return the parts of a course; where there is a sheet of soil, room is left for it.

    Args:
        course: The course.
        soil: Soft ground that is drawn in its own meshes; None without.
        is_painted: Whether light and shadows are painted on, so that no light is needed.
    """
    plane = next(iter(course.terrain.planes), None)
    shade = shade_ground(course, plane)
    maker = _Maker(course, shade, is_painted)
    hole = None if soil is None else soil.rectangle
    floor = [part for one in course.terrain.planes for part in maker.floor(one, hole)]
    flat = maker.patches(() if soil is None else soft_patches(course.terrain))
    flat += maker.marks(() if soil is None else soil.soft)
    solid = maker.solids(() if soil is None else soil.soft)
    shades = [] if shade is None or plane is None else [_shadows(plane, shade, is_painted)]
    return GroundParts(floor=floor, flat=flat, solid=solid, shade=shades)


class _Maker:
    """Makes the parts of one course."""

    def __init__(self, course: Course, shade: Shade | None, is_painted: bool) -> None:
        self._course, self._hollows, self._is_painted = course, shade, is_painted
        self._shade = shade if is_painted else None
        self._skins: dict[str, Skin] = {}

    def floor(self, plane: Plane, hole: Rectangle | None) -> list[Part]:
        """Return a plane as one part, with a hole where soft ground is."""
        material = self._material(plane.surface, "pavement")
        x, y = (2.0 * round(0.5 * at) for at in ground_mesh.extent_of(self._course).middle)
        vertices, faces, places = [], [], []
        for number, piece in enumerate(cut_floor(plane, (x, y), FLOOR_RADIUS, hole, 1.0)):
            half = 0.5 * np.array(piece.size)
            flat = np.array([(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)]) * half
            corners = piece.rotation.apply(np.insert(flat, 2, 0.0, axis=1)) + piece.centre
            vertices.append(corners)
            faces.append(np.array([(0, 1, 2), (0, 2, 3)]) + 4 * number)
            along = piece.rotation.inv().apply(corners - (0.0, 0.0, plane.z))
            places.append(along[:, :2] / material.tile)
        whole = np.concatenate(vertices)
        normals = corner_normals(whole, np.concatenate(faces))
        part = Part(
            vertices=whole, faces=np.concatenate(faces), normals=normals,
            places=np.concatenate(places), skin=self._skin(material),
        )  # fmt: skip
        return [self._lit(part, is_open=True)]

    def patches(self, left_out: Sequence[object]) -> list[Part]:
        """Return the patches, one part for each material."""
        found: dict[str, list[Part]] = {}
        for patch in self._course.terrain.patches:
            if patch in left_out:
                continue
            material = self._material(patch.surface, "neutral")
            mesh = ground_mesh.drape(self._course.terrain, patch.footprint)
            part = self._part(mesh, material, patch.footprint)
            found.setdefault(material.name, []).append(part)
        return [self._lit(join_parts(parts)) for parts in found.values()]

    def solids(self, open_topped: Sequence[Solid]) -> list[Part]:
        """Return blocks, height fields and meshes, one part for each material."""
        found: dict[str, list[Part]] = {}
        terrain = self._course.terrain

        def add(name: str, part: Part) -> None:
            if len(part.faces):
                found.setdefault(name, []).append(part)

        for slab in terrain.slabs:
            material = self._material_of_slab(slab)
            if slab in open_topped:
                mesh = ground_mesh.without_top(ground_mesh.slab_mesh(slab))
                add(material.name, self._part(mesh, material, slab.footprint))
            else:
                add(material.name, block(slab, material, self._skin(material)))
        for field in terrain.fields:
            material = self._material(field.surface, "earth")
            mesh = ground_mesh.field_mesh(field, terrain.planes)
            mesh = ground_mesh.without_top(mesh) if field in open_topped else mesh
            add(material.name, self._hollowed(self._part(mesh, material, None)))
        for solid in terrain.meshes:
            material = self._material(solid.surface, "concrete")
            mesh = ground_mesh.solid_mesh(solid)
            mesh = ground_mesh.without_top(mesh) if solid in open_topped else mesh
            add(material.name, self._part(creased(mesh), material, None))
        return [self._lit(join_parts(parts)) for parts in found.values()]

    def marks(self, open_topped: Sequence[Solid]) -> list[Part]:
        """Return path, border, start, goal, contours and edges of stairs, as one part of paint."""
        lines = [contour_lines(f) for f in self._course.terrain.fields if f not in open_topped]
        contours = bands(np.concatenate([np.empty((0, 2, 3)), *lines]), CONTOUR_WIDTH)
        meshes = [*painted_marks(self._course), *self._nosings(), ("dark", contours)]
        parts = [
            Part(
                vertices=np.asarray(mesh.vertices),
                faces=np.asarray(mesh.faces),
                places=palette_places(name, len(mesh.vertices)),
                skin=palette_skin(),
            )  # fmt: skip
            for name, mesh in meshes
            if len(mesh.faces)
        ]
        return [self._lit(join_parts(parts))] if parts else []

    def _nosings(self) -> list[tuple[str, Trimesh]]:
        stairs = [slab for slab in self._course.terrain.slabs if slab.name in ("stairs", "step")]
        return [("yellow", mesh) for mesh in nosing(stairs, self._course.terrain)]

    def _material(self, surface: str, otherwise: str) -> Material:
        return material_of(surface, self._course.terrain.surfaces.get(surface), otherwise)

    def _material_of_slab(self, slab: Slab) -> Material:
        return self._material(slab.surface, "wood" if "pallet" in slab.name else "concrete")

    def _skin(self, material: Material) -> Skin:
        if material.name not in self._skins:
            self._skins[material.name] = skin_of(material, is_unlit=self._is_painted)
        return self._skins[material.name]

    def _part(self, mesh: Trimesh, material: Material, frame: Rectangle | None) -> Part:
        vertices, faces = np.asarray(mesh.vertices), np.asarray(mesh.faces)
        normals = corner_normals(vertices, faces)
        local, turned = vertices, normals
        if frame is not None:
            turn = Rotation.from_euler("z", -frame.yaw)
            local, turned = turn.apply(vertices - (frame.x, frame.y, 0.0)), turn.apply(normals)
        return Part(
            vertices=vertices, faces=faces, normals=normals, skin=self._skin(material),
            places=box_places(local, turned, material.tile),
        )  # fmt: skip

    def _hollowed(self, part: Part) -> Part:
        """Return a height field whose hollows are darker, which no light of the page does."""
        if self._hollows is None or self._is_painted:
            return part
        _, sky = self._hollows.at(part.vertices[:, 0], part.vertices[:, 1])
        return replace(part, light=np.repeat((sky**HOLLOWS)[:, None], 3, axis=1))

    def _lit(self, part: Part, *, is_open: bool = False) -> Part:
        """Return a part with the light at its corners painted on, in the painted look."""
        if not self._is_painted:
            return part
        normals = part.normals
        if normals is None:
            normals = corner_normals(part.vertices, part.faces)
        sun = sky = np.ones(len(part.vertices))
        if self._shade is not None and not is_open:
            sun, sky = self._shade.at(part.vertices[:, 0], part.vertices[:, 1])
            # At walls the map has the light of the top or of the foot, which says little.
            upright = np.abs(normals[:, 2]) < 0.5
            sun, sky = np.where(upright, 1.0, sun), np.where(upright, 0.85, sky)
        skin = part.skin if part.skin.is_unlit else replace(part.skin, is_unlit=True, glow=None)
        return replace(part, normals=normals, light=light_on(normals, sun, sky), skin=skin)


def join_parts(parts: Sequence[Part]) -> Part:
    """Return one part with the triangles of several that have the material of the first."""
    counts = np.cumsum([0, *(len(part.vertices) for part in parts)])

    def stack(values: list[NDArray | None], width: int) -> NDArray | None:
        if all(value is None for value in values):
            return None
        ones = [np.ones((len(part.vertices), width)) for part in parts]
        pairs = zip(values, ones, strict=True)
        return np.concatenate([one if value is None else value for value, one in pairs])

    normals = [
        corner_normals(part.vertices, part.faces) if part.normals is None else part.normals
        for part in parts
    ]
    return Part(
        vertices=np.concatenate([part.vertices for part in parts]),
        faces=np.concatenate([part.faces + n for part, n in zip(parts, counts, strict=False)]),
        normals=np.concatenate(normals), places=stack([part.places for part in parts], 2),
        light=stack([part.light for part in parts], 3), skin=parts[0].skin,
    )  # fmt: skip


def _shadows(plane: Plane, shade: Shade, is_painted: bool) -> Part:
    """Return the picture of the shadows on a plane, a little above it."""
    (x0, x1), (y0, y1) = shade.x, shade.y
    flat = np.array([(x0, y0), (x1, y0), (x1, y1), (x0, y1)])
    a, b, c = plane.top
    height = flat @ (a, b) + c + ground_mesh.LIFT + SHADE_LIFT
    skin = Skin(texture=shade.picture(with_sun=is_painted), is_unlit=True, is_clear=True)
    return Part(
        vertices=np.column_stack((flat, height)), faces=np.array([(0, 1, 2), (0, 2, 3)]),
        normals=np.tile((0.0, 0.0, 1.0), (4, 1)),
        places=np.array([(0.0, 1.0), (1.0, 1.0), (1.0, 0.0), (0.0, 0.0)]), skin=skin,
    )  # fmt: skip


def sky_dome(radius: float, rows: int = 12, columns: int = 32) -> tuple[NDArray, NDArray, NDArray]:
    """Return corners, triangles and texture coordinates of the sky, seen from inside [m]."""
    up = np.concatenate(([-6.0], np.linspace(0.0, 1.0, rows) ** 1.5 * 90.0))
    angle, around = np.meshgrid(np.radians(up), np.linspace(0.0, 2.0 * math.pi, columns + 1))
    level = radius * np.cos(angle)
    corners = np.stack(
        (level * np.cos(around), level * np.sin(around), radius * np.sin(angle)), axis=-1
    ).reshape(-1, 3)
    number = np.arange(angle.size).reshape(angle.shape)
    a, b, c, d = (
        part.ravel()
        for part in (number[:-1, :-1], number[1:, :-1], number[1:, 1:], number[:-1, 1:])
    )
    faces = np.concatenate((np.column_stack((a, d, c)), np.column_stack((a, c, b))))
    # The last row of the picture is the horizon; what is below it is haze, too.
    row = np.clip(1.0 - np.degrees(angle) / 90.0, 0.002, 0.998)
    places = np.column_stack(((around / (2.0 * math.pi)).ravel(), row.ravel()))
    return corners, faces, places
