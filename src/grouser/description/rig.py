"""Overhead cameras, their floor and the markers of a robot that they find.

Frames: world as everywhere; the floor lies in the plane z = 0. Markers are in the body frame of
the robot that carries them; a marker looks along its own z axis, and its picture is upright when
its x axis points to the right and its y axis up. Files spell units in their keys.
"""

import math
from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Literal, Self

import numpy as np
from annotated_types import Interval
from numpy.typing import NDArray
from pydantic import AfterValidator, Field, Strict, model_validator

from grouser import limits
from grouser.description.reference import Parameter
from grouser.description.schema import (
    Degrees,
    Mistakes,
    Name,
    NotNegative,
    Number,
    Positive,
    Prose,
    Table,
    Vector,
    mistaken_sources,
)

if TYPE_CHECKING:
    from scipy.spatial.transform import Rotation


Dictionary = Literal["4x4_50", "4x4_100", "4x4_250", "5x5_100", "6x6_250"]
"""A family of ArUco markers: cells of a side, and how many there are."""


Bend = Annotated[Number, Interval(ge=-limits.FACTOR, le=limits.FACTOR)]
"""A coefficient of a lens."""
Tilt = Annotated[Number, Interval(gt=-90.0, lt=90.0), AfterValidator(math.radians)]
"""An angle from straight down, written in degrees, kept in radians."""


class Floor(Table):
    """The rectangle that the camera looks at, with lines at whole multiples of the grid."""

    centre: tuple[Number, Number] = Field(default=(0.0, 0.0), alias="centre_m")
    """Where its middle is in the world; two lines cross there [m]."""
    size: tuple[Positive, Positive] = Field(alias="size_m")
    """Its extent along world x and y [m]."""
    grid: Positive = Field(alias="grid_m")
    """Distance between two lines [m]."""
    line: Positive = Field(default=0.004, alias="line_m")
    """Width of a line [m]."""

    @model_validator(mode="after")
    def _check(self) -> Self:
        if self.line >= self.grid:
            raise ValueError(f"line_m must be less than grid_m, {self.grid:g}, not {self.line:g}")
        if max(self.line_counts) > limits.GRID_LINES:
            least = max(self.size) / (limits.GRID_LINES - 1)
            raise ValueError(
                f"grid_m must be {least:.6g} at least on a floor of {max(self.size):g} m, "
                f"not {self.grid:g}"
            )
        return self

    @property
    def line_counts(self) -> tuple[int, int]:
        """How many lines cross x, and how many cross y."""
        along, across = (2 * int(0.5 * size / self.grid + 1e-9) + 1 for size in self.size)
        return along, across

    def crossings(self) -> NDArray[np.float64]:
        """Return where lines cross (columns along x, rows along y, 3) in the world [m]."""
        along, across = (
            middle + self.grid * (np.arange(count) - count // 2)
            for middle, count in zip(self.centre, self.line_counts, strict=True)
        )
        x, y = np.meshgrid(along, across, indexing="ij")
        return np.stack((x, y, np.zeros_like(x)), axis=-1).astype(np.float64)


class Lens(Table):
    """How the camera maps directions to pixels; what is not given is found from the grid."""

    focal: Positive | None = Field(default=None, alias="focal_px")
    """Focal length [pixels]; None to find it."""
    centre: tuple[Number, Number] | None = Field(default=None, alias="centre_px")
    """Pixel on the optical axis; the middle of the picture if None [pixels]."""
    distortion: tuple[Bend, Bend, Bend, Bend, Bend] | None = None
    """Coefficients k1, k2, p1, p2, k3 of Brown and Conrady [1]; None to find k1 and k2."""


class RigCamera(Table):
    """A camera that looks down."""

    size: tuple[Annotated[int, Strict(), Interval(ge=16, le=8192)], ...] = Field(
        alias="size_px", min_length=2, max_length=2
    )
    """Width and height of a picture [pixels]."""
    rate: Positive = Field(alias="rate_hz")
    """Pictures per second [1/s]."""
    height: Positive = Field(alias="height_m")
    """How far it is above the floor [m]."""
    offset: tuple[Number, Number] = Field(default=(0.0, 0.0), alias="offset_m")
    """How far it is from above the middle of the floor, about, along world x and y [m]."""
    yaw: Degrees = Field(default=0.0, alias="yaw_deg")
    """Direction of the picture's right edge, about, counter-clockwise from world x [rad]."""
    tilt: Tilt = Field(default=0.0, alias="tilt_deg")
    """How far it looks above straight down, about, towards the picture's upper edge [rad]."""
    latency: NotNegative = Field(default=0.0, alias="latency_s")
    """How long after a picture was taken its pose is known [s]."""
    corner_noise: NotNegative = Field(default=0.0, alias="corner_noise_px")
    """Standard deviation of a corner of a marker in a picture, either way [pixels]."""
    lens: Lens = Lens()
    """How it maps directions to pixels."""


class Marker(Table):
    """A square with a code, on a plate that is fixed to the robot."""

    name: Name
    """What it is called."""
    id: Annotated[int, Strict(), Interval(ge=0)]
    """Its number in the dictionary."""
    side: Positive = Field(default=0.05, alias="side_m")
    """Length of a side of the black square [m]."""
    margin: NotNegative = Field(default=0.005, alias="margin_m")
    """Width of the white rim around it [m]."""
    position: Vector = Field(alias="position_m")
    """Where its middle is in the body frame [m]."""
    yaw: Degrees = Field(default=0.0, alias="yaw_deg")
    """Turn of its picture about the body's z axis [rad]."""
    roll: Degrees = Field(default=0.0, alias="roll_deg")
    """Tilt about its own x axis before that turn; -90 degrees looks to the left [rad]."""

    @property
    def rotation(self) -> "Rotation":
        """The rotation that takes coordinates of the marker to coordinates of the body."""
        from scipy.spatial.transform import Rotation

        return Rotation.from_euler("ZX", [self.yaw, self.roll])

    def corners(self) -> NDArray[np.float64]:
        """Return its corners (4, 3) in the body frame, clockwise from the upper left [m]."""
        half = 0.5 * self.side
        flat = np.array([(-half, half, 0), (half, half, 0), (half, -half, 0), (-half, -half, 0)])
        return self.rotation.apply(flat) + np.array(self.position)


class Rig(Table):
    """All that is needed to film a robot from above, and to find it in the film. Frozen."""

    name: Name
    """Name in options and logs."""
    title: Prose = ""
    """One-line description."""
    description: Prose = ""
    """Remarks for the reader."""
    parameters: dict[Name, Parameter] = Field(default={}, max_length=limits.PIECES)
    """Numbers that are chosen when it is loaded."""
    floor: Floor
    """What the camera looks at."""
    camera: RigCamera
    """The camera."""
    dictionary: Dictionary = "4x4_100"
    """Family of the markers."""
    markers: tuple[Marker, ...] = Field(min_length=1, max_length=limits.PIECES)
    """The markers on the robot."""
    sources: dict[str, Prose] = Field(default={}, max_length=limits.PIECES)
    """Where each number comes from, by key or beginning of keys."""
    text: str = Field(default="", exclude=True, repr=False)
    """Text of its file; empty if it was not read from a file."""

    @property
    def lens_centre(self) -> tuple[float, float]:
        """Pixel on the optical axis; pixel 0 has its middle at 0 [pixels]."""
        width, height = self.camera.size
        return self.camera.lens.centre or (0.5 * (width - 1), 0.5 * (height - 1))

    @property
    def choices(self) -> dict[str, float | str]:
        """The value of each parameter [unit as its name spells]."""
        return {name: parameter.value for name, parameter in self.parameters.items()}

    @model_validator(mode="after")
    def _parts_fit_together(self) -> Self:
        content = self.model_dump(by_alias=True, exclude_unset=True)
        mistakes = [*_mistaken_markers(self), *mistaken_sources(self.sources, content)]
        if mistakes:
            raise Mistakes(mistakes)
        return self


def _mistaken_markers(rig: Rig) -> Iterator[str]:
    known = int(rig.dictionary.partition("_")[2])
    for what in ("name", "id"):
        for value, count in Counter(getattr(marker, what) for marker in rig.markers).items():
            if count > 1:
                yield f"markers: {what} {value!r} is given to {count} of them; they must differ"
    for index, marker in enumerate(rig.markers):
        if marker.id >= known:
            yield f"markers[{index}].id must be below {known} in dictionary {rig.dictionary!r}"
