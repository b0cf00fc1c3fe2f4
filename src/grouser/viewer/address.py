"""The scene in a page's address: which robot, course, model, ghosts and switches it has.

An address can be sent to somebody else, so that nothing in it is trusted: only names of
catalogues, and parameters that are numbers, switches or plain words, reach a scenario.
"""

import re
from collections.abc import Iterable
from typing import Annotated, Any

import msgspec

from grouser.description import course_names, robot_names
from grouser.errors import InvalidValue, UnknownName
from grouser.limits import NAME_LENGTH
from grouser.models import CATALOGUE
from grouser.scenario import Part, Scenario
from grouser.viewer.session import MAX_GHOSTS, Session
from grouser.viewer.soils import AS_DESCRIBED, FIRM, chosen_soil, soil_choices

REFERENCE_LENGTH = 2 * NAME_LENGTH
"""Characters of a name with its parameters."""
_WORD = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]*")  # no path, no address

Reference = Annotated[str, msgspec.Meta(min_length=1, max_length=REFERENCE_LENGTH)]
Word = Annotated[str, msgspec.Meta(min_length=1, max_length=NAME_LENGTH)]


class SceneWish(msgspec.Struct, forbid_unknown_fields=True):
    """The scene of an address; what it does not name stays as it is."""

    robot: Word | None = None
    course: Reference | None = None
    soil: Word | None = None
    model: Reference | None = None
    ghosts: Annotated[list[Reference], msgspec.Meta(max_length=MAX_GHOSTS)] | None = None
    show: Annotated[list[Word], msgspec.Meta(max_length=20)] | None = None
    """Names of the switches of the view that are on; all others are off."""

    @property
    def choices(self) -> dict[str, str]:
        """Robot, course, soil and model that are named."""
        named = {name: getattr(self, name) for name in ("robot", "course", "soil", "model")}
        return {name: value for name, value in named.items() if value is not None}


def check_scene(wish: SceneWish) -> None:
    """Check that a scene of an address consists of names of catalogues and plain parameters.

    Raises:
        UnknownName: There is no such robot, course, soil or model.
        InvalidValue: A parameter is no number, switch or plain word.
    """
    if wish.robot is not None:
        _check_name("robot", wish.robot, robot_names())
    if wish.soil is not None:
        _check_name("soil", wish.soil, soil_choices())
    if wish.course is not None:
        _check_reference("course", wish.course, course_names())
    models = [] if wish.model is None else [wish.model]
    for reference in (*models, *(ghost for ghost in wish.ghosts or () if ghost != FIRM)):
        _check_reference("model", reference, CATALOGUE)


def _check_reference(kind: str, reference: str, names: Iterable[str]) -> None:
    part = Part.of(reference)
    _check_name(kind, part.name, names)
    for key, value in part.parameters.items():
        if not _WORD.fullmatch(key) or (isinstance(value, str) and not _WORD.fullmatch(value)):
            raise InvalidValue(f"{kind} in the address", reference, "have plain parameters only")


def _check_name(kind: str, name: str, names: Iterable[str]) -> None:
    if name not in (known := tuple(names)):
        raise UnknownName(f"{kind} in the address", name, known)


def describe_scene(session: Session, show: Iterable[str] = ()) -> dict[str, Any]:
    """Return what an address says of a session; a part that is a file is left out."""
    scenario = session.scenario
    found: dict[str, Any] = {}
    for kind, names in (
        ("robot", robot_names()),
        ("course", course_names()),
        ("model", tuple(CATALOGUE)),
    ):
        part: Part = getattr(scenario, kind)
        if part.name in names and len(part.reference) <= REFERENCE_LENGTH and not part.text:
            found[kind] = part.reference
    if "course" in found:
        found["soil"] = _soil(scenario)
    found["ghosts"] = list(session.wanted_ghosts)
    found["show"] = list(show)
    return found


def _soil(scenario: Scenario) -> str:
    soil = chosen_soil(scenario.course)
    return soil if soil in soil_choices() else AS_DESCRIBED
