"""Random robots on random courses with jumping commands: what must never happen, and how near.

Robots of one scene are the lanes of one block. Looked for: numbers that are not finite, energy that
no motor gave, belts and hulls that sink in, robots that fell through, errors.
"""

import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from tests.models.contact.native.random_scenes import RandomScene, make_random_scene
from tests.models.contact.rides import GRAVITY, energies

from grouser.models import Command
from grouser.models.contact.engine import Variation
from grouser.models.contact.native.layout import (
    AT_GROUPS,
    AT_SLOTS,
    AT_WS_COUNTS,
    AT_WS_STAGE,
    DEPTH,
    STAGED,
)
from grouser.models.contact.plant import ContactPlant

LANES = 8
"""Robots of a scene, one block of lanes."""
TICK, CHANGES, TICKS, REST = 0.01, 6, 25, 50
"""Length of a tick [s], how often commands jump, ticks between, ticks of rest at the end."""
ENERGY, SUNK, SINKING = 0.01, 0.01, 0.05
"""What is told: energy from nothing over m g length, depth at the end and on the way [1]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One robot of one scene."""

    seed: int
    """Seed of the scene."""
    robot: int
    """Which of its robots."""
    length: float
    """Length of the robot's belts [m]."""
    mass: float
    """Mass [kg]."""
    what: str
    """What it has: flippers, motors with limits, wheels; what stands on the ground."""
    finite: bool
    """Whether all numbers were finite."""
    gained: float
    """Largest energy beyond the start's and the motors' work, over m g length; nan if not known
    because servos moved flippers [1]."""
    deepest: float
    """Largest depth of a contact on the way, over the length [1]."""
    sunk: float
    """Largest depth at the end, after a rest [1]."""
    fell: bool
    """Whether the robot's middle was below the ground at the end."""
    lost: int
    """Contacts that found no room."""
    error: str = ""
    """What was raised."""

    @property
    def is_bad(self) -> bool:
        """Whether something was found."""
        return bool(
            self.error or not self.finite or self.fell or self.gained > ENERGY
            or self.deepest > SINKING or self.sunk > SUNK
        )  # fmt: skip


def measure_fuzz(cases: int, first: int, tell: Callable[[str], None]) -> list[Case]:
    """Return some cases, from a seed on."""
    logging.getLogger("grouser").setLevel(logging.ERROR)
    found: list[Case] = []
    for seed in range(first, first - (-cases // LANES)):
        found += run_scene(seed)
        if seed % 100 == 99:
            tell(f"{len(found)} cases, {sum(case.is_bad for case in found)} of them told")
    return found


def draw_scene(seed: int) -> RandomScene:
    """Return the scene of a seed, with masses that need not fit the size."""
    return make_random_scene(seed, masses=(0.1, 1e4), frictions=(0.0, 2.0))


def run_scene(seed: int) -> list[Case]:
    """Return the cases of a seed."""
    try:
        scene = draw_scene(seed)
        return _drive(scene)
    except Exception as error:  # noqa: BLE001 - whatever it is, it is told
        text = f"{type(error).__name__}: {error}"
        return [
            Case(seed=seed, robot=0, length=0.0, mass=0.0, what="", finite=True, gained=0.0,
                 deepest=0.0, sunk=0.0, fell=False, lost=0, error=text)
        ]  # fmt: skip


def _drive(scene: RandomScene) -> list[Case]:
    generator = np.random.default_rng(scene.seed + 1)
    poses = scene.poses(generator, LANES)
    plant = scene.start(poses, Variation(friction=generator.uniform(0.5, 1.5, LANES)))
    weight = scene.scene.mass * GRAVITY * scene.length
    moves_flippers = bool(scene.robot.flippers) and scene.seed % 2 == 0
    begin, finite = energies(plant), np.ones(LANES, np.bool_)
    gained, deepest = np.zeros(LANES), np.zeros(LANES)
    angles = tuple(flipper.rest_angle for flipper in scene.robot.flippers)
    for change in range(CHANGES + 1):
        command = scene.command(generator, LANES)
        if change == CHANGES:
            command = Command(belt_speeds=(0.0,) * len(scene.robot.drives))
        if not moves_flippers:
            command = Command(belt_speeds=command.belt_speeds, flipper_angles=angles)
        for _ in range(TICKS if change < CHANGES else REST):
            plant.advance(command, TICK)
            finite &= np.isfinite(plant.world.readings).all(axis=1)
            deepest = np.fmax(deepest, depths(plant))
            works: Any = plant.world.works
            gained = np.fmax(gained, (energies(plant) - begin - works.sum(axis=1)) / weight)
    return _judge(
        scene, plant, finite, np.full(LANES, np.nan) if moves_flippers else gained, deepest
    )


def _judge(
    scene: RandomScene, plant: ContactPlant, finite: NDArray[np.bool_], gained: Any, deepest: Any
) -> list[Case]:
    world: Any = plant.world
    x, y, z = plant.world.centre_of_mass.T
    below = z < np.asarray(scene.course.terrain.height(x.copy(), y.copy()))
    sunk, robot = depths(plant), scene.robot
    has = {
        f"{len(robot.flippers)} flippers": robot.flippers,
        "wheels": robot.wheels,
        "limits": robot.drive.torque_limit,
    }
    words = [word for word, given in has.items() if given]
    words += [type(solid).__name__.lower() for solid in scene.course.terrain.solids[1:2]]
    return [
        Case(
            seed=scene.seed, robot=i, length=scene.length, mass=scene.scene.mass,
            what=", ".join(words), finite=bool(finite[i]), gained=float(gained[i]),
            deepest=float(deepest[i] / scene.length), sunk=float(sunk[i] / scene.length),
            fell=bool(below[i]), lost=int(world.lost_contacts[i]),
        )
        for i in range(LANES)
    ]  # fmt: skip


def depths(plant: ContactPlant) -> NDArray[np.float64]:
    """Return the depth of the deepest contact of each robot in the last step [m]."""
    world: Any = plant.world
    lay, (work, *_), width = world._lay, world._scratch[0], world._width
    groups, slots = int(lay[AT_GROUPS]), int(lay[AT_SLOTS])
    fields = work.reshape(-1, width)
    first = int(lay[AT_WS_STAGE])
    stage = fields[first : first + groups * slots * STAGED].reshape(groups, slots, STAGED, width)
    counts = fields[int(lay[AT_WS_COUNTS]) : int(lay[AT_WS_COUNTS]) + groups]
    used = np.arange(slots)[None, :, None] < counts[:, None, :]
    deep = np.where(used, -stage[:, :, DEPTH], 0.0)
    return deep.max(axis=(0, 1))[: plant.count]


def worst(cases: list[Case], most: int = 10) -> list[Case]:
    """Return the worst cases: those told first, then those nearest to it."""

    def rank(case: Case) -> tuple[bool, float]:
        shares = (np.nan_to_num(case.gained) / ENERGY, case.deepest / SINKING, case.sunk / SUNK)
        return bool(case.error or not case.finite or case.fell), max(shares)

    return sorted(cases, key=rank, reverse=True)[:most]
