"""Hulls that resemble the robots of the zoo, and one for all other robots.

What is drawn here is for the eye: sensors, arms and lamps that a robot's file does not have touch
nothing and weigh nothing. The box of the hull is as large as in the file.
"""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

from grouser.description import Robot
from grouser.description.schema import Vector
from grouser.drawing.look.painted import Painted, block, drum, lens, place, rod, shell, wedge
from grouser.drawing.mesh import flat, moved
from grouser.drawing.robot_mesh import own_hull


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame:
    """Ends of a box around the origin."""

    length: float
    """Size along x [m]."""
    width: float
    """Size along y [m]."""
    height: float
    """Size along z [m]."""

    @property
    def front(self) -> float:
        """Front end [m]."""
        return 0.5 * self.length

    @property
    def top(self) -> float:
        """Upper end [m]."""
        return 0.5 * self.height


def paint_hull(robot: Robot) -> list[Painted]:
    """Return the hull of a robot in the body frame."""
    own = own_hull(robot)
    if own is not None:
        return [("orange", own)]
    length, width, height = robot.body.size
    frame = Frame(length=length, width=width, height=height)
    maker = HULLS.get(robot.name, _any_hull)
    return place(maker(frame, robot), robot.body.centre)


def _lamps(f: Frame, y: float, z: float, radius: float) -> list[Painted]:
    found: list[Painted] = []
    for side in (-1.0, 1.0):
        found.append(lens("dark", 1.3 * radius, 0.8 * radius, (f.front, side * y, z)))
        found.append(lens("lamp", radius, radius, (f.front, side * y, z)))
        tail = (0.4 * radius, 1.6 * radius, 0.9 * radius)
        found.append(block("tail", tail, (-f.front, side * y, z)))
    return found


def _arrow(size: float, at: Vector) -> Painted:
    """Return an arrow on a deck that points forward."""
    tip = flat([(0.0, -0.5 * size), (0.75 * size, 0.0), (0.0, 0.5 * size)], 0.02 * size)
    return "white", moved(tip, at)


def _lidar(radius: float, at: Vector) -> list[Painted]:
    x, y, z = at
    return [
        drum("dark", 0.9 * radius, 0.5 * radius, at),
        drum("glass", radius, 1.0 * radius, (x, y, z + 0.5 * radius), 28),
        drum("grey", 1.02 * radius, 0.35 * radius, (x, y, z + 1.5 * radius), 28),
    ]


def _antenna(height: float, at: Vector) -> list[Painted]:
    x, y, z = at
    thick = 0.012 * height
    return [
        drum("dark", 4.0 * thick, 8.0 * thick, at, 12),
        rod("dark", at, (x, y, z + height), thick, 6),
    ]


def _absolem(f: Frame, _: Robot) -> list[Painted]:
    """Return a box with a tilting laser scanner at its nose and a camera ball on its deck."""
    e, b, t, u = f.front, -f.front, f.top, -f.top
    cut = 0.15 * f.height
    nose = [
        (b + cut, u), (e - cut, u), (e, u + 1.2 * cut), (e, t - 2.2 * cut),
        (e - 1.8 * cut, t), (b + cut, t), (b, t - cut), (b, u + cut),
    ]  # fmt: skip
    x, z = e - 0.02, t + 0.052
    scanner: list[Painted] = [
        block("dark", (0.07, 0.16, 0.03), (x - 0.01, 0.0, t + 0.01), 0.006),
        block("grey", (0.075, 0.10, 0.085), (x, 0.0, z), 0.014),
        lens("glass", 0.036, 0.02, (x + 0.036, 0.0, z + 0.008), 24),
        lens("blue", 0.026, 0.022, (x + 0.037, 0.0, z + 0.008), 24),
    ]
    ball = (0.02, 0.0, t)
    camera: list[Painted] = [
        drum("dark", 0.022, 0.09, ball, 16), drum("red", 0.055, 0.055, (0.02, 0.0, t + 0.09), 10),
        drum("dark", 0.045, 0.02, (0.02, 0.0, t + 0.145), 10),
        lens("glass", 0.018, 0.014, (0.02 + 0.052, 0.0, t + 0.118), 16),
    ]  # fmt: skip
    deck: list[Painted] = [
        block("dark", (0.66 * f.length, 0.82 * f.width, 0.014), (-0.03, 0.0, t + 0.003), 0.004),
        block("grey", (0.12, 0.13, 0.035), (-0.12, 0.0, t + 0.022), 0.008),
        *[
            rod("steel", (-0.2, s * 0.105, t + 0.02), (0.1, s * 0.105, t + 0.02), 0.006)
            for s in (-1.0, 1.0)
        ],
    ]
    return [
        shell("orange", nose, f.width, 0.09 * f.height), *deck, *scanner, *camera,
        *_antenna(0.3, (b + 0.06, 0.08, t)), *_antenna(0.3, (b + 0.06, -0.08, t)),
        *_lamps(f, 0.36 * f.width, -0.1 * f.height, 0.014),
        _arrow(0.06, (0.1, 0.0, t + 0.011)),
    ]  # fmt: skip


def _packbot(f: Frame, robot: Robot) -> list[Painted]:
    """Return a low chassis with a folded arm, a gripper and a camera head."""
    e, b, t, u = f.front, -f.front, f.top, -f.top
    low = [(b, u + 0.02), (b + 0.03, u), (e - 0.05, u), (e, u + 0.05), (e, t - 0.05),
           (e - 0.06, t), (b + 0.02, t), (b, t - 0.02)]  # fmt: skip
    z = max(t, robot.tracks[0].loop.bounds[3] - robot.body.centre[2]) if robot.tracks else t
    base, elbow, wrist = (
        (b + 0.10, 0.03, z + 0.03),
        (e - 0.10, 0.03, z + 0.075),
        (-0.02, 0.03, z + 0.13),
    )
    arm: list[Painted] = [
        drum("dark", 0.045, 0.05, (base[0], base[1], t)),
        rod("grey", base, elbow, 0.019, 14),
        rod("dark", (elbow[0], 0.0, elbow[2]), (elbow[0], 0.06, elbow[2]), 0.028, 18),
        rod("grey", elbow, wrist, 0.016, 14),
        block("dark", (0.05, 0.05, 0.045), wrist, 0.01),
        rod("steel", wrist, (wrist[0] - 0.09, wrist[1] + 0.022, wrist[2]), 0.007),
        rod("steel", wrist, (wrist[0] - 0.09, wrist[1] - 0.022, wrist[2]), 0.007),
    ]
    head: list[Painted] = [
        rod("dark", (elbow[0], 0.03, elbow[2]), (elbow[0] - 0.02, 0.03, elbow[2] + 0.09), 0.012),
        block("dark", (0.06, 0.11, 0.06), (elbow[0] - 0.015, 0.03, elbow[2] + 0.11), 0.012),
        lens("glass", 0.018, 0.02, (elbow[0] + 0.018, 0.055, elbow[2] + 0.11)),
        lens("lamp", 0.013, 0.02, (elbow[0] + 0.018, 0.01, elbow[2] + 0.11)),
    ]
    return [
        shell("green", low, f.width, 0.012), *arm, *head,
        block("dark", (0.16, 0.09, 0.035), (-0.04, -0.07, t + 0.016), 0.006),
        block("grey", (0.09, 0.09, 0.028), (-0.17, -0.07, t + 0.013), 0.006),
        *_antenna(0.34, (b + 0.04, -0.10, t)), *_lamps(f, 0.36 * f.width, 0.0, 0.013),
        _arrow(0.05, (0.12, -0.075, t + 0.002)),
    ]  # fmt: skip


def _quince(f: Frame, robot: Robot) -> list[Painted]:
    """Return a red superstructure above wide tracks, with a camera mast."""
    top = robot.tracks[0].loop.bounds[3] - robot.body.centre[2]
    half = 0.5 * robot.gauge + 0.4 * robot.tracks[0].width
    z, e, b = top + 0.035, 0.30 * f.length, -0.42 * f.length
    profile = [(b, z), (e, z), (e, z + 0.03), (e - 0.07, z + 0.085), (b + 0.03, z + 0.085),
               (b, z + 0.06)]  # fmt: skip
    deck = z + 0.085
    mast = (b + 0.10, 0.0, deck)
    head = deck + 0.20
    return [
        block("dark", (f.length, f.width, f.height), (0.0, 0.0, 0.0), 0.004),
        block("arm", (0.9 * f.length, 1.9 * half, 0.012), (0.0, 0.0, top + 0.026), 0.004),
        shell("red", profile, 1.75 * half, 0.012),
        block("dark", (0.2, 1.2 * half, 0.012), (-0.03, 0.0, deck + 0.004), 0.004),
        block("white", (0.10, 0.10, 0.05), (0.03, 0.05, deck + 0.03), 0.01),
        drum("steel", 0.014, 0.19, mast, 14),
        block("dark", (0.05, 0.12, 0.05), (mast[0], 0.0, head), 0.01),
        lens("glass", 0.018, 0.014, (mast[0] + 0.026, 0.035, head)),
        lens("lamp", 0.016, 0.014, (mast[0] + 0.026, -0.035, head)),
        *_lidar(0.03, (e - 0.12, -0.06, deck)),
        *_antenna(0.22, (b + 0.03, 0.10, deck)),
        *[lens("lamp", 0.013, 0.012, (e, s * 0.11, z + 0.018)) for s in (-1.0, 1.0)],
        *[block("tail", (0.006, 0.03, 0.014), (b, s * 0.11, z + 0.035)) for s in (-1.0, 1.0)],
        _arrow(0.06, (0.0, -0.02, deck + 0.011)),
    ]  # fmt: skip


def _tankbot(f: Frame, _: Robot) -> list[Painted]:
    """Return an open frame of profiles with batteries, a control box and an emergency stop."""
    e, b, t, u = f.front, -f.front, f.top, -f.top
    w = 0.5 * f.width
    bars: list[Painted] = []
    for s in (-1.0, 1.0):
        for z in (u + 0.015, t - 0.015):
            size = (f.length, 0.03, 0.03)
            bars.append(block("steel", size, (0.0, s * (w - 0.015), z), 0.004))
        for x in (b + 0.015, 0.0, e - 0.015):
            bars.append(block("steel", (0.03, 0.03, f.height), (x, s * (w - 0.015), 0.0), 0.004))
    return [
        block("dark", (0.96 * f.length, 0.88 * f.width, 0.012), (0.0, 0.0, u + 0.035), 0.002),
        block("blue", (0.26, 0.74 * f.width, 0.10), (-0.17, 0.0, u + 0.092), 0.008),
        block("dark", (0.22, 0.70 * f.width, 0.11), (0.15, 0.0, u + 0.096), 0.008),
        block("grey", (0.98 * f.length, 0.94 * f.width, 0.01), (0.0, 0.0, t - 0.003), 0.002),
        block("white", (0.20, 0.17, 0.07), (-0.12, 0.05, t + 0.037), 0.008),
        block("yellow", (0.06, 0.06, 0.03), (-0.27, -0.11, t + 0.017), 0.005),
        drum("red", 0.02, 0.022, (-0.27, -0.11, t + 0.032), 18),
        *bars, *_antenna(0.24, (b + 0.05, 0.13, t)), *_lidar(0.032, (0.24, 0.0, t)),
        *_lamps(f, 0.40 * f.width, 0.28 * f.height, 0.014),
        _arrow(0.10, (0.06, 0.0, t + 0.003)),
    ]  # fmt: skip


def _tp100(f: Frame, _: Robot) -> list[Painted]:
    """Return the bent sheet of a small crawler with its boards and batteries on top."""
    e, b, t, u = f.front, -f.front, f.top, -f.top
    tray = [(b, u + 0.006), (b + 0.006, u), (e - 0.006, u), (e, u + 0.006), (e, t - 0.008),
            (e - 0.01, t - 0.004), (b + 0.008, t - 0.004), (b, t - 0.012)]  # fmt: skip
    posts = [
        drum("brass", 0.003, 0.016, (x, y, t), 8) for x in (-0.05, 0.05) for y in (-0.035, 0.035)
    ]
    plate = t + 0.016
    return [
        shell("grey", tray, f.width, 0.004),
        block("dark", (0.09, 0.06, 0.018), (-0.02, 0.0, t + 0.004), 0.003), *posts,
        block("blue", (0.118, 0.085, 0.003), (0.0, 0.0, plate + 0.001), 0.0005),
        block("dark", (0.022, 0.022, 0.005), (-0.012, 0.008, plate + 0.005), 0.001),
        block("steel", (0.018, 0.016, 0.011), (-0.05, 0.02, plate + 0.007), 0.001),
        block("dark", (0.05, 0.008, 0.008), (0.018, -0.034, plate + 0.006), 0.001),
        block("white", (0.04, 0.04, 0.002), (0.032, 0.008, plate + 0.003), 0.0002),
        *_antenna(0.07, (b + 0.02, -0.04, t)),
        *_lamps(f, 0.36 * f.width, 0.0, 0.006), _arrow(0.022, (0.024, 0.008, plate + 0.0045)),
    ]  # fmt: skip


GUARD = ((-1.2, 0.55), (-0.75, 1.12), (0.75, 1.12), (1.2, 0.55))
"""Places of a mudguard around a wheel, in radii of the wheel [1]."""


def _zhou(f: Frame, robot: Robot) -> list[Painted]:
    """Return a vehicle with a sloped nose, mudguards, a cargo bed and a sensor mast."""
    e, b, t, u = f.front, -f.front, f.top, -f.top
    body = [(b, u + 0.06), (b + 0.06, u), (e - 0.16, u), (e, u + 0.14), (e, -0.02), (e - 0.42, t),
            (b + 0.05, t), (b, t - 0.08)]  # fmt: skip
    guards: list[Painted] = []
    for wheel in robot.wheels:
        x, y, z = (a - c for a, c in zip(wheel.centre, robot.body.centre, strict=True))
        r = wheel.radius
        inward = -1.0 if y > 0.0 else 1.0
        at = (x, y + 0.3 * inward * wheel.width, z)
        for (x0, z0), (x1, z1) in pairwise(GUARD):
            lower = [(r * x0, r * z0), (r * x1, r * z1)]
            plate = [*lower, *((px, pz + 0.06 * r) for px, pz in reversed(lower))]
            guards.append(wedge("dark", plate, 1.7 * wheel.width, at))
    mast = (0.02, 0.0, t)
    rails: list[Painted] = []
    for y in (-0.44 * f.width, 0.44 * f.width):
        rails.append(rod("dark", (b + 0.1, y, t + 0.10), (-0.12, y, t + 0.10), 0.016))
        for x in (b + 0.1, -0.12):
            rails.append(rod("dark", (x, y, t - 0.02), (x, y, t + 0.10), 0.014))
    return [
        shell("green", body, 0.98 * f.width, 0.05), *guards, *rails,
        block("dark", (0.62, 0.78 * f.width, 0.03), (-0.42, 0.0, t + 0.005), 0.008),
        block("dark", (0.09, 0.86 * f.width, 0.12), (e - 0.01, 0.0, u + 0.12), 0.02),
        block("glass", (0.02, 0.6 * f.width, 0.10), (e - 0.2, 0.0, 0.5 * t), 0.004),
        drum("dark", 0.035, 0.32, mast, 18),
        block("dark", (0.16, 0.3, 0.04), (0.02, 0.0, t + 0.33)),
        *_lidar(0.07, (0.02, 0.0, t + 0.35)), *_antenna(0.6, (b + 0.12, 0.42, t)),
        drum("white", 0.07, 0.04, (0.02, 0.28, t)), drum("white", 0.07, 0.04, (-0.68, -0.3, t)),
        *_lamps(f, 0.38 * f.width, -0.10, 0.045), _arrow(0.22, (-0.42, 0.0, t + 0.022)),
    ]  # fmt: skip


def _any_hull(f: Frame, robot: Robot) -> list[Painted]:
    """Return a hull with a sloped nose, a deck, a lidar, lamps and an antenna."""
    cut, e, b, t, u = 0.15 * f.height, f.front, -f.front, f.top, -f.top
    nose = [
        (b + cut, u), (e - cut, u), (e, u + 1.2 * cut), (e, t - 2.2 * cut),
        (e - 2.4 * cut, t), (b + cut, t), (b, t - cut), (b, u + cut),
    ]  # fmt: skip
    deck = (0.55 * f.length, 0.76 * f.width, 0.06 * f.height)
    painted = [
        shell("orange", nose, f.width, 0.09 * min(f.height, f.width)),
        block("dark", deck, (-0.04 * f.length, 0.0, t + 0.01 * f.height)),
        *_lidar(0.16 * min(f.height, f.width), (0.2 * f.length, 0.0, t)),
        *_antenna(1.3 * f.height, (b + 0.12 * f.length, 0.36 * f.width, t)),
        *_lamps(f, 0.36 * f.width, -0.05 * f.height, 0.1 * min(f.height, f.width)),
        _arrow(0.3 * min(f.width, f.length), (-0.16 * f.length, 0.0, t + 0.045 * f.height)),
    ]
    tops = [track.loop.bounds[3] - robot.body.centre[2] for track in robot.tracks]
    if tops and max(tops) > t and f.width < 0.5 * robot.gauge:
        # Wide tracks hide a narrow hull: a lid above them shows which end is the front.
        lid = Frame(length=0.62 * f.length, width=0.9 * robot.gauge, height=0.4 * max(tops) + 0.02)
        lifted = _any_hull(lid, robot.model_copy(update={"tracks": ()}))
        painted = [painted[0], *place(lifted, (0.0, 0.0, max(tops) + 0.55 * lid.height))]
    return painted


HULLS: dict[str, Callable[[Frame, Robot], list[Painted]]] = {
    "absolem": _absolem, "packbot510": _packbot, "quince": _quince, "tankbot": _tankbot,
    "tp100": _tp100, "zhou-ugv": _zhou,
}  # fmt: skip
"""Hulls of the robots of the zoo, by name."""
