"""Scene nodes of soft ground with its ruts."""

import viser
from trimesh import Trimesh

from grouser.description.terrain import Terrain
from grouser.drawing.colours import Colour
from grouser.drawing.soil_sheet import SoilSheet
from grouser.drawing.soil_tiles import Sheet, SoilTiles, palette
from grouser.models.ground.ruts import RutGrid
from grouser.viewer.scene.overlays import SceneNode, add_mesh, to_rgb

FIRM: Colour = (0.87, 0.89, 0.91)
"""Colour of firm ground between soft ground."""


class SoilNode(SceneNode):
    """Soft ground in tiles; only those with new ruts are sent again."""

    def __init__(self, scene: viser.SceneApi, name: str, terrain: Terrain, grid: RutGrid) -> None:
        """Add the soft ground of a terrain, with the ruts of a grid."""
        super().__init__(scene, name)
        self._scene, self._name = scene, name
        self.sheet = SoilSheet.of(terrain, grid)
        """Where the ground is soft."""
        self._colours = [to_rgb(each) for each in palette(terrain.surfaces, FIRM)]
        self._tiles = SoilTiles(self.sheet)
        self._nodes: dict[str, viser.MeshHandle] = {}
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
            mesh = Trimesh(vertices=sheet.vertices, faces=sheet.faces, process=False)
            place, colour = f"{self._name}/{name}", self._colours[sheet.colour]
            self._nodes[name] = add_mesh(self._scene, place, mesh, colour, facets=True)
