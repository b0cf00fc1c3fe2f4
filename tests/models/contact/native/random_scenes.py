"""Random robots on random courses: sizes over three decades, flippers, wheels, loops, motors."""

from dataclasses import dataclass

import numpy as np

from grouser.description import Course, Robot, parse_course, parse_robot
from grouser.geometry import Pose
from grouser.models import Command
from grouser.models.contact.engine import StepOptions, Variation, build_world
from grouser.models.contact.plant import ContactPlant
from grouser.models.contact.scene import TrackScene, make_scene
from grouser.models.contact.tracks import belts
from grouser.models.contact.traction.law import LAWS

SIZES = -1.5, 1.2
"""Powers of ten of the least and the greatest length of a robot, 3 cm to 16 m."""
PIECES = "none", "boxes", "ramp", "stairs", "pallet", "patch", "heightfield", "slope"
"""What may stand on the plane."""


@dataclass(frozen=True, slots=True)
class RandomScene:
    """A robot, a course, and how they are put together."""

    seed: int
    """What it is made from."""
    robot: Robot
    """The robot."""
    course: Course
    """The ground."""
    scene: TrackScene
    """Both, for an engine."""
    length: float
    """Length of the robot's belts [m]."""

    def start(
        self, pose: Pose, variation: Variation | None = None, threads: int | None = 1
    ) -> ContactPlant:
        """Return robots at rest."""
        count = np.size(pose.x)
        options = StepOptions(threads=threads)
        world = build_world("native", self.scene, LAWS.find("coulomb")(), options, count)
        return ContactPlant(self.scene, world, pose, variation=variation)

    def poses(self, generator: np.random.Generator, count: int) -> Pose:
        """Return random starts near the middle of the course."""
        x, y = generator.uniform(-0.3, 0.3, (2, count)) * self.length
        return Pose(x=x - 0.5 * self.length, y=y, yaw=generator.uniform(-0.7, 0.7, count))

    def command(self, generator: np.random.Generator, count: int) -> Command:
        """Return random commands, up to all that the drives can do."""
        most = self.robot.drive.speed_limit
        belts_ = tuple(generator.uniform(-0.3, 1.0, count) * most for _ in self.robot.drives)
        angles = tuple(generator.uniform(*f.limits, count) for f in self.robot.flippers)
        return Command(belt_speeds=belts_, flipper_angles=angles)


def make_random_scene(
    seed: int,
    *,
    sizes: tuple[float, float] = SIZES,
    masses: tuple[float, float] | None = None,
    frictions: tuple[float, float] = (0.1, 1.5),
) -> RandomScene:
    """Return the scene of a seed; without masses [kg], density is like that of robots."""
    generator = np.random.default_rng(seed)
    length = float(10.0 ** generator.uniform(*sizes))
    density = 10.0 ** generator.uniform(1.8, 2.8)
    mass = density * length**3 * 0.2
    if masses is not None:
        mass = float(10.0 ** generator.uniform(*np.log10(masses)))
    robot = parse_robot(_robot_text(generator, length, float(mass)), "random.toml")
    friction = generator.uniform(*frictions)
    piece = PIECES[seed % len(PIECES)]
    course = parse_course(_course_text(generator, length, float(friction), piece), "random.toml")
    scene = make_scene(robot, course, belts(patches=int(generator.integers(2, 8))))
    return RandomScene(seed, robot, course, scene, length)


def _robot_text(generator: np.random.Generator, length: float, mass: float) -> str:
    draw = generator.uniform
    gauge, radius = length * draw(0.4, 1.2), length * draw(0.08, 0.2)
    width = gauge * draw(0.1, 0.4)
    speed = draw(0.3, 1.5) * np.sqrt(length)
    kind = generator.choice(["oval", "wedge", "trapezoid", "wheels"])
    size = length * draw(0.5, 0.9), (gauge - width) * draw(0.6, 0.95), length * draw(0.08, 0.2)
    height = radius * draw(0.8, 1.2) + 0.5 * size[2]
    inertia = mass / 12.0 * (np.sum(np.square(size)) - np.square(size)) * draw(0.8, 2.0)
    com = length * draw(-0.1, 0.1), gauge * draw(-0.05, 0.05), height * draw(0.6, 1.2)
    parts = [
        f'name = "random"\n[body]\nmass_kg = {mass}\nsize_m = {list(map(float, size))}',
        f"centre_m = [0.0, 0.0, {height}]\ncentre_of_mass_m = {list(map(float, com))}",
        f"inertia_kg_m2 = {inertia.tolist()}",
    ]
    for side, sign in (("left", 0.5), ("right", -0.5)):
        parts += _side(kind, side, sign * gauge, width, 0.5 * length, radius, generator)
    if generator.random() < 0.5:
        parts += _flippers(generator, length, gauge, width, radius, mass)
    parts.append(f"[drive]\nspeed_limit_m_s = {speed}\nacceleration_limit_m_s2 = {5.0 * speed}")
    if generator.random() < 0.4:
        parts.append(f"torque_limit_N_m = {mass * 9.81 * radius * draw(0.05, 1.0)}")
    return "\n".join(parts)


def _side(
    kind: str, side: str, y: float, width: float, half: float, radius: float,
    generator: np.random.Generator,
) -> list[str]:  # fmt: skip
    if kind == "wheels":
        places = np.linspace(-half, half, 3)
        return [
            f'[[wheels]]\nname = "{side}-{k}"\nside = "{side}"\nx_m = {x}\ny_m = {y}\n'
            f"radius_m = {radius}\nwidth_m = {width}"
            for k, x in enumerate(places.tolist())
        ]
    front = {"oval": (half, radius, radius), "wedge": (half, 0.6 * radius, 0.6 * radius)}
    circles = [front.get(kind, (0.7 * half, radius, radius)), (-half, radius, radius)]
    if kind == "trapezoid":
        circles[1] = (-0.7 * half, radius, radius)
        circles += [(-half, 2.5 * radius, 0.8 * radius), (half, 2.5 * radius, 0.8 * radius)]
    pulleys = ", ".join(f"{{ x_m = {x}, z_m = {z}, radius_m = {r} }}" for x, z, r in circles)
    return [
        f'[[tracks]]\nname = "{side}"\nside = "{side}"\ny_m = {y}\nwidth_m = {width}\n'
        f"loop.pulleys = [{pulleys}]"
    ]


def _flippers(
    generator: np.random.Generator, length: float, gauge: float, width: float, radius: float,
    mass: float,
) -> list[str]:  # fmt: skip
    reach, found = length * generator.uniform(0.3, 0.6), []
    for end, sign in (("front", 1.0), ("rear", -1.0))[: int(generator.integers(1, 3))]:
        for side, across in (("left", 1.0), ("right", -1.0)):
            y = across * (0.5 * gauge + 0.9 * width)
            found.append(
                f'[[flippers]]\nname = "{end}-{side}"\nside = "{side}"\n'
                f"hinge_m = [{sign * 0.5 * length}, {y}, {1.2 * radius}]\n"
                f"limits_deg = [-90.0, 90.0]\nrest_deg = {-sign * 30.0}\nspeed_limit_deg_s = 60.0\n"
                f"mass_kg = {0.03 * mass}\ntrack.width_m = {0.7 * width}\ntrack.loop.pulleys = ["
                f"{{ x_m = {sign * reach}, z_m = 0.0, radius_m = {0.4 * radius} }}, "
                f"{{ x_m = 0.0, z_m = 0.0, radius_m = {radius} }}]"
            )
    return found


def _course_text(generator: np.random.Generator, length: float, friction: float, piece: str) -> str:
    draw = generator.uniform
    slope = draw(0.0, 20.0) if piece == "slope" else 0.0
    across = friction * draw(0.2, 1.0)
    surfaces = (
        f"[surfaces.ground]\nfriction = {friction}\nfriction_across = {across}\n"
        f"[surfaces.ice]\nfriction = {0.1 * friction}\n"
    )
    text = f'name = "random"\n[[terrain]]\nkind = "plane"\nslope_deg = {slope}\n'
    for entry in _pieces(generator, length, piece):
        text += (
            "[[terrain]]\n" + "\n".join(f"{key} = {value}" for key, value in entry.items()) + "\n"
        )
    return text + surfaces


def _pieces(generator: np.random.Generator, length: float, piece: str) -> list[dict[str, object]]:
    draw, wide = generator.uniform, 6.0 * length
    high = length * draw(0.03, 0.12)
    ahead = 1.1 * length
    if piece == "boxes":
        return [
            {"kind": '"box"', "x_m": length * draw(0.7, 3.0), "y_m": length * draw(-1.0, 1.0),
             "length_m": length * draw(0.1, 1.0), "width_m": length * draw(0.1, 1.0),
             "height_m": high * draw(0.3, 1.0), "yaw_deg": draw(-90.0, 90.0)}
            for _ in range(5)
        ]  # fmt: skip
    heights = (0.5 * high * generator.random((24, 24))).round(6).tolist()
    entries: dict[str, dict[str, object]] = {
        "ramp": {"x_m": ahead + 1.5 * length, "angle_deg": draw(5.0, 25.0), "up_m": length,
                 "top_m": length, "width_m": wide},
        "stairs": {"x_m": ahead, "count": 4, "tread_m": length * draw(0.3, 0.6), "rise_m": high,
                   "width_m": wide, "landing_m": 2.0 * length},
        "pallet": {"x_m": ahead + 0.5 * length, "length_m": 1.2 * length,
                   "width_m": 0.8 * length, "height_m": high},
        "patch": {"surface": '"ice"', "x_m": length, "length_m": length, "width_m": length},
        "heightfield": {"x_m": 2.0 * length, "spacing_m": 0.25 * length, "heights_m": heights},
    }  # fmt: skip
    return [{"kind": f'"{piece}"', **entries[piece]}] if piece in entries else []
