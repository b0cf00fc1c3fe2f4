"""A schedule of flipper angles, from a word."""

import math

from grouser.errors import InvalidValue

Schedule = list[tuple[float, tuple[float, ...]]]


def parse_flippers(text: str) -> Schedule:
    """Return times [s] and angles [rad] from a word such as `0=-30/-30/0/0;4=20/20/0/0`.

    Raises:
        InvalidValue: The word is not written like that.
    """
    schedule: Schedule = []
    for part in (part for part in text.split(";") if part.strip()):
        time, equals, angles = part.partition("=")
        try:
            degrees = [float(word) for word in angles.split("/")]
            schedule.append((float(time), tuple(math.radians(angle) for angle in degrees)))
        except ValueError:
            equals = ""
        if not equals:
            required = "be times [s] and angles [deg], as in 0=-30/-30/0/0;4=20/20/0/0"
            raise InvalidValue("--flippers", text, required)
    return schedule
