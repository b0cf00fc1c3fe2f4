"""Rough ground from numbers in the course file, or from a picture or map beside it."""

import hashlib
from pathlib import Path
from typing import Literal

import numpy as np
from pydantic import Field, model_validator

from grouser import limits
from grouser.description.heightfield import HeightField
from grouser.description.piece import PlacedPiece
from grouser.description.read_heights import read_heights
from grouser.description.schema import Number, Positive
from grouser.errors import InvalidDescription
from grouser.storage import read_file


class HeightFieldPiece(PlacedPiece):
    """Heights on a grid, placed by its middle, written as seen on a map.

    The first row lies farthest to the left of `yaw` (farthest along y without it), the first
    column farthest back. Heights are those of the nodes: n columns span n - 1 spacings.
    """

    kind: Literal["heightfield"] = "heightfield"
    """Which piece it is."""
    heights: tuple[tuple[Number, ...], ...] = Field(alias="heights_m", default=())
    """Rows of heights above its base [m]."""
    file: Path | None = Field(default=None, exclude=True)
    """A grey picture (PNG, 8 or 16 bit) or a map (GeoTIFF), relative to the course file."""
    height_range: tuple[Number, Number] | None = Field(alias="height_range_m", default=None)
    """Heights of black and white in a picture; a map has its own [m]."""
    spacing: Positive | None = Field(alias="spacing_m", default=None)
    """Distance between nodes; a map has its own [m]."""

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
    def digest(self) -> str | None:
        """SHA-256 of the file, or nothing if there is none."""
        if self.file is None:
            return None
        return hashlib.sha256(read_file(self.file, limits.PICTURE_BYTES)).hexdigest()

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
        heights, spacings = np.array(self.heights, np.float64), None
        if self.file is not None:
            heights, spacings = read_heights(self.file, self.height_range)
        if self.spacing is not None:
            spacings = self.spacing, self.spacing
        if spacings is None:
            raise InvalidDescription(
                str(self.file), ["the file has no scale of its own, so spacing_m must be given"]
            )
        return (
            HeightField(
                name=self.label,
                x=self.x,
                y=self.y,
                yaw=self.yaw,
                spacing_along=spacings[0],
                spacing_across=spacings[1],
                heights=self.base + heights[::-1],
                surface=self.surface,
            ),
        )
