"""Simulated twins of a robot outside: their belts follow its measured ones."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from grouser.description import Robot
from grouser.errors import RunStopped
from grouser.geometry import Pose, clamp, wrap_angle
from grouser.live.command_input import TIMEOUT
from grouser.live.measured import Measurement
from grouser.models import Motion, SideMeans, command_sides
from grouser.scenario.run import Loaded

SETTLING = 0.2
"""Time constant with which the belts of a twin are led to the measured travel [s]."""
LARGEST_CORRECTION = 0.1
"""Largest change of a belt speed for that, as a share of the robot's speed limit [1]."""
STOPPING = 2.0
"""Time in which twins come to rest when the robot was silent [s]."""
TRAVEL_JUMP = 0.2
"""A travel that differs by more than this from one message to the next was set to zero [m]."""
JUMP = 1.0
"""A time stamp that is older by more than this is a clock that was set back [s]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """How far a twin may be from the robot before it has diverged."""

    distance: float = 0.1
    """Largest distance [m]."""
    heading: float = math.radians(10.0)
    """Largest difference of the heading [rad]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Divergence:
    """A twin that was first farther from the robot than allowed."""

    model: str
    """The twin."""
    time: float
    """Time since the first measurement [s]."""
    distance: float
    """Its distance [m]."""
    heading: float
    """Its heading relative to the robot's, positive to the left [rad]."""
    pose: Pose
    """Where the robot was."""

    def __str__(self) -> str:
        return (
            f"{self.model} diverged at {self.time:.1f} s, x = {float(self.pose.x):.2f} m, "
            f"y = {float(self.pose.y):.2f} m: {self.distance:.2f} m and "
            f"{abs(math.degrees(self.heading)):.0f}° away"
        )


class Twin:
    """One simulated robot, and how far it was from the one outside."""

    def __init__(self, name: str, loaded: Loaded, travels: tuple[float, float]) -> None:
        """Start at the start of a loaded scenario, when the robot's belts have run so far [m]."""
        self.name, self.simulation = name, loaded.start(record=False)
        """Name of the twin, and its simulation."""
        self._sides, self._from, self._due = SideMeans.of(loaded.robot), travels, 0.0
        self.distance = self.heading = math.nan
        """Distance [m] and heading relative to the robot's [rad]; NaN while no pose is known."""
        self.largest = 0.0
        """Largest distance so far [m]."""
        self.divergence: Divergence | None = None
        """When it was first too far away; None if it never was."""

    @property
    def motion(self) -> Motion:
        """Its motion."""
        return self.simulation.motion

    def follow(
        self,
        duration: float,
        speeds: tuple[float, float],
        travels: tuple[float, float],
        angles: tuple[float, ...],
    ) -> None:
        """Advance by a duration [s] with measured belts.

        Args:
            duration: How long.
            speeds: Belt speeds of left and right side in that time [m/s].
            travels: How far the robot's belts have run at its end [m].
            angles: Angles of all flippers [rad].
        """
        simulation = self.simulation
        self._due += duration
        ticks = round(self._due / simulation.dt) - simulation.ticks
        if ticks <= 0:
            return
        duration = ticks * simulation.dt
        most = LARGEST_CORRECTION * simulation.robot.drive.speed_limit
        share = (1.0 - math.exp(-duration / SETTLING)) / duration
        run = self._sides(simulation.motion.belt_travels)
        left, right = (
            speed + float(clamp(share * (to - start - float(way) - speed * duration), -most, most))
            for speed, to, start, way in zip(speeds, travels, self._from, run, strict=True)
        )
        command = replace(command_sides(simulation.robot, left, right), flipper_angles=angles)
        for _ in range(ticks):
            simulation.advance(command)

    def compare(self, pose: Pose, time: float, limits: Limits) -> Divergence | None:
        """Measure the distance to the robot; return the divergence if it is new."""
        own = self.motion.pose
        self.distance = math.dist((own.x, own.y, own.z), (pose.x, pose.y, pose.z))
        self.heading = float(wrap_angle(own.yaw - pose.yaw))
        self.largest = max(self.largest, self.distance)
        is_far = self.distance > limits.distance or abs(self.heading) > limits.heading
        if self.divergence is not None or not is_far:
            return None
        self.divergence = Divergence(
            model=self.name, time=time, distance=self.distance, heading=self.heading, pose=pose
        )
        return self.divergence


class Twins:
    """The twins of one robot. Time is that of the robot's stamps, so jitter does not matter.

    A silence longer than the timeout counts as one in which the belts stopped: the twins stop, too.
    """

    def __init__(
        self,
        robot: Robot,
        start: Callable[[str, Pose | None], Loaded],
        *,
        timeout: float = TIMEOUT,
        limits: Limits | None = None,
        settle: Callable[[Pose], Pose] = lambda pose: pose,
    ) -> None:
        """Prepare, without twins.

        Args:
            robot: The robot outside.
            start: Loads the scenario of a twin by its name, at a pose or at its start.
            timeout: Belts count as standing when no measurement came for so long [s].
            limits: How far a twin may be away.
            settle: Returns a measured pose with what was not measured.
        """
        self._robot, self._start, self._settle = robot, start, settle
        self.timeout, self.limits = timeout, limits or Limits()
        """Of `__init__`."""
        self._stamp: float | None = None
        self._zero = (0.0, 0.0)
        self.twins: list[Twin] = []
        """The twins, in the order of their names."""
        self.time = 0.0
        """Time since the first measurement, by the robot's stamps [s]."""
        self.speeds = self.travels = (0.0, 0.0)
        """Measured belt speeds [m/s], and how far the belts have run [m], left and right."""
        self.angles = tuple(flipper.rest_angle for flipper in robot.flippers)
        """Measured angles of the flippers [rad]."""
        self.pose: Pose | None = None
        """Last measured pose; None before the first."""
        self.sentences: list[str] = []
        """What happened since somebody emptied this list."""

    def set_models(self, names: Sequence[str]) -> None:
        """Set the twins; new ones start where the robot is."""
        known = {twin.name: twin for twin in self.twins}
        self.twins = [known.get(name) or self._make(name) for name in names]

    def align(self) -> None:
        """Let all twins start anew where the robot is."""
        self.twins = [self._make(twin.name) for twin in self.twins]

    def follow(self, measurement: Measurement) -> list[Divergence]:
        """Take in a measurement; return the twins that have diverged by it."""
        step = 0.0 if self._stamp is None else measurement.time - self._stamp
        is_gap = self._stamp is None or not -JUMP <= step <= self.timeout
        if step < -JUMP or measurement.begins:
            if not measurement.begins:
                self.sentences.append(
                    f"the robot's clock jumped back by {-step:.1f} s: the ghosts are where it is"
                )
            self.pose = None
            self.align()
        elif is_gap:
            self._pass(min(step, self.timeout))
            self.speeds = (0.0, 0.0)
            self._pass(min(step - self.timeout, STOPPING))
        if is_gap or step > 0.0:
            self._stamp = measurement.time
        # Two topics of one robot may come a little out of order: time does not go back.
        self.time += max(step, 0.0)
        self._take_belts(measurement, 0.0 if is_gap else max(step, 0.0), is_gap=is_gap)
        return [] if measurement.pose is None else self._take_pose(measurement.pose)

    def _take_belts(self, measurement: Measurement, step: float, *, is_gap: bool) -> None:
        known = dict(zip((f.name for f in self._robot.flippers), self.angles, strict=True))
        self.angles = tuple((known | dict(measurement.flippers)).values())
        self.speeds = measurement.belts or self.speeds
        given = measurement.travels
        if given is None:
            self._pass(step)
            return
        ways = _minus(_minus(given, self._zero), self.travels)
        errors = [way - speed * step for way, speed in zip(ways, self.speeds, strict=True)]
        # A board that restarts counts from zero again.
        if is_gap or max(map(abs, errors)) > TRAVEL_JUMP:
            self._zero = _minus(given, self.travels)
        self._pass(step, _minus(given, self._zero))

    def _take_pose(self, pose: Pose) -> list[Divergence]:
        is_first, self.pose = self.pose is None, self._settle(pose)
        if is_first:
            self.align()
        found = [twin.compare(self.pose, self.time, self.limits) for twin in self.twins]
        return [divergence for divergence in found if divergence is not None]

    def _pass(self, duration: float, travels: tuple[float, float] | None = None) -> None:
        """Let time pass for all twins; belts run on at their speeds, or to measured travels."""
        left, right = self.speeds
        ways = self.travels[0] + left * duration, self.travels[1] + right * duration
        self.travels = ways if travels is None else travels
        if duration <= 0.0:
            return
        for place, twin in enumerate(self.twins):
            try:
                twin.follow(duration, self.speeds, self.travels, self.angles)
            except RunStopped as error:
                self.sentences.append(f"{twin.name}: {error}; it starts again where the robot is")
                self.twins[place] = self._make(twin.name)

    def _make(self, name: str) -> Twin:
        twin = Twin(name, self._start(name, self.pose), self.travels)
        if self.pose is not None:
            twin.compare(self.pose, self.time, self.limits)
        return twin


def _minus(one: tuple[float, float], other: tuple[float, float]) -> tuple[float, float]:
    return one[0] - other[0], one[1] - other[1]
