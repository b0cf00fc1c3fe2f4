"""The vehicle as the firmware knows it: state, lease, tracks, battery, inertial sensor.

What `vehicle.c`, `lease.c`, `battery.c` and `imu.c` do, in their units and at their rates.
"""

from dataclasses import dataclass, field

from grouser.hil.messages import BoardState, Fault, Mode
from grouser.hil.speed_control import CONTROL_MS, SpeedControl

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
