"""The hull of a robot."""

import hashlib
import math
from pathlib import Path
from typing import Any, Self

from pydantic import Field, model_validator

from grouser import limits
from grouser.description.schema import Positive, Table, Vector
from grouser.storage import read_file

GYRATION_ALLOWED = (1e-3, 1e3)
"""Least and greatest radius of gyration, in diagonals of the box of the hull [1]."""


def _box_inertia(data: dict[str, Any]) -> Vector:
    length, width, height = data["size"]
    twelfth = data["mass"] / 12.0
    return (
        twelfth * (width**2 + height**2),
        twelfth * (length**2 + height**2),
        twelfth * (length**2 + width**2),
    )


class Body(Table):
    """A rigid box, or the shapes of a file, with mass.

    Frame: the body frame, on the ground midway between the drives.
    """

    mass: Positive = Field(alias="mass_kg")
    """Mass of the hull and of all parts that state no mass of their own [kg]."""
    size: tuple[Positive, Positive, Positive] = Field(alias="size_m")
    """Length, width and height of the box of the hull [m]."""
    centre: Vector = Field(alias="centre_m")
    """Centre of that box in the body frame [m]."""
    centre_of_mass: Vector = Field(alias="centre_of_mass_m")
    """Where `mass` is centred, in the body frame [m]."""
    inertia: tuple[Positive, Positive, Positive] = Field(
        default_factory=_box_inertia, alias="inertia_kg_m2"
    )
    """Moments of inertia about x, y, z through the centre of mass; without them, those of a
    uniform box of this mass and size [kg m^2]."""
    model_file: Path | None = Field(alias="model", default=None, exclude=True)
    """URDF or MJCF file, relative to the robot's: its shapes replace the box in 3D models."""
    model_origin: Vector = Field(alias="model_origin_m", default=(0.0, 0.0, 0.0))
    """Where the origin of that file lies in the body frame [m]."""

    @property
    def model_digest(self) -> str | None:
        """SHA-256 of the file of its shapes, or nothing if there is none."""
        if self.model_file is None:
            return None
        return hashlib.sha256(read_file(self.model_file, limits.MESH_BYTES)).hexdigest()

    @model_validator(mode="after")
    def _inertia_is_possible(self) -> Self:
        largest, others = max(self.inertia), sum(self.inertia) - max(self.inertia)
        if largest > others * (1.0 + 1e-9):
            raise ValueError(
                "inertia_kg_m2 belongs to no body: the largest moment must be at most the sum of "
                f"the other two, {others:.6g}, not {largest:.6g}"
            )
        diagonal = math.dist(self.size, (0.0, 0.0, 0.0))
        least, most = (self.mass * (ratio * diagonal) ** 2 for ratio in GYRATION_ALLOWED)
        if not (least <= min(self.inertia) and largest <= most):
            raise ValueError(
                f"inertia_kg_m2 of {self.mass:g} kg in a box of {list(self.size)} m must be from "
                f"{least:.3g} to {most:.3g}, not {list(self.inertia)}"
            )
        return self
