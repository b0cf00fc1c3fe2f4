"""Rollouts: what many robots would do from the state of a live one, for planners.

Plants of many robots are built once and kept: a planner that asks ten times a second for the same
number of rollouts only pays for setting the state and for the ticks.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from grouser.description import Course, Robot
from grouser.errors import InvalidValue, Unsupported
from grouser.geometry import Array, Pose, Twist
from grouser.models import CATALOGUE, Command, Model, Motion, Plant, start_model
from grouser.models.climbing import ClimbingState
from grouser.models.kinematic import KinematicState

if TYPE_CHECKING:
    from grouser.models.contact.engine import Variation

Program: TypeAlias = Callable[[float, Motion], Command]
"""Returns the command of all robots at a time since the live state [s], with arrays."""
KEPT = 4
"""Most sets of plants that are kept, one for each model, course and number of robots [1]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rollouts:
    """What robots would do; axis 0 counts robots, axis 1 samples, axis 2 drives or flippers."""

    time: Array
    """Time of each sample, since the live state [s]."""
    pose: Pose
    """Body frames in the world frame; fields are arrays (robots, samples)."""
    twist: Twist
    """Velocities in the body frame; fields are arrays (robots, samples)."""
    belt_speeds: Array
    """Actual belt speeds (robots, samples, drives) [m/s]."""
    flipper_angles: Array
    """Actual flipper angles (robots, samples, flippers) [rad]."""


@dataclass(frozen=True, slots=True)
class CommandTable:
    """Commands of many robots tick by tick, each held for some ticks."""

    belt_speeds: Array
    """Commanded belt speeds (ticks, drives, robots) [m/s]."""
    flipper_angles: Array | None
    """Commanded flipper angles (ticks, flippers, robots) [rad]; None to keep them."""
    hold: int
    """Number of ticks for which a command is applied [1]."""

    @classmethod
    def of(
        cls, robot: Robot, belt_speeds: ArrayLike, flipper_angles: ArrayLike | None, hold: int
    ) -> "CommandTable":
        """Return the commands of arrays (robots, commands, drives) and (..., flippers).

        Raises:
            InvalidValue: An array has another shape, or a number that is not finite.
        """
        speeds = _check_table("commands", belt_speeds, None, len(robot.drives), "drives")
        angles = None
        if flipper_angles is not None:
            wanted = speeds.shape[:2]
            count = len(robot.flippers)
            angles = _check_table("flipper_angles", flipper_angles, wanted, count, "flippers")
            angles = np.moveaxis(angles, 0, 2).copy()
        return cls(np.moveaxis(speeds, 0, 2).copy(), angles, hold)

    @property
    def shape(self) -> tuple[int, int]:
        """Number of robots, and of ticks."""
        return self.belt_speeds.shape[2], self.belt_speeds.shape[0] * self.hold

    def at(self, tick: int, plant: Plant) -> Command:
        """Return the command of a tick."""
        row = tick // self.hold
        angles = () if self.flipper_angles is None else tuple(self.flipper_angles[row])
        return Command(belt_speeds=tuple(self.belt_speeds[row]), flipper_angles=angles)


@dataclass(frozen=True, slots=True)
class CommandProgram:
    """Commands of many robots from a function."""

    program: Program
    """The function."""
    shape: tuple[int, int]
    """Number of robots, and of ticks."""
    dt: float
    """Length of a tick [s]."""

    def at(self, tick: int, plant: Plant) -> Command:
        """Return the command of a tick, from what the robots do at its beginning."""
        return self.program(tick * self.dt, plant.motion)


def read_commands(
    commands: ArrayLike | Program,
    robot: Robot,
    flipper_angles: ArrayLike | None,
    hold: int,
    shape: tuple[int, int] | None,
    dt: float,
) -> CommandTable | CommandProgram:
    """Return the commands of arrays or of a function; see `Simulation.rollouts`.

    Raises:
        InvalidValue: They do not fit the robot, or it is not clear how many robots there are.
    """
    if not callable(commands):
        return CommandTable.of(robot, commands, flipper_angles, hold)
    if shape is None or len(shape) != 2 or min(shape) < 1:
        raise InvalidValue("shape", shape, "be the number of robots and of ticks, at least 1 each")
    return CommandProgram(commands, shape, dt)


def _check_table(
    name: str, given: ArrayLike, wanted: tuple[int, ...] | None, columns: int, what: str
) -> Array:
    table = np.asarray(given, np.float64)
    if wanted is not None and table.ndim < 3 and table.shape[-1:] == (columns,):
        table = np.broadcast_to(table, (*wanted, columns))
    shape = f"({'robots, commands' if wanted is None else f'{wanted[0]}, {wanted[1]}'}, {columns})"
    fits = table.ndim == 3 and table.shape[2] == columns and table.size > 0
    if not fits or (wanted is not None and table.shape[:2] != wanted):
        raise InvalidValue(name, f"an array {table.shape}", f"be an array {shape}, by {what}")
    if not np.isfinite(table).all():
        raise InvalidValue(name, "not finite", "have finite numbers only")
    return table


@dataclass(slots=True)
class _Kept:
    """Plants of many robots, and what they are of."""

    model: Model
    course: Course
    count: int
    plant: Plant
    is_varied: bool = False


class Branches:
    """Plants of many robots that start from a live one; kept from call to call."""

    def __init__(self, robot: Robot, start: Pose) -> None:
        """Make no plants yet; they are built at `start`, where a robot can stand."""
        self._robot, self._start = robot, start
        self._kept: list[_Kept] = []

    def begin(
        self,
        live: Plant,
        live_model: Model,
        count: int,
        model: Model,
        course: Course,
        variation: "Variation | None",
        offsets: Pose | None,
    ) -> Plant:
        """Return a plant of `count` robots in the state of the live one.

        Another model, or places beside that of the live robot, start from its motion: pose, belt
        speeds and flipper angles for kinematic models; for others, at rest at its pose.
        """
        kept = self._find(count, model, course)
        plant, motion = kept.plant, live.motion
        _vary(kept, variation)
        offsets = offsets or Pose()
        place = _shift(motion.pose, offsets, count)
        shifted = np.any(offsets.x) or np.any(offsets.y)
        if shifted or model.name != live_model.name or not _accepts(plant, live):
            plant.reset(place)
            plant.state = _carry(plant.state, motion)
        elif np.any(offsets.yaw):
            plant.turn(np.broadcast_to(np.asarray(offsets.yaw, np.float64), (count,)))
        return plant

    def _find(self, count: int, model: Model, course: Course) -> _Kept:
        for kept in self._kept:
            if kept.model is model and kept.course is course and kept.count == count:
                return kept
        plant = start_model(model, self._robot, course, _shift(self._start, Pose(), count))
        self._kept = [*self._kept[1 - KEPT :], _Kept(model, course, count, plant)]
        return self._kept[-1]


def _accepts(plant: Plant, live: Plant) -> bool:
    """Give the live state to a plant; return whether it fits."""
    try:
        plant.state = live.state
    except InvalidValue:
        return False
    return True


def _shift(pose: Pose, by: Pose, count: int) -> Pose:
    names = "x", "y", "yaw"
    sums = {name: np.add(getattr(pose, name), getattr(by, name)) for name in names}
    for name, value in sums.items():
        if np.shape(value) not in ((), (1,), (count,)):
            required = f"have one number for each of {count} robots"
            raise InvalidValue(f"offsets.{name}", f"{np.size(value)} numbers", required)
    return Pose(**{n: np.broadcast_to(value, (count,)).copy() for n, value in sums.items()})


def _carry(state: Any, motion: Motion) -> Any:
    """Return a state with the belt speeds and flipper angles of a motion, of kinematic models."""
    if isinstance(state, ClimbingState):
        return replace(state, driven=_carry(state.driven, motion))
    if not isinstance(state, KinematicState):
        return state
    belts, angles = motion.belt_speeds, motion.flipper_angles or state.flipper_angles
    return replace(state, belt_speeds=belts, flipper_angles=angles)


def _vary(kept: _Kept, variation: "Variation | None") -> None:
    """Let the robots differ, on top of the factors of their model; as at first if None."""
    if variation is None and not kept.is_varied:
        return
    if not hasattr(kept.plant, "vary"):
        able = [name for name, kind in CATALOGUE.items() if hasattr(kind, "mass_factor")]
        missing = "friction, mass and payload of each robot"
        raise Unsupported("a variation", kept.model.name, missing, able)
    from grouser.models.contact.engine import Variation

    given = Variation() if variation is None else variation
    given.table(kept.count)  # refuses numbers of another count
    own = {"friction": "friction_factor", "mass": "mass_factor", "linear_gain": "linear_gain",
           "angular_gain": "angular_gain"}  # fmt: skip
    factors = {
        name: np.multiply(getattr(kept.model, parameter, 1.0), getattr(given, name))
        for name, parameter in own.items()
    }
    kept.plant.vary(replace(given, **factors))  # pyright: ignore[reportAttributeAccessIssue]
    kept.is_varied = variation is not None


def roll_out(
    plant: Plant, commands: CommandTable | CommandProgram, dt: float, every: int
) -> Rollouts:
    """Advance a plant of many robots tick by tick; return samples of its motion.

    Args:
        plant: The robots, in the state from which they start.
        commands: Their commands.
        dt: Length of a tick [s].
        every: Number of ticks between two samples [1].
    """
    count, ticks = commands.shape
    samples: list[Array] = []
    with np.errstate(all="ignore"):  # a robot that diverges has numbers that are not finite
        for tick in range(ticks):
            plant.advance(commands.at(tick, plant), dt)
            if (tick + 1) % every == 0:
                samples.append(_sample(plant.motion, count))
    if not samples:
        raise InvalidValue("every", every, f"be at most the number of ticks, {ticks}")
    numbers = np.stack(samples, axis=2).swapaxes(0, 1)  # robots, columns, samples
    columns = [numbers[:, k] for k in range(len(_POSE) + len(_TWIST))]
    drives = len(columns) + len(plant.motion.belt_speeds)
    return Rollouts(
        time=every * dt * np.arange(1, len(samples) + 1, dtype=np.float64),
        pose=Pose(**dict(zip(_POSE, columns, strict=False))),
        twist=Twist(**dict(zip(_TWIST, columns[len(_POSE) :], strict=True))),
        belt_speeds=numbers[:, len(columns) : drives].swapaxes(1, 2),
        flipper_angles=numbers[:, drives:].swapaxes(1, 2),
    )


_POSE = tuple(Pose.__dataclass_fields__)
_TWIST = tuple(Twist.__dataclass_fields__)


def _sample(motion: Motion, count: int) -> Array:
    """Return the numbers of a motion: columns along the first axis, robots along the second."""
    values = [getattr(motion.pose, name) for name in _POSE]
    values += [getattr(motion.twist, name) for name in _TWIST]
    values += [*motion.belt_speeds, *motion.flipper_angles]
    table = np.empty((len(values), count))
    for row, value in zip(table, values, strict=True):
        row[:] = value
    return table
