"""A course that is being edited: its content, what edits do to it, and how they are undone.

No part of this knows a page or a thread. A draft is never changed: each edit returns another one,
which shares all pieces but one with the draft before, so a long history needs little memory.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from grouser.description import Course, parse_course
from grouser.description.course_text import write_course
from grouser.description.surface import GROUND
from grouser.errors import InvalidValue, UnknownName
from grouser.geometry import wrap_angle
from grouser.limits import TERRAIN_PIECES
from grouser.viewer.palette import (
    Axis,
    Entry,
    find_entry,
    make_surface,
    surface_choices,
)

DEPTH = 200
"""Number of edits that can be undone [1]."""
MILLIMETRE, TENTH = 3, 1
"""Decimal places of lengths [m] and angles [deg] that a mouse sets [1]."""
SMALLEST = 0.01
"""Size below which a piece cannot be pulled [m]."""
TURNS = 15.0
"""Angle to which pieces turn when they snap to a grid [deg]."""

Table = Mapping[str, Any]
"""A piece, as a table `[[terrain]]` of a course file has it."""


@dataclass(frozen=True, slots=True)
class Draft:
    """The content of a course file."""

    content: Mapping[str, Any]
    """All tables and keys of the file; `terrain` is a tuple of tables."""

    @classmethod
    def of(cls, content: Mapping[str, Any], name: str) -> "Draft":
        """Return a draft of a course with another name."""
        return cls({**content, "name": name, "terrain": tuple(content.get("terrain", ()))})

    @property
    def pieces(self) -> tuple[Table, ...]:
        """The tables of its pieces."""
        return self.content["terrain"]

    @property
    def surfaces(self) -> tuple[str, ...]:
        """The names of all surfaces that a piece may have, those of the course first."""
        own = (GROUND, *self.content.get("surfaces", {}))
        return tuple(dict.fromkeys((*own, *surface_choices())))

    @property
    def text(self) -> str:
        """The text of its file."""
        return write_course(self.content)

    def parse(self, origin: str) -> Course:
        """Return the course; InvalidDescription lists all mistakes, and files lie beside origin."""
        return parse_course(self.text, origin)

    def named(self, name: str) -> "Draft":
        """Return the same course with another name."""
        return Draft({**self.content, "name": name})

    def add(self, table: Table) -> "Draft":
        """Return the course with a piece more, and with the surface that the piece needs."""
        if len(self.pieces) >= TERRAIN_PIECES:
            raise InvalidValue("course", len(self.pieces), f"have at most {TERRAIN_PIECES} pieces")
        return self._with((*self.pieces, dict(table)))

    def change(self, number: int, **values: Any) -> "Draft":
        """Return the course with other values of a piece, by their keys in the file."""
        return self._put(number, {**self.pieces[number], **values})

    def remove(self, number: int) -> "Draft":
        """Return the course without a piece."""
        return self._with(self.pieces[:number] + self.pieces[number + 1 :])

    def set_friction(self, surface: str, friction: float) -> "Draft":
        """Return the course with another friction of a surface, in all directions [1]."""
        tables = self.content.get("surfaces", {})
        kept = {k: v for k, v in tables.get(surface, {}).items() if k != "friction_across"}
        changed = {**tables, surface: {**kept, "friction": friction}}
        return Draft({**self.content, "surfaces": changed})

    def friction(self, surface: str) -> float | None:
        """Return the friction of a surface that states one [1]."""
        return self.content.get("surfaces", {}).get(surface, {}).get("friction")

    def _put(self, number: int, table: Table) -> "Draft":
        return self._with((*self.pieces[:number], table, *self.pieces[number + 1 :]))

    def _with(self, pieces: tuple[Table, ...]) -> "Draft":
        used = {str(piece.get("surface", GROUND)) for piece in pieces} - {GROUND}
        known = dict(self.content.get("surfaces", {}))
        for name in sorted(used - known.keys()):
            if name not in surface_choices():
                raise UnknownName("surface", name, self.surfaces)
            known[name] = make_surface(name)
        return Draft({**self.content, "terrain": pieces} | ({"surfaces": known} if known else {}))


class History:
    """Drafts in the order of edits, at most `DEPTH` of them before the current one."""

    def __init__(self, draft: Draft) -> None:
        self._past: list[Draft] = []
        self._future: list[Draft] = []
        self.draft = draft
        """The current draft."""

    def put(self, draft: Draft) -> None:
        """Add an edit; what was undone before is forgotten. An edit without effect is none."""
        if draft != self.draft:
            self._past.append(self.draft)
            del self._past[:-DEPTH]
            self._future.clear()
            self.draft = draft

    def undo(self) -> bool:
        """Go back by an edit; return whether there was one."""
        return self._move(self._past, self._future)

    def redo(self) -> bool:
        """Repeat the edit that was undone last; return whether there was one."""
        return self._move(self._future, self._past)

    def drop(self) -> None:
        """Go back by an edit that turned out not to work; it cannot be repeated."""
        if self._past:
            self.draft = self._past.pop()

    @property
    def undoable(self) -> int:
        """Number of edits that can be undone."""
        return len(self._past)

    @property
    def redoable(self) -> int:
        """Number of edits that can be repeated."""
        return len(self._future)

    def _move(self, source: list[Draft], target: list[Draft]) -> bool:
        if not source:
            return False
        target.append(self.draft)
        self.draft = source.pop()
        return True


@dataclass(frozen=True, slots=True)
class Placing:
    """Where a piece stands."""

    x: float
    """Position along world x [m]."""
    y: float
    """Position along world y [m]."""
    yaw: float = 0.0
    """Direction of its length, counter-clockwise from world x [rad]."""
    base: float = 0.0
    """Height that it stands on [m]."""

    @classmethod
    def of(cls, table: Table) -> "Placing":
        """Return where the table of a piece says that it stands."""
        x, y, base = (float(table.get(key, 0.0)) for key in ("x_m", "y_m", "base_m"))
        return cls(x, y, math.radians(float(table.get("yaw_deg", 0.0))), base)

    def snap(self, grid: float) -> "Placing":
        """Return the nearest place on a grid [m], turned by multiples of `TURNS`; 0 is no grid."""
        if grid <= 0.0:
            return self
        x, y = (round(value / grid) * grid for value in (self.x, self.y))
        turns = round(math.degrees(self.yaw) / TURNS)
        return replace(self, x=x, y=y, yaw=math.radians(turns * TURNS))

    def values(self) -> dict[str, float]:
        """Return the keys of a piece, rounded to what a person reads; those that are 0 too."""
        degrees = math.degrees(float(wrap_angle(self.yaw)))
        return {
            "x_m": round(self.x, MILLIMETRE) + 0.0,
            "y_m": round(self.y, MILLIMETRE) + 0.0,
            "yaw_deg": round(degrees, TENTH) + 0.0,
            "base_m": round(self.base, MILLIMETRE) + 0.0,
        }


def place_entry(entry: Entry, placing: Placing) -> Table:
    """Return the table of a piece of the palette at a place."""
    always, values, table = ("x_m", "y_m"), placing.values(), dict(entry.table)
    values["yaw_deg"] += table.pop("yaw_deg", 0.0)
    placed = {key: value for key, value in values.items() if value or key in always}
    return {"kind": table.pop("kind"), **placed, **table}


def pull(table: Table, axis: Axis, ratio: float) -> dict[str, Any]:
    """Return the values of a piece that is pulled along an axis to a multiple of its size."""
    entry = find_entry(table)
    keys = () if entry is None else entry.sizes.get(axis, ())
    return {key: _grow(key, table[key], ratio) for key in keys if key in table}


def _grow(key: str, value: Any, ratio: float) -> Any:
    if isinstance(value, list | tuple):
        return [_grow(key, inner, ratio) for inner in value]
    if key.endswith("_deg"):
        steeper = math.degrees(math.atan(ratio * math.tan(math.radians(value))))
        return min(max(round(steeper, TENTH), 0.1), 85.0)
    if value == 0.0 or key == "heights_m":
        return round(float(value) * ratio, 4)
    digits = MILLIMETRE if abs(value * ratio) >= SMALLEST else 6
    return max(round(float(value) * ratio, digits), 1e-6)
