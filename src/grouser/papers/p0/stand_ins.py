"""Stand-ins for P0's robot and camera.

The virtual obstacles do not exist for it, as in P0's set-up: the real crawler drives on the floor
of the laboratory while the virtual one climbs. It does not know where it is, and nothing of it goes
back into the loop: one run of the board serves any number of stand-ins.

Its numbers are those of the rig `tp100-overhead`; it looks straight down, and just sees the length
of the floor. Left out: lens, perspective and the delay of the camera, which
`grouser.simulation.OverheadCamera` has; the floor's grid is taken as known exactly.
"""

from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from grouser.description import Course, Robot, load_course, load_rig
from grouser.geometry import Pose
from grouser.hil.board import BoardStep
from grouser.laws.camera import rigid_fit
from grouser.models import command_sides, effective_width
from grouser.models.kinematic import KinematicPlant
from grouser.models.kinematic_models import SlipModel

SLIP_SPREAD, WIDTH_SPREAD = 0.2, 0.03
"""How far slip ratios and the equivalent wheelbase may be off, either way [1]."""


@dataclass(frozen=True, slots=True)
class Perturbation:
    """Factors on numbers of the robot's file; numbers, or one for each of many robots."""

    left: NDArray[np.float64]
    """On the slip ratio of the left track [1]."""
    right: NDArray[np.float64]
    """On the slip ratio of the right track [1]."""
    width: NDArray[np.float64]
    """On the equivalent wheelbase [1]."""
    names: tuple[str, ...]
    """Name of each robot."""

    def __len__(self) -> int:
        return len(self.names)


def corners() -> Perturbation:
    """Return the nominal robot, and every corner of what may be off.

    First come those where both tracks slip more or both less, as on another floor; then those
    where one slips more and the other less, which bends every straight line.
    """
    slips = [(+1, +1), (-1, -1), (+1, -1), (-1, +1)]
    signs = [(0, 0, 0), *((*slip, width) for slip, width in product(slips, (+1, -1)))]
    table = np.array(signs, dtype=np.float64)
    names = tuple(_name(*sign) if any(sign) else "nominal" for sign in signs)
    return Perturbation(
        left=1.0 + SLIP_SPREAD * table[:, 0],
        right=1.0 + SLIP_SPREAD * table[:, 1],
        width=1.0 + WIDTH_SPREAD * table[:, 2],
        names=names,
    )


def draws(count: int, random: Generator) -> Perturbation:
    """Return robots drawn evenly from what may be off, with one floor under both tracks."""
    slip = random.uniform(1.0 - SLIP_SPREAD, 1.0 + SLIP_SPREAD, count)
    width = random.uniform(1.0 - WIDTH_SPREAD, 1.0 + WIDTH_SPREAD, count)
    return Perturbation(slip, slip, width, tuple(f"draw {n}" for n in range(count)))


def pick(perturbation: Perturbation, index: int) -> Perturbation:
    """Return one of the robots."""
    one = slice(index, index + 1)
    return Perturbation(
        perturbation.left[one], perturbation.right[one], perturbation.width[one],
        perturbation.names[one],
    )  # fmt: skip


def draw_apart(count: int, random: Generator) -> Perturbation:
    """Return robots drawn evenly from what may be off, each track on a floor of its own."""
    low, high = 1.0 - SLIP_SPREAD, 1.0 + SLIP_SPREAD
    left, right = random.uniform(low, high, count), random.uniform(low, high, count)
    width = random.uniform(1.0 - WIDTH_SPREAD, 1.0 + WIDTH_SPREAD, count)
    return Perturbation(left, right, width, tuple(f"draw {n}" for n in range(count)))


def _name(left: int, right: int, width: int) -> str:
    percent = round(100 * SLIP_SPREAD)
    slips = f"slip {percent * left:+d}/{percent * right:+d} %"
    return f"{slips}, L {round(100 * WIDTH_SPREAD) * width:+d} %"


EVERY_US = 10_000
"""Time between two samples [us]."""


class TrueBelts:
    """Watches a board in lockstep and integrates the true belt speeds."""

    def __init__(self) -> None:
        self._time_us = 0
        self._speeds = (0.0, 0.0)
        self._travels = [0.0, 0.0]
        self._samples: list[tuple[float, float]] = [(0.0, 0.0)]

    def __call__(self, step: BoardStep) -> None:
        """Store a step of the board."""
        half = 0.5e-6 * (step.time_us - self._time_us)
        for side in (0, 1):
            self._travels[side] += half * (self._speeds[side] + step.belt_speeds[side])
        self._speeds, self._time_us = step.belt_speeds, step.time_us
        while len(self._samples) * EVERY_US <= step.time_us:
            self._samples.append((self._travels[0], self._travels[1]))

    @property
    def speeds(self) -> NDArray[np.float64]:
        """Mean belt speeds between samples (n, 2), left and right [m/s]."""
        return self.since(0)

    def since(self, first: int) -> NDArray[np.float64]:
        """Return the mean belt speeds from a sample on (n, 2), left and right [m/s]."""
        return np.diff(np.array(self._samples[first:]), axis=0) / (EVERY_US * 1e-6)


NO_LIMIT = 1e9
"""Belts of a stand-in do what the board's belts did, whatever that was [m/s, m/s^2]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tracks:
    """Poses of many robots; the first axis is time, the second the robot."""

    time: NDArray[np.float64]
    """Time of the board since its start [s]."""
    x: NDArray[np.float64]
    """World x [m]."""
    y: NDArray[np.float64]
    """World y [m]."""
    yaw: NDArray[np.float64]
    """Heading [rad]."""


def move_stand_ins(
    robot: Robot,
    course: Course,
    belts: NDArray[np.float64],
    perturbation: Perturbation,
    *,
    walk: float = 0.0,
    random: Generator,
) -> Tracks:
    """Return the tracks of robots whose belts run as the board's did.

    Args:
        robot: What they are, before it is perturbed.
        course: Whose start and disturbance count; its terrain does not.
        belts: True belt speeds (n, 2), every 10 ms [m/s].
        perturbation: How each differs.
        walk: Random walk of the heading [rad/sqrt(s)].
        random: Where the walk comes from.
    """
    robots = StandIns(robot, course, perturbation, walk=walk, random=random)
    for left, right in belts:
        robots.advance(left, right)
    return robots.tracks


class StandIns:
    """Robots on a level floor whose belts run as those of a board."""

    def __init__(
        self,
        robot: Robot,
        course: Course,
        perturbation: Perturbation,
        *,
        walk: float = 0.0,
        random: Generator,
        kick_rate: float = np.inf,
    ) -> None:
        """Put robots at the start of a course; see `move_stand_ins`.

        `kick_rate` is how fast a disturbance of the course turns them [rad/s].
        """
        self._robot, self._course, self._walk, self._random = robot, course, walk, random
        self._count, self._most = len(perturbation), kick_rate * EVERY_US * 1e-6
        self._plant = _start(robot, course, perturbation)
        self._kicked, self._to_turn = np.zeros(self._count, dtype=bool), np.zeros(self._count)
        self._poses = [self._plant.motion.pose]

    def advance(self, left: float, right: float) -> None:
        """Move by one sample with these true belt speeds [m/s]."""
        dt, count, plant = EVERY_US * 1e-6, self._count, self._plant
        belts = command_sides(self._robot, np.full(count, left), np.full(count, right))
        plant.advance(belts, dt)
        self._to_turn += _kick(self._course, plant.motion.pose, self._kicked)
        turned = np.clip(self._to_turn, -self._most, self._most)
        self._to_turn = self._to_turn - turned
        if self._walk and (left or right):
            turned = turned + self._random.normal(0.0, self._walk * np.sqrt(dt), count)
        if np.any(turned):
            plant.turn(turned)  # type: ignore[arg-type]
        self._poses.append(plant.motion.pose)

    @property
    def yaw_rates(self) -> NDArray[np.float64]:
        """Mean yaw rate of each robot over the last sample [rad/s]."""
        before, now = (np.asarray(pose.yaw, dtype=np.float64) for pose in self._poses[-2:])
        return (now - before) / (EVERY_US * 1e-6)

    @property
    def tracks(self) -> Tracks:
        """Their poses so far."""
        x, y, yaw = (
            np.stack([np.broadcast_to(getattr(pose, name), self._count) for pose in self._poses])
            for name in ("x", "y", "yaw")
        )
        times = EVERY_US * 1e-6 * np.arange(len(self._poses), dtype=np.float64)
        return Tracks(time=times, x=x, y=y, yaw=yaw)


def _start(robot: Robot, course: Course, perturbation: Perturbation) -> KinematicPlant:
    start, slip = course.start_pose, robot.slip
    model = SlipModel(
        slip_left=slip.left * perturbation.left,
        slip_right=slip.right * perturbation.right,
        width=effective_width(robot) * perturbation.width,
    )
    drive = robot.drive.model_copy(
        update={"speed_limit": NO_LIMIT, "acceleration_limit": NO_LIMIT}
    )  # fmt: skip
    free = robot.model_copy(update={"drive": drive})
    count = len(perturbation)
    pose = Pose(x=np.full(count, start.x), y=np.full(count, start.y), yaw=np.full(count, start.yaw))
    plant = model.start(free, load_course("flat"), pose)
    assert isinstance(plant, KinematicPlant)  # level ground has no risers
    return plant


def _kick(course: Course, pose: Pose, kicked: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Return the angle by which each robot is turned now, and mark those that were [rad]."""
    disturbance, path = course.disturbance, course.path
    if disturbance is None or path is None or kicked.all():
        return np.zeros(len(kicked))
    due = ~kicked & (np.asarray(path.nearest(pose.x, pose.y)) >= disturbance.at)
    kicked |= due
    return np.where(due, disturbance.yaw, 0.0)


_RIG = load_rig("tp100-overhead")
RATE = _RIG.camera.rate
"""Pictures per second [1/s]."""
PIXEL = _RIG.floor.size[0] / _RIG.camera.size[0]
"""Floor that a pixel shows [m]."""
CORNER_NOISE = _RIG.camera.corner_noise
"""Standard deviation of a corner, each way [pixels]."""
MARKER = _RIG.markers[0].side
"""Side of the marker [m]."""
_CORNERS = 0.5 * MARKER * np.array([(1.0, 1.0), (1.0, -1.0), (-1.0, -1.0), (-1.0, 1.0)])


def film(tracks: Tracks, random: Generator) -> Tracks:
    """Return where the camera sees robots: at its own times, with its noise."""
    times = np.arange(0.0, tracks.time[-1], 1.0 / RATE)
    x, y, yaw = (
        _at(times, tracks.time, values) for values in (tracks.x, tracks.y, tracks.yaw)
    )  # fmt: skip
    cos, sin = np.cos(yaw)[..., np.newaxis], np.sin(yaw)[..., np.newaxis]
    ahead, left = _CORNERS.T
    corners = (cos * ahead - sin * left + x[..., np.newaxis],
               sin * ahead + cos * left + y[..., np.newaxis])  # fmt: skip
    sigma = CORNER_NOISE * PIXEL
    seen = [axis + random.normal(0.0, sigma, axis.shape) for axis in corners]
    x, y, yaw = rigid_fit(_CORNERS, np.stack(seen, axis=-1))
    return Tracks(time=times, x=x, y=y, yaw=np.unwrap(yaw, axis=0))


def _at(
    times: NDArray[np.float64], known: NDArray[np.float64], values: NDArray[np.float64]
) -> NDArray[np.float64]:
    return np.stack([np.interp(times, known, column) for column in values.T], axis=-1)
