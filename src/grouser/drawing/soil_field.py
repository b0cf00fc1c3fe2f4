"""Soft ground with its ruts in rendered pictures: a height field that changes."""

import math

import mujoco
import numpy as np
from numpy.typing import NDArray

from grouser.description import Course
from grouser.description.solids import Plane
from grouser.drawing.colours import Colour
from grouser.drawing.floor_pieces import cut_floor
from grouser.drawing.rut_colours import depth_bands
from grouser.drawing.soil_sheet import SoilSheet, soft_patches
from grouser.drawing.soil_tiles import CHANGE, palette
from grouser.models.ground.ruts import RutGrid

NAME = "soil"
"""Name of the height field, its texture and its material."""
MOST_NODES = 800
"""Largest number of nodes along each side."""
DEEPEST = 0.5
"""Depth down to which ruts are drawn [m]."""
FLOOR_RADIUS = 100.0
"""Distance up to which the floor around soft ground is drawn [m]."""


class SoilField:
    """The soft ground of a scene; where it is, floor and soft solids make room for it."""

    def __init__(
        self, spec: mujoco.MjSpec, course: Course, grid: RutGrid, *, firm: Colour, tile: float
    ) -> None:
        """Add the soft ground of a course to a scene.

        Args:
            spec: The scene, with the course and its colours.
            course: The course.
            grid: Its ruts.
            firm: Colour of firm ground between soft ground.
            tile: Side of a tile of the floor [m].
        """
        self.sheet = sheet = SoilSheet.of(course.terrain, grid)
        self._stride = max(1, math.ceil(max(sheet.heights.shape) / MOST_NODES))
        heights = sheet.heights[:: self._stride, :: self._stride]
        known = heights[~np.isnan(heights)]
        self._low = float(known.min(initial=0.0)) - DEEPEST
        self._span = float(known.max(initial=0.0)) - self._low
        self._heights = np.nan_to_num(heights, nan=self._low)
        self._colours = np.round(255.0 * np.array(palette(course.terrain.surfaces, firm)))
        surfaces = np.pad(sheet.surfaces, (0, 1), mode="edge")[:: self._stride, :: self._stride]
        self._surfaces = np.clip(surfaces, 0, None)
        self._ruts_from = sheet.surface_count
        self._drawn = np.zeros_like(self._heights)
        self._make_room(spec, course, tile)
        self._add(spec)

    def show(self, grid: RutGrid, model: mujoco.MjModel, context: mujoco.MjrContext) -> None:
        """Show the ruts as they are now in the compiled scene, if they have changed."""
        depth = self._thin(grid.depth[self.sheet.rows, self.sheet.columns])
        if not (np.abs(depth - self._drawn) > CHANGE).any():
            return
        self._drawn = depth
        field, texture = model.hfield(NAME).id, model.texture(NAME).id
        first = model.hfield_adr[field]
        model.hfield_data[first : first + depth.size] = self._elevations().ravel()
        first = model.tex_adr[texture]
        pixels = self._pixels()
        model.tex_data[first : first + pixels.size] = pixels.ravel()
        mujoco.mjr_uploadHField(model, context, field)
        mujoco.mjr_uploadTexture(model, context, texture)

    def _thin(self, depth: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the depth at each node that is drawn: the greatest of those that are left out."""
        stride, (rows, columns) = self._stride, self._heights.shape
        if stride == 1:
            return depth.copy()
        more = rows * stride - depth.shape[0], columns * stride - depth.shape[1]
        filled = np.pad(depth, ((0, more[0]), (0, more[1])))
        return filled.reshape(rows, stride, columns, stride).max(axis=(1, 3))

    def _elevations(self) -> NDArray[np.float64]:
        """Return the height of each node, from 0 to 1."""
        return np.clip((self._heights - self._drawn - self._low) / self._span, 0.0, 1.0)

    def _pixels(self) -> NDArray[np.uint8]:
        """Return the colour of each node; the first row is at the greatest y."""
        band = depth_bands(self._drawn)
        colours = np.where(band > 0, self._ruts_from + band - 1, self._surfaces)
        return np.ascontiguousarray(self._colours[colours][::-1]).astype(np.uint8)

    def _add(self, spec: mujoco.MjSpec) -> None:
        rows, columns = self._heights.shape
        texture = spec.add_texture(
            name=NAME, type=mujoco.mjtTexture.mjTEXTURE_2D, width=columns, height=rows, nchannel=3
        )
        texture.data = self._pixels().tobytes()
        material = spec.add_material(name=NAME, texrepeat=[1.0, 1.0], specular=0.0)
        material.textures[mujoco.mjtTextureRole.mjTEXROLE_RGB] = NAME
        x, y = self.sheet.x[:: self._stride], self.sheet.y[:: self._stride]
        half = [0.5 * float(axis[-1] - axis[0]) for axis in (x, y)]
        spec.add_hfield(
            name=NAME,
            nrow=rows,
            ncol=columns,
            size=[*half, self._span, 0.01],
            userdata=self._elevations().ravel().tolist(),
        )
        spec.worldbody.add_geom(
            name=NAME,
            type=mujoco.mjtGeom.mjGEOM_HFIELD,
            hfieldname=NAME,
            material=NAME,
            pos=[0.5 * float(x[0] + x[-1]), 0.5 * float(y[0] + y[-1]), self._low],
            contype=0,
            conaffinity=0,
        )

    def _make_room(self, spec: mujoco.MjSpec, course: Course, tile: float) -> None:
        """Cut the floor, lower soft solids and remove soft patches."""
        solids = {f"terrain{n}": solid for n, solid in enumerate(course.terrain.solids)}
        for geom in list(spec.geoms):
            solid = solids.get(geom.name.split(".")[0])
            if isinstance(solid, Plane):
                self._cut(spec, geom, solid, tile)
            elif solid in self.sheet.soft:
                geom.pos[2] -= DEEPEST
        patches = soft_patches(course.terrain)
        for number, patch in enumerate(course.terrain.patches):
            if patch in patches:
                spec.delete(spec.site(f"patch{number}"))

    def _cut(self, spec: mujoco.MjSpec, geom: mujoco.MjsGeom, plane: Plane, tile: float) -> None:
        hole = self.sheet.rectangle
        middle = tuple(2.0 * tile * round(0.5 * at / tile) for at in (hole.x, hole.y))
        pieces = cut_floor(plane, (middle[0], middle[1]), FLOOR_RADIUS, hole, 2.0 * tile)
        for number, piece in enumerate(pieces):
            spec.worldbody.add_geom(
                name=f"{geom.name}/{number}",
                type=mujoco.mjtGeom.mjGEOM_PLANE,
                size=[0.5 * piece.size[0], 0.5 * piece.size[1], 1.0],
                pos=list(piece.centre),
                quat=piece.rotation.as_quat(scalar_first=True).tolist(),
                material=geom.material,
                contype=0,
                conaffinity=0,
            )
        spec.delete(geom)
