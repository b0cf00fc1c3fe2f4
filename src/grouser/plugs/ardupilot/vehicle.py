"""The simulated robot that ArduPilot drives, and what its accelerometer measures."""

from collections.abc import Callable

import numpy as np

from grouser.description import Robot
from grouser.laws.slope import GRAVITY
from grouser.models import Motion, command_sides
from grouser.simulation import Driver, Simulation


class SimulatedVehicle:
    """A robot whose belts run at shares of their full speed."""

    def __init__(
        self,
        start: Callable[[], Simulation],
        equip: Callable[[Driver], Driver] = lambda driver: driver,
    ) -> None:
        """Drive the simulation that `start` returns, anew at each reset."""
        self._start, self._equip = start, equip
        self.simulation = start()
        """The simulation of the current run."""
        self._robot: Robot = self.simulation.robot
        self._left = self._right = 0.0
        self._driver = self._make_driver()

    @property
    def tick(self) -> float:
        """Length of one tick [s]."""
        return self.simulation.dt

    @property
    def time(self) -> float:
        """Simulated time since the last reset [s]."""
        return self.simulation.time

    @property
    def motion(self) -> Motion:
        """Current motion of the robot."""
        return self.simulation.motion

    def advance(self, left: float, right: float) -> None:
        """Advance by one tick with these shares of the full belt speed, from -1 to 1."""
        limit = self._robot.drive.speed_limit
        self._left, self._right = left * limit, right * limit
        command = self._driver(self.time, self.motion)
        assert command is not None
        self.simulation.advance(command)

    def reset(self) -> None:
        """Begin anew: at the start, at time zero."""
        self.simulation = self._start()
        self._driver = self._make_driver()

    def _make_driver(self) -> Driver:
        robot = self._robot
        return self._equip(lambda time, motion: command_sides(robot, self._left, self._right))


def specific_force(before: Motion, now: Motion, duration: float) -> tuple[float, float, float]:
    """Return the specific force at the body origin in the body frame, mean of a step [m/s^2].

    f = R^T (dv/dt - g): what an accelerometer measures; (0, 0, 9.81) at rest on level ground.

    Args:
        before: Motion at the beginning of the step.
        now: Motion at its end.
        duration: Length of the step [s].
    """
    change = _velocity(now) - _velocity(before)
    force = now.pose.matrix.T @ (change / duration + np.array((0.0, 0.0, GRAVITY)))
    x, y, z = force.tolist()
    return x, y, z


def _velocity(motion: Motion) -> np.ndarray:
    twist = motion.twist
    return motion.pose.matrix @ np.array((twist.vx, twist.vy, twist.vz), dtype=np.float64)
