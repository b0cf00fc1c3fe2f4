"""By how much the clock of a track is ahead of that of a log."""

from grouser.description import Robot
from grouser.errors import GrouserError
from grouser.identify.estimate import Estimate
from grouser.identify.fit_slip import fit_slip
from grouser.log import Log


def find_clock_offset(log: Log, track: Log, robot: Robot) -> Estimate | None:
    """Return the offset as the fit of the slip finds it; None if the two do not tell it.

    Args:
        log: Time and what belts did.
        track: Time, x, y and yaw by another clock, half a second off at most.
        robot: Whose wheelbase.
    """
    try:
        return fit_slip(log, track, robot, finds_offset=True).parameters.get("time_offset")
    except GrouserError:
        return None  # too short, or too far apart: whoever fuses them says what is wrong
