"""Pieces of terrain whose shape may come from a file: height fields and meshes."""

import hashlib
from pathlib import Path
from typing import Literal

import numpy as np
from pydantic import Field, model_validator

from grouser import limits
from grouser.description.height_files import HeightMap, read_heights
from grouser.description.heightfield import HeightField
from grouser.description.mesh import Mesh
from grouser.description.mesh_file import read_mesh
from grouser.description.piece import PlacedPiece
from grouser.description.pieces import register_piece
from grouser.description.schema import NotNegative, Number, Positive
from grouser.errors import InvalidDescription
from grouser.geometry import rotate
from grouser.storage import read_file


class FilePiece(PlacedPiece):
    """A piece that may have a file beside that of the course."""

    file: Path | None = Field(default=None, exclude=True)
    """File of its shape, relative to the course file."""

    @property
    def digest(self) -> str | None:
        """SHA-256 of the file, or nothing if there is none."""
        if self.file is None:
            return None
        most = max(limits.PICTURE_BYTES, limits.MESH_BYTES)
        return hashlib.sha256(read_file(self.file, most)).hexdigest()


@register_piece
class HeightFieldPiece(FilePiece):
    """Heights on a grid, placed by its middle, written as seen on a map.

    The first row lies farthest to the left of `yaw` (farthest along y without it), the first
    column farthest back. Heights are those of the nodes: n columns span n - 1 spacings. Each cell
    between four nodes is two triangles.
    """

    kind: Literal["heightfield"] = "heightfield"
    """Kind of the piece."""
    heights: tuple[tuple[Number, ...], ...] = Field(alias="heights_m", default=())
    """Rows of heights above its base [m]."""
    file: Path | None = Field(default=None, exclude=True)
    """A picture, map or table of heights, relative to the course file; see `height_files`."""
    height_range: tuple[Number, Number] | None = Field(alias="height_range_m", default=None)
    """Heights of black and white in a picture; a map has its own [m]."""
    spacing: Positive | None = Field(alias="spacing_m", default=None)
    """Distance between nodes; a map has its own [m]."""
    fill: NotNegative | None = Field(alias="fill_m", default=None)
    """Widest gap between nodes of a file that is filled; 10 spacings where the course has no plane,
    else none, when not given [m]."""
    diagonal: Literal["rising", "falling"] = "rising"
    """Which corners of a cell its two triangles share, as seen on a map: from its lower left to its
    upper right (`rising`), or from its upper left to its lower right (`falling`)."""

    @model_validator(mode="after")
    def _check(self) -> "HeightFieldPiece":
        if bool(self.heights) == (self.file is not None):
            raise ValueError("needs either heights_m or a file")
        if self.heights:
            columns = {len(row) for row in self.heights}
            if len(columns) != 1:
                raise ValueError(f"rows of heights_m must be equally long, not {sorted(columns)}")
            if len(self.heights) < 2 or min(columns) < 2:
                raise ValueError("heights_m must have two rows and two columns at least")
            if self.spacing is None:
                raise ValueError("spacing_m is missing")
        return self

    @property
    def features(self) -> frozenset[str]:
        """Rough ground."""
        return frozenset({"rough"})

    def solids(self) -> tuple[HeightField, ...]:
        """Return the field; this is when a file is read.

        Raises:
            InvalidDescription: The file cannot be used.
            MissingExtra: The package that reads files is not installed.
        """
        heights, spacings, corner = HeightMap(np.array(self.heights, np.float64))
        if self.file is not None:
            heights, spacings, corner = read_heights(self.file, self.height_range)
        if self.spacing is not None:
            spacings = self.spacing, self.spacing
        if spacings is None:
            raise InvalidDescription(
                str(self.file), ["the file has no scale of its own, so spacing_m must be given"]
            )
        if corner is not None:
            rows, columns = heights.shape
            half_length, half_width = (
                0.5 * (columns - 1) * spacings[0],
                0.5 * (rows - 1) * spacings[1],
            )
            corner = corner[0] + half_length - self.x, corner[1] - half_width - self.y
        field = HeightField(
            name=self.label,
            x=self.x,
            y=self.y,
            yaw=self.yaw,
            spacing_along=spacings[0],
            spacing_across=spacings[1],
            heights=self.base + heights[::-1],
            surface=self.surface,
            origin_on_map=None if self.yaw else corner,
        )
        return (field if self.diagonal == "rising" else field.turned,)


@register_piece
class MeshPiece(FilePiece):
    """A closed mesh from a file, placed by the origin of the file, whose z (GLB: y) points up."""

    kind: Literal["mesh"] = "mesh"
    """Kind of the piece."""
    scale: Positive | None = None
    """Length of one unit of the file; 1 m when not given [m]."""

    @model_validator(mode="after")
    def _check(self) -> "MeshPiece":
        if self.file is None:
            raise ValueError("file is missing: an STL, OBJ, PLY or GLB file beside the course file")
        return self

    @property
    def features(self) -> frozenset[str]:
        """A mesh."""
        return frozenset({"mesh"})

    def solids(self) -> tuple[Mesh, ...]:
        """Return the mesh; this is when the file is read.

        Raises:
            InvalidDescription: The file cannot be used.
            MissingExtra: The package that reads files is not installed.
        """
        assert self.file is not None  # by the check
        vertices, triangles = read_mesh(self.file, self.scale)
        x, y = rotate(vertices[:, 0], vertices[:, 1], self.yaw)
        placed = np.column_stack((x + self.x, y + self.y, vertices[:, 2] + self.base))
        return (Mesh(name=self.label, vertices=placed, triangles=triangles, surface=self.surface),)
