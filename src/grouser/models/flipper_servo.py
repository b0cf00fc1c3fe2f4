"""Flippers do not jump: what angle a flipper's control is at on its way to what was asked."""

from grouser.description import Robot
from grouser.geometry import Scalar, clamp


def reach_angles(
    robot: Robot, now: tuple[Scalar, ...], asked: tuple[Scalar, ...], duration: float
) -> tuple[Scalar, ...]:
    """Return the angles of the flippers after `duration`, within their limits and speed [rad].

    Args:
        robot: Whose flippers.
        now: Where they are [rad].
        asked: Where they should be; empty to stay [rad].
        duration: How long they may move [s].
    """
    if not asked:
        return now
    reached = []
    for flipper, angle, goal in zip(robot.flippers, now, asked, strict=True):
        step = flipper.speed_limit * duration
        within = clamp(goal, *flipper.limits)
        reached.append(clamp(within, angle - step, angle + step))
    return tuple(reached)
