"""Random soils under random robots: decades of stiffness, of strength and of size; commands."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from grouser.description import Course, Robot, load_robot, parse_course, parse_robot
from grouser.description.soil import Soil, soil_names
from grouser.geometry import Pose
from grouser.laws.soil_drive import belts_of
from grouser.models import Command
from grouser.models.contact.traction.shear import belt_strengths

GRAVITY = 9.81
ZOO = "absolem", "packbot510", "quince", "tankbot", "tp100"
PLACES = "flat", "slope", "bin", "bumps"
"""Kinds of ground."""
STEEPEST = 25.0
"""Largest slope [deg]."""


@dataclass(frozen=True, slots=True)
class SoilScene:
    """A robot on soil, and how it is simulated."""

    seed: int
    """What it is made from."""
    model: str
    """Model, with its parameters."""
    robot: Robot
    """The robot."""
    length: float
    """Length of the robot's belts on level ground [m]."""
    soil: Soil
    """The soil."""
    course: Course
    """The ground."""
    place: str
    """Kind of ground."""
    slope: float
    """Angle of the ground, uphill along x [rad]."""

    @property
    def strength(self) -> float:
        """Largest shear force of the soil below the main belts over the weight [1]."""
        weight = self.robot.mass * GRAVITY
        areas = sum(track.width for track in self.robot.tracks) * self.length
        limits = [
            cohesion * areas / weight + friction
            for track in self.robot.tracks
            for cohesion, friction in belt_strengths(self.soil, track)
        ]
        return min(limits)

    def poses(self, generator: np.random.Generator, count: int) -> Pose:
        """Return random starts near the middle of the course."""
        x, y = generator.uniform(-0.5, 0.5, (2, count)) * self.length
        return Pose(x=x, y=y, yaw=generator.uniform(-np.pi, np.pi, count))

    def command(self, generator: np.random.Generator, count: int) -> Command:
        """Return random commands: arcs, turns on the spot, reversals, stops."""
        most = min(self.robot.drive.speed_limit, 2.0)
        forward, turn = generator.uniform(-1.0, 1.0, (2, count))
        kind = generator.integers(0, 4, count)
        forward, turn = np.where(kind == 0, 0.0, forward), np.where(kind == 1, 0.0, turn)
        sides = {"left": forward - turn, "right": forward + turn}
        size = np.maximum(np.maximum(abs(sides["left"]), abs(sides["right"])), 1.0)
        belts = tuple(most * sides[drive.side] / size for drive in self.robot.drives)
        return Command(belt_speeds=belts, flipper_angles=self.angles)

    @property
    def stand(self) -> Command:
        """Command to stand still."""
        return Command(belt_speeds=(0.0,) * len(self.robot.drives), flipper_angles=self.angles)

    @property
    def angles(self) -> tuple[float, ...]:
        """Angles of the flippers at rest [rad]."""
        return tuple(flipper.rest_angle for flipper in self.robot.flippers)


def make_soil_scene(seed: int) -> SoilScene:
    """Return the scene of a seed."""
    generator = np.random.default_rng(seed)
    model = str(generator.choice(["csm", "segments", "tracks-planar"], p=[0.7, 0.2, 0.1]))
    text = _soil_text(generator)
    if generator.random() < 0.3:
        robot = load_robot(str(generator.choice(ZOO)))
        length = belts_of(robot).length
    else:
        length = float(10.0 ** generator.uniform(-0.7, 0.5))
        robot = parse_robot(_robot_text(generator, length), "random.toml")
    place = PLACES[seed % len(PLACES)]
    level = parse_course(_course_text(generator, "flat", text, 0.0, length), "random.toml")
    soil = level.surfaces["ground"].soil
    assert soil is not None
    scene = SoilScene(seed, model, robot, length, soil, level, place, 0.0)
    slope = 0.0
    if place == "slope":
        slope = min(np.degrees(np.arctan(0.7 * scene.strength)), STEEPEST) * generator.random()
    course = parse_course(_course_text(generator, place, text, slope, length), "random.toml")
    return SoilScene(seed, model, robot, length, soil, course, place, float(np.radians(slope)))


def _soil_text(generator: np.random.Generator) -> str:
    draw = generator.uniform
    if generator.random() < 0.15:
        return f'like = "{generator.choice(soil_names())}"'
    numbers: dict[str, Any] = {
        "k_c": 10.0 ** draw(1.0, 6.0) if generator.random() < 0.9 else 0.0,
        "k_phi": 10.0 ** draw(4.0, 7.5),
        "n": draw(0.1, 2.5),
        "cohesion_Pa": draw(0.0, 3e4) if generator.random() < 0.8 else 0.0,
        "friction_angle_deg": draw(0.0, 45.0),
        "shear_modulus_m": 10.0 ** draw(-4.0, np.log10(0.2)),
        "unit_weight_N_m3": 10.0 ** draw(3.0, 4.3),
        "slip_sinkage": str(generator.random() < 0.3).lower(),
    }
    if generator.random() < 0.5:
        numbers |= {"k_0": 10.0 ** draw(5.0, 9.0), "a_u": 10.0 ** draw(6.0, 9.0)}
    return "\n".join(f"{key} = {value}" for key, value in numbers.items())


def _robot_text(generator: np.random.Generator, length: float) -> str:
    draw = generator.uniform
    gauge, radius = length * draw(0.5, 1.2), length * draw(0.08, 0.3)
    width = gauge * draw(0.1, 0.4)
    mass = float(np.clip(10.0 ** draw(1.0, 3.0) * length**3, 1.0, 5000.0))
    size = np.array([0.8 * length, 0.9 * (gauge - width), length * draw(0.1, 0.3)])
    height = radius * draw(0.5, 2.0) + 0.5 * size[2]
    inertia = mass / 12.0 * (np.sum(size**2) - size**2) * draw(0.8, 2.0)
    com = length * draw(-0.1, 0.1), gauge * draw(-0.05, 0.05), height * draw(0.5, 1.2)
    speed = draw(0.3, 1.5) * np.sqrt(length)
    text = f"""
        name = "random"
        [body]
        mass_kg = {mass}
        size_m = {size.tolist()}
        centre_m = [0.0, 0.0, {height}]
        centre_of_mass_m = {[float(c) for c in com]}
        inertia_kg_m2 = {inertia.tolist()}
        [drive]
        speed_limit_m_s = {speed}
        acceleration_limit_m_s2 = {speed * 10.0 ** draw(0.0, 2.0)}
    """
    if generator.random() < 0.3:
        text += f"torque_limit_N_m = {mass * GRAVITY * radius * draw(0.1, 1.0)}\n"
    belt = _belt_text(generator, length, radius, width)
    for side, sign in (("left", 0.5), ("right", -0.5)):
        text += f'[[tracks]]\nname = "{side}"\nside = "{side}"\ny_m = {sign * gauge}\n{belt}'
    return text


def _belt_text(generator: np.random.Generator, length: float, radius: float, width: float) -> str:
    draw, half = generator.uniform, 0.5 * length
    text = f"width_m = {width}\nloop.pulleys = [{{ x_m = {half}, z_m = {radius}, "
    text += f"radius_m = {radius} }}, {{ x_m = {-half}, z_m = {radius}, radius_m = {radius} }}]\n"
    kind = generator.integers(0, 3)
    if kind == 1:
        count, high = int(generator.integers(10, 60)), radius * draw(0.03, 0.2)
        thick = 0.3 * (2.0 * length + 2.0 * np.pi * radius) / count
        text += f'grousers = {{ count = {count}, shape = "cuboid", length_m = {thick}, '
        text += f"height_m = {high} }}\n"
    if kind == 2:
        text += f"soil_contact = {{ adhesion_Pa = {draw(0.0, 5e3)}, "
        text += f"friction_angle_deg = {draw(5.0, 35.0)} }}\n"
    return text


def _course_text(
    generator: np.random.Generator, place: str, soil: str, slope: float, length: float
) -> str:
    draw, wide = generator.uniform, 6.0 * length
    text = f'name = "random"\n[[terrain]]\nkind = "plane"\nslope_deg = {slope}\n'
    if place == "bin":
        for k, name in enumerate(("other", "firm")):
            text += f'[[terrain]]\nkind = "patch"\nsurface = "{name}"\ny_m = {length * (2 * k - 1)}'
            text += f"\nlength_m = {wide}\nwidth_m = {length * draw(0.7, 1.8)}\n"
    if place == "bumps":
        heights = (length * draw(0.02, 0.15) * generator.random((25, 25))).round(6).tolist()
        text += f'[[terrain]]\nkind = "heightfield"\nspacing_m = {wide / 24.0}\n'
        text += f"heights_m = {heights}\n"
    ruts = str(generator.random() < 0.7).lower()
    text += f"[area]\nx_m = [{-wide}, {wide}]\ny_m = [{-wide}, {wide}]\n"
    text += f"[ruts]\non = {ruts}\ncell_m = {max(0.02, 0.02 * length)}\n"
    text += f'[surfaces.firm]\nfriction = {draw(0.3, 1.2)}\n[surfaces.other]\nsoil = "'
    text += f'{generator.choice(soil_names())}"\n'
    return text + f"[surfaces.ground.soil]\n{soil}\n"
