"""Scene nodes of soft ground with its ruts."""

import viser
from trimesh import Trimesh

from grouser.description.terrain import Terrain
from grouser.drawing.colours import Colour
from grouser.drawing.soil_sheet import SoilSheet
from grouser.drawing.soil_tiles import Sheet, SoilTiles, palette
from grouser.models.ground.ruts import RutGrid
from grouser.viewer.scene.lights import Look
from grouser.viewer.scene.lit_ground import SoilTextures
from grouser.viewer.scene.overlays import SceneNode, add_mesh, to_rgb

FIRM: Colour = (0.87, 0.89, 0.91)
"""Colour of firm ground between soft ground."""


class SoilNode(SceneNode):
    """Soft ground in tiles; only those with new ruts are sent again."""

    def __init__(
        self,
        scene: viser.SceneApi,
        name: str,
        terrain: Terrain,
        grid: RutGrid,
        *,
        look: Look = "lean",
    ) -> None:
        """Add the soft ground of a terrain, with the ruts of a grid."""
        super().__init__(scene, name)
        self._has_shadows = look == "full"
        self._textures = None
        if look != "lean":
            self._textures = SoilTextures(dict(terrain.surfaces), is_painted=look == "painted")
        self._scene, self._name = scene, name
        self.sheet = SoilSheet.of(terrain, grid)
        """Where the ground is soft."""
        self._colours = [to_rgb(each) for each in palette(terrain.surfaces, FIRM)]
        self._tiles = SoilTiles(self.sheet)
        self._nodes: dict[str, viser.MeshHandle | viser.GlbHandle] = {}
        self._send(self._tiles.begin())
        self.show(grid)

    @property
    def deepest(self) -> float:
        """Depth of the deepest rut that is shown [m]."""
        return self._tiles.deepest

    def show(self, grid: RutGrid) -> None:
        """Show the ruts as they are now, of a grid with the same cells."""
        self._send(self._tiles.update(grid.depth[self.sheet.rows, self.sheet.columns]))

    def _send(self, changed: dict[str, Sheet | None]) -> None:
        for name, sheet in changed.items():
            if sheet is None:
                self._nodes.pop(name).remove()
                continue
            self._nodes[name] = self._add(f"{self._name}/{name}", sheet)

    def _add(self, place: str, sheet: Sheet) -> viser.MeshHandle | viser.GlbHandle:
        if self._textures is not None and sheet.colour in self._textures:
            content = self._textures.write(sheet)
            receives = self._has_shadows
            return self._scene.add_glb(place, content, cast_shadow=False, receive_shadow=receives)
        mesh = Trimesh(vertices=sheet.vertices, faces=sheet.faces, process=False)
        colour = self._colours[sheet.colour]
        return add_mesh(self._scene, place, mesh, colour, facets=True, shadowed=self._has_shadows)
