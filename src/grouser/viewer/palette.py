"""What can be placed on a course: a line for each piece, and the surfaces that patches have."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from grouser.description.soil import soil_names

Axis: TypeAlias = Literal["x", "y", "z"]
"""Along a piece, across it, upwards."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A piece of the palette: its label, its table in a course file, and which keys size it."""

    label: str
    """Text of its button."""
    table: Mapping[str, Any]
    """The table `[[terrain]]` that it begins as, without its place."""
    sizes: Mapping[Axis, tuple[str, ...]] = field(default_factory=dict)
    """Keys that grow in proportion when the piece is pulled along an axis; angles `_deg` grow by
    their tangents."""

    @property
    def kind(self) -> str:
        """Kind of the piece."""
        return str(self.table["kind"])


def _bumps(rows: int = 9, columns: int = 13, height: float = 0.04) -> list[list[float]]:
    """Return heights that rise and fall evenly, 0 along the edge [m]."""
    ways = [
        [math.sin(math.pi * n / (count - 1)) for n in range(count)] for count in (rows, columns)
    ]
    waves = [[math.cos(1.6 * n) for n in range(count)] for count in (rows, columns)]
    return [
        [
            round(height * a * b * (0.6 + 0.4 * u * v), 4)
            for b, v in zip(ways[1], waves[1], strict=True)
        ]
        for a, u in zip(ways[0], waves[0], strict=True)
    ]


_BLOCK: dict[Axis, tuple[str, ...]] = {"x": ("length_m",), "y": ("width_m",), "z": ("height_m",)}
_SHEET: dict[Axis, tuple[str, ...]] = {"x": ("length_m",), "y": ("width_m",)}
_FIELD: dict[Axis, tuple[str, ...]] = {"x": ("spacing_m",), "z": ("heights_m",)}
_STEP = {"kind": "step", "height_m": 0.1, "depth_m": 1.0, "width_m": 1.2}
_RAMP = {
    "kind": "ramp", "angle_deg": 15.0, "up_m": 1.0, "top_m": 0.6, "down_m": 1.0, "width_m": 1.2,
}  # fmt: skip
_STAIRS = {
    "kind": "stairs", "count": 4, "tread_m": 0.29, "rise_m": 0.17, "width_m": 1.2, "landing_m": 1.0,
}  # fmt: skip
_PIPE = {"kind": "cylinder", "diameter_m": 0.15, "length_m": 1.2, "yaw_deg": 90.0}
_TILTED = {"kind": "box", "length_m": 0.6, "width_m": 0.8, "height_m": 0.1, "pitch_deg": -10.0}
_WAVES = {"kind": "waves", "count": 3, "wave_length_m": 0.6, "height_m": 0.08, "width_m": 1.2}
_STEPFIELD = {
    "kind": "stepfield", "length_m": 1.2, "width_m": 1.2, "post_m": 0.1, "unit_m": 0.05, "seed": 1,
}  # fmt: skip
_SAND = {"kind": "patch", "surface": "dry-sand", "length_m": 2.0, "width_m": 2.0}

PALETTE: tuple[Entry, ...] = (
    Entry("Box", {"kind": "box", "length_m": 0.4, "width_m": 0.8, "height_m": 0.1}, _BLOCK),
    Entry(
        "Ramp", _RAMP, {"x": ("up_m", "top_m", "down_m"), "y": ("width_m",), "z": ("angle_deg",)}
    ),
    Entry("Step", _STEP, {"x": ("depth_m",), "y": ("width_m",), "z": ("height_m",)}),
    Entry("Stairs", _STAIRS, {"x": ("tread_m", "landing_m"), "y": ("width_m",), "z": ("rise_m",)}),
    Entry("Pallet", {"kind": "pallet", "length_m": 1.2, "width_m": 0.8, "height_m": 0.144}, _BLOCK),
    Entry("Bumps", {"kind": "heightfield", "spacing_m": 0.15, "heights_m": _bumps()}, _FIELD),
    Entry("Pipe", _PIPE, {"x": ("length_m",), "z": ("diameter_m",)}),
    Entry("Cone", {"kind": "cone", "diameter_m": 0.5, "height_m": 0.2}, {"z": ("height_m",)}),
    Entry("Tilted box", _TILTED, _BLOCK),
    Entry("Waves", _WAVES, {"x": ("wave_length_m",), "y": ("width_m",), "z": ("height_m",)}),
    Entry("Stepfield", _STEPFIELD, {"z": ("unit_m",)}),
    Entry("Ice", {"kind": "patch", "surface": "ice", "length_m": 1.5, "width_m": 1.5}, _SHEET),
    Entry(
        "Sand", {"kind": "patch", "surface": "dry-sand", "length_m": 2.0, "width_m": 2.0}, _SHEET
    ),
)
"""All pieces, in the order of their buttons. A new kind of piece needs a line here, no more."""
MESH = Entry("Mesh", {"kind": "mesh"}, {"x": ("scale",)})
"""A mesh that was dropped on the page."""
HEIGHT_MAP = Entry("Height map", {"kind": "heightfield"}, {"x": ("spacing_m",)})
"""A height map that was dropped on the page."""

FIRM_SURFACES: dict[str, dict[str, float]] = {
    "ice": {"friction": 0.15},
    "mud": {"friction": 0.35},
    "grass": {"friction": 0.55},
    "gravel": {"friction": 0.6},
    "concrete": {"friction": 0.9},
}
"""Surfaces that a piece may have, with their friction [1]; assumed, to be changed in the panel."""


def find_entry(table: Mapping[str, Any]) -> Entry | None:
    """Return the entry of the palette with the kind of a piece; None for others, as a plane."""
    if "file" in table:
        return {"mesh": MESH, "heightfield": HEIGHT_MAP}.get(str(table.get("kind")))
    return next((entry for entry in PALETTE if entry.kind == table.get("kind")), None)


def surface_choices() -> tuple[str, ...]:
    """Return all surfaces that a piece may have, besides those of the course."""
    return (*FIRM_SURFACES, *soil_names())


def make_surface(name: str) -> dict[str, Any]:
    """Return the table `[surfaces.NAME]` of a surface by its name: firm ground, or a soil."""
    return dict(FIRM_SURFACES[name]) if name in FIRM_SURFACES else {"soil": name}
