"""The driven robot, its ghosts, and robots that are driven elsewhere."""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import count
from typing import Literal, Protocol

from grouser.control import PathFollower, Sticks, Teleoperation
from grouser.description import Course, Robot, load_course, load_robot
from grouser.drawing.playback import Frame
from grouser.errors import InvalidValue
from grouser.geometry import Pose, wrap_angle
from grouser.log import Log
from grouser.models import Command, Model, Motion, make_model
from grouser.simulation import Simulation

Mode = Literal["manual", "path", "replay", "board"]
"""Who drives: a person, a path follower, nobody (a log is replayed), or a board in the loop."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Gap:
    """How far a ghost is from the robot."""

    model: str
    """The ghost's model."""
    distance: float
    """Between the two origins [m]."""
    heading: float
    """By how much the ghost's heading is to the left of the robot's [rad]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """One moment of a session or of a replay."""

    scene: int
    """Which scene it belongs to: a new number for every robot, course or set of ghosts."""
    run: int
    """Which run it belongs to: a new number whenever time starts anew."""
    time: float
    """Simulated time [s]."""
    mode: Mode
    """Who drives."""
    motion: Motion
    """How the robot moves."""
    frames: tuple[Frame, ...]
    """How the robot looks, and after it each ghost."""
    gaps: tuple[Gap, ...] = ()
    """How far each ghost is away."""
    duration: float = 0.0
    """How long the log is that is replayed [s]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """References as the command line takes them: names or files, parameters may follow."""

    robot: str = "absolem"
    """The robot."""
    course: str = "playground"
    """The course."""
    model: str = "csm"
    """How the robot that is driven moves."""
    ghosts: tuple[str, ...] = ()
    """Other models, which obey the same commands beside it."""


class ExternalRobot(Protocol):
    """A robot that moves elsewhere, looked at from any thread."""

    def look(self) -> tuple[float, Motion] | None:
        """Return its time [s] and how it moves now; None before it has begun."""
        ...

    def log(self) -> Log | None:
        """Return what it did so far; None before it has begun."""
        ...

    def stop(self) -> None:
        """Stop its motors at once. A second time does nothing."""
        ...


MOST_GHOSTS = 4
"""More would hide each other [1]."""
_RUNS = count(1)
_SCENES = count(1)


class SimulatedRobot:
    """One simulated robot."""

    def __init__(
        self, model: Model, robot: Robot, course: Course, pose: Pose | None = None
    ) -> None:
        self.simulation = Simulation(model, robot, course, pose=pose, driver="person")
        self.motion = self.simulation.motion

    def advance(self, command: Command) -> None:
        """Obey `command` for one tick."""
        self.motion = self.simulation.advance(command)

    @property
    def frame(self) -> Frame:
        """How the robot looks now."""
        return Frame(
            pose=self.motion.pose,
            belt_travels=tuple(float(travel) for travel in self.motion.belt_travels),
            flipper_angles=tuple(float(angle) for angle in self.motion.flipper_angles),
            contacts=self.motion.contacts,
        )


class Session:
    """What is driven. It belongs to one thread, which advances it tick by tick."""

    def __init__(self, choice: Choice, speed: float | None = None) -> None:
        """Put the chosen robot and its ghosts on the chosen course.

        Args:
            choice: What to put where.
            speed: Belt speed of a stick that is pushed all the way; two thirds of the robot's
                limit if not given [m/s].

        Raises:
            GrouserError: Something of the choice does not exist, or a model cannot drive it.
        """
        if len(choice.ghosts) > MOST_GHOSTS:
            raise InvalidValue("ghosts", len(choice.ghosts), f"be at most {MOST_GHOSTS}")
        self.choice = choice
        self.robot, self.course = load_robot(choice.robot), load_course(choice.course)
        self.speed = 0.0
        self.set_speed(self.robot.drive.speed_limit / 1.5 if speed is None else speed)
        self.scene = next(_SCENES)
        self.reset()

    def reset(self) -> None:
        """Start anew at the start of the course."""
        models = [self._make_model(name) for name in (self.choice.model, *self.choice.ghosts)]
        self._robots = [SimulatedRobot(model, self.robot, self.course) for model in models]
        self._teleoperation = Teleoperation(self.robot)
        self._follower: PathFollower | None = None
        self.run = next(_RUNS)
        self.was_driven = False
        """Whether the robot was asked to move in this run."""
        self.idle_ticks = 0
        """Ticks in a row in which nobody drove."""

    def set_speed(self, speed: float) -> None:
        """Set the belt speed of a stick that is pushed all the way [m/s].

        Raises:
            InvalidValue: The speed is not finite.
        """
        if not math.isfinite(speed):
            raise InvalidValue("speed", speed, "be a finite number of m/s")
        self.speed = min(max(speed, 0.0), self.robot.drive.speed_limit)

    def set_ghosts(self, ghosts: tuple[str, ...]) -> None:
        """Let other models obey the same commands, from where the robot is now.

        Raises:
            GrouserError: A model does not exist, or cannot drive the course.
        """
        if len(ghosts) > MOST_GHOSTS:
            raise InvalidValue("ghosts", len(ghosts), f"be at most {MOST_GHOSTS}")
        known = dict(zip(self.choice.ghosts, self._robots[1:], strict=True))
        robots = [known.get(name) or self._spawn(name) for name in ghosts]
        self._robots[1:] = robots
        self.choice = replace(self.choice, ghosts=ghosts)
        self.scene = next(_SCENES)

    def follow_path(self) -> None:
        """Hand over to a follower of the course's path.

        Raises:
            InvalidValue: The course has no path.
        """
        self._follower = PathFollower(self.robot, self.course.path, max(self.speed, 0.01))

    def take_back(self) -> None:
        """Let the person drive."""
        self._follower = None

    @property
    def is_following(self) -> bool:
        """Whether the path follower drives."""
        return self._follower is not None

    @property
    def simulation(self) -> Simulation:
        """The simulation of the robot that is driven."""
        return self._robots[0].simulation

    @property
    def tick(self) -> float:
        """Length of a tick [s]."""
        return self.simulation.dt

    @property
    def motion(self) -> Motion:
        """How the robot moves."""
        return self._robots[0].motion

    def advance(self, sticks: Sticks) -> None:
        """Let one tick pass; any stick takes back what a path follower drives."""
        if not sticks.is_released:
            self.take_back()
        command = self._command(sticks)
        is_driven = any(command.belt_speeds)
        self.was_driven = self.was_driven or is_driven
        self.idle_ticks = 0 if is_driven or self.is_following else self.idle_ticks + 1
        for robot in self._robots:
            robot.advance(command)

    def snapshot(self) -> Snapshot:
        """Return this moment."""
        here = self.motion.pose
        gaps = [
            _gap(name, here, robot.motion.pose)
            for name, robot in zip(self.choice.ghosts, self._robots[1:], strict=True)
        ]
        return Snapshot(
            scene=self.scene,
            run=self.run,
            time=self.simulation.time,
            mode="path" if self.is_following else "manual",
            motion=self.motion,
            frames=tuple(robot.frame for robot in self._robots),
            gaps=tuple(gaps),
        )

    @property
    def simulations(self) -> tuple[Simulation, ...]:
        """The simulation of the robot that is driven, and after it each ghost's."""
        return tuple(robot.simulation for robot in self._robots)

    def logs_later(self) -> Callable[[], tuple[Log, ...]]:
        """Return a function that returns everything of this run so far, in whichever thread.

        The robot's log comes first, and after it each ghost's.
        """
        reads = [simulation.log_later() for simulation in self.simulations]
        return lambda: tuple(read() for read in reads)

    def _command(self, sticks: Sticks) -> Command:
        simulation = self.simulation
        by_hand = self._teleoperation.command(sticks, self.speed, simulation.dt)
        if self._follower is None:
            return by_hand
        followed = self._follower(simulation.time, self.motion)
        if followed is None:
            self._follower = None
            return by_hand
        return replace(followed, flipper_angles=by_hand.flipper_angles)

    def _spawn(self, name: str) -> SimulatedRobot:
        here = self.motion.pose if self.simulation.ticks else None
        return SimulatedRobot(self._make_model(name), self.robot, self.course, here)

    def _make_model(self, reference: str) -> Model:
        model = make_model(reference)
        # Arrows of contacts may be asked for at any time, and reading contacts is cheap.
        return make_model(reference, contacts=True) if hasattr(model, "contacts") else model


def _gap(model: str, robot: Pose, ghost: Pose) -> Gap:
    distance = math.dist((robot.x, robot.y, robot.z), (ghost.x, ghost.y, ghost.z))
    return Gap(model=model, distance=distance, heading=float(wrap_angle(ghost.yaw - robot.yaw)))


class ObservedRobot(SimulatedRobot):
    """An robot that moves as a robot elsewhere does."""

    external: ExternalRobot
    time = 0.0
    """Time of the robot elsewhere [s]."""

    def advance(self, command: Command) -> None:
        """Take over where the robot is now, whatever the command."""
        seen = self.external.look()
        if seen is not None:
            self.time, self.motion = seen


class WatchedSession(Session):
    """What the page shows when it does not drive. Sticks and followers have no effect."""

    def __init__(self, choice: Choice, external: ExternalRobot) -> None:
        """Show a robot.

        Args:
            choice: What it is, where it is, and by which model it moves.
            external: Where it really moves.
        """
        self._external = external
        super().__init__(choice)

    def reset(self) -> None:
        """Start to look."""
        super().reset()
        model = self._make_model(self.choice.model)
        self._observed = ObservedRobot(model, self.robot, self.course)
        self._observed.external = self._external
        self._robots = [self._observed]

    def advance(self, sticks: Sticks) -> None:
        """Look again."""
        self._observed.advance(Command(belt_speeds=()))

    def snapshot(self) -> Snapshot:
        """Return this moment."""
        return replace(super().snapshot(), time=self._observed.time, mode="board")

    def logs_later(self) -> Callable[[], tuple[Log, ...]]:
        """Return a function that returns everything so far."""
        log = self._external.log()
        return super().logs_later() if log is None else lambda: (log,)
