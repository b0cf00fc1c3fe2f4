"""Statics of skid steering on level ground: loads under belts and wheels, and where they turn.

Belts run steadily and slip, so Coulomb friction balances. A place that carries the load N, whose
belt runs at w, slips at s = (vx - omega y - w, vy + omega x), and friction is the force on the
ellipse of along and across that takes the most power. The twist is where that power is least:

    power(vx, vy, omega) = sum N sqrt(s_x^2 + (r s_y)^2) + a v_y    r = friction across over along

It is convex. A speed that both belts have in common changes no slip, so the tracks' centres of
rotation are the same from a turn on the spot to the widest one, and of friction only r counts. The
exception is centrifugal force, a = lateral acceleration over friction g, at the centre of mass.

Loads are those of a rigid robot on an elastic bed that only pushes and that is equally stiff under
every belt and wheel, as in `csm`. Flippers that lie on the ground hang on hinges with soft servos:
their weight presses them down, and friction, which acts below the hinge, lifts or presses them.

Loads are shares of the weight; frame: the body's, x forward, y left.
"""

from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from functools import lru_cache, partial
from typing import TypeAlias

import numpy as np

from grouser.errors import InvalidValue
from grouser.geometry import Array
from grouser.laws.icr import TrackIcrs

ALONG, ACROSS = 24, 8
"""Cells of a foot along and across the belt."""
ROUNDING = 10.0 ** -np.arange(1.0, 5.5)
"""Slips below which friction is rounded off, step by step, over the belts' speed [1]."""
PULLEYS = 0.43
"""Share of the stiffness of a flipper's belt that is at its two pulleys, as in `csm` [1]."""
WIDEST = 100.0
"""Width over gauge from which on a robot counts as one that does not turn [1] [A]."""
LOAD_SWEEPS, LOAD_CHANGE = 30, 1e-4
"""Most sweeps over loads and friction of flippers, and the change of a share that ends them [1]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Foot:
    """Where a belt or a wheel touches level ground: a rectangle along the body's axes."""

    x: float
    """Its middle ahead of the body's origin [m]."""
    y: float
    """Its middle to the left [m]."""
    length: float
    """Along the belt; 0 if it does not touch the ground [m]."""
    width: float
    """Across the belt [m]."""
    is_left: bool
    """Whether it runs with the left side."""
    stiffness: float = 1.0
    """Stiffness of the ground under it over that under a whole belt [1]."""
    arm: int | None = None
    """Number of the flipper that it belongs to; None on the hull."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Arm:
    """A flipper whose belt lies on the ground."""

    hinge_x: float
    """Its hinge ahead of the body's origin [m]."""
    hinge_z: float
    """Its hinge over the ground [m]."""
    weight: float
    """Its weight over that of the robot [1]."""
    x: float
    """Where that weight acts along x [m]."""
    servo: float = 1e-4
    """Stiffness of its servo over that of the ground under a foot [m^2]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """How a robot stands on level ground."""

    feet: tuple[Foot, ...]
    """Where it touches the ground."""
    centre_of_mass: tuple[float, float, float]
    """Where its weight acts [m]."""
    arms: tuple[Arm, ...] = ()
    """Flippers on the ground, as feet number them."""

    @property
    def gauge(self) -> float:
        """Distance between the middles of the feet of both sides [m]."""
        left, right = (
            np.mean([foot.y for foot in self.feet if foot.is_left == side])
            for side in (True, False)
        )
        return float(left - right)

    @property
    def length(self) -> float:
        """Distance between the foremost and the rearmost contact [m]."""
        front = max(foot.x + 0.5 * foot.length for foot in self.feet)
        return front - min(foot.x - 0.5 * foot.length for foot in self.feet)


@dataclass(frozen=True, slots=True, kw_only=True)
class Conditions:
    """What a turn depends on, besides the robot."""

    across: float = 1.0
    """Friction across the belts over that along them [1]."""
    friction: float = 0.8
    """Friction along; counts for flippers and with an acceleration [1]."""
    ends: float = 0.0
    """Share of a foot's stiffness in its two ends, from 0, an even load, to 1 [1]."""
    com_x: float = 0.0
    """How far the centre of mass is ahead of where it is stated, over the robot's length [1]."""
    com_y: float = 0.0
    """How far it is to the left of that, over the gauge [1]."""
    acceleration: float = 0.0
    """Lateral acceleration of a turn to the left, over g [1]."""


EVEN = Conditions()
"""Even loads, the same friction along and across, no hurry."""


class _Cells:
    """Cells of all feet of a robot, as arrays."""

    def __init__(self, standing: Standing, ends: float) -> None:
        parts = [_cells(foot, ends) for foot in standing.feet]
        self.x, self.y, self.stiffness = map(np.concatenate, zip(*parts, strict=True))
        counts = [x.size for x, _, _ in parts]
        self.belt = np.repeat([-1.0 if foot.is_left else 1.0 for foot in standing.feet], counts)
        """Speed of the belt, over that of the right one in a left turn on the spot [1]."""
        arms = [-1 if foot.arm is None else foot.arm for foot in standing.feet]
        owner = np.repeat(arms, counts)
        self.on_arms = np.array([owner == k for k in range(len(standing.arms))]).reshape(
            -1, owner.size
        )
        """Which cells are on each flipper."""
        turns = [
            (self.x - arm.hinge_x) * on for arm, on in zip(standing.arms, self.on_arms, strict=True)
        ]
        self.sinking = np.stack([np.ones_like(self.x), self.x, self.y, *turns], axis=1)
        """How far each sinks per heave, pitch, roll, and turn of each flipper."""
        self.servos = np.diag([0.0, 0.0, 0.0, *(arm.servo for arm in standing.arms)])
        """Stiffness of heave, pitch, roll and flippers without the ground."""


def _cells(foot: Foot, ends: float) -> tuple[Array, Array, Array]:
    """Return x, y and stiffness of the cells of a foot [m, m, 1]."""
    ends = ends if foot.arm is None else max(ends, PULLEYS)
    x = ((np.arange(ALONG) + 0.5) / ALONG - 0.5) * foot.length
    x = np.array([*x, -0.5 * foot.length, 0.5 * foot.length])
    share = foot.stiffness * np.array([*ALONG * [(1.0 - ends) / ALONG], 0.5 * ends, 0.5 * ends])
    y = ((np.arange(ACROSS) + 0.5) / ACROSS - 0.5) * foot.width
    shares = np.repeat(share / ACROSS, ACROSS)
    return foot.x + np.repeat(x, ACROSS), foot.y + np.tile(y, x.size), shares


Valley: TypeAlias = Callable[[Array], tuple[float, Array, Array]]
"""Value, slope and curvature of a convex function at a place."""


def _lowest(valley: Valley, at: Array, most: int = 40) -> Array:
    """Return where a convex function is least, by Newton's method with halved steps."""
    value, slope, curve = valley(at)
    for _ in range(most):
        step = -np.linalg.solve(curve + 1e-12 * np.trace(curve) * np.eye(at.size), slope)
        gain = float(slope @ step)
        if -gain < 1e-14 * max(abs(value), 1e-3):
            break
        share, new = 1.0, valley(at + step)
        while new[0] > value + 1e-4 * share * gain and share > 1e-6:
            share *= 0.5
            new = valley(at + share * step)
        at = at + share * step
        value, slope, curve = new
    return at


def _loads(cells: _Cells, weights: Array, at: Array) -> tuple[Array, Array]:
    """Return the load of each cell, and the sinking of a robot with these generalised weights."""

    def energy(at: Array) -> tuple[float, Array, Array]:
        depth = cells.sinking @ at
        load = cells.stiffness * np.maximum(depth, 0.0)
        pressed = cells.stiffness * (depth > 0.0)
        curve = (cells.sinking * pressed[:, None]).T @ cells.sinking
        slope = cells.sinking.T @ load + cells.servos @ at - weights
        value = 0.5 * float(load @ depth + at @ cells.servos @ at) - float(weights @ at)
        return value, slope, curve + cells.servos

    found = _lowest(energy, at)
    load = cells.stiffness * np.maximum(cells.sinking @ found, 0.0)
    left_over = (cells.sinking.T @ load - weights)[:3]
    if not np.all(np.abs(left_over) <= 1e-6 * np.array([1.0, np.ptp(cells.x), np.ptp(cells.y)])):
        raise InvalidValue(
            "centre of mass", tuple(weights[1:3]), "lie over what touches the ground"
        )
    return load, found


def _twist(
    cells: _Cells, load: Array, across: float, pull: Array, at: Array, rounding: Array
) -> tuple[Array, Array]:
    """Return the twist of a left turn on the spot with belts at 1 m/s, and friction along [1]."""
    one, none = np.ones_like(load), np.zeros_like(load)
    by_ahead, by_aside = np.stack([one, none, -cells.y]), across * np.stack([none, one, cells.x])

    def power(at: Array, rounded: float) -> tuple[float, Array, Array]:
        ahead, aside = at @ by_ahead - cells.belt, at @ by_aside
        size = np.sqrt(ahead**2 + aside**2 + rounded**2)
        by_size = (ahead * by_ahead + aside * by_aside) / size
        share = load / size
        curve = (share * by_ahead) @ by_ahead.T + (share * by_aside) @ by_aside.T
        curve -= (share * by_size) @ by_size.T
        return float(load @ size + pull @ at), by_size @ load + pull, curve

    for rounded in rounding:
        at = _lowest(partial(power, rounded=rounded), at)
    ahead, aside = at @ by_ahead - cells.belt, at @ by_aside
    return at, -load * ahead / np.sqrt(ahead**2 + aside**2 + rounding[-1] ** 2)


@lru_cache(maxsize=1024)
def turn_centres(standing: Standing, conditions: Conditions = EVEN) -> TrackIcrs:
    """Return the tracks' centres of rotation in a turn to the left.

    Raises:
        InvalidValue: The robot cannot stand like that, slides out of the turn, or does not turn.
    """
    most = conditions.friction * conditions.across
    if not abs(conditions.acceleration) < most:
        required = f"be less than friction across the belts, {most:g} g"
        raise InvalidValue("acceleration", conditions.acceleration, required)
    x, y, z = standing.centre_of_mass
    x += conditions.com_x * standing.length
    y += conditions.com_y * standing.gauge - conditions.acceleration * z
    vx, vy, rate = _balance(standing, conditions, x, y).tolist()
    if not rate * standing.gauge * WIDEST > 2.0:
        required = "let the robot turn: one side holds the ground"
        raise InvalidValue("centre of mass", (x, y), required)
    return TrackIcrs(left_y=(vx + 1.0) / rate, right_y=(vx - 1.0) / rate, x=-vy / rate)


def _balance(standing: Standing, conditions: Conditions, x: float, y: float) -> Array:
    """Return the twist of `_twist` with loads that friction on flippers has changed."""
    cells = _Cells(standing, conditions.ends)
    rest = [arm.weight * (arm.x - arm.hinge_x) for arm in standing.arms]
    heights = np.array([arm.hinge_z for arm in standing.arms])
    pull = conditions.acceleration / conditions.friction * np.array([0.0, 1.0, x])
    sunk, load = np.array([1.0, 0.0, 0.0, *(0.0 for _ in rest)]), np.zeros_like(cells.x)
    twist, along, rounding = np.array([0.0, 0.0, 1.0 / standing.gauge]), load, ROUNDING
    for _ in range(LOAD_SWEEPS):
        lift = conditions.friction * heights * (cells.on_arms @ along)
        new, sunk = _loads(cells, np.array([1.0, x, y, *(rest - lift)]), sunk)
        change = np.abs(new - load).sum()
        if change < LOAD_CHANGE:
            break
        load = 0.5 * (load + new) if load.any() else new
        twist, along = _twist(cells, load, conditions.across, pull, twist, rounding)
        if not rest:
            break
        rounding = ROUNDING[-1:]
    return twist


DEVIATIONS = Conditions(across=0.25, friction=0.2, ends=0.25, com_x=0.03, com_y=0.03)
"""Standard deviations of what is not known of ground and load, from `EVEN` [A]: rubber and grousers
that grip otherwise across, road wheels, cables and payload."""


@lru_cache(maxsize=256)
def centres_spread(standing: Standing, acceleration: float = 0.0) -> tuple[float, float, float]:
    """Return how much turns differ with the conditions, one standard deviation from `EVEN`.

    Deviations of yaw rate over yaw rate [1], of where the body turns about along x [m], and of
    where the middle of the tracks' centres lies along y [m].

    Args:
        standing: How the robot stands.
        acceleration: Lateral acceleration of a brisk turn, over g [1].

    Raises:
        InvalidValue: The robot cannot stand with another centre of mass.
    """

    def turn(conditions: Conditions) -> Array:
        centres = turn_centres(standing, conditions)
        middle = 0.5 * (centres.left_y + centres.right_y)
        return np.array([-np.log(centres.width), centres.x, middle])

    even, variance = turn(EVEN), np.zeros(3)
    for what, deviation in asdict(replace(DEVIATIONS, acceleration=acceleration)).items():
        if deviation:
            changed = replace(EVEN, **{what: getattr(EVEN, what) + deviation})
            variance += (turn(changed) - even) ** 2
    rate, ahead, aside = np.sqrt(variance).tolist()
    return rate, ahead, aside
