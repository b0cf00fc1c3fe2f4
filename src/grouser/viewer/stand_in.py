"""A page that is driven while its model is compiled: a stand-in drives until that is done.

Another process compiles, see `scenario.compiling`, so that the page goes on.
"""

import threading
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from grouser.control import Sticks
from grouser.errors import GrouserError
from grouser.geometry import Pose
from grouser.models import Command, Motion, SideMeans, make_model
from grouser.scenario import Part, Scenario, Start, Variation
from grouser.scenario.compiling import Compilation, is_compiled
from grouser.scenario.run import Loaded
from grouser.viewer.session import Session, at_rest, start_of
from grouser.viewer.soils import ghost_scenario

STAND_IN = Part(name="ideal")
"""The model that drives until another one is compiled."""
LEVEL_COURSE = Part(name="flat")
"""Where it drives if it cannot drive the course itself."""
LOOK_AHEAD = 0.2
"""How far ahead in time it looks for ground that it cannot drive [s]."""
LEVEL = 0.01
"""Largest height of ground that it drives there [m]."""


class StandInSession(Session):
    """Drives a scenario's robot by `ideal`, as long as its own model is not compiled.

    On a course that `ideal` does not know it stays on the level ground around the start. Where
    there is none, the robot stands.
    """

    def __init__(
        self,
        scenario: Scenario,
        ghosts: tuple[str, ...],
        names: Sequence[str],
        share: Callable[[], float],
        here: Pose | None = None,
    ) -> None:
        """Start a run of the stand-in.

        Args:
            scenario: What is shown when it is compiled.
            ghosts: Its ghosts.
            names: The models that are compiled.
            share: Returns how much of that is done.
            here: Where the robot starts; where the scenario says if None.
        """
        self._wanted_ghosts, self._names, self._share = ghosts, " and ".join(names), share
        super().__init__(scenario, here=here)

    @property
    def wanted_ghosts(self) -> tuple[str, ...]:
        """The ghosts that were chosen; none of them drives yet."""
        return self._wanted_ghosts

    @property
    def note(self) -> str:
        """What the page says: how far the compiler is, and what drives."""
        drives = f"driving with {STAND_IN.name}" if self.can_drive else "the robot stands"
        drives += "" if self._is_able or not self.can_drive else " on level ground"
        verb = "are" if " and " in self._names else "is"
        share = f"{100.0 * self._share():.0f} %"
        return f"{self._names} {verb} being compiled: {share}; {drives} until then"

    def reset(self, here: Pose | None = None) -> None:
        """Start a new run of the stand-in."""
        start = start_of(self.scenario, self.course) if here is None else here
        self._is_able = self.course.features <= make_model(STAND_IN.name).features
        self.can_drive = self._is_able or self._is_level(start)
        self._start = start
        super().reset()
        if not self.can_drive:
            self._robots[0].motion = at_rest(self.robot, start)

    @property
    def place(self) -> Pose | None:
        """Where the robot's own model goes on; None before the first tick: at the start."""
        if not self.simulation.ticks or not self.can_drive:
            return None
        pose = self.motion.pose
        return self.course.terrain.pose_at(float(pose.x), float(pose.y), float(pose.yaw))

    def set_ghosts(self, ghosts: tuple[str, ...]) -> None:
        """Choose the ghosts for later."""
        self._wanted_ghosts = ghosts

    def advance(self, sticks: Sticks) -> None:
        """Advance by one tick, if it can drive."""
        if self.can_drive:
            super().advance(sticks)

    def resolved_scenario(self) -> Scenario:
        """Return the scenario that is shown when it is compiled."""
        resolved = self.scenario.vary(driver="person").load().scenario
        return resolved.vary(driver=self.scenario.driver, speed=self.speed)

    def _load(self, scenario: Scenario, model: Part) -> Loaded:
        changes = {} if self._is_able else {"course": LEVEL_COURSE}
        pose = self._start
        start = Start(x=float(pose.x), y=float(pose.y), yaw=float(pose.yaw))
        plain = scenario.vary(
            start_pose=start, variation=Variation(), observers=(), contacts=False, **changes
        )
        return super()._load(plain, STAND_IN)

    def _drive(self, time: float, motion: Motion) -> Command:
        command = super()._drive(time, motion)
        if self._is_able or not any(command.belt_speeds):
            return command
        ahead = self._ahead(motion.pose, command)
        if self._is_level(ahead) or not self._is_level(motion.pose):
            return command
        return replace(command, belt_speeds=(0.0,) * len(command.belt_speeds))

    def _ahead(self, pose: Pose, command: Command) -> Pose:
        """Return where a command leads soon."""
        left, right = SideMeans.of(self.robot)(command.belt_speeds)
        way, turn = 0.5 * LOOK_AHEAD * (left + right), LOOK_AHEAD * (right - left)
        yaw = pose.yaw + turn / self.robot.gauge
        return replace(pose, x=pose.x + way * np.cos(yaw), y=pose.y + way * np.sin(yaw), yaw=yaw)

    def _is_level(self, pose: Pose) -> bool:
        """Return whether all ground below the robot at a pose has height 0."""
        robot = self.robot
        side = 0.5 * max(robot.gauge, robot.body.size[1])
        along, across = np.meshgrid(np.linspace(robot.rear, robot.front, 4), (-side, 0.0, side))
        cos, sin = np.cos(pose.yaw), np.sin(pose.yaw)
        x, y = pose.x + cos * along - sin * across, pose.y + sin * along + cos * across
        heights = np.asarray(self.course.terrain.height(x.ravel(), y.ravel()))
        return bool((np.abs(heights) < LEVEL).all())


class Workshop:
    """Opens sessions at once: those whose models are not compiled get a stand-in meanwhile."""

    def __init__(self, notify: Callable[[str], None]) -> None:
        self._notify = notify
        self._work: Compilation | None = None
        self._share = 0.0
        self._lock = threading.Lock()
        self.is_open = threading.Event()
        """Whether the page can be told that something is done."""
        self.take_over: Callable[[StandInSession], None] = lambda session: None
        """Is called in another thread when all models of a session are compiled."""

    def open(
        self, scenario: Scenario, ghosts: tuple[str, ...] = (), here: Pose | None = None
    ) -> Session:
        """Return a session of a scenario, or that of a stand-in; at a pose if one is given."""
        missing = find_missing(scenario, ghosts)
        if not missing:
            self.stop()
            return Session(scenario, ghosts, here)
        names = [part.model.name for part in missing]
        session = StandInSession(scenario, ghosts, names, lambda: self._share, here)
        self.compile(missing, lambda: self.take_over(session))
        return session

    def compile(self, scenarios: Sequence[Scenario], then: Callable[[], None]) -> None:
        """Compile the models of scenarios, then call a function; replaces what is compiled now."""

        def end(problem: str | None) -> None:
            self.is_open.wait()
            if problem is not None:
                self._notify(f"compiling failed: {problem}")
            else:
                for scenario in scenarios:  # loaded here, the physics loop need not wait for it
                    is_compiled(scenario)
            then()

        self.stop()
        with self._lock:
            self._share = 0.0
            self._work = Compilation(scenarios, self._show, end)

    def stop(self) -> None:
        """End the compiler, if it works."""
        with self._lock:
            work, self._work = self._work, None
        if work is not None:
            work.stop()

    def _show(self, share: float) -> None:
        self._share = max(self._share, share)


def find_missing(scenario: Scenario, ghosts: Sequence[str] = ()) -> list[Scenario]:
    """Return a scenario for each model, its own and those of ghosts, that is not compiled."""
    missing = []
    for tried in (scenario, *(ghost_scenario(scenario, name) for name in ghosts)):
        try:
            if not is_compiled(tried):
                missing.append(tried)
        except GrouserError:  # whoever starts it gets the same error, and reports it
            continue
    return missing
