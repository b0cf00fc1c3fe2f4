"""Steering that the virtual robot cannot follow is not asked of the real one."""

from dataclasses import replace

from grouser.description import Robot
from grouser.laws.slip_odometry import slip_twist, wheel_speeds_for
from grouser.models import Command, Motion, command_sides, effective_width
from grouser.simulation import Driver


class StraightClimb:
    """A driver whose robot goes straight on while its model climbs an obstacle.

    Model `slip` holds the heading while it climbs (`Motion.phase`), while the real robot on its
    level floor would turn: whatever heading error the controller saw, it would go on turning the
    real robot until the virtual one is over the obstacle.
    """

    def __init__(self, driver: Driver, robot: Robot) -> None:
        self._driver, self._robot = driver, robot
        self._width = effective_width(robot)

    def __call__(self, time: float, motion: Motion) -> Command | None:
        """Return the driver's command, without its steering where that has no effect."""
        command = self._driver(time, motion)
        if command is None or not motion.phase:
            return command
        slip = self._robot.slip
        left, right = (
            sum(speeds) / len(speeds)
            for speeds in (
                [
                    float(speed)
                    for drive, speed in zip(self._robot.drives, command.belt_speeds, strict=True)
                    if drive.side == side
                ]
                for side in ("left", "right")
            )
        )
        forward, _, _ = slip_twist(left, right, slip.left, slip.right, 0.0, self._width)
        straight = wheel_speeds_for(forward, 0.0, slip.left, slip.right, self._width)
        speeds = command_sides(self._robot, float(straight[0]), float(straight[1])).belt_speeds
        return replace(command, belt_speeds=speeds)
