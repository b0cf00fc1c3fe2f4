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
from grouser.geometry import Pose
from grouser.identify.family import FAMILIES, KnownRobot, Parameter, Predicted
from grouser.identify.record import Record
from grouser.models import Motion, command_sides, make_model, start_model

Array = NDArray[np.float64]
TICK = 0.02
"""Length of one tick [s]."""
UNLIMITED = 1e6
"""Limit that no belt reaches [m/s, m/s^2]."""
START_POSES = 25
"""Number of observed poses whose median is the start pose."""

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

    def predict(self, values: Array, record: Record, known_robot: KnownRobot) -> Predicted:
        """Return the motion for each row of parameter values, all robots at once."""
        robot = known_robot.robot
        if robot is None:
            raise InvalidValue("robot", "none", f"be given for family {self.name!r} (--robot)")
        given = {p.name: values[:, k] for k, p in enumerate(self.searched)}
        linear, angular = given.pop("linear_gain"), given.pop("angular_gain", 1.0)
        count = len(values)
        robot = _without_limits(robot)
        model = make_model(self.model, **given)
        plant = start_model(model, robot, known_robot.course, _start(record, known_robot, count))
        ticks = max(round(record.duration / TICK), 1)
        times = record.time[0] + TICK * np.arange(ticks + 1)
        # Zero-order hold: a sample's speed applies to the interval that ends at it.
        rows = np.searchsorted(record.time, times[1:] - 0.5 * TICK).clip(0, record.time.size - 1)
        motions = [plant.motion]
        for row in rows:
            mean = linear * (0.5 * (record.left[row] + record.right[row]))
            half = angular * (0.5 * (record.right[row] - record.left[row]))
            plant.advance(command_sides(robot, mean - half, mean + half), TICK)
            motions.append(plant.motion)
        return _at(record.time, times, motions, count)

    def draw(self, known_robot: KnownRobot, generator: Generator) -> list[float]:
        """Return the true parameters of a random robot."""
        steering = generator.uniform(*self.drawn)
        return [generator.uniform(0.9, 1.1), steering, generator.uniform(0.6, 1.2)]


def _without_limits(robot: Robot) -> Robot:
    """Return the robot without limits, so that belts follow the log exactly."""
    limits = {"speed_limit": UNLIMITED, "acceleration_limit": UNLIMITED}
    return robot.model_copy(update={"drive": robot.drive.model_copy(update=limits)})


def _start(record: Record, known_robot: KnownRobot, count: int) -> Pose:
    """Return the start poses: fitted, median of the first observed poses, or of the course."""
    at = known_robot.course.start_pose
    x, y, yaw = float(at.x), float(at.y), float(at.yaw)
    if record.start is not None:
        x, y, yaw = record.start
    elif record.observation.kind == "pose":
        first = record.observation.values[:, :START_POSES]
        seen = np.array([row[np.isfinite(row)][0] for row in first])
        gap = first[2] - seen[2]
        turn = np.nanmedian(np.arctan2(np.sin(gap), np.cos(gap)))
        x, y = float(np.nanmedian(first[0])), float(np.nanmedian(first[1]))
        yaw = float(seen[2] + turn)
    return Pose(x=np.full(count, x), y=np.full(count, y), yaw=np.full(count, yaw))


def _at(wanted: Array, times: Array, motions: list[Motion], count: int) -> Predicted:
    """Return motions at other times, a row for each robot."""

    def rows(part: str, name: str) -> Array:
        table = np.stack(
            [np.broadcast_to(getattr(getattr(m, part), name), (count,)) for m in motions]
        )
        return np.stack([np.interp(wanted, times, column) for column in table.T])

    return Predicted(
        x=rows("pose", "x"), y=rows("pose", "y"), yaw=rows("pose", "yaw"),
        vx=rows("twist", "vx"), vy=rows("twist", "vy"), yaw_rate=rows("twist", "yaw_rate"),
    )  # fmt: skip


TANKBOT = SimulatedFamily(
    name="tankbot", summary="planar forces and friction (P3)", cost=4, model="tankbot:points=7"
)
CSM = SimulatedFamily(
    name="csm", summary="3D, contact surface motion (P1)", cost=5, model="csm:timestep=0.004"
)
CSM_ICR = SimulatedFamily(
    name="csm-icr",
    summary="3D, contact surface motion about a centre of rotation (P1)",
    cost=5,
    model="csm:timestep=0.004",
    searched=(GAINS[0], EFFICIENCY, FRICTION),
    drawn=(0.6, 0.95),
)
WHEELS = SimulatedFamily(
    name="wheels", summary="3D, rows of wheels (P1, P4)", cost=5, model="wheels:timestep=0.004"
)
SEGMENTS = SimulatedFamily(
    name="segments", summary="3D, segment links (P4)", cost=6, model="segments:timestep=0.004"
)
"""The simulated families. Planar friction at low speed needs several points along the contact. A
timestep of 4 ms differs from 1 ms by 1 mm and 0.2 deg after 20 s, far below the noise of a log."""
for _family in (TANKBOT, CSM, CSM_ICR, WHEELS, SEGMENTS):
    FAMILIES.register(_family)
