"""Speed control of one track as `firmware/grouser/src/track.c` does it, number for number.

Whole numbers in the firmware's units: 0.1 mm/s, thousandths of duty, steps of 4 us. Divisions are
towards zero, as in C. `tests/hil/test_same_boards.py` holds both together.
"""

import math
from dataclasses import dataclass

from grouser.hil.messages import LARGEST_DUTY, SPEED_STEP, Mode
from grouser.hil.track_plant import COUNT_LENGTH

CONTROL_MS = 5
"""Period of the control loop [ms]."""
STAMP_US = 4
"""Step of the time stamps of encoder edges [us]."""
SPEED_OF_COUNT = math.floor(COUNT_LENGTH / SPEED_STEP / (STAMP_US * 1e-6) + 0.5)
"""Speed of one count in one step of the time stamp [0.1 mm/s]."""
STANDSTILL_MS = 200
"""Time without an edge after which a track stands [ms]."""
DEAD_BAND = 150
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
        forward = _divide(wanted * SLOPE_256, 256) + (DEAD_BAND if wanted > 0 else -DEAD_BAND)
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
