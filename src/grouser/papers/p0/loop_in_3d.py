"""Course 3 with the board in the loop, and robots in three dimensions on the floor.

As in P0: the firmware drives the belts of the real robot on a level floor, their measured speeds
move the virtual one over obstacle and ramp, and its pose steers the belts. The real robot is `csm`
with the shear law, the virtual one `slip` with what was identified on the real one before; no
course was used for that.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from grouser.description import Course, Robot
from grouser.hil.heading import HEADINGS
from grouser.papers.p0.courses import CourseErrors, sum_up_errors
from grouser.papers.p0.experiments import FINAL_COURSE_3, TITLES
from grouser.papers.p0.floor_loop import SpatialRobot, drive_floor_robot
from grouser.papers.paper import Claim, Findings, Kind, draw_stems
from grouser.report.colours import REFERENCE, line_colour

COURSE = "behaviour-3"
"""The course of P0's largest error."""
COUNT = 8
"""Robots, each driven twice: turned by the belts, and by the gyroscope."""
NAME = "loop in 3D"
"""Name of the experiment."""
WORDS = {
    "belts": f"{TITLES[COURSE]}, robots in 3D in the loop",
    "gyro": f"{TITLES[COURSE]}, robots in 3D in the loop, with a gyroscope",
}
"""Ends of the keys, by what turns the virtual robot."""
NOT_MOVING = 0.8
"""Distance of the goal of course 3 from its start, the error of a robot that never moves [m]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LabRobot:
    """A robot of the laboratory, and its virtual twin."""

    real: Robot
    """Geometry and mass of the real one."""
    floor: Course
    """Level floor on which it drives."""
    scales: tuple[float, float]
    """True speed of a belt over what its encoder shows, left and right [1]."""
    virtual: Robot
    """The virtual one, with the slip that was identified."""


def drive_lab_robots(robots: Sequence[LabRobot], seed: int) -> Findings:
    """Return the errors of course 3 over robots, with both headings."""
    found: dict[str, list[CourseErrors]] = {}
    values: dict[str, float] = {}
    intervals: dict[str, tuple[float, float]] = {}
    for heading in HEADINGS:
        found[heading] = [
            drive_floor_robot(
                COURSE, SpatialRobot(lab.real, lab.floor, scales=lab.scales), f"robot {number}",
                heading=heading, seed=seed + number, random=np.random.default_rng([seed, number]),
                virtual=lab.virtual,
            )
            for number, lab in enumerate(robots)
        ]  # fmt: skip
        medians, limits = sum_up_errors(found[heading], WORDS[heading])
        values, intervals = values | medians, intervals | limits
    groups = {
        "P0, its robot": ([100.0 * FINAL_COURSE_3] * len(robots), REFERENCE),
        "turned by the belts, as in P0": ([100.0 * e.final for e in found["belts"]],
                                          line_colour(0)),
        "turned by the gyroscope": ([100.0 * e.final for e in found["gyro"]], line_colour(1)),
    }  # fmt: skip
    title = "Course 3 with the board in the loop and robots in 3D: final position error"
    names = [str(number) for number in range(len(robots))]
    panel = draw_stems("loop-3d", title, "error [cm]", names, groups)
    return Findings(values=values, intervals=intervals, panels=(panel,))


def make_claims_in_3d(inputs_from: str, variants_tried: str = "") -> list[Claim]:
    """Return the claims about robots in three dimensions; `inputs_from` says where they are from.

    P0's number is that of its one robot, so it bounds the median, not every robot.
    """
    return [
        Claim(
            paper="P0", experiment=NAME, published=FINAL_COURSE_3, unit="m", tolerance=0.0,
            key=f"median of the final position errors, {words}", where="text on course 3",
            sense="at most", mark="A", kind=Kind.INDEPENDENT, null=NOT_MOVING,
            null_model="a virtual robot that never moves", inputs_from=inputs_from,
            variants_tried=variants_tried,
            assumptions="firmware, motors and encoders are ours; P0 does not publish its own",
            remark="P0's largest deviation, of its own robot, read as a bound of the median",
        )
        for words in WORDS.values()
    ]  # fmt: skip
