"""A course: terrain, surfaces, start, path, and the sources of its numbers.

Frame: the world frame, x forward and y left of a robot that starts with yaw 0, z up. Files
spell units in their keys, attributes are in SI with radians.
"""

import hashlib
import json
import math
from collections.abc import Iterable, Iterator
from functools import cached_property
from itertools import chain
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, SerializerFunctionWrapHandler, model_serializer, model_validator

from grouser import limits
from grouser.description import shape_pieces  # noqa: F401 registers its kinds
from grouser.description.field_ground import Datum, Part, level_fields
from grouser.description.file_pieces import FilePiece
from grouser.description.heightfield import HeightField
from grouser.description.lane_pieces import FieldPiece
from grouser.description.mesh import Mesh
from grouser.description.path import Path, Route
from grouser.description.piece import Piece
from grouser.description.pieces import AnyPiece, PlanePiece, StairsPiece
from grouser.description.reference import Parameter
from grouser.description.ruts import Ruts
from grouser.description.schema import (
    Degrees,
    Mistakes,
    Name,
    NotNegative,
    Number,
    Positive,
    Prose,
    Table,
    find_source,
    mistaken_sources,
)
from grouser.description.soil import PROSE
from grouser.description.surface import GROUND, Surface
from grouser.description.terrain import Terrain
from grouser.errors import InvalidDescription, InvalidValue, UnknownName
from grouser.geometry import Pose


class Start(Table):
    """Where a robot starts; height and tilt follow from the terrain."""

    x: Number = Field(alias="x_m", default=0.0)
    """Position along world x [m]."""
    y: Number = Field(alias="y_m", default=0.0)
    """Position along world y [m]."""
    yaw: Degrees = Field(alias="yaw_deg", default=0.0)
    """Heading, counter-clockwise from world x [rad]."""


class Area(Table):
    """Area of the floor, only for drawings; robots may leave it."""

    x: tuple[Number, Number] = Field(alias="x_m")
    """Range along world x [m]."""
    y: tuple[Number, Number] = Field(alias="y_m")
    """Range along world y [m]."""

    @model_validator(mode="after")
    def _check(self) -> Self:
        least = limits.RANGES["m"][0]
        for key, (low, high) in (("x_m", self.x), ("y_m", self.y)):
            if high - low < least:
                raise ValueError(
                    f"x_m and y_m must go from the smaller to the larger number, {least:g} m "
                    f"apart at least; {key} goes from {low:g} to {high:g}"
                )
        return self


class Disturbance(Table):
    """A sudden rotation of the robot, once, at a place on the path."""

    at: NotNegative = Field(alias="at_path_m")
    """Path length of that place [m]."""
    yaw: Degrees = Field(alias="yaw_deg")
    """Rotation of the robot, positive to the left [rad]."""


class Outline(NamedTuple):
    """A piece of the terrain seen from above."""

    name: str
    """Name of the piece."""
    polygon: NDArray[np.float64]
    """Corners (n, 2), counter-clockwise [m]."""
    height: float
    """Height of its highest point; NaN for a patch, which has none [m]."""


class Course(Table):
    """Terrain, a start, and perhaps a path to follow. Frozen."""

    name: Name
    """Name in options and logs."""
    title: Prose = ""
    """One-line description."""
    group: Prose = Field("", exclude=True)
    """Heading below which lists have it; no part of what a run is hashed by."""
    description: Prose = ""
    """Remarks for the reader."""
    speed: Positive = Field(alias="speed_m_s", default=0.1)
    """Intended driving speed [m/s]."""
    start: Start = Start()
    """Where robots start."""
    area: Area | None = None
    """Floor area for drawings; None for none."""
    route: Route | None = Field(alias="path", default=None)
    """The reference path as the file writes it; see `path`."""
    disturbance: Disturbance | None = None
    """Disturbance on the path; None for none."""
    surfaces: dict[Name, Surface] = Field(default={}, max_length=limits.PIECES)
    """Surfaces by name; "ground" is there also when a file does not name it."""
    pieces: tuple[AnyPiece, ...] = Field(
        alias="terrain", default=(), max_length=limits.TERRAIN_PIECES
    )
    """The terrain as the file writes it; see `terrain`."""
    datum_table: Datum | None = Field(alias="datum", default=None)
    """The datum as the file writes it; see `datum`."""
    rut_table: Ruts | None = Field(alias="ruts", default=None)
    """The ruts as the file writes them; see `ruts`."""
    open_numbers: dict[Name, Parameter] = Field(
        alias="parameters", default={}, max_length=limits.PIECES
    )
    """The numbers and words that are chosen when the course is loaded; see `parameters`."""
    sources: dict[str, Prose] = Field(default={}, max_length=limits.PIECES)
    """Source of each number, by key or prefix of keys; see `source_of`."""
    text: str = Field("", exclude=True, repr=False)
    """Text of its file; empty if it was not read from a file."""

    @model_serializer(mode="wrap")
    def _leave_out_absent_tables(self, write: SerializerFunctionWrapHandler) -> dict[str, Any]:
        # The hash of a course must not change because others may have ruts or a datum.
        absent = {"ruts", "rut_table"} if self.rut_table is None else set[str]()
        absent |= {"datum", "datum_table"} if self.datum_table is None else set[str]()
        return {key: value for key, value in write(self).items() if key not in absent}

    @property
    def terrain(self) -> Terrain:
        """The ground; this is when files of height fields and meshes are read."""
        return self._laid[0]

    @property
    def datum(self) -> Datum | None:
        """Where the origin lies on the map of its height fields; None without one."""
        return self._laid[1]

    @cached_property
    def _laid(self) -> tuple[Terrain, Datum | None]:
        solids, datum = level_fields(
            list(_solids(self.pieces)), (self.start.x, self.start.y), self.datum_table
        )
        terrain = Terrain(
            solids=solids,
            patches=tuple(chain.from_iterable(piece.patches() for piece in self.pieces)),
            surfaces={GROUND: Surface()} | self.surfaces,
        )
        return terrain, datum

    @cached_property
    def path(self) -> Path | None:
        """The reference path from the start; None if there is none."""
        return self.route and self.route.lay(self.start.x, self.start.y, self.start.yaw)

    @property
    def start_pose(self) -> Pose:
        """The pose of a body on the ground at the start; InvalidValue where there is no ground."""
        pose = self.terrain.pose_at(self.start.x, self.start.y, self.start.yaw)
        if np.isnan(pose.z):
            raise InvalidValue("start", (self.start.x, self.start.y), "lie on the terrain")
        return pose

    @property
    def has_ground(self) -> bool:
        """Whether there is ground to drive on; height fields end somewhere."""
        return self.terrain.has_ground

    @property
    def treadmill_speed(self) -> float:
        """Speed at which the ground runs backwards, along negative world x [m/s]."""
        return sum(piece.treadmill_speed for piece in self.pieces if isinstance(piece, PlanePiece))

    @property
    def features(self) -> frozenset[str]:
        """Features that a model needs, of `grouser.description.piece.FEATURES`."""
        soft = {"soil"} if any(surface.soil for surface in self.surfaces_used) else set[str]()
        return frozenset(chain(soft, *(piece.features for piece in self.pieces)))

    @property
    def surfaces_used(self) -> list[Surface]:
        """The surfaces that pieces of the terrain have."""
        names = sorted({piece.surface for piece in self.pieces})
        return [self.surfaces[name] for name in names if name in self.surfaces]

    @property
    def ruts(self) -> Ruts | None:
        """How belts leave ruts; None without a soil, or where they are switched off."""
        chosen = self.rut_table or Ruts()
        return chosen if chosen.on and "soil" in self.features else None

    @property
    def parameters(self) -> dict[str, float | str]:
        """The open numbers and words as they were chosen, in the units that their names spell."""
        return {name: parameter.value for name, parameter in self.open_numbers.items()}

    @cached_property
    def content_hash(self) -> str:
        """SHA-256 of all that affects motion: not of titles, sources and the layout of the file.

        Files of height fields and meshes count by what is in them, not by where they are.
        """
        prose = {"title", "description", "sources", "open_numbers"}
        content = self.model_dump(mode="json", exclude=prose)
        for piece in content["pieces"]:
            if not piece.get("treadmill_speed"):
                piece.pop("treadmill_speed", None)  # as before there was any
            for tilt in ("roll", "pitch"):
                if piece["kind"] == "box" and not piece[tilt]:
                    piece.pop(tilt)  # as before boxes could be tilted
            if piece.get("diagonal") == "rising":
                piece.pop("diagonal")  # as before it was stated
            if piece["kind"] == "heightfield" and piece["fill"] is None:
                piece.pop("fill")  # as before it was stated
        for surface in content["surfaces"].values():
            for key in PROSE & surface.get("soil", {}).keys():
                surface["soil"].pop(key)
        content["files"] = [p.digest for p in self.pieces if isinstance(p, FilePiece)]
        canonical = json.dumps(content, sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(canonical.encode()).hexdigest()

    def with_friction(self, along: float, across: float) -> Self:
        """Return the course with the same friction everywhere, along and across belts [1]."""
        gripping = {
            name: surface.model_copy(update={"friction": along, "friction_across": across})
            for name, surface in self.terrain.surfaces.items()
        }
        fields = {name: getattr(self, name) for name in type(self).model_fields}
        return self.model_construct(None, **fields | {"surfaces": gripping})

    def source_of(self, key: str) -> str | None:
        """Return where a number comes from, by its key in the file: `terrain[1].height_m`."""
        return find_source(self.sources, key)

    def outlines(self) -> list[Outline]:
        """Return what to draw, lowest first: all solids but planes, and patches."""
        outlines = [
            Outline(patch.name, patch.footprint.corners, math.nan) for patch in self.terrain.patches
        ]
        tops = {slab: max(slab.top_start, slab.top_end) for slab in self.terrain.slabs}
        tops |= {field: float(np.nanmax(field.heights)) for field in self.terrain.fields}
        tops |= {mesh: mesh.top for mesh in self.terrain.meshes}
        solids = [
            Outline(solid.name, solid.footprint.corners, tops[solid])
            for solid in self.terrain.solids
            if solid in tops
        ]
        return outlines + sorted(solids, key=lambda outline: outline.height)

    def _repr_html_(self) -> str:
        from grouser.description.card import course_card

        return course_card(self)

    @model_validator(mode="after")
    def _parts_fit_together(self) -> Self:
        mistakes = list(_mistakes(self))
        if mistakes:
            raise Mistakes(mistakes)
        return self


def _mistakes(course: Course) -> Iterator[str]:
    surfaces = sorted({GROUND, *course.surfaces})
    for number, piece in enumerate(course.pieces):
        if piece.surface not in surfaces:
            unknown = UnknownName("surface", piece.surface, surfaces)
            yield f"terrain[{number}].surface: {unknown}"
    yield from _mistakes_of_path(course)
    ruts = course.rut_table
    if ruts and ruts.on and ruts.lanes and "soil" not in course.features:
        yield "ruts.lanes need a piece of terrain whose surface has a soil"
    steps = sum(piece.count for piece in course.pieces if isinstance(piece, StairsPiece))
    if steps > limits.PIECES:
        yield f"terrain: stairs must have at most {limits.PIECES:,} steps together, not {steps:,}"
    cells = sum(math.prod(piece.shape) for piece in course.pieces if isinstance(piece, FieldPiece))
    if cells > limits.TERRAIN_PIECES:
        most = f"{limits.TERRAIN_PIECES:,} cells"
        yield f"terrain: stepfields and ramps must have at most {most} together, not {cells:,}"
    if course.sources:
        content = course.model_dump(by_alias=True, exclude_unset=True)
        yield from mistaken_sources(course.sources, content)


def _solids(pieces: Iterable[Piece]) -> Iterator[Part]:
    """Yield what pieces are made of; this is when files are read."""
    samples = triangles = 0
    for piece in pieces:
        for solid in piece.solids():
            samples += solid.heights.size if isinstance(solid, HeightField) else 0
            triangles += len(solid.triangles) if isinstance(solid, Mesh) else 0
            for shapes, count, what, most in (
                ("height fields", samples, "samples", limits.HEIGHT_SAMPLES),
                ("meshes", triangles, "triangles", limits.MESH_TRIANGLES),
            ):
                if count > most:
                    mistake = f"{shapes} must have at most {most:,} {what} together, and have"
                    raise InvalidDescription(piece.label, [f"{mistake} {count:,} up to this one"])
            yield piece, solid


def _mistakes_of_path(course: Course) -> Iterator[str]:
    start = course.start.x, course.start.y
    if course.route and course.route.waypoints and set(course.route.waypoints) == {start}:
        yield f"path.waypoints_m must lead away from the start, which is at {start}"
        return
    try:
        length = course.path.length if course.path else 0.0
    except InvalidValue as error:
        yield str(error)
        return
    if course.disturbance is not None:
        at = course.disturbance.at
        if at > length:
            yield f"disturbance.at_path_m must be on the path of {length:g} m, not at {at:g} m"
