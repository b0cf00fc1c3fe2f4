"""The course that a log was made on."""

from grouser.description import Course, parse_course
from grouser.log import Log


def restore_course(log: Log) -> Course | None:
    """Return the course that the log holds in its provenance; None if it holds none.

    Raises:
        InvalidDescription: The text of the course has mistakes.
    """
    origin = log.provenance
    if not origin.course_text:
        return None
    place = f"course {origin.course!r} in the log"
    return parse_course(origin.course_text, place, **origin.course_parameters)
