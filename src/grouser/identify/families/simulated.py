"""Simulated families: contact models and planar dynamics, run as a batch of robots.

The commands are the belt speeds of the log times two gains. Friction is identifiable only where it
is exhausted: in turns on slopes, and at high acceleration.
"""

from dataclasses import dataclass, field

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from grouser.description import Robot
from grouser.errors import InvalidValue
from grouser.geometry import Pose, wrap_angle
from grouser.identify.family import FAMILIES, KnownRobot, LinearMotion, Parameter, Predicted
from grouser.identify.pieces import piece_of_observations
from grouser.identify.record import Record
from grouser.models import Motion, command_sides, make_model, start_model

Array = NDArray[np.float64]
TICK = 0.02
"""Length of one tick [s]."""
UNLIMITED = 1e6
"""Limit that no belt reaches [m/s, m/s^2]."""
START_POSES = 25
"""Number of observed poses of a piece whose median is its start pose."""

GAINS = (
    Parameter(
        name="linear_gain", unit="1", start=1.0, span=0.3, low=0.3, high=2.0,
        manoeuvre="drive straight for some metres",
    ),
    Parameter(
        name="angular_gain", unit="1", start=1.0, span=0.5, low=0.2, high=4.0,
        manoeuvre="turn on the spot and in arcs, to both sides",
    ),
)  # fmt: skip
FRICTION = Parameter(
    name="friction_factor", unit="1", start=1.0, span=0.5, low=0.1, high=3.0,
    manoeuvre="turn on a slope, or accelerate until the tracks slip",
)  # fmt: skip
EFFICIENCY = Parameter(
    name="steering_efficiency", unit="1", start=0.8, span=0.3, low=0.05, high=1.0,
    manoeuvre="turn on the spot and in arcs, to both sides",
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class SimulatedFamily:
    """A simulation model with gains on its belt speeds and a factor on friction."""

    name: str
    """Name on the command line."""
    summary: str
    """One line for lists."""
    cost: int
    """Rank by computing time."""
    model: str
    """Simulation model with its options."""
    searched: tuple[Parameter, ...] = (*GAINS, FRICTION)
    """Parameters to identify."""
    drawn: tuple[float, float] = (0.8, 1.2)
    """Range of the second parameter of random robots [1]."""
    is_simulated: bool = field(default=True)
    """Whether each prediction is a simulation."""

    def parameters(
        self, known_robot: KnownRobot, records: tuple[Record, ...]
    ) -> tuple[Parameter, ...]:
        """Return gains and friction.

        Raises:
            InvalidValue: No robot is known, or the records are steady states.
        """
        if known_robot.robot is None:
            raise InvalidValue("robot", "none", f"be given for family {self.name!r} (--robot)")
        if any(record.steady for record in records):
            required = f"be a drive with times for family {self.name!r}"
            raise InvalidValue("log", "a table of steady states", required)
        return self.searched

    def begin(
        self, linear: LinearMotion, record: Record, known_robot: KnownRobot
    ) -> dict[str, float]:
        """Return the gain of straights, and how much of a turn the tracks make."""
        share = 0.5 * known_robot.gauge * linear.yaw_half / max(linear.forward_mean, 0.1)
        return {"linear_gain": linear.forward_mean, "steering_efficiency": share}

    def predict(self, values: Array, record: Record, known_robot: KnownRobot) -> Predicted:
        """Return the motion for each row of parameter values, all robots at once."""
        robot = known_robot.robot
        if robot is None:
            raise InvalidValue("robot", "none", f"be given for family {self.name!r} (--robot)")
        count = len(values) * record.first.size
        values = np.repeat(values, record.first.size, axis=0)  # all pieces of a set, set by set
        given = {p.name: values[:, k] for k, p in enumerate(self.searched)}
        linear, angular = given.pop("linear_gain"), given.pop("angular_gain", 1.0)
        robot = _without_limits(robot)
        model = make_model(self.model, **given)
        starts = np.tile(_starts(record, known_robot), (count // record.first.size, 1))
        pose = Pose(x=starts[:, 0], y=starts[:, 1], yaw=starts[:, 2])
        plant = start_model(model, robot, known_robot.course, pose)
        motions = [plant.motion]
        for row in _rows_of_ticks(record):
            row = np.tile(row, count // record.first.size)
            mean = linear * (0.5 * (record.left[row] + record.right[row]))
            half = angular * (0.5 * (record.right[row] - record.left[row]))
            plant.advance(command_sides(robot, mean - half, mean + half), TICK)
            motions.append(plant.motion)
        return _at_samples(record, motions, count)

    def draw(self, known_robot: KnownRobot, generator: Generator) -> list[float]:
        """Return the true parameters of a random robot."""
        steering = generator.uniform(*self.drawn)
        return [generator.uniform(0.9, 1.1), steering, generator.uniform(0.6, 1.2)]


def _without_limits(robot: Robot) -> Robot:
    """Return the robot without limits, so that belts follow the log exactly."""
    limits = {"speed_limit": UNLIMITED, "acceleration_limit": UNLIMITED}
    return robot.model_copy(update={"drive": robot.drive.model_copy(update=limits)})


def _rows_of_ticks(record: Record) -> NDArray[np.intp]:
    """Return the belt speed that applies to each tick (tick, piece); the last one is held."""
    ticks = max(round(float(record.durations.max()) / TICK), 1)
    ends = TICK * np.arange(1, ticks + 1)[:, None] + record.time[record.first]
    # Zero-order hold: a sample's speed applies to the interval that ends at it.
    rows = np.searchsorted(record.time, ends - 0.5 * TICK)
    return np.clip(rows, record.first, record.last)


def _starts(record: Record, known_robot: KnownRobot) -> Array:
    """Return the start poses (piece, 3): fitted, by the first observed poses, or of the course."""
    if record.starts is not None:
        return record.starts
    at = known_robot.course.start_pose
    starts = np.tile([float(at.x), float(at.y), float(at.yaw)], (record.first.size, 1))
    if record.observation.kind != "pose":
        return starts
    piece, values = piece_of_observations(record), record.observation.values
    for number in range(record.first.size):
        seen = values[:, np.flatnonzero(piece == number)[:START_POSES]]
        seen = seen[:, np.isfinite(seen).all(axis=0)]
        if seen.size:
            turn = np.median(wrap_angle(seen[2] - seen[2, 0]))
            starts[number] = (np.median(seen[0]), np.median(seen[1]), seen[2, 0] + turn)
    return starts


def _at_samples(record: Record, motions: list[Motion], count: int) -> Predicted:
    """Return motions at the times of the belt speeds, a row for each set of values."""
    since = TICK * np.arange(len(motions))
    piece, sets = record.piece, count // record.first.size

    def rows(part: str, name: str) -> Array:
        table = np.stack(
            [np.broadcast_to(getattr(getattr(m, part), name), (count,)) for m in motions]
        ).reshape(since.size, sets, record.first.size)
        found = np.empty((sets, record.time.size))
        for number, first in enumerate(record.first):
            inside = piece == number
            at = record.time[inside] - record.time[first]
            for row in range(sets):
                found[row, inside] = np.interp(at, since, table[:, row, number])
        return found

    return Predicted(
        x=rows("pose", "x"), y=rows("pose", "y"), yaw=rows("pose", "yaw"),
        vx=rows("twist", "vx"), vy=rows("twist", "vy"), yaw_rate=rows("twist", "yaw_rate"),
    )  # fmt: skip


TANKBOT = SimulatedFamily(
    name="tankbot", summary="planar forces and friction (P3)", cost=6, model="tankbot:points=7"
)
CSM = SimulatedFamily(
    name="csm", summary="3D, contact surface motion (P1)", cost=7, model="csm:timestep=0.004"
)
CSM_ICR = SimulatedFamily(
    name="csm-icr",
    summary="3D, contact surface motion about a centre of rotation (P1)",
    cost=7,
    model="csm:timestep=0.004",
    searched=(GAINS[0], EFFICIENCY, FRICTION),
    drawn=(0.6, 0.95),
)
WHEELS = SimulatedFamily(
    name="wheels", summary="3D, rows of wheels (P1, P4)", cost=7, model="wheels:timestep=0.004"
)
SEGMENTS = SimulatedFamily(
    name="segments", summary="3D, segment links (P4)", cost=8, model="segments:timestep=0.004"
)
"""The simulated families. Planar friction at low speed needs several points along the contact. A
timestep of 4 ms differs from 1 ms by 1 mm and 0.2 deg after 20 s, far below the noise of a log."""
for _family in (TANKBOT, CSM, CSM_ICR, WHEELS, SEGMENTS):
    FAMILIES.register(_family)
