"""How hard the motors of sprockets work towards a speed."""

from grouser.description import Robot

BANDWIDTH = 50.0
"""Rate at which a motor takes its share of the robot to a speed, assumed [1/s]."""


def motor_gains(robot: Robot) -> tuple[float, float]:
    """Return force per error of belt speed [N s/m], and per the integral of that error [N/m]."""
    share = robot.mass / len(robot.drives)
    return BANDWIDTH * share, 0.25 * BANDWIDTH**2 * share
