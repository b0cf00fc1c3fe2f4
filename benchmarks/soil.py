"""What soil costs: steps of `csm` with Coulomb's friction beside shear, sinkage and ruts."""

import math
import time
from dataclasses import dataclass

import numpy as np
from tests.models.planar_tracks.robots import make_robot

from grouser.description import Course, parse_course
from grouser.geometry import Pose
from grouser.models import Command, make_model

TICK, STEPS = 0.01, 10
"""Length of a tick [s], and steps in it."""
BELTS = 0.25, 0.35
"""Speeds of the belts [m/s]."""
PLANE = (
    'name = "plane"\n[area]\nx_m = [-3.0, 3.0]\ny_m = [-3.0, 3.0]\n[[terrain]]\nkind = "plane"\n'
)
CASES = {
    "Coulomb": ("csm", "[surfaces.ground]\nfriction = 0.7\n", 1.0),
    "shear, firm ground": (
        "csm:law=shear",
        "[surfaces.ground]\nfriction = 0.7\n[surfaces.ground.law]\nshear_modulus = 0.02\n",
        1.5,
    ),
    "sinkage": ("csm", '[surfaces.ground]\nsoil = "dry-sand"\n[ruts]\non = false\n', 2.0),
    "sinkage and ruts, cells of 2 cm": ("csm", '[surfaces.ground]\nsoil = "dry-sand"\n', 3.0),
}
"""By name: model, surface, and the largest cost over that of Coulomb that is aimed at."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SoilCost:
    """One kind of ground."""

    case: str
    """What the ground is."""
    robots: int
    """How many robots."""
    step: float
    """Processor time of a step of one robot, the best of several [µs]."""
    ratio: float
    """The same over that of Coulomb's friction [1]."""
    aim: float
    """Largest ratio that is aimed at [1]."""


def measure_soil(repeats: int) -> list[SoilCost]:
    """Return the costs of all kinds of ground, which take turns, for one robot and for many."""
    found: list[SoilCost] = []
    for robots in (1, 256):
        drives = {
            name: _Drive(model, surface, robots) for name, (model, surface, _) in CASES.items()
        }
        best = dict.fromkeys(CASES, math.inf)
        for _ in range(repeats):
            for name, drive in drives.items():
                best[name] = min(best[name], drive.step())
        found += [
            SoilCost(case=name, robots=robots, step=1e6 * best[name],
                     ratio=best[name] / best["Coulomb"], aim=CASES[name][2])
            for name in CASES
        ]  # fmt: skip
    return found


class _Drive:
    """Robots of 60 kg in a wide turn, for as long as they are asked to."""

    def __init__(self, model: str, surface: str, robots: int) -> None:
        course: Course = parse_course(PLANE + surface, "plane.toml")
        place = np.zeros(robots)
        pose = Pose(x=place, y=place, yaw=place) if robots > 1 else Pose()
        self.plant = make_model(model).start(make_robot(clearance=0.12), course, pose)
        self.command, self.robots = Command(belt_speeds=BELTS), robots
        self.ticks = 100 if robots == 1 else 4
        for _ in range(100):
            self.plant.advance(self.command, TICK)

    def step(self) -> float:
        """Return the processor time of a step of one robot [s]."""
        begin = time.process_time()
        for _ in range(self.ticks):
            self.plant.advance(self.command, TICK)
        return (time.process_time() - begin) / (self.ticks * STEPS * self.robots)
