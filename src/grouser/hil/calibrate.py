"""Calibration of a robot's encoders, gyroscope and speed map by a board."""

import math
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

import numpy as np

from grouser.description import Robot, load_robot
from grouser.description.edit import Entry, edit_robot
from grouser.errors import InvalidValue, LinkBroken
from grouser.hil.board_session import BoardSession, Tape
from grouser.hil.connection import Link
from grouser.hil.links import LockstepLink, check_board, make_board
from grouser.hil.messages import GYRO_STEP, Fault, Mode
from grouser.hil.options import new_link_id
from grouser.hil.virtual_robot import SIDES, BeltScale


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """A measured value of the robot's file."""

    key: str
    """Its key, such as `sensors.encoder.scale_left`."""
    before: Entry | None
    """Value before; None if the file has none [unit of the key]."""
    after: Entry
    """Measured value [unit of the key]."""
    deviation: Entry
    """Standard deviation of each number of it [unit of the key]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibration:
    """Measured values, their deviations, and an error before and after."""

    method: str
    """Method, for the file's `[sources]`."""
    items: tuple[Item, ...]
    error: str
    """Quantity whose error is compared."""
    unit: str
    error_before: float
    """Error with the old values [unit of `unit`]."""
    error_after: float
    """Error with the new values [unit of `unit`]."""

    @property
    def changes(self) -> dict[str, Entry]:
        """New values by key."""
        return {item.key: item.after for item in self.items}


TAPE_DEVIATION = 0.001
"""Standard deviation of a distance by a tape measure [m] [A]."""
LARGEST_CORRECTION = 0.5
"""Largest plausible change of an encoder's scale [1]."""


def measure_encoder(
    session: BoardSession,
    robot: Robot,
    measured: Callable[[], tuple[float, float]],
    *,
    distance: float = 1.0,
    speed: float = 0.1,
) -> Calibration:
    """Return the scales of the encoders, from a straight drive of `distance` [m] at `speed` [m/s].

    `measured` is called after the drive; it returns the travel of the left and the right belt [m].
    """
    encoder = robot.sensors.encoder
    if encoder is None:
        raise InvalidValue("robot", robot.name, "have [sensors.encoder] to calibrate encoders")
    scale = BeltScale.of(robot)
    lengths = scale.count_lengths(session.counts_per_revolution)
    states = session.watch(0.2)
    if not states:
        raise LinkBroken(session.name, "no state came")
    start = states[-1]
    begin = start.encoder_left, start.encoder_right
    session.arm()
    session.drive(
        2.0 + 2.0 * distance / speed,
        *scale.setpoints(speed, speed),
        until=lambda state: (state.encoder_left - begin[0]) * lengths[0] >= distance,
    )
    end = session.drive(1.5, 0.0, 0.0)[-1]
    counts = end.encoder_left - begin[0], end.encoder_right - begin[1]
    travels = tuple(count * length for count, length in zip(counts, lengths, strict=True))
    true = measured()
    items, after = [], []
    for side, counted, true_travel, length in zip(SIDES, travels, true, lengths, strict=True):
        old = encoder.scale_left if side == "left" else encoder.scale_right
        new = round(old * _ratio(side, true_travel, counted), 5)
        # The quantisation of counts at both ends of the drive.
        spread = new * math.hypot(TAPE_DEVIATION / true_travel, length / counted / math.sqrt(6.0))
        key = f"sensors.encoder.scale_{side}"
        items.append(Item(key=key, before=old, after=new, deviation=round(spread, 5)))
        after.append(counted * new / old)
    return Calibration(
        method=f"{distance:g} m driven and measured",
        items=tuple(items),
        error=f"travel over {true[0]:.4g} m",
        unit="m",
        error_before=_largest_error(travels, true),
        error_after=_largest_error(after, true),
    )


def _ratio(side: str, true: float, counted: float) -> float:
    if not counted > 0.0:
        required = "count forward while the belts run forward; check its wiring and its sign"
        raise InvalidValue(f"encoder {side}", f"{counted:.3g} m", required)
    ratio = true / counted
    if not abs(ratio - 1.0) <= LARGEST_CORRECTION:
        raise InvalidValue(
            f"measured distance {side}", true, f"be near {counted:.3g} m, what the encoder counted"
        )
    return ratio


def _largest_error(one: tuple[float, ...] | list[float], other: tuple[float, float]) -> float:
    return max(abs(a - b) for a, b in zip(one, other, strict=True))


WAKE_UP_TIME = 0.3
"""Time that the IMU needs to wake up after a reset [s]."""
LARGEST_OFFSET = math.radians(20.0)
"""Offset above that of any gyroscope: the robot turned [rad/s]."""
LARGEST_CHANGE = 6.0
"""Largest difference between two measurements, in standard deviations [1]."""
DRIFT = math.radians(0.02)
"""Allowed drift of the offset between two measurements [rad/s]."""
LARGEST_SPREAD = math.radians(0.5)
"""Standard deviation of readings above which the robot was moved [rad/s]."""


def measure_gyro(session: BoardSession, robot: Robot, seconds: float = 5.0) -> Calibration:
    """Return the offset of the gyroscope, measured at rest for `seconds` [s].

    The error is that of the yaw rate in a second measurement of the same length.
    """
    if robot.sensors.imu is None:
        raise InvalidValue("robot", robot.name, "have [sensors.imu] to calibrate a gyroscope")
    session.watch(WAKE_UP_TIME)
    rates = _rates(session, seconds)
    offset = rates.mean(axis=0)
    known = robot.sensors.imu.gyro_offset
    before = np.zeros(3) if known is None else np.array(known)
    fresh = _rates(session, seconds).mean(axis=0)
    deviation = _deviations(rates)
    _check_offset(offset, fresh, deviation)
    degrees = [round(math.degrees(rate), 4) for rate in offset]
    key = "sensors.imu.gyro_offset_deg_s"
    return Calibration(
        method=f"mean of {len(rates)} readings at rest",
        items=(
            Item(
                key=key,
                before=None if known is None else [math.degrees(rate) for rate in known],
                after=degrees,
                deviation=[round(math.degrees(part), 4) for part in deviation],
            ),
        ),
        error="yaw rate at rest, on fresh readings",
        unit="deg/s",
        error_before=math.degrees(abs(fresh[2] - before[2])),
        error_after=abs(math.degrees(fresh[2]) - degrees[2]),
    )


def _deviations(rates: np.ndarray) -> np.ndarray:
    """Return the standard deviation of each mean: noise, quantisation and drift."""
    noise = np.hypot(rates.std(axis=0, ddof=1), GYRO_STEP / math.sqrt(12.0))
    return np.hypot(noise / math.sqrt(len(rates)), DRIFT / LARGEST_CHANGE)


def _check_offset(offset: np.ndarray, fresh: np.ndarray, deviation: np.ndarray) -> None:
    if np.any(np.abs(offset) > LARGEST_OFFSET):
        shown = f"{math.degrees(float(np.abs(offset).max())):.3g} deg/s"
        required = f"be below {math.degrees(LARGEST_OFFSET):g} deg/s at rest: did the robot turn?"
        raise InvalidValue("reading of the gyroscope", shown, required)
    gap = np.abs(fresh - offset)
    if np.any(gap > LARGEST_CHANGE * math.sqrt(2.0) * deviation):
        shown = f"a change of {math.degrees(float(gap.max())):.3g} deg/s"
        required = "be the same in both measurements: let the robot stand, and the sensor warm up"
        raise InvalidValue("mean of the gyroscope", shown, required)


def _rates(session: BoardSession, seconds: float) -> np.ndarray:
    """Return the angular rates about x, y, z of each state [rad/s]."""
    states = session.watch(seconds)
    if len(states) < 10:
        raise InvalidValue("time at rest", seconds, f"give 10 states, not {len(states)}")
    if any(state.faults & Fault.IMU for state in states):
        raise LinkBroken(session.name, "the gyroscope does not answer; check its wiring")
    turned = {(state.encoder_left, state.encoder_right) for state in states}
    rates = GYRO_STEP * np.array([(s.gyro_x, s.gyro_y, s.gyro_z) for s in states], dtype=float)
    if len(turned) > 1 or rates.std(axis=0).max() > LARGEST_SPREAD:
        raise InvalidValue("robot", "moving", "stand still while its gyroscope is measured")
    return rates


DUTIES = (0.25, 0.4, 0.6, 0.8, 1.0)
"""Default duties of a speed map [1]."""
ROUNDING = 1e-4
"""Rounding of the speeds in the file [m/s]."""
SETTLING, PAUSE = 0.9, 1.0
"""Time for the belts to reach a speed, six time constants; and to stop [s]."""


def measure_speed_map(
    session: BoardSession, robot: Robot, duties: Sequence[float] = DUTIES, hold: float = 0.5
) -> Calibration:
    """Return the speeds of both belts, forward and backward, each measured for `hold` [s].

    The error is that of the speed at a duty between two of them, which is measured in addition.
    Without an old map, the old value is that share of the robot's speed limit.
    """
    rising = len(duties) >= 2 and all(a < b for a, b in zip(duties, duties[1:], strict=False))
    if not rising or not 0.0 < duties[0] <= duties[-1] <= 1.0:
        raise InvalidValue(
            "duties", list(duties), "be two or more, increasing, above 0 and at most 1"
        )
    scale = BeltScale.of(robot)
    found, spreads = {"duty": list(duties)}, {"duty": [0.0] * len(duties)}
    session.arm()
    for word, sign in (("", 1.0), ("_backward", -1.0)):
        for duty in duties:
            speeds, deviations = _measure(session, scale, sign * duty, hold)
            for side, speed, deviation in zip(SIDES, speeds, deviations, strict=True):
                key = f"{side}{word}_m_s"
                found.setdefault(key, []).append(round(sign * speed, 4))
                spreads.setdefault(key, []).append(round(deviation, 5))
                _check_speeds(side, sign * duty, found[key])
        session.drive(PAUSE, 0.0, 0.0)
    known = robot.drive.speed_map
    before = None if known is None else known.model_dump(by_alias=True)
    between = 0.5 * (duties[-1] + duties[-2])
    (true, _), _ = _measure(session, scale, between, hold)
    believed = robot.drive.speed_limit * between
    if known is not None:
        believed = float(np.interp(between, known.duty, known.left))
    return Calibration(
        method=f"free belts at {len(duties)} duties each way",
        items=tuple(
            Item(
                key=f"drive.speed_map.{key}",
                before=before[key] if before else None,
                after=value,
                deviation=spreads[key],
            )
            for key, value in found.items()
        ),
        error=f"speed of the left belt at duty {between:.4g}",
        unit="m/s",
        error_before=abs(believed - true),
        error_after=abs(float(np.interp(between, duties, found["left_m_s"])) - true),
    )


def _check_speeds(side: str, duty: float, speeds: list[float]) -> None:
    before = speeds[-2] if len(speeds) > 1 else 0.0
    if not speeds[-1] > before:
        what = f"speed of the {side} belt at duty {duty:g}"
        required = f"be above {before:g} m/s in that direction; check motor, encoder and its sign"
        raise InvalidValue(what, speeds[-1], required)


def _measure(
    session: BoardSession, scale: BeltScale, duty: float, hold: float
) -> tuple[tuple[float, float], tuple[float, float]]:
    """Return the mean speeds, left and right, and their standard deviations [m/s]."""
    session.drive(SETTLING, duty, duty, mode=Mode.DUTY)
    states = session.drive(hold, duty, duty, mode=Mode.DUTY)
    speeds = np.array([scale.speeds(state) for state in states])
    means, spread = speeds.mean(axis=0), speeds.std(axis=0) / np.sqrt(len(speeds))
    spread = np.hypot(spread, ROUNDING / np.sqrt(12.0))
    return (float(means[0]), float(means[1])), (float(spread[0]), float(spread[1]))


@dataclass(frozen=True, slots=True, kw_only=True)
class Bench:
    """Which robot is calibrated, and how its board is reached."""

    robot: str
    """Name or file of the robot."""
    port: str | None
    """Serial port of a real board; None for a simulated one."""
    board: str
    """Which simulated board."""
    seed: int
    """Seed of its noise."""
    arm: bool
    """Whether motors of a real board may run."""
    measured: str | None = None
    """Distances by a tape measure, if known already, as `LEFT[,RIGHT]`."""
    tape: Tape = field(default_factory=Tape)
    """Travel of the belts of a simulated board."""

    def open(self) -> Link:
        """Return a link to the board; a simulated one runs in lockstep."""
        if self.port is not None:
            if not self.arm:
                raise InvalidValue("--arm", "not given", "be given: the motors will run")
            from grouser.hil.serial_port import SerialPort

            return SerialPort(self.port)
        board = make_board(check_board(self.board), self.seed)
        return LockstepLink(board, self.tape.observe)

    def read_tape(self) -> tuple[float, float]:
        """Return the measured travel of the left and right belt [m]."""
        if self.measured is not None:
            return _parse_distances(self.measured)
        if self.port is None:
            return self.tape.travels
        if not sys.stdin.isatty():
            raise InvalidValue("--measured", "not given", "be given if there is no terminal")
        sys.stderr.write("How far did the belts run, LEFT or LEFT,RIGHT [m]? ")
        sys.stderr.flush()
        return _parse_distances(sys.stdin.readline().strip())

    def calibrate(
        self, measure: Callable[[BoardSession, Robot], Calibration]
    ) -> tuple[Calibration, str]:
        """Return what was measured, and the robot's file with it."""
        robot = load_robot(self.robot)
        if self.measured is not None:
            _parse_distances(self.measured)  # find a mistake before the drive
        with BoardSession(self.open(), link_id=new_link_id()) as session:
            found, name = measure(session, robot), session.name
        today = datetime.now(UTC).date().isoformat()
        source = f"`grouser hil calibrate` on {today}, {name}: {found.method} [M]"
        return found, edit_robot(robot.text, found.changes, source, self.robot)


def _parse_distances(text: str) -> tuple[float, float]:
    try:
        numbers = [float(word) for word in text.split(",")]
    except ValueError:
        numbers = []
    if len(numbers) not in (1, 2) or not all(0.0 < number < math.inf for number in numbers):
        raise InvalidValue("--measured", text, "be one or two distances [m], as in 0.98,0.97")
    return numbers[0], numbers[-1]
