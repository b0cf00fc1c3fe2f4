"""P3's pose controller: motor voltages from a sampled PD law, as it ran on the robot."""

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from grouser.description import Course, Robot
from grouser.errors import InvalidValue
from grouser.geometry import rotate
from grouser.models import Command, Motion

GainMode: TypeAlias = Literal["per_sample_difference", "literal"]
"""Whether a printed D gain multiplies the difference of two samples [A], or a rate."""
Reference: TypeAlias = Callable[[float], tuple[float, float, float]]
"""Maps a time [s] to the reference x, y [m] and yaw [rad]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PoseGains:
    """Parameters of the controller; defaults from P3, Table 3 and text."""

    x_p: float = 50.0
    """K_px [V/m]."""
    x_d: float = 100.0
    """K_dx as printed [V s/m]."""
    y_p: float = 80.0
    """K_py [V/m]."""
    y_d: float = 30.0
    """K_dy as printed [V s/m]."""
    yaw_p: float = float(np.rad2deg(0.3))
    """K_ppsi, 0.3 V/deg [V/rad]."""
    yaw_d: float = float(np.rad2deg(1.8))
    """K_dpsi as printed, 1.8 V s/deg [V s/rad]."""
    gain_mode: GainMode = "per_sample_difference"
    """Interpretation of the printed D gains: multiplied by the sampling period, or as printed."""
    bandwidth: float = 50.0
    """Bandwidth of the low-pass filter of the voltages [rad/s]."""
    voltage_limit: float = 10.0
    """Largest voltage [V]."""
    period: float = 0.010
    """Time between samples [s]."""
    delay: int = 0
    """Delay of commands by buses and amplifiers, in samples [1]."""

    def __post_init__(self) -> None:
        if self.delay < 0 or self.delay != int(self.delay):
            raise InvalidValue("command delay", self.delay, "be a whole number of samples from 0")
        if self.gain_mode not in ("per_sample_difference", "literal"):
            required = "be per_sample_difference or literal"
            raise InvalidValue("gain_mode", self.gain_mode, required)

    @property
    def effective(self) -> NDArray[np.float64]:
        """K_px, K_dx, K_py, K_dy, K_ppsi, K_dpsi, the factors on states and rates [SI]."""
        d = self.period if self.gain_mode == "per_sample_difference" else 1.0
        return np.array(
            [self.x_p, d * self.x_d, self.y_p, d * self.y_d, self.yaw_p, d * self.yaw_d]
        )

    @property
    def keep(self) -> float:
        """Factor by which one sample decays the filter state [1]."""
        return float(np.exp(-self.bandwidth * self.period))

    def without(self, *names: str) -> "PoseGains":
        """Return the controller with some gains removed, as in `without("yaw_p", "yaw_d")`."""
        return replace(self, **dict.fromkeys(names, 0.0))


class PoseHold:
    """A driver that holds a robot at a reference pose by motor voltages; one sample per tick.

    On a tilted course, x and y are measured along the ground, as on a treadmill of P3.
    """

    def __init__(
        self,
        robot: Robot,
        course: Course,
        reference: Reference,
        gains: PoseGains | None = None,
        start_voltage: float = 0.0,
    ) -> None:
        """Hold `robot` on `course` at `reference`, with filters at `start_voltage` [V]."""
        if robot.drive.motor is None:
            raise InvalidValue("robot", robot.name, "have a [drive.motor] to be held by voltages")
        self._robot, self._reference = robot, reference
        self._gains = PoseGains() if gains is None else gains
        self._filters = (start_voltage, start_voltage)
        self._delayed = deque([(start_voltage, start_voltage)] * int(self._gains.delay))
        tilt = course.terrain.pose_at(0.0, 0.0, 0.0)
        self._plan_scale = float(np.cos(tilt.pitch)), float(np.cos(tilt.roll))

    def __call__(self, time: float, motion: Motion) -> Command:
        """Return the voltages for the tick that begins at `time`."""
        # Imported here, so that listing the drivers does not load the compiler.
        from grouser.models.planar.integrate import sample_pd

        pose, twist, gains = motion.pose, motion.twist, self._gains
        x_rate, y_rate = rotate(twist.vx, twist.vy, pose.yaw)
        state = np.array(
            (pose.x / self._plan_scale[0], pose.y / self._plan_scale[1], pose.yaw, x_rate, y_rate,
             twist.yaw_rate)
        )  # fmt: skip
        reference = np.array(self._reference(time))
        self._filters = sample_pd(state, reference, gains.effective, self._filters, gains.keep)
        limit = gains.voltage_limit
        self._delayed.append(tuple(min(max(f, -limit), limit) for f in self._filters))  # type: ignore[arg-type]
        left, right = self._delayed.popleft()
        by_side = {"left": float(left), "right": float(right)}
        return Command(
            belt_speeds=motion.belt_speeds,
            flipper_angles=motion.flipper_angles,
            motor_voltages=tuple(by_side[drive.side] for drive in self._robot.drives),
        )
