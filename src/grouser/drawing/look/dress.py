"""The look in rendered pictures: textures, sky, haze, hulls and running gear in a MuJoCo scene."""

from collections.abc import Sequence

import mujoco
import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from grouser.description import Course, Robot
from grouser.description.solids import Plane
from grouser.drawing.belt_marks import Ribs
from grouser.drawing.look.gear import WheelRow, find_shoes, find_wheels, flipper_gear, still_gear
from grouser.drawing.look.glb import Part
from grouser.drawing.look.ground_parts import ground_parts
from grouser.drawing.look.hulls import paint_hull
from grouser.drawing.look.materials import COLUMNS, MATERIALS, PALETTE, material_of
from grouser.drawing.look.painted import Painted
from grouser.drawing.look.pictures import decode, texture
from grouser.drawing.look.textures import HAZE, SIZE
from grouser.drawing.mesh import creased, join
from grouser.drawing.soil_sheet import SoilSheet, soft_patches
from grouser.geometry import Array

HIDDEN = 4
"""Group of shapes that pictures do not show."""
SKY_PIXELS = 512
"""Side of a face of the sky [pixels]."""


def add_sky(spec: mujoco.MjSpec) -> None:
    """Give a scene our sky, as six faces around it, and haze of its colour."""
    sky = spec.texture("sky")
    if sky is not None:
        spec.delete(sky)
    faces = np.concatenate([_sky_face(number) for number in range(6)])
    made = spec.add_texture(
        name="sky", type=mujoco.mjtTexture.mjTEXTURE_SKYBOX, width=SKY_PIXELS,
        height=6 * SKY_PIXELS, nchannel=3,
    )  # fmt: skip
    made.data = faces.tobytes()
    shown = [*(value / 255.0 for value in HAZE), 1.0]
    spec.visual.rgba.haze, spec.visual.rgba.fog = shown, shown


def _sky_face(number: int) -> NDArray[np.uint8]:
    """Return a face of the sky: right, left, up, down, front and back."""
    right, left, top, below, front, back = range(6)
    place = (np.arange(SKY_PIXELS) + 0.5) / SKY_PIXELS * 2.0 - 1.0
    u, v = np.meshgrid(place, place)  # to the right, down
    one = np.ones_like(u)
    ways = {
        right: (one, -v, -u), left: (-one, -v, u), top: (u, one, v), below: (u, -one, -v),
        front: (u, -v, one), back: (-u, -v, -one),
    }  # fmt: skip
    x, up, z = ways[number]
    pixels = decode(texture("sky", 1024))
    rows, columns = pixels.shape[:2]
    elevation = np.arctan2(up, np.hypot(x, z))
    row = np.clip((1.0 - elevation / (0.5 * np.pi)) * (rows - 1), 0, rows - 1).astype(np.intp)
    column = (np.arctan2(z, x) / (2.0 * np.pi) % 1.0 * columns).astype(np.intp) % columns
    return pixels[row, column]


def add_textures(spec: mujoco.MjSpec, course: Course) -> None:
    """Add the materials of a course.

    `look/NAME` is that of a texture for meshes, `floor/NAME` for planes, `paint/NAME` of a paint.
    """
    for name in {*_names(course), "pavement", "concrete", "wood", "earth"}:
        pixels = decode(texture(name))[::-1]
        picture = spec.add_texture(
            name=f"look/{name}", type=mujoco.mjtTexture.mjTEXTURE_2D, width=SIZE, height=SIZE,
            nchannel=3,
        )  # fmt: skip
        picture.data = np.ascontiguousarray(pixels).tobytes()
        _add_material(spec, f"look/{name}", name, 1.0, is_uniform=False)
        # Planes have no texture coordinates: theirs are metres.
        _add_material(spec, f"floor/{name}", name, 1.0 / MATERIALS[name].tile, is_uniform=True)
    for name, paint in PALETTE.items():
        spec.add_material(
            name=f"paint/{name}", rgba=[*paint.colour, 1.0], specular=0.7 * (1.0 - paint.roughness),
            shininess=1.0 - paint.roughness, emission=0.6 * paint.glow,
        )  # fmt: skip


def _add_material(
    spec: mujoco.MjSpec, name: str, word: str, repeat: float, *, is_uniform: bool
) -> None:
    shine = 1.0 - MATERIALS[word].roughness
    made = spec.add_material(name=name, texrepeat=[repeat, repeat], texuniform=is_uniform)
    made.specular, made.shininess = 0.6 * shine, shine
    made.textures[mujoco.mjtTextureRole.mjTEXROLE_RGB] = f"look/{word}"


def _names(course: Course) -> set[str]:
    return {
        material_of(name, surface, "pavement").name
        for name, surface in course.terrain.surfaces.items()
    }


def dress_ground(spec: mujoco.MjSpec, course: Course, soil: SoilSheet | None) -> None:
    """Show obstacles, patches and lines with materials instead of plain shapes.

    Soft solids and patches keep theirs, which `SoilField` makes room for.
    """
    soft = () if soil is None else soil.soft
    surfaces = course.terrain.surfaces
    for number, solid in enumerate(course.terrain.solids):
        name = f"terrain{number}"
        for geom in [geom for geom in spec.geoms if geom.name.split(".")[0] == name]:
            if isinstance(solid, Plane):
                material = material_of(solid.surface, surfaces.get(solid.surface), "pavement")
                geom.material = f"floor/{material.name}"
            elif solid not in soft:
                geom.group = HIDDEN
    patches = () if soil is None else soft_patches(course.terrain)
    for number, patch in enumerate(course.terrain.patches):
        site = spec.site(f"patch{number}")
        if patch not in patches and site is not None:
            spec.delete(site)
    parts = ground_parts(course, soil, is_painted=False)
    for number, part in enumerate((*parts.flat, *parts.solid)):
        _add_part(spec, f"look{number}", part, course)


def _add_part(spec: mujoco.MjSpec, name: str, part: Part, course: Course) -> None:
    """Add a part of the ground as a mesh for each of its materials, or paints."""
    known = {texture(each).content: each for each in {*_names(course), "concrete", "wood", "earth"}}
    picture = part.skin.texture
    word = None if picture is None else known.get(picture.content)
    if word is not None:
        _add_mesh(spec, name, part, part.faces, f"look/{word}")
        return
    assert part.places is not None
    column = (part.places[part.faces[:, 0], 0] * len(COLUMNS)).astype(np.intp)
    for paint, number in COLUMNS.items():
        chosen = part.faces[column == number]
        if len(chosen):
            _add_mesh(spec, f"{name}/{paint}", part, chosen, f"paint/{paint}")


def _add_mesh(
    spec: mujoco.MjSpec, name: str, part: Part, faces: NDArray[np.intp], material: str
) -> None:
    used, numbers = np.unique(faces, return_inverse=True)
    mesh = spec.add_mesh(name=name)
    mesh.uservert = np.ravel(part.vertices[used]).tolist()
    mesh.userface = numbers.ravel().tolist()
    if part.normals is not None:
        mesh.usernormal = np.ravel(part.normals[used]).tolist()
        mesh.userfacenormal = numbers.ravel().tolist()
    if part.places is not None and material.startswith("look/"):
        mesh.usertexcoord = np.ravel(part.places[used]).tolist()
        mesh.userfacetexcoord = numbers.ravel().tolist()
    mesh.inertia = mujoco.mjtMeshInertia.mjMESH_INERTIA_SHELL
    spec.worldbody.add_geom(
        name=name, type=mujoco.mjtGeom.mjGEOM_MESH, meshname=name, material=material, contype=0,
        conaffinity=0, mass=0.0,
    )  # fmt: skip


class DressedRobot:
    """Hull and running gear that are drawn instead of the shapes of a robot's physics."""

    def __init__(self, spec: mujoco.MjSpec, robot: Robot, *, hull: str) -> None:
        """Add them to a scene that is compiled later; nothing of them touches anything."""
        bodies = {hull, *(flipper.name for flipper in robot.flippers)}
        for geom in spec.geoms:
            if geom.parent.name in bodies:
                geom.group = HIDDEN
        self._rows: list[tuple[WheelRow | Ribs, str, int]] = []
        self._add(spec, hull, "hull", [*paint_hull(robot), *still_gear(robot)])
        for flipper in robot.flippers:
            self._add(spec, flipper.name, f"{flipper.name}/gear", flipper_gear(flipper))
        for number, row in enumerate(find_wheels(robot)):
            self._add_row(spec, hull, f"wheels{number}", row, list(row.painted))
        for number, shoes in enumerate(find_shoes(robot)):
            self._add_row(spec, hull, f"shoes{number}", shoes, [("shoe", shoes.shape)])

    def move(
        self, model: mujoco.MjModel, travels: Sequence[float], angles: Sequence[float]
    ) -> None:
        """Move wheels and shoes, by the travel of each drive [m] and flipper angles [rad]."""
        for row, name, count in self._rows:
            points, turns = row.at(travels, angles)
            first = model.geom(f"{name}/0/0").id
            size = len(points)
            rotations = Rotation.from_quat(turns, scalar_first=True)
            for layer in range(count):
                geoms = slice(first + layer * size, first + (layer + 1) * size)
                meshes = model.geom_dataid[geoms]
                # MuJoCo has moved the vertices of a mesh to the middle of its volume.
                own = Rotation.from_quat(model.mesh_quat[meshes], scalar_first=True)
                model.geom_pos[geoms] = points + rotations.apply(model.mesh_pos[meshes])
                model.geom_quat[geoms] = (rotations * own).as_quat(scalar_first=True)
                model.geom_sameframe[geoms] = 0

    def _add(self, spec: mujoco.MjSpec, body: str, name: str, painted: list[Painted]) -> None:
        for paint in COLUMNS:
            meshes = [creased(mesh) for word, mesh in painted if word == paint and len(mesh.faces)]
            if meshes:
                whole = join(meshes)
                place = f"look/{name}/{paint}"
                _define(spec, place, np.asarray(whole.vertices), np.asarray(whole.faces))
                _place(spec, body, place, place, paint)

    def _add_row(
        self,
        spec: mujoco.MjSpec,
        body: str,
        name: str,
        row: WheelRow | Ribs,
        painted: list[Painted],
    ) -> None:
        """Add one mesh for each paint and size, and a shape for each place."""
        sizes, which = np.unique(np.round(row.scales, 6), axis=0, return_inverse=True)
        for layer, (paint, mesh) in enumerate(painted):
            sharp = creased(mesh)
            for number, size in enumerate(sizes):
                vertices = np.asarray(sharp.vertices) * size
                _define(spec, f"look/{name}/{layer}.{number}", vertices, np.asarray(sharp.faces))
            for number, kind in enumerate(np.ravel(which).tolist()):
                shape = f"look/{name}/{layer}.{kind}"
                _place(spec, body, f"look/{name}/{layer}/{number}", shape, paint)
        self._rows.append((row, f"look/{name}", len(painted)))


def _define(spec: mujoco.MjSpec, name: str, vertices: Array, faces: NDArray[np.intp]) -> None:
    mesh = spec.add_mesh(name=name)
    mesh.uservert, mesh.userface = np.ravel(vertices).tolist(), np.ravel(faces).tolist()
    mesh.inertia = mujoco.mjtMeshInertia.mjMESH_INERTIA_SHELL


def _place(spec: mujoco.MjSpec, body: str, name: str, mesh: str, paint: str) -> None:
    spec.body(body).add_geom(
        name=name, type=mujoco.mjtGeom.mjGEOM_MESH, meshname=mesh, material=f"paint/{paint}",
        contype=0, conaffinity=0, mass=0.0,
    )  # fmt: skip
