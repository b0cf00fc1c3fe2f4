"""Which models and ghosts a course allows, and why others are not allowed."""

from collections.abc import Iterable
from dataclasses import dataclass

from grouser.description import Course, Robot
from grouser.errors import GrouserError, Unsupported
from grouser.models import CATALOGUE, check_course, find_repeated, make_model
from grouser.scenario import Part, Scenario
from grouser.viewer.soils import FIRM, ghost_scenario


@dataclass(frozen=True, slots=True)
class Reason:
    """Why something cannot be chosen."""

    brief: str
    """A few words, for a list."""
    sentence: str
    """The sentence that the command line prints."""


def check_names(scenario: Scenario, ghosts: Iterable[str] = ()) -> None:
    """Raise an error unless robot, course and models exist and all models can drive the course."""
    scenario.robot.load_robot()
    for part in (scenario, *(ghost_scenario(scenario, name) for name in ghosts)):
        _check_model(part.model, part.course.load_course())


def why_no_model(course: Course, name: str) -> Reason | None:
    """Return why a model cannot drive a course; None if it can."""
    try:
        _check_model(Part.of(name), course)
    except Unsupported as error:
        return Reason(f"needs {error.missing}", str(error))
    except GrouserError as error:
        return Reason("not here", str(error))
    return None


def why_no_ghost(scenario: Scenario, robot: Robot, course: Course, name: str) -> Reason | None:
    """Return why there can be no such ghost; None if there can be one."""
    driven = scenario.model.reference
    if name == driven:
        return Reason("drives the robot", f"model {name!r} drives the robot itself")
    if name != FIRM:
        return why_no_model(course, name) or _why_same(robot, driven, name)
    if "soil" in course.features:
        return None
    return Reason("no soil here", f"course {course.name!r} has no soil: all its ground is firm")


def _why_same(robot: Robot, driven: str, name: str) -> Reason | None:
    """Return why a ghost would always be where the robot is; None if it would not."""
    if any(one.partition(":")[0] not in CATALOGUE for one in (driven, name)):
        return None
    models = {one: make_model(one) for one in (driven, name)}
    sentence = find_repeated(models, robot).get(name)
    return None if sentence is None else Reason(f"same as {driven}", sentence)


def _check_model(part: Part, course: Course) -> None:
    check_course(make_model(part.name, **part.parameters), course)
