"""Motors and encoders of a board, simulated in Python.

All numbers are assumptions for a small crawler: first-order lag, a dead band of the duty, the drop
of an L293D, and 360 counts per turn of a wheel of 24 mm.

Whole numbers in the firmware's units: 0.1 mm/s, thousandths of duty, steps of 4 us. Divisions are
towards zero, as in C. `tests/hil/test_same_boards.py` holds both together.

What `vehicle.c`, `lease.c`, `battery.c` and `imu.c` do, in their units and at their rates.
"""

import math
from dataclasses import dataclass, field

from grouser.hil.messages import LARGEST_DUTY, SPEED_STEP, BoardState, Fault, Mode

LAG = 0.15
"""Time in which a belt comes within 1/e of its speed [s]."""
DEAD_BAND = 0.15
"""Duty below which nothing moves [1]."""
SUPPLY, BRIDGE_DROP = 7.4, 1.4
"""Voltage of the battery, and what the driver takes of it [V]."""
TOP_SPEED = 0.35
"""Belt speed at full duty and full battery [m/s]."""
COUNTS_PER_REVOLUTION = 360
"""Counts of the encoder per turn of the wheel [1]."""
WHEEL_RADIUS = 0.024
"""Radius of the wheel that the encoder counts [m]."""
COUNT_LENGTH = 2.0 * math.pi * WHEEL_RADIUS / COUNTS_PER_REVOLUTION
"""Belt travel per count [m]."""


@dataclass(slots=True)
class TrackPlant:
    """One track: belt speed and travel, and what its encoder says."""

    speed: float = 0.0
    """True belt speed [m/s]."""
    travel: float = 0.0
    """True belt travel since the start [m]."""
    count: int = 0
    """What the encoder has counted."""
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
        """Let time pass.

        Args:
            duty: Duty of the driver, -1 to 1; 0 when it is off [1].
            battery: Voltage of the battery [V].
            duration: How long [s].
        """
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
"""Time without an edge after which a track stands [ms]."""
CONTROL_DEAD_BAND = 150
"""Duty that does not yet move a track [1/1000]."""
SLOPE_256, GAIN_P_256, GAIN_I_4096 = 62, 102, 41
"""Duty per speed: of the set-point, of the error, and of the error in each period [1/1000 per
0.1 mm/s, times 256, 256 and 4096]."""
INTEGRAL_MAX = 500 * 4096
"""Largest integral [1/1000 / 4096]."""
LAG_MS = 160
"""Lag of a track: the error is taken from a speed that lags as much [ms]."""
DRIVING_DUTY = 170
"""A duty that must move the track [1/1000]."""
STALL_MS, RUNAWAY_MS = 300, 60
"""Time of such a duty without an edge, or with a speed against it that does not fall [ms]."""
RUNAWAY_SPEED = 100
"""Speed against the duty that counts as running away [0.1 mm/s]."""
LARGEST_I16 = 0x7FFF


@dataclass(slots=True)
class SpeedControl:
    """One track: how fast it runs, and the duty that makes it run as fast as asked."""

    setpoint: int = 0
    """What is asked for [0.1 mm/s, or 1/1000 in mode DUTY]."""
    speed: int = 0
    """What was measured [0.1 mm/s]."""
    duty: int = 0
    """What the motor gets [1/1000]."""
    _integral: int = 0
    _expected_256: int = 0
    _count: int = 0
    _stamp: int = 0
    _still_ms: int = 0
    _stalled_ms: int = 0
    _runaway_ms: int = 0
    _runaway_speed: int = 0

    def measure(self, count: int, stamp: int) -> None:
        """Look at the encoder: its count, and the stamp of its last edge [STAMP_US, 16 bit]."""
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

    def rest(self) -> None:
        """Let the belt run out, and forget set-point, duty and integral."""
        self.setpoint = self.duty = self._integral = self._expected_256 = 0
        self._stalled_ms = self._runaway_ms = 0

    def control(self, mode: int) -> None:
        """Set the duty for the set-point."""
        if self.setpoint == 0:
            self.rest()
        elif mode == Mode.DUTY:
            self.duty = _limit(self.setpoint, LARGEST_DUTY)
        else:
            self.duty = self._hold()

    def stalls(self) -> bool:
        """Return whether the belt stands though it is driven; asked once a period."""
        driven = abs(self.duty) >= DRIVING_DUTY and self._still_ms != 0
        self._stalled_ms = self._stalled_ms + CONTROL_MS if driven else 0
        return self._stalled_ms >= STALL_MS

    def runs_away(self) -> bool:
        """Return whether the belt runs against its duty and does not brake; once a period."""
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

    def _hold(self) -> int:
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


LEASE_MARGIN_US = 100
"""A lease ends so much earlier, for the delay of the timer's interrupt [us]."""
LOWEST_BATTERY_MV, LOW_MS = 5000, 300
"""Below this voltage for that time, nothing drives [mV, ms]."""
ADC_STEPS, FULL_SCALE_MV = 1024, 10_000
"""Steps of the converter, and the voltage that all of them stand for [1, mV]."""
IMU_MISSES, IMU_WAKING = 2, 2
"""Periods without a sample after which the sensor is lost, and that it needs to wake [1]."""
LEFT_FAULTS = (Fault.STALL_LEFT, Fault.RUNAWAY_LEFT)


@dataclass(slots=True)
class Inputs:
    """What the board's sensors say."""

    counts: tuple[int, int] = (0, 0)
    """Encoders, left and right."""
    stamps: tuple[int, int] = (0, 0)
    """When each encoder last had an edge [4 us, 16 bit]."""
    gyro: tuple[int, int, int] = (0, 0, 0)
    """Angular rates about x, y, z, in counts."""
    accel: tuple[int, int, int] = (0, 0, 16384)
    """Accelerations along x, y, z, in counts."""
    battery: float = 7.4
    """Battery [V]."""
    has_imu: bool = True
    """Whether the inertial sensor answers."""


@dataclass(slots=True)
class PythonVehicle:
    """What moves, whether it may, and what is wrong with it."""

    inputs: Inputs = field(default_factory=Inputs)
    """What its sensors say; set from outside before each tick."""
    state: BoardState = BoardState.WAIT_HELLO
    """What it may do."""
    tracks: tuple[SpeedControl, SpeedControl] = field(
        default_factory=lambda: (SpeedControl(), SpeedControl())
    )
    """Control of the left and of the right track."""
    battery_mv: int = -1
    """Smoothed voltage; negative before it was read [mV]."""
    _latched: Fault = Fault(0)
    _mode: int = Mode.SPEED
    _lease_ms: int = 50
    _lease_ends_us: int | None = None
    _low_ms: int = 0
    _imu_misses: int = IMU_MISSES
    _imu_step: int = 0

    @property
    def faults(self) -> Fault:
        """What is wrong."""
        return self._latched | (Fault.IMU if self.has_lost_imu else Fault(0))

    @property
    def has_lost_imu(self) -> bool:
        """Whether the inertial sensor does not answer."""
        return self._imu_misses >= IMU_MISSES

    @property
    def is_battery_low(self) -> bool:
        """Whether the battery has been too low for too long."""
        return self._low_ms >= LOW_MS

    @property
    def is_driven(self) -> bool:
        """Whether the drivers of the motors are on: only while a lease runs."""
        return self._lease_ends_us is not None and any(track.duty for track in self.tracks)

    @property
    def duties(self) -> tuple[float, float]:
        """Duty of each motor [1]."""
        left, right = (track.duty if self.is_driven else 0 for track in self.tracks)
        return left / 1000.0, right / 1000.0

    def greet(self, lease_ms: int) -> None:
        """Begin a connection."""
        self._stop()
        self._lease_ms, self.state = lease_ms, BoardState.IDLE

    def arm(self, now_us: int) -> bool:
        """Permit driving; return False if the battery is too low for it."""
        if self.is_battery_low:
            return False
        if self.state != BoardState.ARMED:
            self._latched, self.state = Fault(0), BoardState.ARMED
            self._stop()
            self._start_lease(now_us)
        return True

    def command(self, left: int, right: int, mode: int, now_us: int) -> None:
        """Take set-points, and renew the lease."""
        self._mode = mode
        self.tracks[0].setpoint, self.tracks[1].setpoint = left, right
        self._start_lease(now_us)

    def stop_for(self, faults: Fault) -> None:
        """Stop, and latch why."""
        self._latched |= faults
        self._stop()
        if self.state == BoardState.ARMED:
            self.state = BoardState.SAFE

    def tick_lease(self, now_us: int) -> None:
        """Let a millisecond pass in the timer's interrupt: the lease runs out here."""
        if self._lease_ends_us is not None and now_us >= self._lease_ends_us:
            self.stop_for(Fault.LEASE)

    def step(self) -> None:
        """Do what is done once in a control period."""
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
            stalls, runs_away = track.stalls(), track.runs_away()
            for is_wrong, left in zip((stalls, runs_away), LEFT_FAULTS, strict=True):
                found |= Fault(left << side) if is_wrong else Fault(0)
        if found:
            self.stop_for(found)
            return
        for track in self.tracks:
            track.control(self._mode)

    def _stop(self) -> None:
        self._lease_ends_us = None
        for track in self.tracks:
            track.rest()

    def _start_lease(self, from_us: int) -> None:
        self._lease_ends_us = from_us + 1000 * self._lease_ms - LEASE_MARGIN_US

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
        if not self.inputs.has_imu:
            self._imu_step = 0
            self._imu_misses = min(self._imu_misses + 1, IMU_MISSES)
        elif self._imu_step < IMU_WAKING:
            self._imu_step += 1
            self._imu_misses = min(self._imu_misses + 1, IMU_MISSES)
        else:
            self._imu_misses = 0
