"""Robots in three dimensions that stand for P0's: TP100 on a tread that yields before it grips.

Each is `csm` with the shear law. Nobody knows P0's friction, tread, or how well its encoders were
calibrated: numbers are drawn. All ranges are assumptions, stated before any run; none comes from
P0's results. A belt on firm, level ground without motion resistance does not slip when it drives
straight, whatever its tread: of P0's 0.1 and 0.1188 no part is put in. What such a robot shows as
slip on level ground is the error of its encoders; what rises with slope and in turns is the tread.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from grouser.description import Course, Robot, load_course, load_robot, parse_course
from grouser.drivers import Replay
from grouser.drivers.programs import Constant, Sides
from grouser.log import Column, Log
from grouser.models import make_model
from grouser.papers.variation import Variation
from grouser.simulation import Simulation

COUNT = 32
"""Robots; with them a share of two thirds is beyond a coin at 90 %."""
FRICTION = (0.6, 1.0)
"""Least and greatest friction: tables of rubber on dry concrete have 0.6 to 0.85 when it slides,
and 1.0 when it holds (Engineering Toolbox; Serway and Beichner, 5th ed., Table 5.2) [1]."""
SHEAR_MODULUS = (0.0005, 0.010)
"""Least and greatest shear modulus K of the tread, even in its logarithm: a fraction of the height
of a lug, to more than the gap between two [m]."""
MASS_SPREAD = 0.05
"""Standard deviation of the mass over P0's, with other cables and batteries [1]."""
GAUGE_SPREAD = 0.03
"""Half of the range of the distance of the tracks over P0's: 155 mm (Table 1) to 160 mm (Table 2)
[1]."""
COM_SPREAD = 0.005
"""Half of the range of the place of the centre of mass along x and y around P0's [m]."""
SCALE_SPREAD = 0.05
"""Standard deviation of the error of an encoder's scale: radius 24 mm of a wheel, or 26 mm with its
belt, is 8 % [1]."""
CAMERA_NOISE, CAMERA_YAW_NOISE = 0.0005, 0.005
"""Standard deviations of a camera's place and heading of a marker [m, rad]."""
TICK = 0.02
"""Time between two commands on courses [s]."""
PICTURE_ROWS = 20
"""Rows of a log from one picture to the next: five pictures a second [1]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawnRobot:
    """A robot that stands for P0's."""

    robot: Robot
    """Its geometry and mass."""
    friction: float
    """Coefficient of friction of belt on ground [1]."""
    shear_modulus: float
    """Shear modulus K of its tread [m]."""
    scales: tuple[float, float]
    """True speed of a belt over what its encoder shows, left and right [1]."""

    def prepare(self, course: str, **parameters: float) -> Course:
        """Return a course whose ground is as firm as that of the robot's laboratory."""
        law = f"\n[surfaces.ground.law]\nshear_modulus = {self.shear_modulus!r}\n"
        changes = {"surfaces.ground.friction": self.friction}
        return parse_course(load_course(course).text + law, course, changes, **parameters)

    def drive(self, course: Course, left: float, right: float, duration: float) -> Log:
        """Return a drive at constant speeds by the encoders [m/s]."""
        simulation = Simulation(make_model("csm:law=shear"), self.robot, course)
        sides = Sides(left=left * self.scales[0], right=right * self.scales[1])
        simulation.run(Constant(self.robot, sides), duration=duration)
        return simulation.log()

    def repeat(self, log: Log, course: Course) -> Log:
        """Return what it does with the commands of another robot, by its encoders."""
        simulation = Simulation(make_model("csm:law=shear"), self.robot, course, dt=TICK)
        columns = dict(log.columns)
        for name, scale in zip(("left", "right"), self.scales, strict=True):
            column = columns[f"belt_speed_commanded.{name}"]
            scaled = Column(column.values * scale, column.unit)
            columns[f"belt_speed_commanded.{name}"] = scaled
        driver = Replay(self.robot, Log(columns, log.provenance))
        simulation.run(driver, duration=float(log.time[-1]))
        return simulation.log()


def draw_robots(count: int, variation: Variation) -> list[DrawnRobot]:
    """Return robots drawn from what is not known of P0's."""
    random, nominal = np.random.default_rng(variation.seed), load_robot("tp100")
    return [_draw_robot(nominal, random, variation) for _ in range(count)]


def _draw_robot(nominal: Robot, random: Generator, variation: Variation) -> DrawnRobot:
    friction = random.uniform(*FRICTION) * variation.friction
    modulus = np.exp(random.uniform(*np.log(SHEAR_MODULUS)))
    mass = 1.0 + MASS_SPREAD * random.standard_normal()
    gauge = random.uniform(1.0 - GAUGE_SPREAD, 1.0 + GAUGE_SPREAD)
    offset = random.uniform(-COM_SPREAD, COM_SPREAD, 2)
    scales = 1.0 - SCALE_SPREAD * random.standard_normal(2)
    x, y, z = nominal.body.centre_of_mass
    moved = {"centre_of_mass": (x + float(offset[0]), y + float(offset[1]), z)}
    tracks = tuple(t.model_copy(update={"y": t.y * gauge}) for t in nominal.tracks)
    body = nominal.body.model_copy(update=moved)
    robot = nominal.model_copy(update={"body": body, "tracks": tracks, "text": ""})
    return DrawnRobot(
        robot=Variation(mass=mass * variation.mass).vary_robot(robot),
        friction=float(friction),
        shear_modulus=float(modulus),
        scales=(float(scales[0]), float(scales[1])),
    )


@dataclass(frozen=True, slots=True)
class Filmed:
    """Poses of a robot as a camera saw them."""

    time: np.ndarray
    """Times [s]."""
    x: np.ndarray
    """World x [m]."""
    y: np.ndarray
    """World y [m]."""
    yaw: np.ndarray
    """Heading [rad]."""


def film_drive(log: Log, noise: Generator, begin: float) -> Filmed:
    """Return what a camera sees of a drive from a time on."""
    rows = slice(int(np.searchsorted(log.time, begin)), None, PICTURE_ROWS)
    size = len(log.time[rows])
    x, y = (log[axis][rows] + CAMERA_NOISE * noise.standard_normal(size) for axis in ("x", "y"))
    yaw = np.unwrap(log["yaw"])[rows] + CAMERA_YAW_NOISE * noise.standard_normal(size)
    return Filmed(log.time[rows], x, y, yaw)


def find_interval(values: Sequence[float]) -> tuple[float, float]:
    """Return the 5 % and 95 % quantiles."""
    low, high = np.quantile(np.asarray(values, dtype=float), (0.05, 0.95))
    return float(low), float(high)


def share_interval(count: int, of: int) -> tuple[float, float]:
    """Return the 90 % interval of a share by Wilson's score."""
    z = 1.6449
    share, base = count / of, 1.0 + z * z / of
    middle = (share + z * z / (2.0 * of)) / base
    half = z / base * np.sqrt(share * (1.0 - share) / of + z * z / (4.0 * of * of))
    return float(middle - half), float(middle + half)
