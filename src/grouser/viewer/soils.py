"""Another soil for a course, or none: what the page and its ghosts change of a scenario."""

import re
from dataclasses import replace

from grouser.description import Course
from grouser.description.file_pieces import HeightFieldPiece
from grouser.description.pieces import PlanePiece
from grouser.description.soil import NO_SOIL, soil_names
from grouser.errors import InvalidValue, UnknownName
from grouser.scenario import Part, Scenario

AS_DESCRIBED, FIRM = "as described", "firm-ground"
"""Choices beside the names of soils: those of the course's file, and none at all. `FIRM` is also
the name of the ghost that is the driven robot on firm ground."""
CHOSEN = "chosen"
"""Name of the surface of ground that has no soil in its file."""
_OURS = re.compile(r"surfaces\.[^.]+\.soil|terrain\.(plane|heightfield)\.surface|ruts\.on")


def soil_choices() -> tuple[str, ...]:
    """Return all that can be chosen for a course."""
    return AS_DESCRIBED, FIRM, *soil_names()


def choose_soil(course: Part, choice: str) -> Part:
    """Return a course with another soil.

    Where a course has soils, all of them are replaced. Where it has none, its planes become soft,
    or its height fields if it has no planes; blocks stay firm.

    Raises:
        UnknownName: There is no such soil.
        InvalidValue: The course has no ground that could be soft.
    """
    if choice not in soil_choices():
        raise UnknownName("soil", choice, soil_choices())
    kept = {key: value for key, value in course.changes.items() if not _OURS.fullmatch(key)}
    described = replace(course, changes=kept)
    if choice == AS_DESCRIBED:
        return described
    soil = NO_SOIL if choice == FIRM else choice
    return replace(described, changes={**kept, **_changes(described.load_course(), soil)})


def _changes(course: Course, soil: str) -> dict[str, str | bool]:
    soft = [name for name, surface in course.surfaces.items() if surface.soil is not None]
    if soft:
        lanes = {"ruts.on": False} if course.rut_table and soil == NO_SOIL else {}
        return {f"surfaces.{name}.soil": soil for name in soft} | lanes
    if soil == NO_SOIL:
        return {}
    for name, kind in (("plane", PlanePiece), ("heightfield", HeightFieldPiece)):
        if any(isinstance(piece, kind) for piece in course.pieces):
            return {f"surfaces.{CHOSEN}.soil": soil, f"terrain.{name}.surface": CHOSEN}
    raise InvalidValue("course", course.name, "have a plane or a height field to become soft")


def chosen_soil(course: Part) -> str:
    """Return the choice that a course was changed by."""
    soils = [value for key, value in course.changes.items() if key.endswith(".soil")]
    if not soils:
        return AS_DESCRIBED
    return FIRM if soils[0] == NO_SOIL else str(soils[0])


def ghost_scenario(scenario: Scenario, ghost: str) -> Scenario:
    """Return the scenario of a ghost: another model, or the same one on firm ground."""
    if ghost == FIRM:
        return scenario.vary(course=choose_soil(scenario.course, FIRM))
    return scenario.vary(model=Part.of(ghost))
