"""A log holds all that it takes to run it again."""

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
    robot = parse_robot(origin.robot_text, origin.robot)
    course = parse_course(origin.course_text, origin.course, **origin.course_parameters)
    chosen = (
        make_model(origin.model, **origin.model_parameters) if model is None else make_model(model)
    )
    # The start that was asked for, not the first row: a robot settles from one to the other.
    start = origin.notes.get("start")
    simulation = Simulation(
        chosen,
        robot,
        course,
        pose=None if start is None else Pose(**start),
        dt=DEFAULT_DT if origin.dt is None else origin.dt,
        seed=origin.seed or 0,
    )
    status = simulation.run(Replay(robot, log), duration=len(log) * simulation.dt)
    return simulation.log(status, driver=f"replay of {origin.driver or 'a log'}")
