"""Where the hull of a robot reaches beyond its belts, and so meets obstacles before they do."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from grouser.description.robot import Robot

POINTS_PER_ARC = 64
"""Points by which an arc of a belt is followed: 24 mm of radius within 0.01 mm [1]."""
LEVELS = 33
"""Heights at which hull and belts are compared [1]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Overhang:
    """An end at which an obstacle meets the hull before belts or wheels."""

    end: Literal["front", "rear"]
    """Which end of the robot."""
    height: float
    """Height above the ground at which the hull is farthest beyond them [m]."""
    reach: float
    """How far the hull is beyond them at that height; 0 if they are flush [m]."""

    @property
    def words(self) -> str:
        """The overhang in one sentence."""
        beyond = f"{1e3 * self.reach:.3g} mm beyond" if self.reach > 5e-5 else "as far as"
        return (
            f"the hull's {self.end} reaches {beyond} the belts or wheels at a height of "
            f"{1e3 * self.height:.3g} mm: in 3D models it pushes against a step before they can "
            "climb it; make body.size_m shorter, or move body.centre_m"
        )


def find_overhangs(robot: Robot) -> list[Overhang]:
    """Return the ends at which the hull's box is flush with belts and wheels, or beyond them.

    Compared from the bottom of the hull up to the axle of the foremost or rearmost pulley: there a
    step is met. Flippers count in their rest position. A hull that begins above that axle is met by
    nothing that belts could climb. A hull with shapes of its own (`body.model`) is not judged.
    """
    if robot.body.model_file is not None:
        return []
    (x, _, z), (length, _, height) = robot.body.centre, robot.body.size
    outlines = list(_outlines(robot))
    ends: tuple[tuple[Literal["front", "rear"], float], ...] = (("front", 1.0), ("rear", -1.0))
    found = []
    for end, sign in ends:
        points = max(outlines, key=lambda outline: float(np.max(sign * outline[:, 0])))
        axle = float(points[np.argmax(sign * points[:, 0]), 1])
        levels = np.linspace(z - 0.5 * height, min(axle, z + 0.5 * height), LEVELS)
        if levels[0] >= axle:
            continue
        belts = np.max([_reach(outline, sign, levels) for outline in outlines], axis=0)
        beyond = sign * x + 0.5 * length - belts
        worst = int(np.argmax(beyond))
        if beyond[worst] >= -1e-9:
            found.append(Overhang(end=end, height=float(levels[worst]), reach=float(beyond[worst])))
    return found


def _outlines(robot: Robot) -> Iterator[NDArray[np.float64]]:
    """Yield points (x, z) around each belt and wheel, in the body frame [m]."""
    for track in robot.tracks:
        yield track.loop.outline(POINTS_PER_ARC)
    for flipper in robot.flippers:
        x, z = flipper.track.loop.outline(POINTS_PER_ARC).T
        cos, sin = math.cos(flipper.rest_angle), math.sin(flipper.rest_angle)
        yield np.column_stack(
            (flipper.hinge[0] + x * cos + z * sin, flipper.hinge[2] - x * sin + z * cos)
        )
    around = np.linspace(0.0, 2.0 * np.pi, 2 * POINTS_PER_ARC, endpoint=False)
    for wheel in robot.wheels:
        yield np.column_stack(
            (wheel.x + wheel.radius * np.cos(around), wheel.radius * (1.0 + np.sin(around)))
        )


def _reach(
    outline: NDArray[np.float64], sign: float, levels: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return how far a closed outline reaches towards an end at each height, -inf beside it [m]."""
    (x, z), (x_next, z_next) = outline.T, np.roll(outline, -1, axis=0).T
    low, high = np.minimum(z, z_next), np.maximum(z, z_next)
    level = levels[:, None]
    crosses = (low <= level) & (level <= high)
    rise = np.where(z_next == z, 1.0, z_next - z)
    share = np.clip((level - z) / rise, 0.0, 1.0)
    at = np.where(crosses, sign * (x + share * (x_next - x)), -np.inf)
    return np.max(at, axis=1)
