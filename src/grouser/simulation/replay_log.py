"""A log holds all that it takes to run it again."""

from collections.abc import Mapping
from dataclasses import fields

from grouser import limits
from grouser.description import parse_course, parse_robot
from grouser.errors import InvalidLog
from grouser.geometry import Pose
from grouser.log import Log
from grouser.models import make_model
from grouser.simulation.programs import Replay
from grouser.simulation.simulation import DEFAULT_DT, Simulation


def replay_log(log: Log, model: str | None = None) -> Log:
    """Return the log of a new run with the same robot, course, start and commands.

    With the log's own model the result has the same bits; another model shows where they part.

    Args:
        log: A log that a simulation made.
        model: Another model to use instead of the log's own.

    Raises:
        InvalidLog: The log does not say which robot or course it comes from.
    """
    origin = log.provenance
    if not origin.robot_text or not origin.course_text:
        raise InvalidLog(
            "replay", "the log does not hold its robot and course; only logs made here do"
        )
    robot = parse_robot(origin.robot_text, f"robot {origin.robot!r} in the log")
    place = f"course {origin.course!r} in the log"
    course = parse_course(origin.course_text, place, **origin.course_parameters)
    chosen = (
        make_model(origin.model, **origin.model_parameters) if model is None else make_model(model)
    )
    simulation = Simulation(
        chosen,
        robot,
        course,
        pose=_start(origin.notes.get("start")),
        dt=DEFAULT_DT if origin.dt is None else origin.dt,
        seed=origin.seed or 0,
    )
    status = simulation.run(Replay(robot, log), duration=len(log) * simulation.dt)
    return simulation.log(status, driver=f"replay of {origin.driver or 'a log'}")


def _start(noted: object) -> Pose | None:
    """Return the start that was asked for; the first row is where a robot settled from there."""
    if noted is None:
        return None
    names = {field.name for field in fields(Pose)}
    if not isinstance(noted, Mapping) or not set(noted) <= names:
        raise InvalidLog("replay", f"provenance.notes.start must be a pose, not {noted!r}")
    for name, value in noted.items():
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        if not is_number or not abs(value) <= limits.LENGTH:
            problem = f"provenance.notes.start.{name} must be a number within ±{limits.LENGTH:g}"
            raise InvalidLog("replay", f"{problem}, not {value!r}")
    return Pose(**noted)
