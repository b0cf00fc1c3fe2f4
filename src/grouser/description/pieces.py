"""Pieces of terrain: planes, ramps, steps, stairs, boxes, patches, pallets."""

import math
from collections.abc import Mapping
from typing import Annotated, Any, Literal, Self, TypeAlias, TypeVar

from annotated_types import Ge, Gt, Le
from pydantic import AfterValidator, BeforeValidator, Field, SerializeAsAny, model_validator

from grouser import limits
from grouser.description.convex_shapes import box_shape, place_shape
from grouser.description.mesh import Mesh
from grouser.description.piece import Piece, PlacedPiece
from grouser.description.schema import NotNegative, Number, Positive
from grouser.description.solids import Patch, Plane, Slab
from grouser.errors import UnknownName, show_value
from grouser.registry import Registry

P = TypeVar("P", bound=Piece)

KINDS: Registry[type[Piece]] = Registry("kind of terrain", "grouser.pieces", needs=("solids",))
"""The kinds of pieces by the name that a file gives them; then those of plug-ins."""


def register_piece(piece: type[P]) -> type[P]:
    """Add a kind of piece, by the default of its field `kind`; a decorator."""
    return KINDS.register(piece, piece.model_fields["kind"].default)


# Shares of the width, from right to left, that are board, gap, board …: five deck boards and
# three bottom boards of a EUR pallet, 800 mm wide, after EN 13698-1.
_DECK = (145.0, 41.25, 100.0, 41.25, 145.0, 41.25, 100.0, 41.25, 145.0)
_BOTTOM = (100.0, 227.5, 145.0, 227.5, 100.0)
# Shares of the length, 1200 mm: three stringer boards across, and the blocks below them.
_STRINGERS = (145.0, 382.5, 145.0, 382.5, 145.0)
# Shares of the height, 144 mm, from the ground: bottom board, block, stringer, deck board.
_LAYERS = (22.0, 78.0, 22.0, 22.0)


@register_piece
class PalletPiece(PlacedPiece):
    """Boards on blocks on boards; the deck boards run along its length. Placed by its middle.

    Other sizes stretch all boards and gaps in proportion.
    """

    kind: Literal["pallet"] = "pallet"
    """Kind of the piece."""
    length: Positive = Field(alias="length_m", default=1.2)
    """Size along its deck boards [m]."""
    width: Positive = Field(alias="width_m", default=0.8)
    """Size across its deck boards [m]."""
    height: Positive = Field(alias="height_m", default=0.144)
    """Height of its top [m]."""

    @property
    def features(self) -> frozenset[str]:
        """A step to climb, and gaps in what was climbed."""
        return frozenset({"steps", "gaps"})

    def solids(self) -> tuple[Slab, ...]:
        """Return its twenty boards and blocks."""
        whole = ((0.0, self.length),)
        across = ((0.0, self.width),)
        deck, bottom = _boards(_DECK, self.width), _boards(_BOTTOM, self.width)
        stringers = _boards(_STRINGERS, self.length)
        layers = ((whole, bottom), (stringers, bottom), (stringers, across), (whole, deck))
        slabs: list[Slab] = []
        low = 0.0
        for thickness, (lengths, widths) in zip(_LAYERS, layers, strict=True):
            high = low + thickness / sum(_LAYERS) * self.height
            for u, length in lengths:
                for v, width in widths:
                    middle_u = u + 0.5 * (length - self.length)
                    middle_v = v + 0.5 * (width - self.width)
                    footprint = self.rectangle(middle_u, middle_v, length, width)
                    slabs.append(self.slab(footprint, high, high, low))
            low = high
        return tuple(slabs)


def _boards(shares: tuple[float, ...], size: float) -> tuple[tuple[float, float], ...]:
    """Return where each board begins and how wide it is; every second share is a gap [m]."""
    scale = size / sum(shares)
    return tuple(
        (sum(shares[:number]) * scale, shares[number] * scale)
        for number in range(0, len(shares), 2)
    )


STEEPEST = 89.0
"""Slopes are less steep than a wall [deg]."""

Slope: TypeAlias = Annotated[Number, Ge(-STEEPEST), Le(STEEPEST), AfterValidator(math.radians)]
"""An angle less steep than a wall, written in degrees, kept in radians."""
Incline: TypeAlias = Annotated[Number, Gt(0.0), Le(STEEPEST), AfterValidator(math.radians)]
"""An angle that rises, less steep than a wall, written in degrees, kept in radians."""


Tilt: TypeAlias = Annotated[Number, Ge(-90.0), Le(90.0), AfterValidator(math.radians)]
"""An angle up to a quarter turn, written in degrees, kept in radians."""


def _check_top(height: float) -> None:
    least, most = limits.RANGES["m"]
    if not least <= height <= most:
        raise ValueError(f"its top must be from {least:g} to {most:g} m high, not {height:g} m")


@register_piece
class PlanePiece(Piece):
    """An unbounded plane through (0, 0, z)."""

    kind: Literal["plane"] = "plane"
    """Kind of the piece."""
    z: Number = Field(alias="z_m", default=0.0)
    """Height at the origin of the world [m]."""
    slope: Slope = Field(alias="slope_deg", default=0.0)
    """Angle at which it rises along world x [rad]."""
    cross_slope: Slope = Field(alias="cross_slope_deg", default=0.0)
    """Angle at which it rises along world y [rad]."""
    treadmill_speed: Number = Field(alias="treadmill_speed_m_s", default=0.0)
    """Speed at which its surface runs backwards, along negative world x [m/s]."""

    @property
    def features(self) -> frozenset[str]:
        """Slopes unless it is level, treadmill unless it rests."""
        slopes = {"slopes"} if self.slope or self.cross_slope else set[str]()
        return frozenset(slopes | ({"treadmill"} if self.treadmill_speed else set[str]()))

    def solids(self) -> tuple[Plane, ...]:
        """Return the plane."""
        return (
            Plane(
                name=self.label,
                z=self.z,
                slope=self.slope,
                cross_slope=self.cross_slope,
                surface=self.surface,
            ),
        )


@register_piece
class RampPiece(PlacedPiece):
    """A ramp up, a level part, a ramp down; placed by the middle of its footprint."""

    kind: Literal["ramp"] = "ramp"
    """Kind of the piece."""
    angle: Incline = Field(alias="angle_deg")
    """Angle of the way up [rad]."""
    up: Positive = Field(alias="up_m")
    """Horizontal length of the way up [m]."""
    top: NotNegative = Field(alias="top_m", default=0.0)
    """Length of the level top [m]."""
    down: NotNegative = Field(alias="down_m", default=0.0)
    """Horizontal length of the way down, to where it started; without it, a vertical face [m]."""
    width: Positive = Field(alias="width_m")
    """Size across [m]."""

    @property
    def height(self) -> float:
        """Height of its top above its base [m]."""
        return self.up * math.tan(self.angle)

    @model_validator(mode="after")
    def _check(self) -> Self:
        _check_top(self.height)
        return self

    @property
    def features(self) -> frozenset[str]:
        """Slopes, and drops if there is no way down."""
        return frozenset({"slopes"} if self.down else {"slopes", "drops"})

    def solids(self) -> tuple[Slab, ...]:
        """Return its two or three slabs."""
        height = self.height
        stretches = (
            (self.up, 0.0, height),
            (self.top, height, height),
            (self.down, height, 0.0),
        )
        return self.row(-0.5 * (self.up + self.top + self.down), self.width, stretches)


@register_piece
class StepPiece(PlacedPiece):
    """One step up, and at its far end down again; placed by the middle of its front edge."""

    kind: Literal["step"] = "step"
    """Kind of the piece."""
    height: Positive = Field(alias="height_m")
    """Height [m]."""
    depth: Positive = Field(alias="depth_m")
    """Length of its top [m]."""
    width: Positive = Field(alias="width_m")
    """Size across [m]."""

    @property
    def features(self) -> frozenset[str]:
        """Steps."""
        return frozenset({"steps"})

    def solids(self) -> tuple[Slab, ...]:
        """Return its slab."""
        return self.row(0.0, self.width, [(self.depth, self.height, self.height)])


@register_piece
class StairsPiece(PlacedPiece):
    """A flight of stairs up to a landing; placed by the middle of its first edge.

    The top step is the landing, so `count` risers go with one tread less.
    """

    kind: Literal["stairs"] = "stairs"
    """Kind of the piece."""
    count: Annotated[int, Ge(1), Le(limits.PIECES)]
    """Number of risers."""
    tread: Positive = Field(alias="tread_m")
    """Depth of a step [m]."""
    rise: Positive = Field(alias="rise_m")
    """Height of a step [m]."""
    width: Positive = Field(alias="width_m")
    """Size across [m]."""
    landing: Positive = Field(alias="landing_m", default_factory=lambda data: data["tread"])
    """Depth of the landing on top; one tread when not given [m]."""
    down: bool = False
    """Whether a mirrored flight leads down behind the landing."""

    @model_validator(mode="after")
    def _check(self) -> Self:
        _check_top(self.count * self.rise)
        return self

    @property
    def features(self) -> frozenset[str]:
        """Stairs."""
        return frozenset({"stairs"})

    def solids(self) -> tuple[Slab, ...]:
        """Return one slab for each step and one for the landing."""
        heights = [number * self.rise for number in range(1, self.count)]
        flight = [(self.tread, height, height) for height in heights]
        top = self.count * self.rise
        back = flight[::-1] if self.down else []
        return self.row(0.0, self.width, [*flight, (self.landing, top, top), *back])


@register_piece
class BoxPiece(PlacedPiece):
    """A block, placed by its middle; if it is tilted, its lowest corner or edge is on its base."""

    kind: Literal["box"] = "box"
    """Kind of the piece."""
    length: Positive = Field(alias="length_m")
    """Size along its direction [m]."""
    width: Positive = Field(alias="width_m")
    """Size across [m]."""
    height: Positive = Field(alias="height_m")
    """Height [m]."""
    roll: Tilt = Field(alias="roll_deg", default=0.0)
    """Angle by which it is tilted, its right side down [rad]."""
    pitch: Tilt = Field(alias="pitch_deg", default=0.0)
    """Angle by which it is tilted, its front down [rad]."""

    @property
    def features(self) -> frozenset[str]:
        """Steps; tilted, a shape that may overhang."""
        return frozenset({"mesh"} if self.roll or self.pitch else {"steps"})

    def solids(self) -> tuple[Slab | Mesh, ...]:
        """Return its slab, or its six faces if it is tilted."""
        if self.roll or self.pitch:
            shape = box_shape(self.length, self.width, self.height)
            return (place_shape(self, shape, self.roll, self.pitch),)
        return self.row(-0.5 * self.length, self.width, [(self.length, self.height, self.height)])


@register_piece
class PatchPiece(PlacedPiece):
    """A rectangle of another surface on the solids there, placed by its middle."""

    kind: Literal["patch"] = "patch"
    """Kind of the piece."""
    length: Positive = Field(alias="length_m")
    """Size along its direction [m]."""
    width: Positive = Field(alias="width_m")
    """Size across [m]."""

    def patches(self) -> tuple[Patch, ...]:
        """Return the patch."""
        footprint = self.rectangle(0.0, 0.0, self.length, self.width)
        return (Patch(name=self.label, footprint=footprint, surface=self.surface),)


def _choose_kind(content: Any) -> Any:
    """Return the piece by its kind, so that mistakes name the place in the file and no more."""
    if isinstance(content, Piece):
        return content
    if not isinstance(content, Mapping):
        raise ValueError(f"must be a table [[terrain]], not {show_value(content)}")
    if "kind" not in content:
        raise ValueError(f"kind is missing; one of: {', '.join(sorted(KINDS))}")
    kind = content["kind"] if isinstance(content["kind"], str) else show_value(content["kind"])
    if kind not in KINDS:
        raise ValueError(str(UnknownName(KINDS.kind, kind, KINDS)))
    return KINDS[kind].model_validate(content, by_alias=True, by_name=False)


AnyPiece = Annotated[SerializeAsAny[Piece], BeforeValidator(_choose_kind)]
"""One of the pieces, chosen by `kind`."""
