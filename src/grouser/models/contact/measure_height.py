"""How high a robot is."""

from grouser.description import Robot


def measure_height(robot: Robot) -> float:
    """Return how high the hull and its drives reach [m]."""
    tops = [track.loop.bounds[3] for track in robot.tracks]
    tops += [2.0 * wheel.radius for wheel in robot.wheels]
    return max(robot.body.centre[2] + 0.5 * robot.body.size[2], *tops)
