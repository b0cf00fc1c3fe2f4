"""The motors that a board drives, and the parts of its firmware that control them, in Python.

`TrackPlant` is a motor with belt and encoder. Its numbers are assumptions for a small crawler:
first-order lag, dead band, voltage drop of an L293D, 360 counts per revolution of a wheel of 24 mm
radius. `SpeedControl` and `PythonVehicle` are `vehicle.c`, `lease.c` (the command timeout),
`battery.c` and `imu.c`, in integers of the same units (0.1 mm/s, duty/1000, 4 us) and at the same
rates, with divisions that truncate as in C. `tests/hil/test_boards.py` compares both.
"""

import math
from dataclasses import dataclass, field

from grouser.hil.messages import LARGEST_DUTY, SPEED_STEP, BoardState, Fault, Mode

LAG = 0.15
"""Time constant of a belt's speed [s]."""
DEAD_BAND = 0.15
"""Duty below which the motor stands [1]."""
SUPPLY, BRIDGE_DROP = 7.4, 1.4
"""Voltage of the battery, and voltage drop of the motor driver [V]."""
TOP_SPEED = 0.35
"""Belt speed at full duty and full battery [m/s]."""
COUNTS_PER_REVOLUTION = 360
"""Encoder counts per revolution of the wheel [1]."""
WHEEL_RADIUS = 0.024
"""Radius of the encoder's wheel [m]."""
COUNT_LENGTH = 2.0 * math.pi * WHEEL_RADIUS / COUNTS_PER_REVOLUTION
"""Belt travel per count [m]."""


@dataclass(slots=True)
class TrackPlant:
    """One track: motor, belt and encoder."""

    speed: float = 0.0
    """True belt speed [m/s]."""
    travel: float = 0.0
    """True belt travel since the start [m]."""
    count: int = 0
    """Count of the encoder."""
    since_edge: float = 0.0
    """Time since the last edge that the encoder counted [s]."""
    counts_as: int = 1
    """-1 for an encoder whose leads are swapped, 0 for one that is stuck."""
    drives_as: int = 1
    """-1 for a motor whose leads are swapped."""
    is_blocked: bool = False
    """Whether the belt cannot move."""
    _whole: int = 0

    def advance(self, duty: float, battery: float, duration: float) -> None:
        """Advance by `duration` [s], at a duty from -1 to 1 and a voltage of the battery [V]."""
        size = min(max((abs(duty) - DEAD_BAND) / (1.0 - DEAD_BAND), 0.0), 1.0)
        voltage = max(battery - BRIDGE_DROP, 0.0) / (SUPPLY - BRIDGE_DROP)
        goal = math.copysign(size * voltage * TOP_SPEED, duty * self.drives_as)
        before = self.speed
        self.speed = goal + (before - goal) * math.exp(-duration / LAG)
        if self.is_blocked:
            self.speed = 0.0
        self.travel += 0.5 * (before + self.speed) * duration
        self.since_edge += duration
        whole = math.floor(self.travel / COUNT_LENGTH)
        if whole != self._whole and self.counts_as:
            edge = whole if whole > self._whole else whole + 1
            passed = abs(self.travel - edge * COUNT_LENGTH)
            self.since_edge = min(duration, passed / max(abs(self.speed), 1e-6))
        self.count += (whole - self._whole) * self.counts_as
        self._whole = whole


CONTROL_MS = 5
"""Period of the control loop [ms]."""
STAMP_US = 4
"""Step of the time stamps of encoder edges [us]."""
SPEED_OF_COUNT = math.floor(COUNT_LENGTH / SPEED_STEP / (STAMP_US * 1e-6) + 0.5)
"""Speed of one count in one step of the time stamp [0.1 mm/s]."""
STANDSTILL_MS = 200
"""Time without an encoder edge after which the speed is zero [ms]."""
CONTROL_DEAD_BAND = 150
"""Largest duty that does not move a track [1/1000]."""
SLOPE_256, GAIN_P_256, GAIN_I_4096 = 62, 102, 41
"""Gains: feedforward of the set-point, proportional, integral per period [1/1000 per 0.1 mm/s,
times 256, 256 and 4096]."""
INTEGRAL_MAX = 500 * 4096
"""Largest integral [1/1000 / 4096]."""
LAG_MS = 160
"""Time constant of the reference model, from whose speed the error is computed [ms]."""
DRIVING_DUTY = 170
"""Duty at which a healthy track moves [1/1000]."""
STALL_MS, RUNAWAY_MS = 300, 60
"""Time at `DRIVING_DUTY` without an edge, or running against it, until a fault is set [ms]."""
RUNAWAY_SPEED = 100
"""Speed against the duty from which a runaway is assumed [0.1 mm/s]."""
LARGEST_I16 = 0x7FFF


@dataclass(slots=True)
class SpeedControl:
    """Speed measurement and speed control of one track."""

    setpoint: int = 0
    """Commanded speed or duty [0.1 mm/s, or 1/1000 in mode DUTY]."""
    speed: int = 0
    """Measured speed [0.1 mm/s]."""
    duty: int = 0
    """Duty of the motor [1/1000]."""
    _integral: int = 0
    _expected_256: int = 0
    _count: int = 0
    _stamp: int = 0
    _still_ms: int = 0
    _stalled_ms: int = 0
    _runaway_ms: int = 0
    _runaway_speed: int = 0

    def measure(self, count: int, stamp: int) -> None:
        """Measure the speed from the count and the stamp of the last edge [STAMP_US, 16 bit]."""
        edges, steps = count - self._count, (stamp - self._stamp) % 0x10000
        if edges:
            if self._still_ms < STANDSTILL_MS and steps:
                self.speed = _limit(_divide(edges * SPEED_OF_COUNT, steps), LARGEST_I16)
            self._count, self._stamp, self._still_ms = count, stamp, 0
            return
        self._still_ms = min(self._still_ms + CONTROL_MS, STANDSTILL_MS)
        if self._still_ms >= STANDSTILL_MS:
            self.speed = 0
        else:
            most = _divide(SPEED_OF_COUNT, self._still_ms * (1000 // STAMP_US))
            self.speed = _limit(self.speed, _limit(most, LARGEST_I16))

    def reset(self) -> None:
        """Switch the motor off, and reset set-point and controller."""
        self.setpoint = self.duty = self._integral = self._expected_256 = 0
        self._stalled_ms = self._runaway_ms = 0

    def control(self, mode: int) -> None:
        """Compute the duty for the set-point."""
        if self.setpoint == 0:
            self.reset()
        elif mode == Mode.DUTY:
            self.duty = _limit(self.setpoint, LARGEST_DUTY)
        else:
            self.duty = self._compute_duty()

    def stalls(self) -> bool:
        """Return whether the belt stands though it is driven; called once per period."""
        driven = abs(self.duty) >= DRIVING_DUTY and self._still_ms != 0
        self._stalled_ms = self._stalled_ms + CONTROL_MS if driven else 0
        return self._stalled_ms >= STALL_MS

    def runs_away(self) -> bool:
        """Return whether the belt runs against its duty without braking; called once per period."""
        against = -self.speed if self.duty > 0 else self.speed
        if abs(self.duty) < DRIVING_DUTY or against < RUNAWAY_SPEED:
            self._runaway_ms = 0
            return False
        slower = against < self._runaway_speed - _divide(self._runaway_speed, 8)
        if self._runaway_ms == 0 or slower:
            self._runaway_speed, self._runaway_ms = against, CONTROL_MS
        else:
            self._runaway_ms += CONTROL_MS
        return self._runaway_ms >= RUNAWAY_MS

    def _compute_duty(self) -> int:
        wanted, error = self.setpoint, self._error()
        forward = _divide(wanted * SLOPE_256, 256) + (
            CONTROL_DEAD_BAND if wanted > 0 else -CONTROL_DEAD_BAND
        )
        duty = forward + _divide(error * GAIN_P_256, 256) + _divide(self._integral, 4096)
        saturated = duty >= LARGEST_DUTY if error > 0 else error < 0 and duty <= -LARGEST_DUTY
        if not saturated:
            self._integral = _limit(self._integral + error * GAIN_I_4096, INTEGRAL_MAX)
        return _limit(duty, LARGEST_DUTY)

    def _error(self) -> int:
        missing = self.setpoint * 256 - self._expected_256
        self._expected_256 += _divide(missing, LAG_MS // CONTROL_MS)
        return _limit(_divide(self._expected_256, 256) - self.speed, LARGEST_I16)


def _limit(value: int, most: int) -> int:
    return min(max(value, -most), most)


def _divide(value: int, by: int) -> int:
    """Divide towards zero, as C does."""
    return value // by if value >= 0 else -(-value // by)


TIMEOUT_MARGIN_US = 100
"""Margin of the command timeout for the delay of the timer interrupt [us]."""
LOWEST_BATTERY_MV, LOW_MS = 5000, 300
"""Voltage below which, for this time, the motors stop [mV, ms]."""
ADC_STEPS, FULL_SCALE_MV = 1024, 10_000
"""Steps and full scale of the battery's A/D converter [1, mV]."""
IMU_MISSES, IMU_WAKING = 2, 2
"""Periods without a sample after which the IMU is lost, and that it needs to wake up [1]."""


@dataclass(slots=True)
class Inputs:
    """Readings of the board's sensors."""

    counts: tuple[int, int] = (0, 0)
    """Encoder counts, left and right."""
    stamps: tuple[int, int] = (0, 0)
    """Timer stamp of the last edge of each encoder [4 us, 16 bit]."""
    gyro: tuple[int, int, int] = (0, 0, 0)
    """Angular rates about x, y, z, in counts."""
    accel: tuple[int, int, int] = (0, 0, 16384)
    """Accelerations along x, y, z, in counts."""
    battery: float = 7.4
    """Voltage of the battery [V]."""
    has_imu: bool = True
    """Whether the IMU answers."""


@dataclass(slots=True)
class PythonVehicle:
    """Motors, sensors, faults and state of the board."""

    inputs: Inputs = field(default_factory=Inputs)
    """Readings of its sensors; set from outside before each tick."""
    state: BoardState = BoardState.WAIT_HELLO
    tracks: tuple[SpeedControl, SpeedControl] = field(
        default_factory=lambda: (SpeedControl(), SpeedControl())
    )
    """Control of the left and of the right track."""
    battery_mv: int = -1
    """Filtered voltage of the battery; negative before the first reading [mV]."""
    _latched: Fault = Fault(0)
    _mode: int = Mode.SPEED
    _timeout_ms: int = 50
    _timeout_at_us: int | None = None
    _low_ms: int = 0
    _imu_misses: int = IMU_MISSES
    _imu_step: int = 0

    @property
    def faults(self) -> Fault:
        """Fault flags."""
        return self._latched | (Fault.IMU if self.has_lost_imu else Fault(0))

    @property
    def has_lost_imu(self) -> bool:
        """Whether the IMU does not answer."""
        return self._imu_misses >= IMU_MISSES

    @property
    def is_battery_low(self) -> bool:
        """Whether the voltage has been too low for longer than `LOW_MS`."""
        return self._low_ms >= LOW_MS

    @property
    def duties(self) -> tuple[float, float]:
        """Duty of each motor; zero after the command timeout [1]."""
        if self._timeout_at_us is None:
            return 0.0, 0.0
        return self.tracks[0].duty / 1000.0, self.tracks[1].duty / 1000.0

    def connect(self, timeout_ms: int) -> None:
        """Begin a connection with this command timeout [ms]."""
        self._stop()
        self._timeout_ms, self.state = timeout_ms, BoardState.IDLE

    def arm(self, now_us: int) -> bool:
        """Enable the motors; return False if the battery is too low."""
        if self.is_battery_low:
            return False
        if self.state != BoardState.ARMED:
            self._latched, self.state = Fault(0), BoardState.ARMED
            self._stop()
            self._restart_timeout(now_us)
        return True

    def command(self, left: int, right: int, mode: int, now_us: int) -> None:
        """Set the set-points, and restart the command timeout."""
        self._mode = mode
        self.tracks[0].setpoint, self.tracks[1].setpoint = left, right
        self._restart_timeout(now_us)

    def stop_for(self, faults: Fault) -> None:
        """Stop the motors, and latch these faults."""
        self._latched |= faults
        self._stop()
        if self.state == BoardState.ARMED:
            self.state = BoardState.SAFE

    def check_command_timeout(self, now_us: int) -> None:
        """Do one timer interrupt of 1 ms: stop the motors at the command timeout."""
        if self._timeout_at_us is not None and now_us >= self._timeout_at_us:
            self.stop_for(Fault.COMMAND_TIMEOUT)

    def step(self) -> None:
        """Do one control period."""
        self._read_battery()
        for index, track in enumerate(self.tracks):
            track.measure(self.inputs.counts[index], self.inputs.stamps[index])
        if self.is_battery_low:
            self.stop_for(Fault.BATTERY)
        if self.state == BoardState.ARMED:
            self._drive()
        self._poll_imu()

    def _drive(self) -> None:
        found = Fault(0)
        for side, track in enumerate(self.tracks):
            found |= Fault(track.stalls() * Fault.STALL_LEFT << side)
            found |= Fault(track.runs_away() * Fault.RUNAWAY_LEFT << side)
        if found:
            self.stop_for(found)
            return
        for track in self.tracks:
            track.control(self._mode)

    def _stop(self) -> None:
        self._timeout_at_us = None
        for track in self.tracks:
            track.reset()

    def _restart_timeout(self, from_us: int) -> None:
        self._timeout_at_us = from_us + 1000 * self._timeout_ms - TIMEOUT_MARGIN_US

    def _read_battery(self) -> None:
        share = min(max(self.inputs.battery * 1000.0 / FULL_SCALE_MV, 0.0), 1.0)
        now = int(share * (ADC_STEPS - 1)) * FULL_SCALE_MV // ADC_STEPS
        if self.battery_mv < 0:
            self.battery_mv = now
        change = now - self.battery_mv
        self.battery_mv += change if abs(change) < 8 else int(change / 8)
        low = self.battery_mv < LOWEST_BATTERY_MV
        self._low_ms = min(self._low_ms + CONTROL_MS, LOW_MS) if low else 0

    def _poll_imu(self) -> None:
        if self.inputs.has_imu and self._imu_step >= IMU_WAKING:
            self._imu_misses = 0
            return
        self._imu_step = self._imu_step + 1 if self.inputs.has_imu else 0
        self._imu_misses = min(self._imu_misses + 1, IMU_MISSES)
