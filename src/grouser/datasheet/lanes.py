"""Lanes: courses that a robot follows from several starts, and tries again where it is stuck."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from grouser.datasheet.attempt import TIPPED, Ending, tilt_of
from grouser.datasheet.climbing import Posture, raised_posture, rest_posture, with_contacts
from grouser.datasheet.limits import Verdict, Witness, format_share
from grouser.datasheet.row import Cell, Row, Settings
from grouser.description import Course, Robot, load_course
from grouser.drivers import DriverInputs, make_driver
from grouser.geometry import Pose
from grouser.models import Command, Model, check_course, start_model
from grouser.registry import description_files
from grouser.scenario.parts import default_speed
from grouser.scenario.run import PROGRESS_SHARE, StuckTimer
from grouser.tasks import content_hash

PREFIX = "lane-"
"""How the names of lanes begin."""
OTHERS = ("pallet", "staircase", "staircase-down")
"""Courses that are driven as lanes, too."""
SPREAD = (0.02, 0.02, math.radians(2.0))
"""Standard deviation of starts but the first: x, y [m], yaw [rad]; as P1's obstacles have."""
SEED = "seed"
"""Parameter of lanes that are drawn at random: each start has a number of its own."""
TICK = 0.02
"""Length of a tick [s]."""
STUCK, BACK, RETRIES = 4.0, 2.0, 2
"""Time without progress until it backs off, for how long it does [s], and how often [1]."""
LIMIT = 2.0
"""Time for a lane, in times that the path takes at the commanded speed [1]."""
LANES = "Lanes"


def lane_names() -> tuple[str, ...]:
    """Return the names of all lanes that come with grouser, in order."""
    lanes = sorted(name for name in description_files("course") if name.startswith(PREFIX))
    return (*lanes, *OTHERS)


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """How a drive through a lane ended."""

    passed: bool
    """Whether the end of the path was reached."""
    duration: float
    """Time until then, or until it was given up [s]."""
    retries: int
    """How often the robot backed off and tried again [1]."""
    progress: float
    """Largest share of the path that was behind it [1]."""
    ending: Ending
    """What ended it."""


class _Lane:
    """One drive: a path follower, and backing off where there is no progress."""

    def __init__(self, model: Model, robot: Robot, course: Course, start: Pose) -> None:
        self.robot, self.plant = robot, start_model(model, robot, course, start)
        speed = default_speed(robot, course)
        self.speed = speed
        inputs = DriverInputs(robot=robot, course=course, start=start, speed=speed)
        self.plan = make_driver("follow", inputs)
        assert course.path is not None, "a lane has a path"
        self.longest = LIMIT * course.path.length / speed + RETRIES * (STUCK + BACK)
        postures = [rest_posture(robot)]
        self.postures: list[Posture] = (
            [*postures, raised_posture(robot)] if robot.flippers else postures
        )

    def drive(self, witness: Witness | None = None) -> Passage:
        """Drive until the end of the path, or until it is given up."""
        time, retries, back_until = 0.0, 0, 0.0
        progress = self.plan.progress or (lambda: 0.0)
        timer, best = StuckTimer(STUCK, PROGRESS_SHARE), 0.0
        while time < self.longest:
            command = self.plan.driver(time, self.plant.motion)
            best = max(best, progress())
            if command is None:
                return Passage(
                    passed=True, duration=time, retries=retries, progress=1.0, ending="done"
                )
            if time >= back_until and timer.is_over(time, progress()):
                if retries == RETRIES:
                    return self._fail("stuck", time, retries, best)
                retries, back_until = retries + 1, time + BACK
                timer = StuckTimer(STUCK + BACK, PROGRESS_SHARE, progress())
                timer.since = time
            self.plant.advance(self._adapt(command, retries, time < back_until), TICK)
            time += TICK
            if witness is not None:
                witness.watch(self.plant.motion)
            tilt = tilt_of(self.plant.motion.pose)
            if not tilt <= TIPPED:
                ending: Ending = "diverged" if math.isnan(tilt) else "tipped"
                return self._fail(ending, time, retries, best)
        return self._fail("late", time, retries, best)

    def _adapt(self, command: Command, retries: int, backs: bool) -> Command:
        """Return a command with the posture of this try; straight back while backing off."""
        _, angles = self.postures[retries % len(self.postures)]
        speeds: tuple[Any, ...] = command.belt_speeds
        if backs:
            speeds = (-0.5 * self.speed,) * len(self.robot.drives)
        return replace(command, belt_speeds=speeds, flipper_angles=angles)

    def _fail(self, ending: Ending, time: float, retries: int, best: float) -> Passage:
        return Passage(passed=False, duration=time, retries=retries, progress=best, ending=ending)


def lane_starts(course: Course, seeds: int) -> list[Pose]:
    """Return the course's own start, and others around it, the same for all robots and models."""
    random = np.random.default_rng(0)
    starts = [course.start_pose]
    for x, y, yaw in random.normal(scale=SPREAD, size=(seeds - 1, 3)).tolist():
        at = starts[0]
        # Never farther ahead, where an obstacle may begin.
        moved = Pose(x=float(at.x) - abs(x), y=float(at.y) + y, yaw=float(at.yaw) + yaw)
        starts.append(moved)
    return starts


def _lane(robot: Robot, model: Model, settings: Settings, *, name: str) -> Cell:
    course = load_course(name)
    check_course(model, course)
    if course.path is None:
        return Cell(reason="not possible: the course has no path")
    seeds = 1 if settings.is_quick else settings.seeds
    starts = lane_starts(course, seeds)
    courses = [course] * seeds
    if SEED in course.parameters:  # another field of posts for each start
        courses = [load_course(name, **{SEED: number + 1}) for number in range(seeds)]
    drives = [_Lane(model, robot, *where).drive() for where in zip(courses, starts, strict=True)]
    passed = [drive for drive in drives if drive.passed]
    verdict = Verdict(limit="none found", evidence="passed from all starts")
    failed = [number for number, drive in enumerate(drives) if not drive.passed]
    if failed:
        lane = _Lane(with_contacts(model), robot, courses[failed[0]], starts[failed[0]])
        witness = Witness(robot, lane.speed)
        ended = lane.drive(witness)
        found = witness.judge(ended.ending)
        place = f"start {failed[0] + 1}, at {format_share(ended.progress)} of the path"
        words = f"{place}: {found.evidence}"
        verdict = Verdict(limit=found.limit, evidence=words)
    return _summary(drives, passed, verdict)


def _summary(drives: Sequence[Passage], passed: Sequence[Passage], verdict: Verdict) -> Cell:
    details = {
        "starts [1]": float(len(drives)),
        "passed [1]": float(len(passed)),
        "retries of all starts [1]": float(sum(drive.retries for drive in drives)),
        "least share of the path [1]": min(drive.progress for drive in drives),
    }
    times = [drive.duration for drive in passed]
    words = f"{len(passed)} of {len(drives)}"
    if times:
        details["median time of those that passed [s]"] = float(np.median(times))
        words += f", {float(np.median(times)):.0f} s"
    retries = sum(drive.retries for drive in drives)
    words += f", {retries} {'retry' if retries == 1 else 'retries'}"
    return Cell(
        value=len(passed) / len(drives), limit=verdict.limit, evidence=verdict.evidence,
        words=words, details=details,
    )  # fmt: skip


def lane_rows() -> tuple[Row, ...]:
    """Return a row for each lane."""
    return tuple(
        Row(
            key=name, group=LANES, title=f"{name}: {_title(name)}", unit="passed", factor=1.0,
            digits=2, measure=partial(_lane, name=name),
            depends_on=content_hash(load_course(name).text),
            method="path followed from the start of the course and others around it (2 cm, 2°), "
            "with the course's own speed and friction; after 4 s without progress it backs off for "
            "2 s and tries again, twice at most, front flippers raised by 45° every other time",
        )
        for name in lane_names()
    )  # fmt: skip


def _title(name: str) -> str:
    """Return the title of a course that comes with grouser."""
    return load_course(name).title
