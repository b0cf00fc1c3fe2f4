"""How high something may be that a robot is put on."""

from grouser.description import Robot

HEIGHTS = 1.5
"""How much higher than the robot it may be [1]."""
SLOPE = 0.7
"""And how steep: over the half of the robot that is above it, as with stairs [1]."""


def steppable_height(robot: Robot) -> float:
    """Return how far a robot may be lifted so that it is clear of the ground at its start [m].

    A robot is put level over what is below it. On stairs it is lifted until its nose is clear:
    long robots farther than low ones.
    """
    tops = [track.loop.bounds[3] for track in robot.tracks]
    tops += [2.0 * wheel.radius for wheel in robot.wheels]
    height = max(robot.body.centre[2] + 0.5 * robot.body.size[2], *tops)
    reaches = [robot.front, -robot.rear]
    for flipper in robot.flippers:
        rear, front = flipper.track.loop.bounds[:2]
        reaches.append(abs(flipper.hinge[0]) + max(front, -rear))
    return max(HEIGHTS * height, SLOPE * max(reaches))
