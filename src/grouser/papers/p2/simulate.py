"""P2's 26 turns driven by robots with its geometry, mass and friction; nothing is fitted.

All turns run at once, one robot each: straight on at the mean speed, then the rims at the speeds
of P2's record, until the motion is steady, then recorded for as long as run 13's turn and
evaluated by P2's eqs 13 to 18, as P2 evaluates its own record.
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, TypeAlias

import numpy as np

from grouser.description import load_course, load_robot
from grouser.geometry import Array, Pose
from grouser.laws.turning_experiment import TurningResult, TurningRun, process_turning_run
from grouser.laws.turning_geometry import FourWheels
from grouser.models import Command, make_model, start_model
from grouser.papers.p2.tables import (
    DURATION_13,
    LENGTH,
    WIDTH,
    read_columns,
    rebuild_wheel_speeds,
)
from grouser.papers.variation import AS_STATED, Variation

ROBOT, COURSE = "zhou-ugv", "flat"
"""P2's vehicle by its Table 1, and level ground with a friction of 0.8."""
FRICTION = 0.8
"""Friction of dry, firm ground, as the course states it [1]."""
RIGID = "wheels"
"""Wheels that touch the ground in a line, with Coulomb friction."""
SHEAR_MODULUS = 0.01
"""Displacement over which tyre and ground mobilise 63 % of the friction: soft rubber tread [A],
stated before the first run [m]."""
SHEAR = "tracks-planar"
"""Tyres with a length of contact, over which friction builds up by the shear law."""

TICK, EVERY = 0.01, 2
"""Length of a tick [s]; ticks between two samples, as of a record at 50 Hz [1]."""
APPROACH, SETTLE = 3.0, 4.0
"""Straight drive before the turn, and turn before the record; 3 s more change D by 0.2 %, and all
else less [s]."""
SHARING = 2e-3
"""Change of a rim's speed per second and per newton that its torque exceeds the mean of its side;
a differential gear, as slow as its wheels' inertia allows [m/s^2/N]."""
LEAST_RIM = 0.1
"""Rim speed below which force is not divided by speed [m/s]."""

PLACES = {"rear-right": "o1", "front-right": "o2", "rear-left": "i1", "front-left": "i2"}
"""Wheels of the robot by P2's names in its runs: outer is right, 1 is rear."""
Side: TypeAlias = Literal["outer", "inner"]


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnSettings:
    """How the turns are driven."""

    model: str = RIGID
    """Reference of the model."""
    paired: bool = False
    """Whether both wheels of a side run at the mean of their speeds, instead of each at its own."""
    sharing: tuple[Side, ...] = ()
    """Sides whose wheels share a torque evenly, at the mean speed of the side."""
    bias: float = 0.0
    """By which share the right wheels roll further per turn than the left ones [1]."""


def shear_model(modulus: float = SHEAR_MODULUS) -> str:
    """Return the reference of the model with the shear law."""
    return f"{SHEAR}:shear_modulus={modulus}"


@dataclass(frozen=True, slots=True, kw_only=True)
class SimulatedTurns:
    """What P2's evaluation finds in the simulated turns, one entry per run."""

    results: tuple[TurningResult, ...]
    """Evaluation of each run."""
    largest_leftward: Array
    """Largest lateral speed of each since its turn began [m/s]."""
    dip: Array
    """How far the inner rear rim fell below its steady speed at the start of the turn [m/s]."""

    def column(self, name: str) -> Array:
        """Return a number of each run by its name in `TurningResult`."""
        return np.array([getattr(result, name) for result in self.results])

    def slippage(self, wheel: str) -> Array:
        """Return the slippage ratio of a wheel in each run, eq 17 [1]."""
        return np.array([getattr(result.slippage, wheel) for result in self.results])

    @property
    def widths(self) -> Array:
        """Apparent width of each run, eq 13 with the mean paths of both sides [m]."""
        return np.mean(self.column("apparent_width"), axis=1)


def simulate_turns(
    settings: TurnSettings | None = None, variation: Variation = AS_STATED
) -> SimulatedTurns:
    """Drive all 26 turns and evaluate them; what was driven last is not driven again."""
    return _drive_turns(settings or TurnSettings(), variation)


@lru_cache(maxsize=16)
def _drive_turns(settings: TurnSettings, variation: Variation) -> SimulatedTurns:
    goals = _goals(settings)
    robot = variation.vary_robot(load_robot(ROBOT))
    course = variation.vary_course(load_course(COURSE))
    start = Pose(x=np.zeros(goals.shape[1]))
    plant = start_model(make_model(settings.model), robot, course, start)
    rolled = _rolled(settings.bias)
    straight = np.broadcast_to(goals.mean(axis=0), goals.shape)
    shared = [_rows_of(side) for side in settings.sharing]
    offsets, works = np.zeros_like(goals), np.zeros_like(goals)
    turns_at, starts_at = round(APPROACH / TICK), round((APPROACH + SETTLE) / TICK)
    samples, rims, leftward = [], [], []
    for tick in range(starts_at + round(DURATION_13 / TICK)):
        goal = straight if tick < turns_at else goals
        plant.advance(Command(belt_speeds=tuple((goal + offsets) * rolled)), TICK)
        motion = plant.motion
        speeds, done = np.array(motion.belt_speeds), np.array(motion.works)
        if shared:
            forces = (done - works) / TICK / np.maximum(speeds, LEAST_RIM)
            for rows in shared:
                offsets[rows] -= TICK * SHARING * (forces[rows] - forces[rows].mean(axis=0))
        works = done
        if tick >= turns_at:
            leftward.append(motion.twist.vy)
            rims.append((speeds / rolled)[_row("i1")])
        if tick >= starts_at and tick % EVERY == 0:
            samples.append((motion.twist.vx, motion.twist.vy, motion.pose.yaw, *(speeds / rolled)))
    return _evaluate(np.array(samples), np.array(rims), np.array(leftward))


def _goals(settings: TurnSettings) -> Array:
    """Return the rim speeds of the record, rows as the robot's wheels [m/s]."""
    speeds = rebuild_wheel_speeds(read_columns("table5.csv"))._asdict()
    goals = np.array([speeds[PLACES[wheel.name]] for wheel in load_robot(ROBOT).wheels])
    if settings.paired or settings.sharing:
        for side in ("outer", "inner"):
            goals[_rows_of(side)] = goals[_rows_of(side)].mean(axis=0)
    return goals


def _row(wheel: str) -> int:
    return [PLACES[w.name] for w in load_robot(ROBOT).wheels].index(wheel)


def _rows_of(side: Side) -> list[int]:
    return [_row(f"{side[0]}1"), _row(f"{side[0]}2")]


def _rolled(bias: float) -> Array:
    """Return how far each wheel rolls over what its sensor counts, as a column [1]."""
    factors = np.full((len(PLACES), 1), 1.0 - 0.5 * bias)
    factors[_rows_of("outer")] = 1.0 + 0.5 * bias
    return factors


def _evaluate(samples: Array, rims: Array, leftward: Array) -> SimulatedTurns:
    """Return P2's evaluation of samples (times, quantities, runs)."""
    times = np.arange(len(samples), dtype=np.float64) * (TICK * EVERY)
    rows = {wheel: 3 + _row(wheel) for wheel in FourWheels._fields}
    results = tuple(
        process_turning_run(
            TurningRun(
                times=times,
                speed=run[:, 0],
                leftward_speed=run[:, 1],
                yaw=run[:, 2],
                wheel_speeds=FourWheels(**{w: run[:, row] for w, row in rows.items()}),
            ),
            LENGTH,
            WIDTH,
        )
        for run in np.moveaxis(samples, 2, 0)
    )
    return SimulatedTurns(
        results=results,
        largest_leftward=np.abs(leftward).max(axis=0),
        dip=rims[-1] - rims.min(axis=0),
    )
