"""What the page shows: the driven robot and its ghosts, or a robot that is driven elsewhere."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from itertools import count
from typing import Literal

from grouser.control import AutoFlippers, PathFollower, Sticks, Teleoperation
from grouser.description import Course, Robot
from grouser.description.posture import AUTO, REST
from grouser.drawing.playback import Frame
from grouser.errors import InvalidValue
from grouser.geometry import Pose, Twist, wrap_angle
from grouser.live import OutsideDriver
from grouser.live.rewind import Rewinder
from grouser.log import Log
from grouser.models import Command, Motion, make_model
from grouser.models.ground.ruts import RutGrid, ruts_of
from grouser.scenario import FlipperKeyframe, Part, Scenario, Start, Stop
from grouser.scenario.events import Change, rebind, unbind
from grouser.scenario.run import Loaded
from grouser.simulation import Simulation
from grouser.simulation.events import Vector
from grouser.simulation.sensors import Reading
from grouser.viewer.soils import ghost_scenario
from grouser.viewer.touchable import SimulatedRobot, Touchable

Mode = Literal["manual", "path", "replay", "board", "hand", "measured"]
"""What drives: a person, a path follower, nothing (a log is replayed), a board by itself, a board
that a person on the page steers, or somebody outside whose robot is only watched."""
MAX_GHOSTS = 4
"""Largest number of ghosts; more would hide each other [1]."""
PERSON = Part(name="person")
"""The driver of a run on the page."""
_RUNS = count(1)
_SCENES = count(1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Gap:
    """Distance between a ghost and the robot."""

    model: str
    distance: float
    """Distance between the two body frames [m]."""
    heading: float
    """Heading of the ghost relative to the robot's, positive to the left [rad]."""
    since: float = math.nan
    """When it was first farther away than allowed; NaN if it never was [s]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """State of a session or of a replay at one time."""

    scene: int
    """Number of the scene; a new one for every robot, course or set of ghosts."""
    run: int
    """Number of the run; a new one whenever time restarts."""
    time: float
    """Simulated time [s]."""
    mode: Mode
    motion: Motion
    frames: tuple[Frame, ...]
    """Frame of the robot, then of each ghost."""
    gaps: tuple[Gap, ...] = ()
    """Distance of each ghost."""
    duration: float = 0.0
    """Duration of the log that is replayed [s]."""
    ruts: RutGrid | None = None
    """Ruts of the robot, a view that goes on growing; None without soft ground."""
    pull: tuple[Vector, Vector, Vector] | None = None
    """Where a spring pulls at the robot [m], where it is held [m], and its force [N]."""
    is_past: bool = False
    """Whether it is shown again while time stands."""
    motions: tuple[Motion, ...] = ()
    """Motion of the robot, then of each ghost; only the robot's is known if it is empty."""
    reading: Reading | None = None
    """What the sensors of the robot measured; None without sensors."""
    columns: Mapping[str, tuple[float, str]] = field(default_factory=dict)
    """Value and unit of each column of the log that is replayed [unit of the column]."""


class Session(Touchable):
    """The driven robot and its ghosts. Only one thread uses it, which advances it tick by tick.

    The robot starts as its scenario says: start, seed, tick, flippers, observers, contacts,
    variation. A person drives it instead of the scenario's driver. The flippers follow the
    scenario's schedule until a person moves them.
    """

    def __init__(
        self, scenario: Scenario, ghosts: tuple[str, ...] = (), here: Pose | None = None
    ) -> None:
        """Load a scenario and start its run, the first one at a pose if one is given.

        Its speed is the belt speed of a stick at its end stop; two thirds of the robot's limit if
        it has none.
        """
        self._check_ghosts(ghosts)
        self._robots: list[SimulatedRobot] = []
        self.scenario, self.ghosts = scenario, ghosts
        self.robot, self.course = scenario.robot.load_robot(), scenario.course.load_course()
        speed = scenario.speed
        self.set_speed(self.robot.drive.speed_limit / 1.5 if speed is None else speed)
        self.scene = new_scene()
        self.keeps_cameras = False
        """Whether cameras stay where they are when its scene appears."""
        self.reset(here)

    def reset(self, here: Pose | None = None) -> None:
        """Start a new run, at a pose or where the scenario says."""
        start = {} if here is None else {"start_pose": Start.of(here)}
        loaded = self._load(self.scenario.vary(**start), self.scenario.model)
        self._resolved = loaded.scenario
        self._robots = [SimulatedRobot(loaded), *(self._ghost(name) for name in self.ghosts)]
        self._teleoperation = Teleoperation(self.robot)
        self._driver = OutsideDriver(loaded, self._drive)
        self._sticks = Sticks()
        self._last = Command(belt_speeds=(), flipper_angles=self._teleoperation.flipper_angles)
        self._rewinder = Rewinder(self.simulations)
        self._restart()

    def _restart(self) -> None:
        self._follower: PathFollower | None = None
        self.run = next(_RUNS)
        self.was_driven = False
        """Whether belts were commanded to move, or the robot was touched, in this run."""
        self.flippers_were_moved = self._flipper_rule is not None
        """Whether a person moved flippers in this run, or lets them move by the rule `auto`."""
        self._posture = AUTO if self._flipper_rule is not None else ""
        self.idle_ticks = 0
        """Number of ticks since the last command to move belts."""

    def set_speed(self, speed: float) -> None:
        """Set the belt speed of a stick at its end stop, limited to the robot's range [m/s]."""
        if not math.isfinite(speed):
            raise InvalidValue("speed", speed, "be a finite number of m/s")
        self.speed = min(max(speed, 0.0), self.speed_limit)

    @property
    def speed_limit(self) -> float:
        """Largest belt speed of the robot as it is now [m/s]."""
        robot = self._robots[0].simulation.robot if self._robots else self.robot
        return robot.drive.speed_limit

    def set_ghosts(self, ghosts: tuple[str, ...]) -> None:
        """Set the ghosts; new ones start where the robot is now."""
        self._check_ghosts(ghosts)
        known = dict(zip(self.ghosts, self._robots[1:], strict=True))
        here = self.motion.pose if self.simulation.ticks else None
        self._robots[1:] = [known.get(name) or self._ghost(name, here) for name in ghosts]
        self._rewinder = Rewinder(self.simulations)
        self.ghosts = ghosts
        self.scene = new_scene()

    def follow_path(self) -> None:
        """Let a path follower drive along the course's path."""
        self._follower = PathFollower(self.robot, self.course.path, max(self.speed, 0.01))

    def stop_following(self) -> None:
        """Let the person drive."""
        self._follower = None

    _flipper_rule: AutoFlippers | None = None

    is_elsewhere = False
    """Whether its robot moves by itself, outside of this session, which cannot stop its time."""

    def release(self) -> None:
        """Let go of a robot that is steered from here and moves elsewhere."""

    @property
    def note(self) -> str | None:
        """What the page says about the robot that it shows, if anything."""
        return None

    @property
    def wanted_ghosts(self) -> tuple[str, ...]:
        """The ghosts that were chosen."""
        return self.ghosts

    @property
    def is_following(self) -> bool:
        """Whether a path follower drives."""
        return self._follower is not None

    @property
    def simulations(self) -> tuple[Simulation, ...]:
        """Simulation of the driven robot, then of each ghost."""
        return tuple(robot.simulation for robot in self._robots)

    @property
    def tick(self) -> float:
        """Length of a tick [s]."""
        return self.simulation.dt

    def advance(self, sticks: Sticks) -> None:
        """Advance by one tick; moving a stick stops the path follower."""
        if not sticks.is_released:
            self.stop_following()
        if sticks.front or sticks.rear:
            self._move_flippers_by_hand()
        self._sticks = sticks
        self._driver.moves_flippers = self.flippers_were_moved
        self._last = command = self._driver(self.simulation.time, self.motion)
        is_driven = any(command.belt_speeds)
        self.was_driven = self.was_driven or is_driven
        self.idle_ticks = 0 if is_driven or self.is_following else self.idle_ticks + 1
        for robot in self._robots:
            robot.advance(command)
        self._rewinder.add(command)

    @property
    def posture(self) -> str:
        """What the flippers follow: `auto`, a posture's name, or nothing if moved by hand."""
        if self.flippers_were_moved:
            return self._posture
        past = [frame for frame in self.scenario.flippers if frame.time <= self.simulation.time]
        return past[-1].posture if past else self.robot.posture or REST

    def set_posture(self, name: str) -> None:
        """Move the flippers to a posture, or let them follow the rule `auto`; stop that if empty.

        Raises:
            UnknownName: The robot has no posture of this name.
        """
        if not name:
            self._move_flippers_by_hand()
            return
        frame = FlipperKeyframe(time=0.0, posture=name)
        aim = frame.aim_of(self.robot)
        self._move_flippers_by_hand()
        self._posture = name
        if isinstance(aim, AutoFlippers):
            self._flipper_rule = aim
        else:
            self._teleoperation.flipper_angles = aim

    def _move_flippers_by_hand(self) -> None:
        if not self.flippers_were_moved or self._flipper_rule is not None:
            self._teleoperation.flipper_angles = tuple(map(float, self._last.flipper_angles))
        self.flippers_were_moved, self._flipper_rule, self._posture = True, None, ""

    @property
    def earliest(self) -> float:
        """The earliest time to which one can go back [s]."""
        return self._rewinder.earliest

    def rewind(self, time: float) -> None:
        """Go back to a time [s] and go on from there: a new run with the same rows up to then.

        Raises:
            InvalidValue: It is in the future, or too long ago.
        """
        last = self._rewinder.rewind(time)
        for robot in self._robots:
            robot.motion = robot.simulation.motion
            rebind(robot.simulation, robot.loaded.scenario)
        if last is not None:
            self._last = last
            self._teleoperation.flipper_angles = tuple(map(float, last.flipper_angles))
        self._follower, self.run = None, next(_RUNS)

    def snapshot(self) -> Snapshot:
        """Return the current state."""
        here, ghosts = self.motion.pose, zip(self.ghosts, self._robots[1:], strict=True)
        return Snapshot(
            scene=self.scene,
            run=self.run,
            time=self.simulation.time,
            mode="path" if self.is_following else "manual",
            motion=self.motion,
            frames=tuple(frame_of(robot.motion) for robot in self._robots),
            gaps=tuple(_gap(name, here, ghost.motion.pose) for name, ghost in ghosts),
            ruts=ruts_of(self.simulation.plant),
            pull=self.spring,
            motions=tuple(robot.motion for robot in self._robots),
            reading=self.simulation.reading,
        )

    def logs_later(self) -> Callable[[], tuple[Log, ...]]:
        """Return a function that returns the logs so far, the robot's first, in any thread."""
        reads = [simulation.log_later() for simulation in self.simulations]
        return lambda: tuple(read() for read in reads)

    def resolved_scenario(self) -> Scenario:
        """Return the scenario with its current speed, its tick and the texts of its files.

        A run that somebody drove or touched has its events. Otherwise changes are its own numbers.
        """
        events, is_run = self.simulation.events, self.was_driven or self.flippers_were_moved
        scenario = self._resolved.vary(
            model=self.scenario.model,
            driver=self.scenario.driver,
            speed=self.speed,
            events=unbind(events.all if is_run else events.planned),
        )
        live = () if is_run else events.live
        for event in live:
            if isinstance(event, Change):
                scenario = scenario.vary(event.key, event.value)
        return scenario

    def _drive(self, time: float, motion: Motion) -> Command:
        by_hand = self._teleoperation.command(self._sticks, self.speed, self.simulation.dt)
        followed = None if self._follower is None else self._follower(time, motion)
        command, angles = followed or by_hand, by_hand.flipper_angles
        if followed is None:
            self._follower = None
        if self._flipper_rule is not None:
            angles = self._flipper_rule.angles(motion.pose.pitch, command.belt_speeds)
        return replace(command, flipper_angles=angles)

    def _ghost(self, name: str, pose: Pose | None = None) -> SimulatedRobot:
        """Return a ghost at a pose; at the start of the scenario if None."""
        scenario = self._resolved.vary(model=self.scenario.model, observers=(), contacts=False)
        if pose is not None:
            scenario = scenario.vary(start_pose=Start.of(pose))
        scenario = ghost_scenario(scenario, name)
        return SimulatedRobot(self._load(scenario, scenario.model))

    @staticmethod
    def _check_ghosts(ghosts: tuple[str, ...]) -> None:
        if len(ghosts) > MAX_GHOSTS:
            raise InvalidValue("ghosts", len(ghosts), f"be at most {MAX_GHOSTS}")

    def _load(self, scenario: Scenario, model: Part) -> Loaded:
        # Arrows of contacts may be switched on at any time, and reading contacts is cheap.
        if hasattr(make_model(model.name, **model.parameters), "contacts"):
            model = replace(model, parameters={**model.parameters, "contacts": True})
        return scenario.vary(model=model, driver=PERSON).load()


def repeat(scenario: Scenario, recording: str) -> Scenario:
    """Return a scenario that repeats the commands of a recording."""
    # Flipper angles and gains are part of the recorded commands.
    gains = {"gain_left": 1.0, "gain_right": 1.0}
    return scenario.vary(
        driver={"name": "replay", "log": recording},
        stop=Stop(),
        flippers=(),
        variation=replace(scenario.variation, **gains),
    )


def start_of(scenario: Scenario, course: Course) -> Pose:
    """Return where the robot of a scenario starts on its course."""
    given = scenario.start_pose
    return course.start_pose if given is None else given.pose_on(course)


def at_rest(robot: Robot, pose: Pose) -> Motion:
    """Return the motion of a robot that stands at a pose."""
    still = (0.0,) * len(robot.drives)
    return Motion(
        pose=pose,
        twist=Twist(),
        belt_speeds_commanded=still,
        belt_speeds=still,
        belt_travels=still,
        flipper_angles=tuple(flipper.rest_angle for flipper in robot.flippers),
        slips=still,
    )


def new_scene() -> int:
    """Return the number of a new scene."""
    return next(_SCENES)


def frame_of(motion: Motion) -> Frame:
    """Return what a picture shows of a motion."""
    return Frame(
        pose=motion.pose,
        belt_travels=tuple(float(travel) for travel in motion.belt_travels),
        flipper_angles=tuple(float(angle) for angle in motion.flipper_angles),
        contacts=motion.contacts,
    )


def _gap(model: str, robot: Pose, ghost: Pose) -> Gap:
    distance = math.dist((robot.x, robot.y, robot.z), (ghost.x, ghost.y, ghost.z))
    return Gap(model=model, distance=distance, heading=float(wrap_angle(ghost.yaw - robot.yaw)))
