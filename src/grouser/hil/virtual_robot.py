"""A simulation that follows the belts of a board."""

import math
from dataclasses import dataclass

import numpy as np

from grouser.description import Robot
from grouser.hil.conversation import StateArrived
from grouser.hil.messages import GYRO_STEP, LARGEST_DUTY, LARGEST_SPEED, SPEED_STEP, State
from grouser.hil.python_vehicle import WHEEL_RADIUS
from grouser.log import Column, Log
from grouser.models import Motion, SideMeans, command_sides
from grouser.simulation import Simulation

SIDES = ("left", "right")
"""In the order of every pair here."""

NO_LIMIT = (math.inf, math.inf)


@dataclass(frozen=True, slots=True)
class BeltScale:
    """The board believes in a wheel of 24 mm; the robot's file knows better, for each side."""

    left: float = 1.0
    """True travel over the board's, left [1]."""
    right: float = 1.0
    """True travel over the board's, right [1]."""
    limits: tuple[tuple[float, float], tuple[float, float]] = (NO_LIMIT, NO_LIMIT)
    """Fastest that each belt can run forward and backward, where that was measured [m/s]."""

    @classmethod
    def of(cls, robot: Robot) -> "BeltScale":
        """Return the scale by the robot's encoders and its speed map."""
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
        """Return how fast belts run when the board believes these speeds [m/s]."""
        return self.left * left, self.right * right

    def count_lengths(self, counts_per_revolution: int) -> tuple[float, float]:
        """Return how far each belt runs for one count of the board [m]."""
        length = 2.0 * math.pi * WHEEL_RADIUS / counts_per_revolution
        return self.left * length, self.right * length

    def setpoints(self, left: float, right: float) -> tuple[float, float]:
        """Return what to ask of the board so that the belts run at these speeds [m/s].

        Where a belt cannot, both are slowed down together, so that the curvature stays.
        """
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
"""Time in which the virtual belts make up for what the encoders counted otherwise [s]."""
MOST_TICKS = 100
"""Ticks that a gap between two states is bridged with at most [1]."""
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
"""What a log of hardware in the loop holds of the board."""


class VirtualWorld:
    """Steps a simulation whenever the board speaks, by as many ticks as its clock says.

    Belts run at the measured speeds, led slowly to the travel that the encoders counted: speeds
    are smooth but may be a little off, counts are coarse but never lose anything.
    """

    def __init__(self, simulation: Simulation, counts_per_revolution: int) -> None:
        self.simulation = simulation
        self.scale = BeltScale.of(simulation.robot)
        """How far the real belts run for what the board says of them."""
        self._count_lengths = self.scale.count_lengths(counts_per_revolution)
        imu = simulation.robot.sensors.imu
        known = imu is not None and imu.gyro_offset is not None
        self._gyro_offset = imu.gyro_offset[2] if known else 0.0  # type: ignore[union-attr, index]
        self._sides = SideMeans.of(simulation.robot)
        self._first: StateArrived | None = None
        self._rows: list[tuple[float, ...]] = []

    @property
    def time(self) -> float:
        """Virtual time since the first state [s]."""
        return self.simulation.time

    @property
    def motion(self) -> Motion:
        """How the virtual robot moves."""
        return self.simulation.motion

    def follow(self, arrived: StateArrived) -> int:
        """Move as the board did up to a state; return by how many ticks."""
        if self._first is None:
            self._first = arrived
            self._rows.append(self._row(arrived))
            return 0
        simulation, row = self.simulation, self._row(arrived)
        elapsed = arrived.time - self._first.time
        ticks = min(round(elapsed / simulation.dt) - simulation.ticks, MOST_TICKS)
        if ticks <= 0:
            return 0
        left, right = self._lead(arrived, ticks * simulation.dt)
        command = command_sides(simulation.robot, left, right)
        for _ in range(ticks):
            simulation.advance(command)
            self._rows.append(row)
        return ticks

    def annotate(self, log: Log) -> Log:
        """Return a log of the simulation with what the board said beside it."""
        rows = np.array(self._rows[: len(log)]).reshape(-1, len(COLUMNS))
        missing = len(log) - len(rows)
        rows = np.concatenate((rows, np.full((missing, len(COLUMNS)), np.nan)))
        named = zip(COLUMNS, rows.T, strict=True)
        return log.with_columns({name: Column(values, unit) for (name, unit), values in named})

    def _lead(self, arrived: StateArrived, duration: float) -> tuple[float, float]:
        """Return the belt speeds for the coming `duration` [m/s]."""
        assert self._first is not None  # a first state has come
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

    def _row(self, arrived: StateArrived) -> tuple[float, ...]:
        state = arrived.state
        return (
            arrived.time,
            state.encoder_left, state.encoder_right,
            *self.scale.speeds(state),
            *self.scale.true_speeds(*state.setpoints),
            state.duty_left / LARGEST_DUTY, state.duty_right / LARGEST_DUTY,
            state.gyro_z * GYRO_STEP - self._gyro_offset,
            state.battery_mv * 1e-3,
            state.state,
            state.faults,
        )  # fmt: skip
