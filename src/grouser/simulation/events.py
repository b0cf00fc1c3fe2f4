"""What happens to a robot from outside: it is pulled, pushed, kicked, placed or turned.

An event has a time and acts at the beginning of the first tick that does not begin before it. All
forces follow from the events and the motion at the beginning of a tick, so a run with the same
events and commands has the same bits.
"""

import heapq
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from grouser.description import Course
from grouser.description.path import Path as CoursePath
from grouser.errors import InvalidValue, Unsupported
from grouser.geometry import Pose
from grouser.limits import POINT, PUSHES
from grouser.models import CATALOGUE, Motion, Plant
from grouser.models.model import PushedPlant
from grouser.units import check_range

if TYPE_CHECKING:
    from grouser.simulation.simulation import Simulation

Vector: TypeAlias = tuple[float, float, float]
"""Three numbers: x, y and z."""
SLACK = 1e-9
"""Times that differ by less are equal [s]."""
POSE = ("x", "y", "z", "roll", "pitch", "yaw")
"""Fields of a pose."""
_POSE_UNITS = dict.fromkeys(POSE[:3], "m") | dict.fromkeys(POSE[3:], "rad")


def _check_point(kind: str, time: float, point: Vector) -> None:
    if not all(abs(check_range(f"point of the {kind}", part, "m")) <= POINT for part in point):
        what = f"point of the {kind} at {time:g} s"
        raise InvalidValue(what, point, f"be within {POINT:g} m of the robot's origin")


def _check_vector(kind: str, vector: Iterable[float], unit: str) -> None:
    for part in vector:
        check_range(kind, part, unit)


class Event(Protocol):
    """Something that happens at a time."""

    @property
    def time(self) -> float:
        """When it happens [s]."""
        ...

    def begin(self, simulation: "Simulation", acting: "Acting") -> None:
        """Happen now: change the robot, or what acts on it from now on."""

    def content(self) -> dict[str, Any]:
        """Return the event as a table of a scenario file."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Pull:
    """A spring from a point of the robot to a point of the world, until the next pull."""

    time: float
    """When it begins [s]."""
    target: Vector | None
    """Where the spring is held, in the world frame; None ends the pull [m]."""
    point: Vector = (0.0, 0.0, 0.0)
    """Where it is fixed to the robot, in the body frame [m]."""
    stiffness: float = 0.0
    """Force over length [N/m]."""
    damping: float = 0.0
    """Force over velocity of the point [N s/m]."""
    limit: float = float("inf")
    """Largest force [N]."""

    def __post_init__(self) -> None:
        _check_point("pull", self.time, self.point)
        _check_vector("pull to", self.target or (), "m")

    def begin(self, simulation: "Simulation", acting: "Acting") -> None:
        """Begin to pull, instead of the pull before."""
        if self.target is not None:
            _require_forces(simulation)
        acting.pull = None if self.target is None else self

    def force(self, motion: Motion) -> NDArray[np.float64]:
        """Return the force on the robot at a motion, in the world frame [N]."""
        rotation, twist = motion.pose.matrix, motion.twist
        arm = rotation @ np.array(self.point)
        rates = np.array([twist.roll_rate, twist.pitch_rate, twist.yaw_rate])
        velocity = np.array([twist.vx, twist.vy, twist.vz]) + np.cross(rates, self.point)
        place = np.array([motion.pose.x, motion.pose.y, motion.pose.z]) + arm
        assert self.target is not None  # a pull that ended does not act
        force = self.stiffness * (np.array(self.target) - place)
        force -= self.damping * (rotation @ velocity)
        size = float(np.linalg.norm(force))
        return force * min(1.0, self.limit / size) if size > 0.0 else force

    def content(self) -> dict[str, Any]:
        """Return the event as a table of a scenario file."""
        if self.target is None:
            return {"at_s": self.time, "let_go": True}
        found = {"at_s": self.time, "pull_to_m": list(self.target), "point_m": list(self.point)}
        found |= {"stiffness_N_m": self.stiffness, "damping_N_s_m": self.damping}
        return found if np.isinf(self.limit) else {**found, "limit_N": self.limit}


@dataclass(frozen=True, slots=True, kw_only=True)
class Push:
    """A constant force for some time."""

    time: float
    """When it begins [s]."""
    duration: float
    """How long it acts [s]."""
    force: Vector
    """The force, in the world frame [N]."""
    point: Vector = (0.0, 0.0, 0.0)
    """Where it acts, in the body frame [m]."""

    def __post_init__(self) -> None:
        _check_point("push", self.time, self.point)
        _check_vector("push", self.force, "N")

    def begin(self, simulation: "Simulation", acting: "Acting") -> None:
        """Begin to push."""
        _require_forces(simulation)
        acting.add(Force(self.time + self.duration, self.force, self.point))

    def content(self) -> dict[str, Any]:
        """Return the event as a table of a scenario file."""
        return {
            "at_s": self.time,
            "push_N": list(self.force),
            "for_s": self.duration,
            "point_m": list(self.point),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Kick:
    """An impulse: a force that acts for one tick."""

    time: float
    """When [s]."""
    impulse: Vector
    """The impulse, in the world frame [N s]."""
    point: Vector = (0.0, 0.0, 0.0)
    """Where it acts, in the body frame [m]."""

    def __post_init__(self) -> None:
        _check_point("kick", self.time, self.point)
        _check_vector("kick", self.impulse, "N s")

    def begin(self, simulation: "Simulation", acting: "Acting") -> None:
        """Kick the robot in this tick."""
        _require_forces(simulation)
        x, y, z = (part / simulation.dt for part in self.impulse)
        acting.add(Force(simulation.time + simulation.dt, (x, y, z), self.point))

    def content(self) -> dict[str, Any]:
        """Return the event as a table of a scenario file."""
        return {"at_s": self.time, "kick_N_s": list(self.impulse), "point_m": list(self.point)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """The robot is put somewhere, at rest; flippers and belts stay as they are."""

    time: float
    """When [s]."""
    pose: Pose
    """Where; a model in the plane takes height and tilt from the ground."""

    def __post_init__(self) -> None:
        for name in POSE:
            check_range(f"place: {name}", float(getattr(self.pose, name)), _POSE_UNITS[name])

    def begin(self, simulation: "Simulation", acting: "Acting") -> None:
        """Put the robot there."""
        simulation.plant.move(self.pose)

    def content(self) -> dict[str, Any]:
        """Return the event as a table of a scenario file."""
        place = {f"{n}_{unit}": float(getattr(self.pose, n)) for n, unit in _POSE_UNITS.items()}
        return {"at_s": self.time, "place": place}


def check_forces(event: Event, simulation: "Simulation") -> None:
    """Raise Unsupported if an event needs forces and the model has none."""
    if isinstance(event, Push | Kick) or (isinstance(event, Pull) and event.target is not None):
        _require_forces(simulation)


def _require_forces(simulation: "Simulation") -> None:
    if not isinstance(simulation.plant, PushedPlant):
        able = [name for name, kind in CATALOGUE.items() if getattr(kind, "has_forces", False)]
        raise Unsupported("a force from outside", simulation.model.name, "forces", able)


MOST_PUSHES = f"be at most {PUSHES} at the same time: each of them is added up in each tick"


def check_pushes(events: Sequence[Event]) -> None:
    """Raise InvalidValue if more pushes and kicks act at the same time than a tick can add up."""
    pushes = [event for event in events if isinstance(event, Push | Kick)]
    if len(pushes) <= PUSHES:
        return
    ends: list[float] = []
    for push in sorted(pushes, key=lambda push: push.time):
        while ends and ends[0] <= push.time:
            heapq.heappop(ends)
        heapq.heappush(ends, push.time + (push.duration if isinstance(push, Push) else SLACK))
        if len(ends) > PUSHES:
            raise InvalidValue(f"pushes at {push.time:g} s", f"{len(ends):,}", MOST_PUSHES)


class Force(NamedTuple):
    """A constant force that acts on a robot, until a time."""

    until: float
    """When it ends [s]."""
    force: Vector
    """The force, in the world frame [N]."""
    point: Vector
    """Where it acts, in the body frame [m]."""


@dataclass(slots=True)
class Acting:
    """Forces that act on a robot from outside."""

    pull: Pull | None = None
    """The spring."""
    pushes: tuple[Force, ...] = ()
    """Constant forces."""
    is_pushed: bool = False
    """Whether the plant was given a force in the last tick."""

    def add(self, push: Force) -> None:
        """Let one more force act.

        Raises:
            InvalidValue: Too many act already; `check_pushes` finds that before a run.
        """
        if len(self.pushes) >= PUSHES:
            raise InvalidValue("pushes", f"{PUSHES + 1:,}", MOST_PUSHES)
        self.pushes = (*self.pushes, push)

    def end_pushes(self, now: float) -> None:
        """Let forces end whose time is over [s]."""
        self.pushes = tuple(push for push in self.pushes if now < push.until - SLACK)

    def wrench(self, motion: Motion) -> NDArray[np.float64]:
        """Return force [N] and moment about the origin [N m], in the world frame, six numbers."""
        total = np.zeros(6)
        forces = [(np.array(push.force), push.point) for push in self.pushes]
        if self.pull is not None:
            forces.append((self.pull.force(motion), self.pull.point))
        rotation = motion.pose.matrix
        for force, point in forces:
            total[:3] += force
            total[3:] += np.cross(rotation @ np.array(point), force)
        return total


@dataclass(slots=True)
class Events:
    """The events of a run: those of its scenario, and those that come while it goes on."""

    planned: tuple[Event, ...] = ()
    """Events of the scenario, in the order of time."""
    live: tuple[Event, ...] = ()
    """Events that came while the run went on."""
    done: int = 0
    """How many of all events have begun."""
    acting: Acting = field(default_factory=Acting)
    """What acts now."""
    _sorted: tuple[Any, Any, tuple[Event, ...]] = field(default=(None, None, ()), repr=False)

    @property
    def all(self) -> tuple[Event, ...]:
        """All events, in the order of time; those of the scenario first."""
        return tuple(sorted((*self.planned, *self.live), key=lambda event: event.time))

    def _in_order(self) -> tuple[Event, ...]:
        """Return all events; sorting many in each tick would take long."""
        planned, live, events = self._sorted
        if planned is not self.planned or live is not self.live:
            events = self.all
            self._sorted = (self.planned, self.live, events)
        return events

    def add(self, event: Event, now: float) -> None:
        """Add an event that happens in the next tick or later.

        Raises:
            InvalidValue: It would have happened before.
        """
        if event.time < now - SLACK:
            raise InvalidValue("time of an event", event.time, f"be {now:g} s or later")
        self.live = (*self.live, event)

    def act(self, simulation: "Simulation") -> None:
        """Let what is due happen, and let the forces of this tick act."""
        now, acting = simulation.time, self.acting
        acting.end_pushes(now)
        events = self._in_order()
        while self.done < len(events) and events[self.done].time <= now + SLACK:
            self.done += 1
            events[self.done - 1].begin(simulation, acting)
        acting.end_pushes(now)
        if acting.pull is not None or acting.pushes:
            wrench = acting.wrench(simulation.motion)
        elif acting.is_pushed:
            wrench = np.zeros(6)
        else:
            return
        plant: Any = simulation.plant
        plant.push(wrench[:3].tolist(), wrench[3:].tolist())
        acting.is_pushed = bool(wrench.any())

    def keep(self) -> "Events":
        """Return a copy that later ticks do not change."""
        return replace(self, acting=replace(self.acting))

    def rewind(self, kept: "Events", until: float) -> None:
        """Go back to a copy; of what came since, only what happened before `until` happens again.

        A pull that was held at that time ends there.
        """
        self.live = tuple(event for event in self.live if event.time < until - SLACK)
        self.done, self.acting = kept.done, replace(kept.acting)
        pulls = [event for event in self.live if isinstance(event, Pull)]
        if pulls and pulls[-1].target is not None:
            self.live = (*self.live, Pull(time=until, target=None))

    def content(self) -> list[Mapping[str, Any]]:
        """Return all events as tables of a scenario file."""
        return [event.content() for event in self.all]


@dataclass(frozen=True, slots=True)
class YawKick:
    """A disturbance: turns the robot once, when it first passes a place on the reference path."""

    path: CoursePath
    """The reference path."""
    at_path: float
    """Path length of that place [m]."""
    yaw: float
    """Angle by which the robot is turned [rad]."""

    @classmethod
    def of(cls, course: Course) -> "YawKick | None":
        """Return the course's disturbance; None if it has none."""
        if course.disturbance is None or course.path is None:
            return None
        return cls(course.path, course.disturbance.at, course.disturbance.yaw)

    def apply(self, plant: Plant) -> "YawKick | None":
        """Turn the robot if it has reached the place; return None once that is done, else self."""
        pose = plant.motion.pose
        if self.path.nearest(pose.x, pose.y) < self.at_path:
            return self
        plant.turn(self.yaw)
        return None
