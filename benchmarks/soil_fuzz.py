"""Random robots on random soils with jumping commands, then a rest: what must never happen.

Robots of one scene are lanes of one block. Looked for: numbers that are not finite, energy that no
motor gave, robots that creep although their belts stand and the soil can hold them, errors.
"""

import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from tests.models.contact.native.random_soils import GRAVITY, SoilScene, make_soil_scene
from tests.models.contact.rides import energies

from grouser.errors import GrouserError
from grouser.models import make_model
from grouser.models.contact.native.layout import AT_LINKS, AT_SHAPES, AT_WS_COUNTS
from grouser.models.contact.plant import ContactPlant

ROBOTS = 2
"""Robots of a scene."""
TICK, CHANGES, TICKS, REST, WATCHED = 0.01, 5, 50, 800, 200
"""Length of a tick [s], how often commands jump, ticks between, ticks of rest at the end, the last
of them in which nothing may move."""
ENERGY, CREEP = 0.01, 1e-4
"""What counts as a finding: energy gained over m g length, way at rest over the length [1]."""
HOLDS = 0.05
"""Strength over weight of a soil that can be expected to stop a robot in time [1]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SoilCase:
    """One robot of one scene."""

    seed: int
    """Seed of the scene."""
    robot: int
    """Which of its robots."""
    what: str
    """Model, robot, ground."""
    finite: bool = True
    """Whether all numbers were finite."""
    gained: float = 0.0
    """Largest growth of energy beyond the motors' work and what springs may give back, over m g
    length [1]."""
    crept: float = 0.0
    """Way in the last seconds of the rest over the length; nan if the soil cannot hold it [1]."""
    refused: str = ""
    """Why the robot could not be put on the ground, in the words of an error for users."""
    error: str = ""
    """What else was raised."""

    @property
    def is_bad(self) -> bool:
        """Whether something was found."""
        found = self.gained > ENERGY or self.crept > CREEP
        return bool(self.error) or not self.finite or found


def measure_soil_fuzz(scenes: int, first: int, tell: Callable[[str], None]) -> list[SoilCase]:
    """Return the cases of some scenes, from a seed on."""
    logging.getLogger("grouser").setLevel(logging.ERROR)
    found: list[SoilCase] = []
    for seed in range(first, first + scenes):
        found += run_soil_scene(seed)
        if seed % 100 == 99:
            tell(f"{len(found)} cases, {sum(case.is_bad for case in found)} of them told")
    return found


def run_soil_scene(seed: int) -> list[SoilCase]:
    """Return the cases of a seed."""
    scene = make_soil_scene(seed)
    try:
        return _drive(scene)
    except GrouserError as error:
        return [SoilCase(seed=seed, robot=0, what=_describe(scene), refused=str(error))]
    except Exception as error:  # noqa: BLE001 - whatever it is, it is told
        text = f"{type(error).__name__}: {error}"
        return [SoilCase(seed=seed, robot=0, what=_describe(scene), error=text)]


def _describe(scene: SoilScene) -> str:
    return f"{scene.model}, {scene.robot.name}, {scene.place}"


def _drive(scene: SoilScene) -> list[SoilCase]:
    generator = np.random.default_rng(scene.seed + 1)
    poses = scene.poses(generator, ROBOTS)
    plant: Any = make_model(scene.model).start(scene.robot, scene.course, poses)
    unit = scene.robot.mass * GRAVITY * scene.length
    finite, gained = np.ones(ROBOTS, np.bool_), np.zeros(ROBOTS)
    least, begin = np.full(ROBOTS, np.inf), np.zeros((6, ROBOTS))
    allowed = elastic_energy(scene)
    for change in range(CHANGES + 1):
        rests = change == CHANGES
        command = scene.stand if rests else scene.command(generator, ROBOTS)
        for tick in range(REST if rests else TICKS):
            plant.advance(command, TICK)
            left = energy_of(plant, scene) - np.sum(plant.motion.works, axis=0)
            finite &= np.isfinite(left)
            least = np.fmin(least, left)
            gained = np.fmax(gained, (left - least - allowed) / unit)
            if rests and tick == REST - WATCHED - 1:
                begin = place_of(plant)
    crept = np.abs(place_of(plant) - begin)[:3].max(axis=0) / scene.length
    crept = np.where(is_held(plant, scene), crept, np.nan)
    return [
        SoilCase(seed=scene.seed, robot=i, what=_describe(scene), finite=bool(finite[i]),
                 gained=float(gained[i]), crept=float(crept[i]))
        for i in range(ROBOTS)
    ]  # fmt: skip


def place_of(plant: Any) -> NDArray[np.float64]:
    """Return place and attitude of all robots."""
    pose = plant.motion.pose
    return np.array([pose.x, pose.y, pose.z, pose.roll, pose.pitch, pose.yaw])


def is_held(plant: Any, scene: SoilScene) -> Any:
    """Return which robots soil can hold where they stand, upright."""
    pose = plant.motion.pose
    tilt = np.arccos(np.cos(pose.roll) * np.cos(pose.pitch))
    held = np.tan(np.minimum(tilt, 1.5)) + HOLDS < 0.8 * scene.strength
    return held & ~rests_on_hull(plant) if isinstance(plant, ContactPlant) else held


def rests_on_hull(plant: ContactPlant) -> NDArray[np.bool_]:
    """Return which robots have sunk in so far that their hull touches the ground."""
    world: Any = plant.world
    lay, fields = world._lay, world._scratch[0][0].reshape(-1, world._width)
    first = int(lay[AT_WS_COUNTS] + lay[AT_LINKS])
    return fields[first : first + int(lay[AT_SHAPES]), : plant.count].sum(axis=0) > 0.0


def energy_of(plant: Any, scene: SoilScene) -> NDArray[np.float64]:
    """Return kinetic and potential energy of all robots [J]."""
    if isinstance(plant, ContactPlant):
        return energies(plant)
    pose, twist, robot = plant.motion.pose, plant.motion.twist, scene.robot
    height = np.asarray(pose.x) * np.tan(scene.slope)
    speeds = np.asarray(twist.vx) ** 2 + np.asarray(twist.vy) ** 2
    kinetic = 0.5 * robot.mass * speeds
    return kinetic + robot.mass * GRAVITY * height


def elastic_energy(scene: SoilScene) -> float:
    """Return what sheared soil can give back at most [J].

    Mobilised to q, it gives back q - ln(1 + q) of strength times shear modulus.
    """
    strength = scene.strength * scene.robot.mass * GRAVITY
    return strength * scene.soil.shear_modulus * float(1.0 - np.log(2.0))


def worst_on_soil(cases: list[SoilCase], most: int = 12) -> list[SoilCase]:
    """Return the worst cases: those told first, then those nearest to it."""

    def rank(case: SoilCase) -> tuple[bool, float]:
        shares = case.gained / ENERGY, np.nan_to_num(case.crept) / CREEP
        return bool(case.error or not case.finite), max(shares)

    return sorted(cases, key=rank, reverse=True)[:most]
