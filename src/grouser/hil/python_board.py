"""A board in Python: firmware, motors, encoders, IMU, battery and serial line.

It has the protocol, control law, rates, integer arithmetic and faults of the simulated chip, and
needs no tools to build. Left out: the chip itself with interrupts, registers, execution times and
receiver overruns. Its noise comes from another generator. `tests/hil/test_boards.py` compares both.
"""

import math

import numpy as np

from grouser.hil.board import BoardStep, parse_fault
from grouser.hil.messages import BAUD, GYRO_STEP, ResetCause
from grouser.hil.python_firmware import PythonFirmware
from grouser.hil.python_vehicle import CONTROL_MS, STAMP_US, SUPPLY, Inputs, TrackPlant

TICK_US = 1000
"""Period of the timer interrupt, the time step here [us]."""
BYTES_PER_TICK = BAUD * TICK_US // 10_000_000
"""Bytes that the line transmits in a tick, at ten bits each [1]."""
WATCHDOG_US = 120_000
"""Time after which the watchdog resets a hanging main loop [us]."""
BOOT_US = 5000
"""Time from a reset to the first instruction [us]."""
TRACK_DISTANCE = 0.2742
"""Distance of the tracks, from which the yaw rate at the gyroscope follows [m]."""
GYRO_BIAS, GYRO_NOISE = math.radians(0.5), math.radians(0.05)
"""Largest bias and rms noise of a gyroscope axis [rad/s]."""


class PythonBoard:
    """Steps in whole milliseconds; the remainder of a step is added to the next."""

    name = "board in Python"

    def __init__(self, *, seed: int = 0, mirror: bool = False) -> None:
        """Switch the board on; with `mirror`, the motors drive the tracks of the other sides."""
        self._random = np.random.default_rng(seed)
        self._bias = self._random.uniform(-GYRO_BIAS, GYRO_BIAS, 3)
        self._tracks = (TrackPlant(), TrackPlant())
        self._mirror = mirror
        self._time_us = self._remaining_us = self._ticks = 0
        self._crystal_us = 0.0  # time by its own crystal since the last reset
        self._ppm, self._battery = 0.0, SUPPLY
        self._inbound, self._outbound = bytearray(), bytearray()
        self._is_down = self._is_mute = False
        self._lose = self._flip = 0.0
        self._hang, self._hanging_us, self._booting_us = "", 0, BOOT_US
        self._has_imu, self._resets = True, 0
        self._yaw_rate: float | None = None
        self._enabled, self._switched_us = [False, False], [0, 0]
        self._cause = ResetCause.POWER
        self._firmware: PythonFirmware | None = None

    def step(self, duration_us: int, received: bytes = b"") -> BoardStep:
        """Advance the board while it receives these bytes at the baud rate."""
        self._inbound += self._damage(received)
        sent = bytearray()
        self._remaining_us += duration_us
        while self._remaining_us >= TICK_US:
            self._remaining_us -= TICK_US
            self._tick()
            passing = bytes(self._outbound[:BYTES_PER_TICK])
            del self._outbound[:BYTES_PER_TICK]
            sent += b"" if self._is_mute else self._damage(passing)
        left, right = (track.speed for track in self._driven_tracks())
        return BoardStep(
            time_us=self._time_us,
            sent=bytes(sent),
            enabled=(self._enabled[0], self._enabled[1]),
            belt_speeds=(left, right),
            resets=self._resets,
        )

    def fault(self, words: str) -> None:
        """Inject or clear a fault."""
        fault = parse_fault(words)
        track = self._driven_tracks()[fault.side]
        match fault.what, fault.how:
            case "link", "lose":
                self._lose = fault.number
            case "link", "flip":
                self._flip = fault.number
            case "link", how:
                self._is_down, self._is_mute = how == "down", how == "mute"
                if how == "clear":
                    self._lose = self._flip = 0.0
            case "encoder", how:
                track.counts_as = {"stuck": 0, "swapped": -1, "ok": 1}[how]
            case "motor", how:
                track.drives_as = -1 if how == "swapped" else 1
            case "track", how:
                track.is_blocked = how == "blocked"
            case "imu", how:
                self._has_imu = how == "on"
            case "battery", _:
                self._battery = fault.number
            case "clock", _:
                self._ppm = fault.number
            case "hang", how:
                self._hang = how
            case _, how:
                self._reset(ResetCause[how.upper()])
                self._record_switching()

    def turn(self, yaw_rate: float | None) -> None:
        """Let the gyroscope show this yaw rate [rad/s]; None for that of belts without slip."""
        self._yaw_rate = yaw_rate

    def pins(self) -> tuple[int, int]:
        """Return when the driver of each motor was last switched on or off [us]."""
        return self._switched_us[0], self._switched_us[1]

    def close(self) -> None:
        """Do nothing: there is no process."""

    def _tick(self) -> None:
        self._time_us += TICK_US
        self._ticks += 1
        self._crystal_us += TICK_US * (1.0 + self._ppm * 1e-6)
        for track, duty in zip(self._driven_tracks(), self._duties, strict=True):
            track.advance(duty, self._battery, TICK_US * 1e-6)
        firmware = self._firmware
        if firmware is None:
            self._booting_us -= TICK_US
            if self._booting_us <= 0:
                self._firmware = PythonFirmware(int(self._cause), self._resets + 1)
                self._crystal_us = 0.0
        elif self._hang != "all":
            self._run(firmware)
        self._hanging_us += TICK_US
        if self._firmware is not None and self._hanging_us > WATCHDOG_US:
            self._reset(ResetCause.WATCHDOG)
        self._record_switching()

    @property
    def _duties(self) -> tuple[float, float]:
        return (0.0, 0.0) if self._firmware is None else self._firmware.vehicle.duties

    def _run(self, firmware: PythonFirmware) -> None:
        now_us = round(self._crystal_us)
        firmware.check_command_timeout(now_us)
        if self._hang:
            return
        self._hanging_us = 0
        incoming = bytes(self._inbound[:BYTES_PER_TICK])
        del self._inbound[:BYTES_PER_TICK]
        firmware.vehicle.inputs = self._sense(firmware.vehicle.inputs)
        firmware.receive(incoming, now_us)
        firmware.tick_loop(now_us)
        self._outbound += firmware.outbox
        firmware.outbox.clear()

    def _record_switching(self) -> None:
        for index, duty in enumerate(self._duties):
            on = duty != 0.0
            if self._enabled[index] != on:
                self._enabled[index], self._switched_us[index] = on, self._time_us

    def _reset(self, cause: ResetCause) -> None:
        self._firmware, self._cause, self._booting_us = None, cause, BOOT_US
        self._resets += 1
        self._hang, self._hanging_us = "", 0
        self._inbound.clear()
        self._outbound.clear()

    def _sense(self, before: Inputs) -> Inputs:
        left, right = self._driven_tracks()
        gyro = before.gyro
        if self._has_imu and self._ticks % CONTROL_MS == 0:
            by_belts = (right.speed - left.speed) / TRACK_DISTANCE
            rates = np.array([0.0, 0.0, by_belts if self._yaw_rate is None else self._yaw_rate])
            noisy = rates + self._bias + self._random.normal(0.0, GYRO_NOISE, 3)
            counts = np.clip(np.round(noisy / GYRO_STEP), -0x8000, 0x7FFF)
            gyro = (int(counts[0]), int(counts[1]), int(counts[2]))
        return Inputs(
            counts=(left.count, right.count),
            stamps=(self._stamp(left), self._stamp(right)),
            gyro=gyro,
            battery=self._battery,
            has_imu=self._has_imu,
        )

    def _stamp(self, track: TrackPlant) -> int:
        """Return the timer stamp of a track's last encoder edge [STAMP_US, 16 bit]."""
        since_us = 1e6 * track.since_edge * (1.0 + self._ppm * 1e-6)
        return int((self._crystal_us - since_us) // STAMP_US) % 0x10000

    def _driven_tracks(self) -> tuple[TrackPlant, TrackPlant]:
        return self._tracks[::-1] if self._mirror else self._tracks  # type: ignore[return-value]

    def _damage(self, data: bytes) -> bytes:
        if self._is_down:
            return b""
        if not data or not (self._lose or self._flip):
            return data
        kept = np.frombuffer(data, np.uint8)[self._random.random(len(data)) >= self._lose]
        hit = self._random.random(len(kept)) < self._flip
        bits = np.left_shift(1, self._random.integers(0, 8, len(kept))).astype(np.uint8)
        return (kept ^ np.where(hit, bits, 0).astype(np.uint8)).tobytes()
