"""The robot that made a log."""

from grouser.description import Robot, parse_robot
from grouser.log import Log


def restore_robot(log: Log) -> Robot | None:
    """Return the robot that the log holds in its provenance; None if it holds none.

    Raises:
        InvalidDescription: The text of the robot has mistakes.
    """
    origin = log.provenance
    if not origin.robot_text:
        return None
    return parse_robot(origin.robot_text, f"robot {origin.robot!r} in the log")
