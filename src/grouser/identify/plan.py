"""A drive that identifies a robot best in a given time and space, and what to expect of it."""

from collections.abc import Callable, Iterator
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
    STRAIGHT,
    TURN,
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
from grouser.units import check_range, check_seed

DEFAULT_FAMILIES = ("icr-drift",)
"""Families that a drive is planned for if none is given."""
SHORTEST, LONGEST = 20.0, 600.0
"""Limits of the duration of a drive: errors of a longer one would add up [s] [A]."""
DESIGN_ROBOTS, PATH_ROBOTS, EXPECTED_ROBOTS = 4, 24, 8
"""Number of robots that may be the true one: for the choice of manoeuvres, for the space that they
take, and for the widths to expect."""
MOST_ATTEMPTS = 4
"""Number of drives that are tried with less and less space, until one stays in the area."""
SLOWER = (1.0, 0.7, 0.5, 0.35)
"""Speeds that are tried then, over the fastest that the area has room for [1]."""


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
    """Assumed standard deviation of x and y [m]."""
    heading_noise: float = NOISE["yaw"]
    """Assumed standard deviation of the heading [rad]."""
    belt_noise: float = FAULTS.belt_noise
    """Assumed standard deviation of a belt speed, over the fastest [1]."""
    seed: int = 0
    """Seed of the robots that may be the true one, and of the noise."""

    def check(self) -> None:
        """Raise InvalidValue if a number is out of range, UnknownName for an unknown family."""
        if not SHORTEST <= self.duration <= LONGEST:
            required = f"be from {SHORTEST:g} to {LONGEST:g} s (a drive can be repeated)"
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


def assume_noise(request: PlanRequest, fastest: float) -> SensorNoise:
    """Return the assumed noise of a drive with a fastest belt speed [m/s]."""
    return SensorNoise(
        position=request.position_noise,
        heading=request.heading_noise,
        belt=request.belt_noise * fastest,
    )


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


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Prior:
    """What may be true before the drive."""

    known_robot: KnownRobot
    families: tuple[Family, ...]
    robots: tuple[Array, ...]
    """Parameters of robots that may be the true one, for each family; those of the file first."""

    @classmethod
    def of(cls, request: PlanRequest, fastest: float, generator: Generator) -> "_Prior":
        known_robot = KnownRobot(gauge=request.robot.gauge, robot=request.robot)
        families = tuple(find_family(name) for name in request.families)
        straight = next(list_manoeuvres(request.robot, fastest, request.window))
        robots = []
        for family in families:
            own = family.parameters(known_robot, (make_record([straight]),))
            drawn = [family.draw(known_robot, generator) for _ in range(PATH_ROBOTS - 1)]
            robots.append(np.array([[p.start for p in own], *drawn]))
        return cls(known_robot=known_robot, families=families, robots=tuple(robots))

    def each(self) -> Iterator[tuple[Family, Array]]:
        """Yield each family with its robots."""
        yield from zip(self.families, self.robots, strict=True)

    def paths(self, belts: Record) -> tuple[Array, Array]:
        """Return x and y of belt speeds with all robots, from the start pose (robot, time) [m]."""
        found = [family.predict(values, belts, self.known_robot) for family, values in self.each()]
        x, y = ([getattr(path, name) for path in found] for name in ("x", "y"))
        return np.concatenate(x), np.concatenate(y)


def make_plan(request: PlanRequest, tell: Callable[[str], None] = lambda words: None) -> Plan:
    """Return the best drive for a robot in an area.

    If it leaves the area with a robot that may be the true one, less space is used, then less speed
    unless it was requested. `tell` is called with what is being done. InvalidValue if the area or
    the duration is too small.
    """
    request.check()
    fastest = fastest_speed(request.robot, request.area, request.speed, request.window)
    generator = np.random.default_rng(check_seed(request.seed))
    prior = _Prior.of(request, fastest, generator)
    slower = SLOWER if request.speed is None else (1.0,)
    plans = (_try(request, prior, share * fastest, generator, tell) for share in slower)
    plan = next((plan for plan in plans if plan is not None), None)
    if plan is None:
        required = "have room for straights and turns, whatever the slip: enlarge it, or lower"
        given = f"{request.area.length:g}x{request.area.width:g}"
        raise InvalidValue("area", given, f"{required} speed or duration")
    tell("intervals to expect")
    for family, values in prior.each():
        plan.expected[family.name] = _expect(plan, family, values, prior.known_robot, generator)
    return plan


def _try(
    request: PlanRequest,
    prior: _Prior,
    fastest: float,
    generator: Generator,
    tell: Callable[[str], None],
) -> Plan | None:
    """Return the best drive with a fastest belt speed [m/s]; None if none stays in the area."""
    window, noise = request.window, assume_noise(request, fastest)
    space = free_space(request.robot, request.area)
    for _ in range(MOST_ATTEMPTS):
        able = [
            one
            for one in list_manoeuvres(request.robot, fastest, window)
            if one.duration <= 0.5 * request.duration and _fits(one, prior, space)
        ]
        kinds = {one.kind for one in able}
        if STRAIGHT not in kinds or not kinds & {ARC, TURN}:
            return None
        tell(f"{len(able)} manoeuvres")
        belts = make_record(able)
        contributions = [
            measure_manoeuvres(
                family, values[:DESIGN_ROBOTS], prior.known_robot, belts, noise, window, generator
            )
            for family, values in prior.each()
        ]
        durations = np.array([one.duration for one in able])
        design = choose_manoeuvres(contributions, durations, request.duration)
        chosen = balance([able[k] for k in generator.permutation(design)])
        plan = _place(request, tuple(chosen), fastest, prior)
        outside = np.subtract(plan.extent, (request.area.length, request.area.width)).max()
        if outside <= 0.0:
            return plan
        space = shrink(space, 0.5 * float(outside))
    return None


def _fits(one: Manoeuvre, prior: _Prior, space: FreeSpace) -> bool:
    """Return whether a manoeuvre, for an arc also its opposite, stays in the space."""
    ways = (one, one.opposite()) if one.kind == ARC else (one,)
    return all(space.holds(*prior.paths(make_record([way]))) for way in ways)


def _place(
    request: PlanRequest, chosen: tuple[Manoeuvre, ...], fastest: float, prior: _Prior
) -> Plan:
    """Return the drive in the middle of the area."""
    time, left, right = join_belts(chosen, request.duration)
    belts = Record(name="plan", time=time, left=left, right=right, observation=NOT_OBSERVED)
    x, y = prior.paths(belts)
    low, high = np.array([x.min(), y.min()]), np.array([x.max(), y.max()])
    extent = high - low + 2.0 * radius_of(request.robot)
    start = -0.5 * (low + high)
    return Plan(
        request=request, manoeuvres=chosen, fastest=fastest, belts=belts,
        start=(float(start[0]), float(start[1])), extent=(float(extent[0]), float(extent[1])),
        return_distance=float(np.hypot(x[:, -1], y[:, -1]).max()),
    )  # fmt: skip


def _expect(
    plan: Plan,
    family: Family,
    robots: Array,
    known_robot: KnownRobot,
    generator: Generator,
) -> tuple[Expected, ...]:
    """Return the intervals by the uncertainty of fits that begin at the true parameters."""
    widths, parameters = [], ()
    for values in robots[:EXPECTED_ROBOTS]:
        record = observe(family, values, known_robot, plan.belts, plan.noise, generator)
        solution = solve_at(family, values, known_robot, record, plan.request.window, None)
        half = find_uncertainty(solution, solution.model.window).half_width
        parameters = solution.model.parameters
        widths.append(2.0 * half * np.array([p.span for p in parameters]))
    mean = np.mean(widths, axis=0)
    return tuple(
        Expected(name=p.name, unit=p.unit, width=float(width), span=p.span)
        for p, width in zip(parameters, mean, strict=True)
    )
