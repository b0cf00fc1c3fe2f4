"""Plans by rollouts: how many in a second, and how often they lead over obstacles."""

import math
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from grouser.control import Mppi, MppiSettings, PathFollower
from grouser.description import Course, load_course, load_robot, parse_course
from grouser.description.path import Leg, Path
from grouser.geometry import Pose
from grouser.models import make_model
from grouser.scenario import Part
from grouser.simulation import Driver, Rollouts, Simulation

ROBOT, SPEED = "absolem", 0.3
TICK, HOLD = 0.05, 2
"""Tick of rollouts [s], and ticks of a command [1]."""
ROLLOUTS, PLANS = 256, 5
"""Rollouts of a plan, and plans that are timed."""
COARSE = "csm:timestep=0.005,single=1"
"""Model of rollouts with steps of 5 ms in single precision: about a sixth of the work."""
MODELS = "csm", "csm:timestep=0.002", COARSE
PLACES = {"rough": 2.2, "staircase": 1.3}
"""Where plans are timed: courses, and how far along the robot is then [m]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SpeedRow:
    """How fast plans are made on a course."""

    course: str
    """Course."""
    model: str
    """Model of the rollouts."""
    rate: float
    """Plans in a second of wall time, all cores [1/s]."""
    cpu: float
    """Processor time of a plan, all cores together [s]."""
    differ: float
    """Median distance of the ends from those of the first model [m]."""


def measure_speed(tell: Callable[[str], None] = lambda text: None) -> list[SpeedRow]:
    """Return plans in a second, from the middle of each obstacle."""
    rows = []
    for name, place in PLACES.items():
        course, robot = load_course(name), load_robot(ROBOT)
        live = Simulation(make_model("csm"), robot, course)
        live.run(_until(place, PathFollower(robot, course.path, SPEED)), 60.0)
        ends: list[np.ndarray] = []
        for reference in MODELS:
            tell(f"{name}, {reference}")
            plans = Planner(live, reference, course, MppiSettings(rollouts=ROLLOUTS, speed=SPEED))
            plans.mppi(live.time, live.motion)  # builds and compiles
            assert plans.mppi.foreseen is not None
            first = _ends(plans.mppi.foreseen)
            ends.append(first)
            wall, cpu = time.perf_counter(), time.process_time()
            for _ in range(PLANS):
                plans.mppi.update(live.motion)
            rows.append(
                SpeedRow(
                    course=name,
                    model=reference,
                    rate=PLANS / (time.perf_counter() - wall),
                    cpu=(time.process_time() - cpu) / PLANS,
                    differ=float(np.median(np.linalg.norm(first - ends[0], axis=1))),
                )
            )
    return rows


def _until(place: float, driver: Driver) -> Driver:
    return lambda now, motion: driver(now, motion) if motion.pose.x < place else None


def _ends(found: Rollouts) -> np.ndarray:
    return np.stack([getattr(found.pose, name)[:, -1] for name in ("x", "y", "z")], axis=1)


class Planner:
    """MPPI on a simulation, by rollouts of a model."""

    def __init__(
        self, live: Simulation, reference: str, course: Course, settings: MppiSettings,
        path: Path | None = None,
    ) -> None:  # fmt: skip
        model = make_model(reference)
        # A kinematic model has no stairs: its rollouts are on flat ground.
        ground = course if course.features <= model.features else load_course("flat")

        def roll(speeds: np.ndarray, angles: np.ndarray | None) -> Rollouts:
            return live.rollouts(
                speeds, flipper_angles=angles, dt=TICK, hold=HOLD, model=model, course=ground
            )

        self.mppi = Mppi(live.robot, path or course.path, roll, settings)


BUMPS = """
name = "bumps"
title = "Bumps up to 300 mm, 3 m long"
[path]
elements = [{{ line_m = 4.5 }}]
[[terrain]]
kind = "plane"
[[terrain]]
kind = "heightfield"
name = "bumps"
x_m = 2.25
spacing_m = 0.25
heights_m = [{rows}]
[surfaces.ground]
friction = 0.8
"""


def hard_courses() -> dict[str, Course]:
    """Return courses that are not driven over by following a path alone."""
    heights = np.random.default_rng(1).uniform(0.0, 0.3, (9, 13))
    heights[[0, -1]] = heights[:, [0, -1]] = 0.0
    rows = ",".join(f"[{', '.join(f'{h:.3f}' for h in row)}]" for row in heights)
    stairs = Part(name="staircase", changes={"terrain.stairs.rise_m": 0.2})
    return {
        "bumps up to 300 mm": parse_course(BUMPS.format(rows=rows), "bumps.toml"),
        "stairs of 200 mm": stairs.load_course(),
        "step of 200 mm, friction 0.6": load_course("step", height_m=0.2),
    }


RUNS = 8
"""Runs on each course, by each driver."""
NEAR = 0.3
"""Distance from the goal within which a run has reached it [m]."""
DRIVERS = COARSE, "ideal", "follow"
"""Models of rollouts, and the path follower."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GoalRow:
    """How often drivers reach their goals on a course."""

    course: str
    """Course."""
    driver: str
    """Model of the rollouts, or the path follower."""
    runs: int
    """Number of runs [1]."""
    reached: int
    """How many of them reached the goal [1]."""
    duration: float
    """Mean time of those that did; NaN if none [s]."""
    tilt: float
    """Mean of the largest tilt of all runs [rad]."""


def measure_goals(
    tell: Callable[[str], None] = lambda text: None, runs: int = RUNS, rollouts: int = 64
) -> Iterator[GoalRow]:
    """Return how often goals are reached, of random starts and goals; takes minutes."""
    for name, course in hard_courses().items():
        for driver in DRIVERS:
            results = []
            for seed in range(runs):
                results.append(_run(course, driver, seed, rollouts))
                tell(f"{name}, {driver}, run {seed}: {results[-1]}")
            reached = [duration for duration, _, arrived in results if arrived]
            yield GoalRow(
                course=name,
                driver=driver,
                runs=runs,
                reached=len(reached),
                duration=float(np.mean(reached)) if reached else math.nan,
                tilt=float(np.mean([tilt for _, tilt, _ in results])),
            )


def _run(course: Course, driver: str, seed: int, rollouts: int) -> tuple[float, float, bool]:
    """Return duration [s] and largest tilt [rad] of a run, and whether it reached its goal."""
    robot, random = load_robot(ROBOT), np.random.default_rng(seed)
    assert course.path is not None
    end = course.path.at(course.path.length)
    x, y, yaw = random.uniform((-0.2, -0.1, -0.3), (0.0, 0.1, 0.3))
    goal = end[0] + random.uniform(-0.2, 0.2), end[1] + random.uniform(-0.2, 0.2)
    heading = math.atan2(goal[1] - y, goal[0] - x)
    path = Path(x=x, y=y, heading=heading, legs=(Leg(length=math.dist(goal, (x, y))),))
    live = Simulation(make_model("csm"), robot, course, pose=Pose(x=x, y=y, yaw=yaw))
    by: Driver = PathFollower(robot, path, SPEED)
    if driver != "follow":
        settings = MppiSettings(rollouts=rollouts, speed=SPEED, seed=seed)
        by = Planner(live, driver, course, settings, path).mppi
    live.run(_until_tipped(by), 1.5 * path.length / SPEED + 3.0)
    log, pose = live.log(), live.motion.pose
    tilt = float(np.arccos(np.cos(log["roll"]) * np.cos(log["pitch"])).max())
    return live.time, tilt, math.dist(goal, (pose.x, pose.y)) < NEAR and tilt < 0.5 * math.pi


def _until_tipped(driver: Driver) -> Driver:
    def drive(now: float, motion):
        upright = math.cos(motion.pose.roll) * math.cos(motion.pose.pitch)
        return driver(now, motion) if upright > 0.0 else None

    return drive
