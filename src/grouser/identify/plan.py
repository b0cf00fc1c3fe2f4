"""A drive that identifies a robot best in a given time and space, and what to expect of it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.random import Generator

from grouser.description import Robot
from grouser.errors import InvalidValue, UnknownName
from grouser.geometry import Array
from grouser.identify.families import FAMILIES
from grouser.identify.family import Family, KnownRobot
from grouser.identify.manoeuvres import (
    ARC,
    NOT_OBSERVED,
    Area,
    FreeSpace,
    Manoeuvre,
    balance,
    fastest_speed,
    free_space,
    join_belts,
    list_manoeuvres,
    make_record,
    radius_of,
    shrink,
)
from grouser.identify.plan_design import (
    FAULTS,
    SensorNoise,
    choose_manoeuvres,
    measure_manoeuvres,
    observe,
    solve_at,
)
from grouser.identify.record import Record
from grouser.identify.recovery import NOISE
from grouser.identify.uncertainty import find_uncertainty
from grouser.identify.windows import MAX_WINDOW_LENGTH, MIN_WINDOW_LENGTH, TARGET_WINDOWS
from grouser.units import check_range

DEFAULT_FAMILIES = ("icr-drift",)
"""Families that a drive is planned for if none is given."""
SHORTEST, LONGEST = 20.0, 1800.0
"""Limits of the duration of a drive [s] [A]."""
DESIGN_ROBOTS, PATH_ROBOTS, EXPECTED_ROBOTS = 4, 24, 8
"""Number of robots that may be the true one: for the choice of manoeuvres, for the space that they
take, and for the widths to expect."""
MOST_ATTEMPTS = 5
"""Number of drives that are tried until one stays inside of the area."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanRequest:
    """What to plan."""

    robot: Robot
    area: Area
    duration: float = 60.0
    """Time of the drive [s]."""
    families: tuple[str, ...] = DEFAULT_FAMILIES
    speed: float | None = None
    """Largest belt speed; None for the fastest that fits [m/s]."""
    position_noise: float = NOISE["x"]
    """Assumed standard deviation of x and y [m] [A]."""
    heading_noise: float = NOISE["yaw"]
    """Assumed standard deviation of the heading [rad] [A]."""
    belt_noise: float = FAULTS.belt_noise
    """Assumed standard deviation of a belt speed, over the fastest [1] [A]."""
    seed: int = 0
    """Seed of the robots that may be the true one, and of the noise."""

    def check(self) -> None:
        """Raise InvalidValue if a number is out of range, UnknownName for an unknown family."""
        if not SHORTEST <= self.duration <= LONGEST:
            required = f"be from {SHORTEST:g} to {LONGEST:g} s"
            raise InvalidValue("duration", self.duration, required)
        for name, value, unit in (
            ("position noise", self.position_noise, "m"),
            ("heading noise", self.heading_noise, "rad"),
            ("belt noise", self.belt_noise, "1"),
        ):
            check_range(name, value, unit, is_size=True)
        for name in self.families:
            find_family(name)

    @property
    def window(self) -> float:
        """Window length that identification of the drive will have [s]."""
        length = self.duration / TARGET_WINDOWS
        return float(np.clip(length, MIN_WINDOW_LENGTH, MAX_WINDOW_LENGTH))


def plannable_families() -> tuple[str, ...]:
    """Return the names of families with formulas, parameters, and no penalty on them."""
    nothing = Record(
        name="none", time=np.zeros(2), left=np.ones(2), right=np.zeros(2), observation=NOT_OBSERVED
    )
    found = []
    for name, family in FAMILIES.items():
        if not family.is_simulated:
            own = family.parameters(KnownRobot(gauge=1.0), (nothing,))
            if own and not any(parameter.is_shrunk for parameter in own):
                found.append(name)
    return tuple(found)


def find_family(name: str) -> Family:
    """Return a family that drives can be planned for; UnknownName or InvalidValue if not."""
    able = plannable_families()
    if name not in FAMILIES:
        raise UnknownName("family", name, able)
    if name not in able:
        raise InvalidValue("family of a plan", name, f"be one of {', '.join(able)}")
    return FAMILIES[name]


@dataclass(frozen=True, slots=True, kw_only=True)
class Expected:
    """Interval to expect of one parameter."""

    name: str
    unit: str
    width: float
    """Width of the 95 % interval, its mean over robots that may be the true one [`unit`]."""
    span: float
    """Half the width of the plausible range [`unit`]."""

    @property
    def is_identified(self) -> bool:
        """Whether the standard deviation is less than half the span, as a fit needs it."""
        return 0.5 * self.width / 1.96 < 0.5 * self.span


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Plan:
    """A planned drive."""

    request: PlanRequest
    manoeuvres: tuple[Manoeuvre, ...]
    """The manoeuvres in order."""
    fastest: float
    """Largest belt speed that manoeuvres may have [m/s]."""
    belts: Record
    """Belt speeds of the drive, without observations."""
    start: tuple[float, float]
    """x and y of the start in the area, whose centre is the origin; the heading is 0 [m]."""
    extent: tuple[float, float]
    """Length and width of the space that the robot takes, over all robots [m]."""
    return_distance: float
    """Largest distance of the end from the start, over all robots [m]."""
    expected: dict[str, tuple[Expected, ...]] = field(default_factory=dict)
    """Intervals to expect, by family."""

    @property
    def noise(self) -> SensorNoise:
        """Assumed noise."""
        return assume_noise(self.request, self.fastest)

    @property
    def distance(self) -> float:
        """Path that the middle of the belts runs [m]."""
        return float(np.sum(np.abs(0.5 * (self.belts.left + self.belts.right)) * self.belts.steps))


def make_plan(request: PlanRequest, tell: Callable[[str], None] = lambda words: None) -> Plan:
    """Return the best drive for a robot in an area.

    `tell` is called with what is being done. InvalidValue if the area or the duration is too small.
    """
    request.check()
    robot, window = request.robot, request.window
    fastest = fastest_speed(robot, request.area, request.speed, window)
    known_robot = KnownRobot(gauge=robot.gauge, robot=robot)
    every = tuple(list_manoeuvres(robot, fastest, window))
    generator = np.random.default_rng(request.seed)
    families = [find_family(name) for name in request.families]
    robots = [_draw(family, known_robot, every, generator) for family in families]
    noise = assume_noise(request, fastest)
    space = free_space(robot, request.area)
    for _ in range(MOST_ATTEMPTS):
        able = _that_fit(every, families, robots, known_robot, space, request)
        tell(f"{len(able)} manoeuvres")
        belts = make_record(able)
        contributions = [
            measure_manoeuvres(
                family, values[:DESIGN_ROBOTS], known_robot, belts, noise, window, generator
            )
            for family, values in zip(families, robots, strict=True)
        ]
        tell("choice of manoeuvres")
        durations = np.array([one.duration for one in able])
        design = choose_manoeuvres(contributions, durations, request.duration)
        chosen = tuple(balance([able[k] for k in generator.permutation(design)]))
        plan, outside = _place(request, chosen, fastest, families, robots, known_robot)
        if outside <= 0.0:
            break
        space = shrink(space, outside)
    else:
        raise _too_small(request.area)
    tell("intervals to expect")
    for family, values in zip(families, robots, strict=True):
        plan.expected[family.name] = _expect(plan, family, values, known_robot, noise, generator)
    return plan


def assume_noise(request: PlanRequest, fastest: float) -> SensorNoise:
    """Return the assumed noise of a drive with a fastest belt speed [m/s]."""
    return SensorNoise(
        position=request.position_noise,
        heading=request.heading_noise,
        belt=request.belt_noise * fastest,
    )


def _draw(
    family: Family, known_robot: KnownRobot, every: Sequence[Manoeuvre], generator: Generator
) -> Array:
    """Return parameters of robots that may be the true one; the first are those of the file."""
    own = family.parameters(known_robot, (make_record(every),))
    drawn = [family.draw(known_robot, generator) for _ in range(PATH_ROBOTS - 1)]
    return np.array([[p.start for p in own], *drawn])


def _that_fit(
    every: Sequence[Manoeuvre],
    families: Sequence[Family],
    robots: Sequence[Array],
    known_robot: KnownRobot,
    space: FreeSpace,
    request: PlanRequest,
) -> list[Manoeuvre]:
    """Return the manoeuvres that stay in the space with all robots, and leave time for others."""
    found = []
    for one in every:
        if one.duration > 0.5 * request.duration:
            continue
        paths = [
            family.predict(values, make_record([way]), known_robot)
            for family, values in zip(families, robots, strict=True)
            for way in ((one, one.opposite()) if one.kind == ARC else (one,))
        ]
        if all(space.holds(path.x, path.y) for path in paths):
            found.append(one)
    straight = any(one.kind == "straight" for one in found)
    if not straight or not any(one.ratio < 1.0 for one in found):
        raise _too_small(request.area)
    return found


def _too_small(area: Area) -> InvalidValue:
    required = "have room for straights and turns, whatever the slip: enlarge it or lower the speed"
    return InvalidValue("area", f"{area.length:g}x{area.width:g}", required)


def _place(
    request: PlanRequest,
    chosen: tuple[Manoeuvre, ...],
    fastest: float,
    families: Sequence[Family],
    robots: Sequence[Array],
    known_robot: KnownRobot,
) -> tuple[Plan, float]:
    """Return the drive in the middle of the area, and how far it reaches out of it [m]."""
    time, left, right = join_belts(chosen, request.duration)
    belts = Record(name="plan", time=time, left=left, right=right, observation=NOT_OBSERVED)
    paths = [
        family.predict(values, belts, known_robot)
        for family, values in zip(families, robots, strict=True)
    ]
    x, y = np.concatenate([path.x for path in paths]), np.concatenate([path.y for path in paths])
    low, high = np.array([x.min(), y.min()]), np.array([x.max(), y.max()])
    extent = high - low + 2.0 * radius_of(request.robot)
    start = -0.5 * (low + high)
    plan = Plan(
        request=request, manoeuvres=chosen, fastest=fastest, belts=belts,
        start=(float(start[0]), float(start[1])), extent=(float(extent[0]), float(extent[1])),
        return_distance=float(np.hypot(x[:, -1], y[:, -1]).max()),
    )  # fmt: skip
    return plan, float(np.max(extent - [request.area.length, request.area.width]))


def _expect(
    plan: Plan,
    family: Family,
    robots: Array,
    known_robot: KnownRobot,
    noise: SensorNoise,
    generator: Generator,
) -> tuple[Expected, ...]:
    """Return the intervals by the uncertainty of fits that begin at the true parameters."""
    widths, parameters = [], ()
    for values in robots[:EXPECTED_ROBOTS]:
        record = observe(family, values, known_robot, plan.belts, noise, generator)
        solution = solve_at(family, values, known_robot, record, plan.request.window, None)
        half = find_uncertainty(solution, solution.model.window).half_width
        parameters = solution.model.parameters
        widths.append(2.0 * half * np.array([p.span for p in parameters]))
    mean = np.mean(widths, axis=0)
    return tuple(
        Expected(name=p.name, unit=p.unit, width=float(width), span=p.span)
        for p, width in zip(parameters, mean, strict=True)
    )
