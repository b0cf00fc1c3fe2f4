"""The robot that made a log."""

from grouser.description import Robot, parse_robot
from grouser.log import Log


def restore_robot(log: Log) -> Robot | None:
    """Return the robot that the log holds in its provenance; None if it holds none.

    Raises:
        InvalidDescription: The text of the robot has mistakes.
    """
    origin = log.provenance
    return parse_robot(origin.robot_text, origin.robot) if origin.robot_text else None
