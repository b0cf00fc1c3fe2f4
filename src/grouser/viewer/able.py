"""Which models and ghosts a scenario allows, and why others are not allowed."""

from collections.abc import Iterable

from grouser.errors import GrouserError
from grouser.models import make_model
from grouser.models.catalogue import check_course
from grouser.scenario import Part, Scenario
from grouser.viewer.soils import FIRM, ghost_scenario


def check_names(scenario: Scenario, ghosts: Iterable[str] = ()) -> None:
    """Raise an error unless robot, course and models exist and all models can drive the course."""
    scenario.robot.load_robot()
    for part in (scenario, *(ghost_scenario(scenario, name) for name in ghosts)):
        model = make_model(part.model.name, **part.model.parameters)
        check_course(model, part.course.load_course())


def why_no_model(scenario: Scenario, name: str) -> str | None:
    """Return why a model cannot drive the course, as the command line says it; None if it can."""
    return _problem(scenario.vary(model=_part(scenario, name)))


def why_no_ghost(scenario: Scenario, name: str) -> str | None:
    """Return why there can be no such ghost; None if there can be one."""
    if name == scenario.model.reference:
        return f"the robot itself is driven by {name}"
    if name == FIRM and "soil" not in scenario.course.load_course().features:
        return f"course {scenario.course.reference!r} has no soil: all its ground is firm"
    return _problem(ghost_scenario(scenario, name))


def _part(scenario: Scenario, name: str) -> Part:
    return scenario.model if name == scenario.model.reference else Part.of(name)


def _problem(scenario: Scenario) -> str | None:
    try:
        check_names(scenario)
    except GrouserError as error:
        return str(error)
    return None
