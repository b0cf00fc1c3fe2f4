"""What makes a robot too stiff to be integrated, in a sentence."""

from typing import Any

import numpy as np

from grouser.errors import InvalidValue
from grouser.limits import SUBSTEPS
from grouser.models.planar.integrate import STABLE
from grouser.models.planar.rates import fastest_rate

_NAMES = {
    "inertia": ("tankbot:inertia", "kg m^2"),
    "mass": ("mass", "kg"),
    "drive_inertia": ("inertia of [drive.motor]", "kg m^2"),
    "servo_time": ("tankbot:servo_time", "s"),
}
"""What may be too small, as whoever chose it knows it, and its unit."""


def too_stiff(record: Any, duration: float, robot: str = "") -> InvalidValue:
    """Return the complaint about a robot that takes too many steps in a tick.

    The fault lies with the constant that would slow the robot down most if it were larger.

    Args:
        record: Its constants, see `RECORD`.
        duration: Length of the tick [s].
        robot: Its name, if it has one.
    """

    def rate(changed: str = "") -> float:
        with_change = np.array([record])
        if changed:
            with_change[changed] *= 10.0
        return float(fastest_rate(np.zeros(8), (0.0, 0.0, 0.0), with_change[0]))

    fault = min(_NAMES, key=rate)
    name, unit = _NAMES[fault]
    longest = SUBSTEPS * STABLE / rate()
    required = (
        f"be larger, or friction less, for ticks of {duration:g} s: slip or speed settles within "
        f"{1.0 / rate():.2g} s, and a tick has at most {SUBSTEPS:,} steps; ticks of up to "
        f"{longest:.2g} s would do"
    )
    whose = f" of robot {robot!r}" if robot else ""
    return InvalidValue(name + whose, f"{float(record[fault]):g} {unit}", required)
