"""A schedule of flipper angles, from a word."""

import math

from grouser import limits
from grouser.errors import InvalidValue
from grouser.units import check_range, parse_number

Schedule = list[tuple[float, tuple[float, ...]]]


def parse_flippers(text: str) -> Schedule:
    """Return times [s] and angles [rad] from a word such as `0=-30/-30/0/0;4=20/20/0/0`.

    Raises:
        InvalidValue: The word is not written like that, or a number is out of its range.
    """
    if len(text) > limits.WORD_LENGTH:
        required = f"have at most {limits.WORD_LENGTH:,} characters"
        raise InvalidValue("--flippers", f"{len(text):,}", required)
    schedule = [_parse_entry(text, part) for part in text.split(";") if part.strip()]
    times = [time for time, _ in schedule]
    if not schedule or any(later <= time for time, later in zip(times, times[1:], strict=False)):
        raise InvalidValue("--flippers", text, "have one time at least, and times that rise")
    return schedule


def _parse_entry(text: str, part: str) -> tuple[float, tuple[float, ...]]:
    word, _, angles = part.partition("=")
    time, *degrees = (parse_number(number) for number in (word, *angles.split("/")))
    known = [angle for angle in degrees if angle is not None]
    if time is None or len(known) < len(degrees):
        required = "be times [s] and angles [deg], as in 0=-30/-30/0/0;4=20/20/0/0"
        raise InvalidValue("--flippers", text, required)
    if not 0.0 <= time <= limits.DURATION:
        raise InvalidValue("--flippers: time", time, f"be from 0 to {limits.DURATION:g} s")
    for angle in known:
        check_range(f"--flippers: angle at {time:g} s", angle, "deg")
    return time, tuple(math.radians(angle) for angle in known)
