"""Scene nodes of a course in the painted and in the full look."""

import numpy as np
import viser

from grouser.description import Course
from grouser.drawing.look.glb import Part, write_glb
from grouser.drawing.look.ground_parts import ground_parts
from grouser.drawing.look.materials import material_of
from grouser.drawing.look.pictures import skin_of
from grouser.drawing.look.shade import light_on
from grouser.drawing.soil_sheet import SoilSheet
from grouser.drawing.soil_tiles import Sheet
from grouser.viewer.scene.overlays import SceneNode

SOIL_PIXELS = 256
"""Side of the textures of soft ground, which are sent again with every new rut [pixels]."""


class LitGround(SceneNode):
    """Terrain with materials, painted lines and a floor that ends in haze: four nodes at most."""

    def __init__(
        self,
        scene: viser.SceneApi,
        name: str,
        course: Course,
        soil: SoilSheet | None = None,
        *,
        is_painted: bool,
    ) -> None:
        """Add the ground of a course; where there is a sheet of soil, leave room for it."""
        super().__init__(scene, name)
        parts = ground_parts(course, soil, is_painted=is_painted)
        casts = not is_painted
        nodes = (("flat", [*parts.floor, *parts.flat], False), ("solid", parts.solid, casts))
        for word, found, cast in nodes:
            if found:
                glb = write_glb(found)
                scene.add_glb(f"{name}/{word}", glb, cast_shadow=cast, receive_shadow=casts)
        if parts.shade:
            glb = write_glb(parts.shade)
            scene.add_glb(f"{name}/shade", glb, cast_shadow=False, receive_shadow=False)


class SoilTextures:
    """Textured meshes of soft ground that nothing has pressed."""

    def __init__(self, course_surfaces: dict, *, is_painted: bool) -> None:
        """Prepare the materials of all surfaces of a course, in their order."""
        self._materials = [
            material_of(name, surface, "pavement") for name, surface in course_surfaces.items()
        ]
        self._is_painted = is_painted

    def __contains__(self, colour: int) -> bool:
        return colour < len(self._materials)

    def write(self, sheet: Sheet) -> bytes:
        """Return a sheet of one surface as a GLB file."""
        material = self._materials[sheet.colour]
        skin = skin_of(material, is_unlit=self._is_painted, size=SOIL_PIXELS)
        normals = np.tile((0.0, 0.0, 1.0), (len(sheet.vertices), 1))
        ones = np.ones(len(normals))
        part = Part(
            vertices=sheet.vertices, faces=sheet.faces, normals=normals, skin=skin,
            places=sheet.vertices[:, :2] / material.tile,
            light=light_on(normals, ones, ones) if self._is_painted else None,
        )  # fmt: skip
        return write_glb([part])
