"""Flippers that move by themselves: one rule by the pitch of the robot and the way it drives.

The rule is our own and as simple as one that climbs. It has no memory, so that a replay, a robot
that goes back in time and a thousand robots at once need nothing else; it treats left and right
alike; and it uses what every model knows and every robot measures: pitch, and commanded belts. It
sees neither the ground ahead nor contact forces: it does not reach for an edge below.
"""

import math
from collections.abc import Sequence

import numpy as np

from grouser.description import Robot
from grouser.description.track import Flipper
from grouser.geometry import Scalar, clamp, wrap_angle

READY = math.radians(45.0)
"""How far leading flippers are raised above the line of the belts while the robot is level [rad].

P4 raises Quince's front sub-tracks by as much for its higher steps."""


class AutoFlippers:
    """Angles of the flippers by the rule `auto`.

    Flippers that trail lie in line with the belts, so that the robot cannot rear over its end.
    Flippers that lead are raised by 45 degrees less the tilt of the robot, at least into that line:
    they meet a step from above, keep their angle in the world while the robot climbs, and lengthen
    the belts on stairs. The front ones lead unless the belts run backward.
    """

    def __init__(self, robot: Robot) -> None:
        self._flippers = robot.flippers
        self._in_line = [in_line_angle(flipper) for flipper in robot.flippers]

    def angles(self, pitch: Scalar, belt_speeds: Sequence[Scalar]) -> tuple[Scalar, ...]:
        """Return the angle of each flipper for one robot, or for arrays of robots [rad].

        Args:
            pitch: Pitch of the body, positive lowers its front [rad].
            belt_speeds: Commanded speed of each belt or wheel [m/s].
        """
        raised = np.maximum(READY - np.abs(pitch), 0.0)
        is_backward = np.asarray(sum(belt_speeds)) < 0.0
        found: list[Scalar] = []
        for flipper, level in zip(self._flippers, self._in_line, strict=True):
            leads = is_backward if flipper.raising_sign > 0.0 else ~is_backward
            angle = clamp(
                level + flipper.raising_sign * np.where(leads, raised, 0.0), *flipper.limits
            )
            found.append(angle if np.ndim(angle) else float(angle))
        return tuple(found)


def in_line_angle(flipper: Flipper) -> float:
    """Return the angle at which the lower run of a flipper is parallel to level belts [rad]."""
    run = flipper.track.loop.contact_run
    # A belt runs rearward below: at a heading of pi.
    return 0.0 if run is None else float(wrap_angle(math.pi - run.heading))
