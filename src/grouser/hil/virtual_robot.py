"""A simulated robot whose belts follow those of a board, and a driver for its climbs."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from grouser.description import Robot
from grouser.geometry import Scalar, clamp
from grouser.hil.heading import GyroHeading
from grouser.hil.messages import LARGEST_DUTY, LARGEST_SPEED, SPEED_STEP, State
from grouser.hil.python_vehicle import WHEEL_RADIUS
from grouser.laws.slip_odometry import slip_twist, wheel_speeds_for
from grouser.log import Column, Log
from grouser.models import Command, Motion, SideMeans, command_sides, effective_width
from grouser.simulation import Driver, Simulation

if TYPE_CHECKING:
    from grouser.hil.conversation import StateArrived

SIDES = ("left", "right")
"""Order of all pairs here."""
NO_LIMIT = (math.inf, math.inf)


@dataclass(frozen=True, slots=True)
class BeltScale:
    """Belt travel of the robot relative to the board's, which assumes wheels of 24 mm radius."""

    left: float = 1.0
    """Ratio of the left belt [1]."""
    right: float = 1.0
    """Ratio of the right belt [1]."""
    limits: tuple[tuple[float, float], tuple[float, float]] = (NO_LIMIT, NO_LIMIT)
    """Top speed of each belt forward and backward, if the robot has a speed map [m/s]."""

    @classmethod
    def of(cls, robot: Robot) -> "BeltScale":
        """Return the scale of a robot with its encoders and its speed map."""
        encoder, speed_map = robot.sensors.encoder, robot.drive.speed_map
        radius = WHEEL_RADIUS if encoder is None else encoder.wheel_radius
        left, right = (1.0, 1.0) if encoder is None else (encoder.scale_left, encoder.scale_right)
        factors = left * radius / WHEEL_RADIUS, right * radius / WHEEL_RADIUS
        if speed_map is None:
            return cls(*factors)
        limits = tuple(
            (speed_map.top_speed(side, forward=True), speed_map.top_speed(side, forward=False))
            for side in ("left", "right")
        )
        return cls(*factors, limits)  # type: ignore[arg-type]

    def speeds(self, state: State) -> tuple[float, float]:
        """Return the measured belt speeds, left and right [m/s]."""
        return self.true_speeds(*state.speeds)

    def true_speeds(self, left: float, right: float) -> tuple[float, float]:
        """Return the robot's belt speeds for those of the board [m/s]."""
        return self.left * left, self.right * right

    def count_lengths(self, counts_per_revolution: int) -> tuple[float, float]:
        """Return the travel of each belt per encoder count [m]."""
        length = 2.0 * math.pi * WHEEL_RADIUS / counts_per_revolution
        return self.left * length, self.right * length

    def setpoints(self, left: float, right: float) -> tuple[float, float]:
        """Return the board's set-points, both scaled down if one is above its limit [m/s]."""
        wire = LARGEST_SPEED * SPEED_STEP
        shares = [
            abs(speed) / min(wire * factor, most[0] if speed > 0.0 else most[1])
            for speed, factor, most in zip(
                (left, right), (self.left, self.right), self.limits, strict=True
            )
        ]
        slower = 1.0 / max(1.0, *shares)
        return slower * left / self.left, slower * right / self.right


SETTLING = 0.5
"""Time constant with which the virtual belts are led to the travel of the encoders [s]."""
MOST_TICKS = 100
"""Most ticks between two states [1]."""
COLUMNS = (
    ("device_time", "s"),
    *((f"board_encoder.{side}", "1") for side in SIDES),
    *((f"board_speed.{side}", "m/s") for side in SIDES),
    *((f"board_setpoint.{side}", "m/s") for side in SIDES),
    *((f"board_duty.{side}", "1") for side in SIDES),
    ("board_yaw_rate", "rad/s"),
    ("board_battery", "V"),
    ("board_state", "1"),
    ("board_faults", "1"),
)
"""Columns of the board in a log, with their units."""


class VirtualRobot:
    """A simulation that follows the board: each state advances it to the board's time.

    Its belts run at the measured speeds, corrected towards the travel of the encoders: speeds are
    smooth but may be biased, counts are coarse but do not drift.
    """

    def __init__(
        self,
        simulation: Simulation,
        counts_per_revolution: int,
        heading: GyroHeading | None = None,
    ) -> None:
        """Let a simulation follow a board; `heading` turns it by the gyroscope, if given."""
        self.simulation, self._heading = simulation, heading
        self.scale = BeltScale.of(simulation.robot)
        """Belt travel of the robot relative to the board's."""
        self._count_lengths = self.scale.count_lengths(counts_per_revolution)
        imu = simulation.robot.sensors.imu
        offset = None if imu is None else imu.gyro_offset
        self._gyro_offset = 0.0 if offset is None else offset[2]
        self._sides = SideMeans.of(simulation.robot)
        self.flipper_angles: tuple[Scalar, ...] = ()
        """Flipper angles of the driver's last command; at rest if empty [rad]."""
        self._first: StateArrived | None = None
        self._rows: list[tuple[float, ...]] = []

    @property
    def time(self) -> float:
        """Time since the first state [s]."""
        return self.simulation.time

    @property
    def motion(self) -> Motion:
        """Motion of the virtual robot."""
        return self.simulation.motion

    def follow(self, arrived: "StateArrived") -> int:
        """Advance to the time of a state; return the number of ticks."""
        if self._first is None:
            self._first = arrived
            self._rows.append(self._row(arrived))
            return 0
        simulation, row = self.simulation, self._row(arrived)
        elapsed = arrived.time - self._first.time
        ticks = min(round(elapsed / simulation.dt) - simulation.ticks, MOST_TICKS)
        if ticks <= 0:
            return 0
        left, right = self._corrected_speeds(arrived, ticks * simulation.dt)
        if self._heading is not None:
            left, right = self._heading.correct(arrived.state, self.motion, left, right)
        command = command_sides(simulation.robot, left, right)
        if self.flipper_angles:
            command = replace(command, flipper_angles=self.flipper_angles)
        before = simulation.motion
        for _ in range(ticks):
            simulation.advance(command)
            self._rows.append(row)
        if self._heading is not None:
            duration = ticks * simulation.dt
            self._heading.follow(arrived.state, before, simulation.motion, duration)
        return ticks

    def annotate(self, log: Log) -> Log:
        """Return a log of the simulation with the columns of the board."""
        rows = np.array(self._rows[: len(log)]).reshape(-1, len(COLUMNS))
        missing = len(log) - len(rows)
        rows = np.concatenate((rows, np.full((missing, len(COLUMNS)), np.nan)))
        named = zip(COLUMNS, rows.T, strict=True)
        return log.with_columns({name: Column(values, unit) for (name, unit), values in named})

    def _corrected_speeds(self, arrived: "StateArrived", duration: float) -> tuple[float, float]:
        """Return the belt speeds for the coming `duration` [m/s]."""
        assert self._first is not None  # set by the first state
        now, start = arrived.state, self._first.state
        counted = (now.encoder_left - start.encoder_left, now.encoder_right - start.encoder_right)
        # Virtual belts may have run less than commanded.
        travels = self._sides(self.motion.belt_travels)
        share = (1.0 - math.exp(-duration / SETTLING)) / duration
        left, right = (
            speed + share * (counts * length - travel - speed * duration)
            for speed, counts, length, travel in zip(
                self.scale.speeds(now), counted, self._count_lengths, travels, strict=True
            )
        )
        return left, right

    def _row(self, arrived: "StateArrived") -> tuple[float, ...]:
        state = arrived.state
        return (
            arrived.time,
            state.encoder_left, state.encoder_right,
            *self.scale.speeds(state),
            *self.scale.true_speeds(*state.setpoints),
            state.duty_left / LARGEST_DUTY, state.duty_right / LARGEST_DUTY,
            state.yaw_rate - self._gyro_offset,
            state.battery_mv * 1e-3,
            state.state,
            state.faults,
        )  # fmt: skip


GAIN = 5.0
"""Yaw rate per heading error [1/s]."""
LEAD = 0.25
"""Time by which the heading error is predicted, for the lag of the belts [s]."""
LARGEST_YAW_RATE = 0.6
"""Largest commanded yaw rate [rad/s]."""


class StraightClimb:
    """A driver whose robot keeps its heading while its model climbs an obstacle.

    Model `slip` keeps the heading while it climbs (`Motion.phase`), but the real robot on its level
    floor would turn: by the commands, and by the belts' lag when the climb begins. The heading
    error of the measured belts during a climb is integrated and steered back.
    """

    def __init__(self, driver: Driver, robot: Robot) -> None:
        self._driver, self._robot, self._sides = driver, robot, SideMeans.of(robot)
        self._width = effective_width(robot)
        self._heading_error = self._time = 0.0

    def __call__(self, time: float, motion: Motion) -> Command | None:
        """Return the driver's command, with other steering while the model climbs."""
        elapsed, self._time = time - self._time, time
        command = self._driver(time, motion)
        if command is None or not motion.phase:
            return command
        _, yaw_rate = self._twist(motion.belt_speeds)
        self._heading_error += yaw_rate * elapsed
        forward, _ = self._twist(command.belt_speeds)
        predicted = self._heading_error + LEAD * yaw_rate
        back = float(clamp(-GAIN * predicted, -LARGEST_YAW_RATE, LARGEST_YAW_RATE))
        slip = self._robot.slip
        left, right = wheel_speeds_for(forward, back, slip.left, slip.right, self._width)
        speeds = command_sides(self._robot, float(left), float(right)).belt_speeds
        return replace(command, belt_speeds=speeds)

    def _twist(self, belt_speeds: Sequence[Scalar]) -> tuple[float, float]:
        """Return forward speed [m/s] and yaw rate [rad/s] of these belt speeds on level ground."""
        left, right = map(float, self._sides(belt_speeds))
        slip = self._robot.slip
        forward, _, yaw_rate = slip_twist(left, right, slip.left, slip.right, 0.0, self._width)
        return float(forward), float(yaw_rate)
