"""Manoeuvres of a planned drive, each driven out and back, and the area that they must stay in.

The way back has the reversed belt speeds of the way out, in reversed order. So a robot returns to
its start pose whatever its slip is, as long as slip is the same in both directions: errors of what
is known about the robot do not add up. Drift has the same sign on the way out and back, so an arc
is balanced by its opposite: with the same yaw rates, but backward at first. There the slower belt
is on the other side, and the displacement by drift is opposite.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from grouser.description import Robot
from grouser.errors import InvalidValue
from grouser.geometry import Array
from grouser.identify.record import PIECE_GAP, Observation, Record
from grouser.units import check_range, parse_number

BELT_PERIOD = 0.02
"""Time between two belt speeds [s] [A]."""
SPEED_SHARES = (1.0, 0.7, 0.45, 0.25)
"""Speeds of the faster belt over the fastest of the drive [1]."""
ARC_RATIOS = (0.75, 0.5, 0.2, -0.4)
"""Speeds of the slower belt over the faster one, in arcs [1]."""
LEG_WINDOWS = (1, 2, 4)
"""Durations of a way out over the window length of identification [1]."""
MAX_RAMP_SHARE = 0.7
"""Largest share of a way out that may be spent at changing speed [1]."""
ACCELERATION_SHARE = 0.8
"""Acceleration of the belts over the largest one of the robot [1] [A]."""
SPEED_SHARE = 0.8
"""Largest speed of the belts over the largest one of the robot, by default [1] [A]."""
LEAST_SPEED_SHARE = 0.1
"""Fastest speed of a drive over the largest one of the robot, at least [1] [A]."""
STRAIGHT, SPEED_CHANGE, ARC, TURN = "straight", "speed change", "arc", "turn on the spot"
"""Kinds of manoeuvres."""
MARGIN_SHARE = 0.5
"""Distance that is kept from the border, over the radius of the robot [1] [A]."""
REAR_SHARE = 0.35
"""Part of the free length of an area that lies behind the start [1]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Area:
    """A free rectangle of level floor, its centre at the origin of the world."""

    length: float
    """Size along x, the heading at the start [m]."""
    width: float
    """Size along y [m]."""

    @classmethod
    def parse(cls, text: str) -> "Area":
        """Return the area of a text such as `5x5`, in metres."""
        numbers = [parse_number(word) for word in text.lower().split("x")]
        if len(numbers) != 2 or None in numbers:
            raise InvalidValue("area", text, "be length x width in metres, as in 5x4")
        length, width = (check_range("area", n, "m", is_size=True) for n in numbers)
        return cls(length=length, width=width)


@dataclass(frozen=True, slots=True, kw_only=True)
class FreeSpace:
    """Where the origin of a robot may be, seen from its start pose."""

    clearance: float
    """Distance of the origin from the border, at least [m]."""
    x: tuple[float, float]
    """Least and largest x [m]."""
    y: tuple[float, float]
    """Least and largest y [m]."""

    def holds(self, x: Array, y: Array) -> bool:
        """Return whether all points are inside."""
        inside_x = self.x[0] <= float(x.min()) and float(x.max()) <= self.x[1]
        return inside_x and self.y[0] <= float(y.min()) and float(y.max()) <= self.y[1]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Manoeuvre:
    """Belt speeds that lead out and back, from rest to rest."""

    kind: str
    """Straight, speed change, arc or turn on the spot."""
    speed: float
    """Largest speed of the faster belt [m/s]."""
    ratio: float
    """Speed of the slower belt over that of the faster one [1]."""
    left: Array
    """Speed of the left belt, at each period after the start [m/s]."""
    right: Array
    """Speed of the right belt, at each period after the start [m/s]."""

    @property
    def duration(self) -> float:
        """Time from rest to rest [s]."""
        return self.left.size * BELT_PERIOD

    @property
    def sideways(self) -> float:
        """Integral of v d, to which displacement by drift is proportional [m^2/s]."""
        squares = np.square(self.right) - np.square(self.left)
        return 0.25 * BELT_PERIOD * float(squares.sum())

    def opposite(self) -> "Manoeuvre":
        """Return the manoeuvre with the same yaw rates and the opposite speed."""
        return replace(self, left=-self.right, right=-self.left)


def radius_of(robot: Robot) -> float:
    """Return the radius of the circle about the origin that holds the robot [m]."""
    side = max(*(abs(d.y) + 0.5 * d.width for d in robot.drives), 0.5 * robot.body.size[1])
    hull = float(np.hypot(max(robot.front, -robot.rear), side))
    flippers = [
        float(np.hypot(abs(f.hinge[0]) + np.abs(f.track.loop.bounds[:2]).max(), side))
        for f in robot.flippers
    ]
    return max(hull, *flippers, 0.0)


def fastest_speed(robot: Robot, area: Area, speed: float | None, window: float) -> float:
    """Return the largest belt speed of a drive in an area [m/s].

    `speed` is the one that was requested, `window` the window length of identification [s].
    InvalidValue if the robot cannot drive it, or the area is too small.
    """
    limit = robot.drive.speed_limit
    if speed is not None:
        check_range("speed", speed, "m/s", is_size=True)
        if speed > limit:
            raise InvalidValue(
                "speed", speed, f"be at most {limit:g} m/s, the limit of robot {robot.name!r}"
            )
    slowest = LEAST_SPEED_SHARE * limit if speed is None else speed
    reaches = [length for n in LEG_WINDOWS if (length := _reach(robot, slowest, n * window))]
    if not reaches:
        most = 0.5 * MAX_RAMP_SHARE * max(LEG_WINDOWS) * window * _acceleration(robot)
        raise InvalidValue("speed", slowest, f"be at most {most:.2g} m/s in so short a drive")
    clearance = (1.0 + MARGIN_SHARE) * radius_of(robot)
    least = (
        2.0 * clearance + min(reaches) / (1.0 - REAR_SHARE),
        2.0 * clearance + min(reaches),
    )
    if area.length < least[0] or area.width < least[1]:
        size = "x".join(f"{np.ceil(100.0 * side) / 100.0:.2f}" for side in least)
        at = f" at {slowest:.3g} m/s" if speed is not None else ""
        required = f"be at least {size} m for robot {robot.name!r}{at}"
        raise InvalidValue("area", f"{area.length:g}x{area.width:g}", required)
    if speed is not None:
        return speed
    free = (1.0 - REAR_SHARE) * (area.length - 2.0 * clearance)
    fits = (
        v
        for v in np.linspace(SPEED_SHARE * limit, slowest, 50).tolist()
        if any(0.0 < _reach(robot, v, n * window) <= free for n in LEG_WINDOWS)
    )
    return next(fits, slowest)


def _acceleration(robot: Robot) -> float:
    return ACCELERATION_SHARE * robot.drive.acceleration_limit


def _reach(robot: Robot, speed: float, duration: float) -> float:
    """Return the length of a straight from rest to rest; 0 if the ramps take too long [m]."""
    ramp = speed / _acceleration(robot)
    return speed * (duration - ramp) if 2.0 * ramp <= MAX_RAMP_SHARE * duration else 0.0


def free_space(robot: Robot, area: Area) -> FreeSpace:
    """Return where the origin of a robot may be that starts near the rear border of an area."""
    clearance = (1.0 + MARGIN_SHARE) * radius_of(robot)
    length, width = area.length - 2.0 * clearance, area.width - 2.0 * clearance
    behind = REAR_SHARE * length
    return FreeSpace(
        clearance=clearance, x=(-behind, length - behind), y=(-0.5 * width, 0.5 * width)
    )


def list_manoeuvres(robot: Robot, fastest: float, window: float) -> Iterator[Manoeuvre]:
    """Yield all manoeuvres within the robot's limits, those with turns to the left.

    Args:
        robot: The robot.
        fastest: Largest belt speed [m/s].
        window: Window length of identification [s].
    """
    for windows in LEG_WINDOWS:
        for speed in (share * fastest for share in SPEED_SHARES):
            if not _reach(robot, speed, windows * window):
                continue
            out = _hold(robot, speed, windows * window)
            back = -out[::-1]
            straight = np.concatenate([out, back])
            yield _make(STRAIGHT, speed, 1.0, straight, straight)
            yield _make(TURN, speed, -1.0, -straight, straight)
            for ratio in ARC_RATIOS:
                yield _make(ARC, speed, ratio, ratio * straight, straight)
        if _reach(robot, fastest, windows * window):
            out = _change_speed(robot, fastest, windows * window)
            straight = np.concatenate([out, -out[::-1]])
            yield _make(SPEED_CHANGE, fastest, 1.0, straight, straight)


def _make(kind: str, speed: float, ratio: float, left: Array, right: Array) -> Manoeuvre:
    return Manoeuvre(kind=kind, speed=speed, ratio=ratio, left=left, right=right)


def _hold(robot: Robot, speed: float, duration: float) -> Array:
    """Return speeds from rest to rest, ramps included, at each period [m/s]."""
    ramp = speed / _acceleration(robot)
    # A speed applies to the interval that ends at its sample: its value at the middle.
    time = BELT_PERIOD * (np.arange(round(duration / BELT_PERIOD)) + 0.5)
    return np.interp(time, [0.0, ramp, duration - ramp, duration], [0.0, speed, speed, 0.0])


def _change_speed(robot: Robot, speed: float, duration: float) -> Array:
    """Return the same with a slow first half [m/s]."""
    slow = SPEED_SHARES[-1] * speed
    rate = _acceleration(robot)
    time = BELT_PERIOD * (np.arange(round(duration / BELT_PERIOD)) + 0.5)
    half, ramp = 0.5 * duration, (speed - slow) / rate
    ends = [0.0, slow / rate, half - 0.5 * ramp, half + 0.5 * ramp, duration - speed / rate]
    return np.interp(time, [*ends, duration], [0.0, slow, slow, speed, speed, 0.0])


def balance(manoeuvres: Sequence[Manoeuvre]) -> list[Manoeuvre]:
    """Return the manoeuvres with arcs or their opposites, so that drift displaces little.

    Arcs come in the order of their displacement, each so that it lessens the sum; all others stay
    in their places.
    """
    found, total = list(manoeuvres), 0.0
    places = [k for k, one in enumerate(found) if one.kind == ARC]
    arcs = sorted((found[k] for k in places), key=lambda one: -abs(one.sideways))
    for place, one in zip(places, arcs, strict=True):
        found[place] = one.opposite() if one.sideways * total > 0.0 else one
        total += found[place].sideways
    return found


def join_belts(manoeuvres: Sequence[Manoeuvre], duration: float) -> tuple[Array, Array, Array]:
    """Return times and belt speeds of manoeuvres one after the other, and rest until the end.

    A belt speed applies to the interval that ends at its time. The first and the last belt speeds
    are 0.
    """
    count = round(duration / BELT_PERIOD) + 2
    sides = np.zeros((2, count))
    at = 1
    for one in manoeuvres:
        sides[:, at : at + one.left.size] = one.left, one.right
        at += one.left.size
    return BELT_PERIOD * np.arange(count, dtype=np.float64), sides[0], sides[1]


NOT_OBSERVED = Observation(kind="pose", time=np.zeros(1), values=np.zeros((3, 1)))
"""Observation of a drive that is only planned."""


def make_record(manoeuvres: Sequence[Manoeuvre]) -> Record:
    """Return the belt speeds of manoeuvres, a piece for each, without observations."""
    times, lefts, rights, first, begin, rows = [], [], [], [], 0.0, 0
    for one in manoeuvres:
        time, left, right = join_belts([one], one.duration)
        times.append(begin + time)
        lefts.append(left)
        rights.append(right)
        first.append(rows)
        begin, rows = begin + float(time[-1]) + PIECE_GAP, rows + time.size
    return Record(
        name="manoeuvres", time=np.concatenate(times), left=np.concatenate(lefts),
        right=np.concatenate(rights), observation=NOT_OBSERVED,
        first=np.array(first, dtype=np.intp),
    )  # fmt: skip


def shrink(space: FreeSpace, by: float) -> FreeSpace:
    """Return less space, by a distance at each side [m]."""
    return replace(
        space, x=(space.x[0] + by, space.x[1] - by), y=(space.y[0] + by, space.y[1] - by)
    )
