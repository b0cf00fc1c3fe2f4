"""A sheet of soft ground as meshes in tiles, of which only those with new ruts are made again."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from grouser.description.surface import Surface
from grouser.drawing.colours import Colour
from grouser.drawing.rut_colours import RUTS, depth_bands, soil_colour
from grouser.drawing.soil_sheet import SoilSheet

TILE = 64
"""Cells along each side of a tile, a power of two."""
SIZES = tuple(2**power for power in range(TILE.bit_length()))
"""Cells along each side of a square of cells."""
BLOCK = 4
"""Tiles along each side of a block, which is one mesh as long as nothing has pressed it."""
SHALLOWEST = 0.0005
"""Depth below which a rut is not drawn [m]."""
CHANGE = 0.0003
"""Change of a depth from which it is drawn again [m]."""
OVERLAP = 5e-4
"""How far squares of several cells reach over their neighbours [m]."""
BEND = 1e-5
"""Largest difference of the rise of cells that are drawn as one [m]."""


class Quads(NamedTuple):
    """Squares of one or more cells; each array has an entry for each of them."""

    row: NDArray[np.intp]
    """First row."""
    column: NDArray[np.intp]
    """First column."""
    size: NDArray[np.intp]
    """Cells along each side."""
    colour: NDArray[np.intp]
    """Number of the colour."""

    def take(self, which: NDArray[np.bool_]) -> "Quads":
        """Return some of them."""
        return Quads(*(column[which] for column in self))


@dataclass(frozen=True, slots=True, kw_only=True)
class Sheet:
    """A mesh of one colour."""

    vertices: NDArray[np.float64]
    """Corners (n, 3) [m]."""
    faces: NDArray[np.intp]
    """Triangles (n, 3), counter-clockwise from above."""
    colour: int
    """Number of the colour, see `palette`."""


def palette(surfaces: Mapping[str, Surface], firm: Colour) -> tuple[Colour, ...]:
    """Return all colours: one for each surface, `firm` for those without soil, then of ruts."""
    soils = [surface.soil for surface in surfaces.values()]
    return (*(firm if soil is None else soil_colour(soil.name) for soil in soils), *RUTS)


def merge_cells(colours: NDArray[np.intp], heights: NDArray[np.float64]) -> Quads:
    """Return squares that cover a grid: cells of one colour in one plane become one square.

    Args:
        colours: Colour of each cell; cells with -1 are left out. Both sides are multiples of
            `TILE`.
        heights: Height of each node, one more along each side [m].
    """
    along, across = np.diff(heights, axis=1), np.diff(heights, axis=0)
    least = [colours, np.fmin(along[1:], along[:-1]), np.fmin(across[:, 1:], across[:, :-1])]
    most = [colours, np.fmax(along[1:], along[:-1]), np.fmax(across[:, 1:], across[:, :-1])]
    levels = []
    for size in SIZES:
        bends = [high - low for low, high in zip(least[1:], most[1:], strict=True)]
        plane = (bends[0] <= BEND) & (bends[1] <= BEND)
        levels.append((size, (least[0] == most[0]) & (plane | (size == 1)), least[0]))
        if size < TILE:
            least = [_gather(values, np.minimum) for values in least]
            most = [_gather(values, np.maximum) for values in most]
    return _pick(levels)


def _gather(values: NDArray, join: np.ufunc) -> NDArray:
    """Return the least or greatest of each four neighbours."""
    pairs = join(values[0::2], values[1::2])
    return join(pairs[:, 0::2], pairs[:, 1::2])


def _pick(levels: list[tuple[int, NDArray[np.bool_], NDArray[np.intp]]]) -> Quads:
    """Return the largest squares first; what they cover is left out at smaller sizes."""
    found = []
    covered = np.zeros_like(levels[-1][1])
    for size, whole, colours in reversed(levels):
        new = whole & ~covered
        rows, columns = np.nonzero(new & (colours >= 0))
        sizes = np.full(len(rows), size, np.intp)
        found.append((rows * size, columns * size, sizes, colours[rows, columns]))
        covered = (covered | new).repeat(2, axis=0).repeat(2, axis=1)
    return Quads(*(np.concatenate(column) for column in zip(*found, strict=True)))


class SoilTiles:
    """Meshes of a sheet by name; `update` returns those that have changed."""

    def __init__(self, sheet: SoilSheet) -> None:
        """Prepare a sheet without ruts."""
        self.sheet = sheet
        self._x, self._y, self._heights = sheet.x, sheet.y, sheet.heights
        self._first_rut = sheet.surface_count
        self._drawn = np.zeros_like(self._heights)
        cells = sheet.surfaces.shape
        self._tiles = -(-cells[0] // TILE), -(-cells[1] // TILE)
        self._flat = merge_cells(
            _pad(sheet.surfaces, self._tiles, -1), _pad_nodes(self._heights, self._tiles)
        )
        self._pressed: set[tuple[int, int]] = set()
        self._names: dict[str, set[str]] = {}

    @property
    def deepest(self) -> float:
        """Depth of the deepest rut that is drawn [m]."""
        return float(self._drawn.max(initial=0.0))

    def begin(self) -> dict[str, Sheet | None]:
        """Return all meshes of the sheet without ruts."""
        rows, columns = (range(-(-count // BLOCK)) for count in self._tiles)
        changed: dict[str, Sheet | None] = {}
        for block in ((row, column) for row in rows for column in columns):
            changed |= self._replace(_name("block", block), self._block(block))
        return changed

    def update(self, depth: NDArray[np.float64]) -> dict[str, Sheet | None]:
        """Return the meshes that change if the ruts have this depth [m]; None for those to remove.

        Args:
            depth: Depth at each node of the sheet [m].
        """
        moved = np.abs(depth - self._drawn) > CHANGE
        if not moved.any():
            return {}
        changed: dict[str, Sheet | None] = {}
        blocks = set()
        for tile in _touched(moved, self._tiles):
            here = _nodes(tile)
            self._drawn[here] = depth[here]
            is_pressed = bool((self._drawn[here] >= SHALLOWEST).any())
            if is_pressed != (tile in self._pressed):
                (self._pressed.add if is_pressed else self._pressed.remove)(tile)
                blocks.add((tile[0] // BLOCK, tile[1] // BLOCK))
            parts = self._tile(tile) if is_pressed else iter(())
            changed |= self._replace(_name("tile", tile), parts)
        for block in blocks:
            changed |= self._replace(_name("block", block), self._block(block))
        return changed

    def _replace(self, name: str, parts: Iterator[Sheet]) -> dict[str, Sheet | None]:
        made: dict[str, Sheet | None] = {f"{name}.{part.colour}": part for part in parts}
        gone = self._names.get(name, set()) - set(made)
        self._names[name] = set(made)
        return made | dict.fromkeys(gone)

    def _block(self, block: tuple[int, int]) -> Iterator[Sheet]:
        """Yield the meshes of the tiles of a block that nothing has pressed."""
        quads = self._flat
        row, column = quads.row // TILE, quads.column // TILE
        quads = quads.take((row // BLOCK == block[0]) & (column // BLOCK == block[1]))
        numbers = (quads.row // TILE) * self._tiles[1] + quads.column // TILE
        pressed = [row * self._tiles[1] + column for row, column in self._pressed]
        yield from self._meshes(quads.take(~np.isin(numbers, pressed)), self._heights)

    def _tile(self, tile: tuple[int, int]) -> Iterator[Sheet]:
        """Yield the meshes of a tile with ruts."""
        here = _nodes(tile)
        depth = self._drawn[here]
        depth = np.where(depth >= SHALLOWEST, depth, 0.0)
        surfaces = self.sheet.surfaces[
            here[0].start : here[0].stop - 1, here[1].start : here[1].stop - 1
        ]
        mean = 0.25 * (depth[1:, 1:] + depth[1:, :-1] + depth[:-1, 1:] + depth[:-1, :-1])
        band = depth_bands(mean)
        is_rut = (band > 0) & (surfaces >= 0)
        colours = np.where(is_rut, self._first_rut + band - 1, surfaces)
        heights = self._heights[here] - depth
        quads = merge_cells(_pad(colours, (1, 1), -1), _pad_nodes(heights, (1, 1)))
        yield from self._meshes(quads, heights, (here[0].start, here[1].start))

    def _meshes(
        self, quads: Quads, heights: NDArray[np.float64], offset: tuple[int, int] = (0, 0)
    ) -> Iterator[Sheet]:
        """Yield a mesh for each colour of some squares."""
        rows, columns = (np.arange(count) for count in heights.shape)
        x, y = self._x[offset[1] + columns], self._y[offset[0] + rows]
        for colour in np.unique(quads.colour).tolist():
            row, column, size, _ = quads.take(quads.colour == colour)
            # Squares that are larger than their neighbours overlap them a little: no slits.
            over = np.where(size > 1, OVERLAP, 0.0)[:, None]
            at_row = row[:, None] + size[:, None] * (0, 0, 1, 1)
            at_column = column[:, None] + size[:, None] * (0, 1, 1, 0)
            corners = np.stack(
                (
                    x[at_column] + over * (-1, 1, 1, -1),
                    y[at_row] + over * (-1, -1, 1, 1),
                    heights[at_row, at_column],
                ),
                axis=-1,
            )
            yield Sheet(
                vertices=corners.reshape(-1, 3), faces=_halve(corners[..., 2]), colour=colour
            )


def _halve(heights: NDArray[np.float64]) -> NDArray[np.intp]:
    """Return two triangles for each square with corners of these heights (n, 4) [m].

    A square is cut along its more level diagonal, so that walls of ruts are not jagged.
    """
    a, b, c, d = heights.T
    other = np.abs(a - c) > np.abs(b - d)
    pair = np.where(other[:, None], (0, 1, 3, 1, 2, 3), (0, 1, 2, 0, 2, 3))
    return (4 * np.arange(len(heights))[:, None] + pair).reshape(-1, 3)


def _name(kind: str, place: tuple[int, int]) -> str:
    return f"{kind}{place[0]}-{place[1]}"


def _nodes(tile: tuple[int, int]) -> tuple[slice, slice]:
    """Return the nodes of a tile; those at its edges belong to its neighbours, too."""
    row, column = (TILE * place for place in tile)
    return slice(row, row + TILE + 1), slice(column, column + TILE + 1)


def _touched(moved: NDArray[np.bool_], tiles: tuple[int, int]) -> list[tuple[int, int]]:
    """Return the tiles that have at least one of some nodes."""
    row, column = np.nonzero(moved)
    found: set[tuple[int, int]] = set()
    for rows in (row // TILE, (row - 1) // TILE):
        for columns in (column // TILE, (column - 1) // TILE):
            number = np.unique(rows * (tiles[1] + 2) + columns + 1)
            found |= {divmod(each, tiles[1] + 2) for each in number.tolist()}
    return sorted(
        (row, column - 1)
        for row, column in found
        if 0 <= row < tiles[0] and 0 <= column - 1 < tiles[1]
    )


def _pad(cells: NDArray[np.intp], tiles: tuple[int, int], value: int) -> NDArray[np.intp]:
    """Return cells that fill whole tiles, the new ones with a value."""
    rows, columns = (TILE * count - have for count, have in zip(tiles, cells.shape, strict=True))
    return np.pad(cells, ((0, rows), (0, columns)), constant_values=value)


def _pad_nodes(nodes: NDArray[np.float64], tiles: tuple[int, int]) -> NDArray[np.float64]:
    """Return nodes that fill whole tiles; the new ones are as high as those beside them."""
    rows, columns = (
        TILE * count + 1 - have for count, have in zip(tiles, nodes.shape, strict=True)
    )
    return np.pad(nodes, ((0, rows), (0, columns)), mode="edge")
