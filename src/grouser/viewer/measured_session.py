"""A robot that is measured outside, and ghosts of models whose belts follow its own."""

import math
from array import array
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime

import numpy as np

from grouser.control import Sticks
from grouser.errors import GrouserError, InvalidValue
from grouser.geometry import Pose, Twist, rotate, wrap_angle
from grouser.live import Divergence, Limits, MeasuredRobot, Measurement, Twins
from grouser.log import Column, Log, Provenance
from grouser.models import Motion, command_sides
from grouser.models.kinematic import RestOnTerrain
from grouser.scenario import Scenario, Start
from grouser.scenario.run import Loaded
from grouser.simulation import DEFAULT_DT
from grouser.version import VERSION
from grouser.viewer.session import (
    PERSON,
    Gap,
    Session,
    Snapshot,
    at_rest,
    frame_of,
    new_scene,
    start_of,
)
from grouser.viewer.soils import FIRM, ghost_scenario

MOST_TAKEN = 50
"""Measurements that are taken in one tick, so that a backlog does not stop the page [1]."""
SMOOTHING = 0.2
"""Time constant of the shown speeds, which are differences of poses [s]."""
MOST_ROWS = 1_000_000
"""Rows that are kept for a recording; nearly three hours at 100 Hz [1]."""
_POSE = {"x": "m", "y": "m", "z": "m", "roll": "rad", "pitch": "rad", "yaw": "rad"}


class MeasuredSession(Session):
    """Shows a robot where it is measured, and its ghosts. It reads only: nothing is commanded."""

    def __init__(
        self,
        scenario: Scenario,
        source: MeasuredRobot,
        *,
        limits: Limits | None = None,
        timeout: float = 0.5,
    ) -> None:
        """Watch the robot of a scenario on its course; the scenario's model is not used.

        Args:
            scenario: Robot, course and start.
            source: What is measured.
            limits: How far a ghost may be from the robot before it has diverged.
            timeout: The robot counts as silent when nothing came for so long [s].
        """
        self._source, self._limits, self._timeout = source, limits, timeout
        self._twins: Twins | None = None
        self._created = datetime.now(UTC).isoformat(timespec="seconds")
        self.on_event: Callable[[str], None] = lambda sentence: None
        """Is called with a sentence when something happened."""
        self.on_divergence: Callable[[Divergence], None] = lambda divergence: None
        """Is called when a ghost is first too far away."""
        super().__init__(scenario)

    is_elsewhere = True

    def reset(self, here: Pose | None = None) -> None:
        """Bring the ghosts to the robot; the first time, start to observe."""
        if self._twins is None:
            rest = RestOnTerrain(self.robot, self.course.terrain)
            self._twins = Twins(
                self.robot, self._load_twin, timeout=self._timeout, limits=self._limits,
                settle=(lambda pose: _rested(rest, pose)) if self._source.is_planar else _as_it_is,
            )  # fmt: skip
            self._rows = array("d")
            self._seen, self._twist, self._problem = -math.inf, Twist(), ""
            self._motion = at_rest(self.robot, start_of(self.scenario, self.course))
        else:
            self.twins.align()
        self._restart()

    @property
    def posture(self) -> str:
        """What flippers follow is not known of a robot outside."""
        return ""

    @property
    def twins(self) -> Twins:
        """The ghosts, and what is known of the robot."""
        assert self._twins is not None  # made by the first reset
        return self._twins

    def set_ghosts(self, ghosts: tuple[str, ...]) -> None:
        """Set the ghosts; new ones start where the robot is now."""
        self._check_ghosts(ghosts)
        if FIRM in ghosts:
            raise InvalidValue("ghost", FIRM, "be a model: which one the robot has is not known")
        self.twins.set_models(ghosts)
        self.ghosts, self.scene = ghosts, new_scene()

    @property
    def tick(self) -> float:
        """Time between two looks at the robot [s]."""
        return DEFAULT_DT

    @property
    def motion(self) -> Motion:
        """Motion of the robot."""
        return self._motion

    @property
    def note(self) -> str | None:
        """What is missing: measurements at all, new ones, or poses."""
        source, silence = self._source, self._source.silence
        if source.is_over and silence > self._timeout:
            return f"{source.name} is over"
        if silence == math.inf:
            return f"waiting for the belt speeds of {source.name}"
        if silence > self._timeout:
            return f"{source.name} is silent for {silence:.0f} s; the ghosts stand"
        if self.twins.time - self._seen > max(2.0, self._timeout):
            return f"no pose of {source.name} comes: how far the ghosts are away is not known"
        return None

    def advance(self, sticks: Sticks) -> None:
        """Take what was measured since the last tick; sticks have no effect."""
        for _ in range(MOST_TAKEN):
            measurement = self._source.take()
            if measurement is None:
                break
            self._take(measurement)
        for sentence in self.twins.sentences:
            self.on_event(sentence)
        self.twins.sentences.clear()
        if self._source.problem and not self._problem:
            self._problem = self._source.problem
            self.on_event(f"a measurement was ignored: {self._problem}")

    def snapshot(self) -> Snapshot:
        """Return the current state."""
        twins = self.twins
        return Snapshot(
            scene=self.scene,
            run=self.run,
            time=twins.time,
            mode="measured",
            motion=self._motion,
            frames=(frame_of(self._motion), *(frame_of(twin.motion) for twin in twins.twins)),
            gaps=tuple(
                Gap(
                    model=twin.name,
                    distance=twin.distance,
                    heading=twin.heading,
                    since=math.nan if twin.divergence is None else twin.divergence.time,
                )
                for twin in twins.twins
            ),
            motions=(self._motion, *(twin.motion for twin in twins.twins)),
        )

    def logs_later(self) -> Callable[[], tuple[Log, ...]]:
        """Return a function that returns what was measured as a log; raises before that."""
        if not self._rows:
            raise GrouserError(f"there is no log yet: nothing came from {self._source.name}")
        rows = np.array(self._rows[:])
        return lambda: (self._log(rows),)

    def _take(self, measurement: Measurement) -> None:
        twins, before, time = self.twins, self._motion.pose, self.twins.time
        for divergence in twins.follow(measurement):
            self.on_event(str(divergence))
            self.on_divergence(divergence)
        if twins.time < time or twins.pose is None:
            self._seen = -math.inf
        if measurement.pose is not None and twins.pose is not None:
            elapsed = twins.time - self._seen
            self._twist = _smooth(self._twist, before, twins.pose, elapsed)
            self._seen = twins.time
        pose = before if twins.pose is None else twins.pose
        self._motion = self._move(pose)
        self._add_row()

    def _move(self, pose: Pose) -> Motion:
        twins = self.twins
        speeds = command_sides(self.robot, *twins.speeds).belt_speeds
        return replace(
            self._motion,
            pose=pose,
            twist=self._twist,
            belt_speeds_commanded=speeds,
            belt_speeds=speeds,
            belt_travels=command_sides(self.robot, *twins.travels).belt_speeds,
            flipper_angles=twins.angles,
            slips=tuple(
                _slip(float(speed), float(self._twist.vx - self._twist.yaw_rate * drive.y))
                for speed, drive in zip(speeds, self.robot.drives, strict=True)
            ),
        )

    def _load_twin(self, name: str, pose: Pose | None) -> Loaded:
        scenario = ghost_scenario(self.scenario, name).vary(
            driver=PERSON, observers=(), contacts=False, flippers=()
        )
        if pose is not None:
            place = Start(x=float(pose.x), y=float(pose.y), yaw=float(pose.yaw))
            scenario = scenario.vary(start_pose=place)
        return self._load(scenario, scenario.model)

    def _columns(self) -> dict[str, str]:
        belts = {f"belt_speed.{drive.name}": "m/s" for drive in self.robot.drives}
        travels = {f"belt_travel.{drive.name}": "m" for drive in self.robot.drives}
        angles = {f"flipper_angle.{flipper.name}": "rad" for flipper in self.robot.flippers}
        return {"tick": "1", "time": "s", **_POSE, **belts, **travels, **angles}

    def _add_row(self) -> None:
        width, motion, time = len(self._columns()), self._motion, self.twins.time
        rows = len(self._rows) // width
        if rows >= MOST_ROWS or (rows and time <= self._rows[1 - width]):
            return
        known = self._seen == time
        pose = [float(getattr(motion.pose, n)) if known else math.nan for n in _POSE]
        numbers = (*motion.belt_speeds, *motion.belt_travels, *motion.flipper_angles)
        self._rows.extend((rows, time, *pose, *map(float, numbers)))

    def _log(self, rows: np.ndarray) -> Log:
        units, robot, course = self._columns(), self.robot, self.course
        table = zip(units, rows.reshape(-1, len(units)).T, strict=True)
        return Log(
            {name: Column(values, units[name]) for name, values in table},
            Provenance(
                grouser_version=VERSION, robot=robot.name, robot_hash=robot.content_hash,
                robot_text=robot.text, course=course.name, course_hash=course.content_hash,
                course_text=course.text, course_parameters=course.parameters, driver="measured",
                status="complete", created=self._created,
            ),
        )  # fmt: skip


def _as_it_is(pose: Pose) -> Pose:
    return pose


def _rested(rest: RestOnTerrain, pose: Pose) -> Pose:
    """Return a pose with height, roll and pitch of the terrain; level where there is no ground."""
    rested = rest(Pose(x=pose.x, y=pose.y, yaw=pose.yaw))
    tilt = {name: float(getattr(rested, name)) for name in ("z", "roll", "pitch")}
    return replace(pose, **tilt if all(map(math.isfinite, tilt.values())) else {})


def _smooth(twist: Twist, before: Pose, pose: Pose, elapsed: float) -> Twist:
    """Return the twist between two poses, smoothed; that of before if no time has passed."""
    if not 0.0 < elapsed < math.inf:
        return twist
    share = 1.0 - math.exp(-elapsed / SMOOTHING)
    vx, vy = rotate(pose.x - before.x, pose.y - before.y, -pose.yaw)
    new = {"vx": vx, "vy": vy, "yaw_rate": wrap_angle(pose.yaw - before.yaw)}
    return replace(
        twist,
        **{
            name: float(getattr(twist, name) + share * (way / elapsed - getattr(twist, name)))
            for name, way in new.items()
        },
    )


def _slip(belt: float, ground: float) -> float:
    """Return the slip ratio of a belt over the ground; 0 while it stands [1]."""
    return 0.0 if abs(belt) < 1e-3 else 1.0 - ground / belt
