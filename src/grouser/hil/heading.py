"""What turns the virtual robot: the measured belts alone, or the board's gyroscope.

P0 turns it by the belts and slip ratios that were identified once. Where the tracks slip otherwise,
every straight line of the real robot is bent, and nothing in that loop measures it. The gyroscope
does, and P0's robot has one (MPU6050).
"""

from dataclasses import dataclass
from typing import Literal, TypeAlias

from grouser.description import Robot
from grouser.errors import UnknownName
from grouser.geometry import wrap_angle
from grouser.hil.messages import Fault, State
from grouser.laws.slip_odometry import slip_twist, wheel_speeds_for
from grouser.models import Command, Motion, command_sides, effective_width
from grouser.simulation import Driver

Heading: TypeAlias = Literal["belts", "gyro"]
"""What turns the virtual robot."""
HEADINGS: tuple[Heading, ...] = ("belts", "gyro")
"""All of them."""
SETTLING = 0.5
"""Time constant with which a turn that is still missing is made up for [s]."""
STANDING = 2.0
"""Time for which a run with a gyroscope stands at first, to measure its bias [s]."""
FEWEST = 50
"""Readings at rest without which the bias is not known, and the belts turn the robot [1]."""


def check_heading(name: str) -> Heading:
    """Return what turns the virtual robot, by its name."""
    if name not in HEADINGS:
        raise UnknownName("heading", name, HEADINGS)
    return name  # pyright: ignore[reportReturnType]


@dataclass(slots=True)
class GyroBias:
    """Mean of a gyroscope's readings while the belts stand."""

    value: float = 0.0
    """The bias [rad/s]."""
    count: int = 0
    """Number of readings [1]."""
    _counts: tuple[int, int] | None = None

    def add(self, state: State) -> None:
        """Take a reading if the belts stand: no set-point, no speed, no new count."""
        counts = (state.encoder_left, state.encoder_right)
        before, self._counts = self._counts, counts
        moves = state.setpoint_left or state.setpoint_right or state.speed_left or state.speed_right
        if moves or counts != before or state.faults & Fault.IMU:
            return
        self.count += 1
        self.value += (state.yaw_rate - self.value) / self.count


class GyroHeading:
    """Belt speeds with which the virtual robot turns as the gyroscope of the real one shows.

    The encoders give the distance, the gyroscope the turn. A model may turn otherwise than the slip
    ratios of the robot's file say: what is missing is made up for with a time constant. While a
    model climbs and keeps its heading, nothing is missing. Without an IMU, or before its bias is
    known, the belts turn the robot.
    """

    def __init__(self, robot: Robot) -> None:
        self._slip, self._width = robot.slip, effective_width(robot)
        self.bias = GyroBias()
        """Bias of the gyroscope."""
        self.missing = 0.0
        """Angle by which the virtual robot is still to turn [rad]."""

    def correct(
        self, state: State, motion: Motion, left: float, right: float
    ) -> tuple[float, float]:
        """Return the belt speeds for a state, from those of its encoders [m/s]."""
        self.bias.add(state)
        if not self._is_known(state):
            return left, right
        missing = 0.0 if motion.phase else self.missing / SETTLING
        slip, rate = self._slip, state.yaw_rate - self.bias.value + missing
        forward, _, _ = slip_twist(left, right, slip.left, slip.right, 0.0, self._width)
        turned = wheel_speeds_for(forward, rate, slip.left, slip.right, self._width)
        return float(turned[0]), float(turned[1])

    def follow(self, state: State, before: Motion, after: Motion, duration: float) -> None:
        """Compare the turn of the virtual robot within `duration` [s] with the gyroscope's."""
        if not self._is_known(state) or before.phase or after.phase:
            return
        turned = wrap_angle(float(after.pose.yaw) - float(before.pose.yaw))
        self.missing += (state.yaw_rate - self.bias.value) * duration - float(turned)

    def _is_known(self, state: State) -> bool:
        return self.bias.count >= FEWEST and not state.faults & Fault.IMU


class StandFirst:
    """A driver that stands for a while, then drives."""

    def __init__(self, driver: Driver, robot: Robot, duration: float = STANDING) -> None:
        self._driver, self._duration = driver, duration
        self._stand = command_sides(robot, 0.0, 0.0)

    def __call__(self, time: float, motion: Motion) -> Command | None:
        """Return a command to stand, or the driver's."""
        if time < self._duration:
            return self._stand
        return self._driver(time - self._duration, motion)
