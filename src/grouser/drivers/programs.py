"""Open-loop drivers, whose command depends on time alone, and flipper schedules."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from grouser.control import AutoFlippers
from grouser.description import Robot
from grouser.errors import InvalidLog, InvalidValue
from grouser.log import Log
from grouser.models import Command, Motion, command_sides
from grouser.simulation.simulation import Driver


@dataclass(frozen=True, slots=True, kw_only=True)
class Sides:
    """Belt speeds of the two sides."""

    left: float = 0.0
    """Belt speed on the left [m/s]."""
    right: float = 0.0
    """Belt speed on the right [m/s]."""

    @classmethod
    def of_twist(cls, robot: Robot, speed: float, yaw_rate: float) -> "Sides":
        """Return the belt speeds of an ideal differential drive for a twist.

        Args:
            robot: The robot, for its gauge.
            speed: Forward speed [m/s].
            yaw_rate: Yaw rate, positive to the left [rad/s].
        """
        half = 0.5 * yaw_rate * robot.gauge
        return cls(left=speed - half, right=speed + half)


def check_reachable(robot: Robot, *sides: Sides) -> None:
    """Check that the robot can reach these speeds.

    Raises:
        InvalidValue: A speed is not finite, or above the robot's limit.
    """
    limit = robot.drive.speed_limit
    for side in sides:
        for name, speed in (("left", side.left), ("right", side.right)):
            if not np.isfinite(speed):
                raise InvalidValue(f"{name} belt speed", speed, "be a finite number of m/s")
            if limit is not None and abs(speed) > limit * (1.0 + 1e-12):
                required = f"be at most {limit:g} m/s, the limit of robot {robot.name!r}"
                raise InvalidValue(f"{name} belt speed", speed, required)


class Constant:
    """Constant belt speeds."""

    def __init__(self, robot: Robot, sides: Sides) -> None:
        check_reachable(robot, sides)
        self._command = command_sides(robot, sides.left, sides.right)

    def __call__(self, time: float, motion: Motion) -> Command:
        """Return the command."""
        return self._command


class Step:
    """Stands until a time, then drives at constant belt speeds."""

    def __init__(self, robot: Robot, sides: Sides, at: float) -> None:
        check_reachable(robot, sides)
        self._before = command_sides(robot, 0.0, 0.0)
        self._after, self._at = command_sides(robot, sides.left, sides.right), at

    def __call__(self, time: float, motion: Motion) -> Command:
        """Return the command at a time."""
        return self._after if time >= self._at else self._before


class Wave:
    """Belt speeds that follow a sine or square wave about a mean; each side has its own."""

    def __init__(
        self, robot: Robot, mean: Sides, amplitude: Sides, period: float, square: bool = False
    ) -> None:
        """Oscillate about `mean` by `amplitude`, once per `period` [s]."""
        if not period > 0.0:
            raise InvalidValue("period", period, "be positive")
        high = Sides(left=mean.left + amplitude.left, right=mean.right + amplitude.right)
        low = Sides(left=mean.left - amplitude.left, right=mean.right - amplitude.right)
        check_reachable(robot, high, low)
        self._robot, self._mean, self._amplitude = robot, mean, amplitude
        self._period, self._square = period, square

    def __call__(self, time: float, motion: Motion) -> Command:
        """Return the command at a time."""
        turns = time / self._period
        wave = np.sin(2.0 * np.pi * turns)
        if self._square:
            # By the fraction of the period: sin(2 pi) is not exactly zero.
            wave = 1.0 if turns % 1.0 < 0.5 else -1.0
        return command_sides(
            self._robot,
            self._mean.left + self._amplitude.left * wave,
            self._mean.right + self._amplitude.right * wave,
        )


class Legs:
    """A sequence of constant belt speeds, each for its duration; done after the last."""

    def __init__(self, robot: Robot, legs: Sequence[tuple[float, Sides]]) -> None:
        """Drive each of `legs`, a duration [s] and speeds, in turn."""
        if not legs or any(not duration > 0.0 for duration, _ in legs):
            raise InvalidValue("legs", legs, "be one or more, each of a positive duration")
        check_reachable(robot, *(sides for _, sides in legs))
        self._ends = np.cumsum([duration for duration, _ in legs])
        self._commands = [command_sides(robot, sides.left, sides.right) for _, sides in legs]

    def __call__(self, time: float, motion: Motion) -> Command | None:
        """Return the command at a time; None after the last leg."""
        # A tick's time is a rounded multiple of dt; a leg must not get one tick too many.
        index = int(np.searchsorted(self._ends, time + 1e-9, side="right"))
        return self._commands[index] if index < len(self._commands) else None


class Replay:
    """The commands of a log, tick by tick; done at its end."""

    def __init__(self, robot: Robot, log: Log) -> None:
        names = [f"belt_speed_commanded.{drive.name}" for drive in robot.drives]
        missing = [name for name in names if name not in log]
        if missing:
            raise InvalidLog("replay", f"the log has no column {missing[0]!r} for {robot.name!r}")
        angles = [f"flipper_angle_commanded.{flipper.name}" for flipper in robot.flippers]
        self._speeds = np.stack([log[name] for name in names], axis=1)[1:]
        self._angles = [log[name][1:] for name in angles if name in log]
        volts = [f"motor_voltage_commanded.{drive.name}" for drive in robot.drives]
        self._voltages = [log[name][1:] for name in volts if name in log]
        self._next = 0

    def __call__(self, time: float, motion: Motion) -> Command | None:
        """Return the next command; None after the last."""
        if self._next >= len(self._speeds):
            return None
        index, self._next = self._next, self._next + 1
        angles = tuple(float(angles[index]) for angles in self._angles)
        voltages = tuple(float(volts[index]) for volts in self._voltages)
        return Command(
            belt_speeds=tuple(float(speed) for speed in self._speeds[index]),
            motor_voltages=voltages if np.all(np.isfinite(voltages)) else (),
            flipper_angles=() if np.isnan(angles).all() else angles,  # none commanded
        )


class WithFlippers:
    """Adds flipper angles of a schedule to the commands of another driver."""

    def __init__(
        self,
        driver: Driver,
        robot: Robot,
        schedule: Sequence[tuple[float, Sequence[float] | AutoFlippers]],
    ) -> None:
        """Follow a schedule.

        Args:
            driver: Commands the belts.
            robot: The robot.
            schedule: Times [s] and what holds from then on: the rule, or angles, one for each
                flipper in the robot's order [rad]; nothing before the first time.

        Raises:
            InvalidValue: The schedule does not fit the robot, or is not in order.
        """
        names = ", ".join(flipper.name for flipper in robot.flippers) or "none"
        for time, angles in schedule:
            if isinstance(angles, AutoFlippers):
                continue
            if len(angles) != len(robot.flippers) or not np.all(np.isfinite([time, *angles])):
                required = f"be a finite number for each flipper of {robot.name!r} ({names})"
                degrees = "/".join(f"{np.degrees(angle):.6g}" for angle in angles)  # as typed
                raise InvalidValue(f"flipper angles at {time:g} s", f"{degrees} deg", required)
        self._times = np.array([time for time, _ in schedule])
        if np.any(np.diff(self._times) <= 0.0):
            raise InvalidValue("times of flipper angles", self._times.tolist(), "rise")
        self._driver = driver
        self._aims = [
            aim if isinstance(aim, AutoFlippers) else tuple(float(angle) for angle in aim)
            for _, aim in schedule
        ]

    def __call__(self, time: float, motion: Motion) -> Command | None:
        """Return the driver's command with the angles of this time."""
        command = self._driver(time, motion)
        due = int(np.searchsorted(self._times, time + 1e-9, side="right")) - 1
        if command is None or due < 0:
            return command
        aim = self._aims[due]
        if isinstance(aim, AutoFlippers):
            aim = aim.angles(motion.pose.pitch, command.belt_speeds)
        return replace(command, flipper_angles=aim)
