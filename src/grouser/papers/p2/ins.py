"""Raw records as an inertial navigation system with GNSS would write them in P2's turns.

P2 states neither the rate nor the noise of its system. All numbers of `InsNoise` are assumptions
[A]: a system with two antennas and carrier-phase positions, as data sheets of that class state it.

A drive stands, speeds up, goes straight on, turns, goes straight on, slows down and stands. It is
either that of the simulated vehicle of `simulate`, or one on P2's own circles with the slippage
ratios of its Table 5. What P2's procedure finds in the noisy record is compared with what it finds
in the same part of the drive without noise: a round trip through our simulation and our procedure.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.random import Generator
from scipy.signal import lfilter

from grouser.description import load_course, load_robot
from grouser.geometry import Array, Pose, rotate
from grouser.identify.reading import read_record
from grouser.identify.record import Record
from grouser.identify.turning_tables import Turn
from grouser.identify.turns import find_turns
from grouser.laws.turning_experiment import TurningResult, TurningRun, process_turning_run
from grouser.laws.turning_geometry import FourWheels, wheel_velocities
from grouser.log import Column, Log
from grouser.models import Command, make_model, start_model
from grouser.papers.p2.simulate import COURSE, PLACES, RIGID, ROBOT, TICK
from grouser.papers.p2.tables import (
    DURATION_13,
    LENGTH,
    WHEELS,
    WIDTH,
    read_columns,
    read_quantities,
    rebuild_wheel_speeds,
)

SMALLEST = 0.02
"""Least difference of the sides that counts as a turn: half of that of P2's widest turn [m/s]."""
REST, SPEEDING, STRAIGHT, RAMP = 20.0, 2.5, 2.0, 0.5
"""Time of standstill before and after, of speeding up and slowing down, of going straight on before
and after the turn, and of its beginning and end [s]."""
TURN = DURATION_13 + 0.4
"""Time of the turn, so that its steady part lasts about as long as run 13's [s]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class InsNoise:
    """Rate and noise of the sensors; all assumed [A]."""

    period: float = 0.02
    """Time between samples [s]."""
    position: float = 0.005
    """Standard deviation of the white part of a coordinate [m]."""
    slow_position: float = 0.02
    """Standard deviation of the slowly varying part of a coordinate [m]."""
    heading: float = np.radians(0.02)
    """Standard deviation of the white part of the heading [rad]."""
    slow_heading: float = np.radians(0.1)
    """Standard deviation of the slowly varying part of the heading [rad]."""
    correlation_time: float = 20.0
    """Correlation time of the slow parts [s]."""
    wheel: float = 0.02
    """Standard deviation of a wheel's speed while it rolls [m/s]."""
    wheel_step: float = 0.01
    """Step to which wheel speeds are rounded [m/s]."""
    jumps: float = 0.001
    """Share of positions with a gross error [1]."""
    jump: float = 0.5
    """Standard deviation of a gross error [m]."""


INS = InsNoise()
"""The assumed sensors."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class TrueDrive:
    """A drive as it was, sampled as a record."""

    number: int
    """Number of P2's run [1]."""
    is_right: bool
    """Whether it turns right, as the mirror image of a run."""
    time: Array
    """Times of the samples [s]."""
    pose: Array
    """Rows x [m], y [m], yaw [rad]."""
    twist: Array
    """Rows of forward and leftward speed [m/s]."""
    wheels: dict[str, Array]
    """Speed of each wheel by name [m/s]."""

    def evaluate(self, turn: Turn) -> TurningResult:
        """Return what P2's procedure finds in a part of the drive without noise."""
        sign = -1.0 if self.is_right else 1.0
        start, end = (float(t) for t in (turn.start, turn.end) if t is not None)
        rows = (self.time >= start - 1e-9) & (self.time <= end + 1e-9)
        names = {place: _mirror(name) if self.is_right else name for name, place in PLACES.items()}
        run = TurningRun(
            times=self.time[rows],
            speed=self.twist[0, rows],
            leftward_speed=sign * self.twist[1, rows],
            yaw=sign * self.pose[2, rows],
            wheel_speeds=FourWheels(*(self.wheels[names[w]][rows] for w in WHEELS)),
        )
        return process_turning_run(run, LENGTH, WIDTH, turn.dropped_at_start)

    def to_log(self, generator: Generator, noise: InsNoise = INS) -> Log:
        """Return the record that the sensors write."""
        size, slow = self.time.size, noise.correlation_time

        def draw(white: float, slowly: float) -> Array:
            kept = np.exp(-noise.period / slow)
            steps = generator.standard_normal(size)
            steps[1:] *= np.sqrt(1.0 - kept**2)
            drift = np.asarray(lfilter([1.0], [1.0, -kept], steps))
            return white * generator.standard_normal(size) + slowly * drift

        columns = {"time": Column(self.time, "s")}
        for name, row in zip("xy", self.pose, strict=False):
            seen = row + draw(noise.position, noise.slow_position)
            wrong = generator.random(size) < noise.jumps
            seen[wrong] += generator.normal(0.0, noise.jump, int(wrong.sum()))
            columns[name] = Column(seen, "m")
        yaw = self.pose[2] + draw(noise.heading, noise.slow_heading)
        columns["yaw"] = Column(np.arctan2(np.sin(yaw), np.cos(yaw)), "rad")
        for name, rim in self.wheels.items():
            seen = np.where(rim > 0.0, rim + generator.normal(0.0, noise.wheel, size), 0.0)
            rounded = noise.wheel_step * np.round(seen / noise.wheel_step)
            columns[f"belt_speed_measured.{name}"] = Column(rounded, "m/s")
        return Log(columns)


def _mirror(name: str) -> str:
    return name.replace("left", "?").replace("right", "left").replace("?", "right")


def _profile() -> tuple[Array, Array, Array]:
    """Return times at every tick, share of the speed and share of the turn."""
    lengths = (REST, SPEEDING, STRAIGHT, RAMP, TURN, RAMP, STRAIGHT, SPEEDING, REST)
    edges = np.concatenate(([0.0], np.cumsum(lengths)))
    time = np.arange(round(edges[-1] / TICK), dtype=np.float64) * TICK
    speed = np.interp(time, edges, (0.0, 0.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 0.0, 0.0))
    turn = np.interp(time, edges, (0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0, 0.0))
    return time, speed, turn


def drive_table_5(runs: Sequence[int], *, is_right: bool = False) -> Iterator[TrueDrive]:
    """Yield drives on the circles of P2's runs, whose wheels slip by the ratios of Table 5."""
    table, ahead = read_columns("table5.csv"), read_quantities("table4.csv")["D"]
    time, started, turning = _profile()
    every = round(INS.period / TICK)
    for number in runs:
        run = {name: float(column[number - 1]) for name, column in table.items()}
        sign = -1.0 if is_right else 1.0
        speed = run["R0_m"] * run["Ev_t_mps"] / WIDTH * started
        rate = run["Ev_t_mps"] / WIDTH * turning * started
        forward, _ = wheel_velocities(speed, rate, ahead, LENGTH, WIDTH)
        factors = (run["sl_o1"], run["sl_o2"], 1.0 / run["sl_i1"], 1.0 / run["sl_i2"])
        rims = dict(zip(WHEELS, (v * f**turning for v, f in zip(forward, factors, strict=True)),
                        strict=True))  # fmt: skip
        yaw = sign * np.cumsum(rate) * TICK + 0.1 * number
        leftward = -sign * rate * ahead
        vx, vy = rotate(speed, leftward, yaw - 0.5 * sign * rate * TICK)
        pose = np.stack([np.cumsum(vx) * TICK, np.cumsum(vy) * TICK, yaw])
        names = {_mirror(name) if is_right else name: place for name, place in PLACES.items()}
        yield TrueDrive(
            number=number, is_right=is_right, time=time[::every], pose=pose[:, ::every],
            twist=np.stack([speed, leftward])[:, ::every],
            wheels={name: np.asarray(rims[place])[::every] for name, place in names.items()},
        )  # fmt: skip


def simulate_drives(runs: Sequence[int], model: str = RIGID) -> list[TrueDrive]:
    """Return drives of the simulated vehicle with the wheel speeds of P2's runs, left and right."""
    robot = load_robot(ROBOT)
    speeds = rebuild_wheel_speeds(read_columns("table5.csv"))._asdict()
    of_runs = np.asarray(runs) - 1
    names = [wheel.name for wheel in robot.wheels]
    goals = np.concatenate([
        [np.asarray(speeds[PLACES[name]])[of_runs] for name in names],
        [np.asarray(speeds[PLACES[_mirror(name)]])[of_runs] for name in names],
    ], axis=1)  # fmt: skip
    mean = goals.mean(axis=0)
    start = Pose(x=np.zeros(goals.shape[1]), yaw=0.1 * np.arange(goals.shape[1]))
    plant = start_model(make_model(model), robot, load_course(COURSE), start)
    time, started, turning = _profile()
    moving = np.flatnonzero(started > 0.0)
    state = np.zeros((5 + len(names), time.size, goals.shape[1]))
    state[2] = start.yaw
    for tick in moving:
        command = started[tick] * (mean + turning[tick] * (goals - mean))
        plant.advance(Command(belt_speeds=tuple(command)), TICK)
        motion = plant.motion
        state[:, tick] = (motion.pose.x, motion.pose.y, motion.pose.yaw, motion.twist.vx,
                          motion.twist.vy, *motion.belt_speeds)  # fmt: skip
    state[:3, moving[-1] + 1 :] = state[:3, moving[-1], None]
    state = state[:, :: round(INS.period / TICK)]
    return [
        TrueDrive(
            number=runs[k % len(runs)], is_right=k >= len(runs),
            time=time[:: round(INS.period / TICK)], pose=state[:3, :, k], twist=state[3:5, :, k],
            wheels={name: state[5 + row, :, k] for row, name in enumerate(names)},
        )
        for k in range(goals.shape[1])
    ]  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class RatioCheck:
    """One slippage ratio of a turn: as found, as it was, and as P2 printed it."""

    run: int
    direction: str
    radius: float
    """R0 as found [m]."""
    wheel: str
    found: float
    """As found in the noisy record [1]."""
    low: float
    """Lower end of the interval [1]."""
    high: float
    """Upper end of the interval [1]."""
    true: float
    """Without noise [1]."""
    published: float
    """Of P2's Table 5 [1]."""

    @property
    def is_inside(self) -> bool:
        """Whether the true ratio lies in the interval."""
        return self.low <= self.true <= self.high


def _other_quantities(result: TurningResult) -> dict[str, float]:
    """Return what has an interval and is no slippage ratio."""
    names = ("radius", "calculated_width", "true_difference", "apparent_difference")
    least, largest = result.apparent_width
    return {
        **{name: getattr(result, name) for name in names},
        "apparent_width.least": least,
        "apparent_width.largest": largest,
        "offset_ahead": result.offset,
    }


@dataclass(slots=True, kw_only=True)
class RoundTrip:
    """What came back from noisy records."""

    checks: list[RatioCheck] = field(default_factory=list)
    """All ratios."""
    quantities: dict[str, list[tuple[bool, float]]] = field(default_factory=dict)
    """Of other quantities by name: whether the true value lies inside, and the interval's width
    [unit of the quantity]."""
    drives: int = 0
    """Number of drives, each with one turn."""
    not_found: int = 0
    """Drives in which not exactly one turn was found."""

    def add(self, drive: TrueDrive, generator: Generator, noise: InsNoise = INS) -> Turn | None:
        """Evaluate a drive's noisy record; return its turn."""
        robot = load_robot(ROBOT)
        log = drive.to_log(generator, noise)
        record: Record = read_record(log, f"run {drive.number}", robot)
        turns = find_turns(record, robot, SMALLEST)
        self.drives += 1
        if len(turns) != 1:
            self.not_found += 1
            return None
        turn, true = turns[0], drive.evaluate(turns[0])
        for name, value in _other_quantities(true).items():
            low, high = turn.intervals[name]
            self.quantities.setdefault(name, []).append((low <= value <= high, high - low))
        for wheel in WHEELS:
            low, high = turn.intervals[f"slippage.{wheel}"]
            self.checks.append(RatioCheck(
                run=drive.number, direction=turn.direction, radius=turn.radius, wheel=wheel,
                found=float(getattr(turn.slippage, wheel)), low=low, high=high,
                true=float(getattr(true.slippage, wheel)),
                published=float(read_columns("table5.csv")[f"sl_{wheel}"][drive.number - 1]),
            ))  # fmt: skip
        return turn

    def share_inside(self, wheel: str = "") -> float:
        """Return the share of true ratios in their intervals, of a wheel or of all [1]."""
        return float(np.mean([c.is_inside for c in self.checks if wheel in ("", c.wheel)]))

    def median_width(self, wheel: str = "") -> float:
        """Return the median width of the intervals, of a wheel or of all [1]."""
        return float(np.median([c.high - c.low for c in self.checks if wheel in ("", c.wheel)]))
