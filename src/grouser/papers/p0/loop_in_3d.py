"""Course 3 with the board in the loop, and robots in three dimensions on the floor.

As in P0: the firmware drives the belts of the real robot on a level floor, their measured speeds
move the virtual one over obstacle and ramp, and its pose steers the belts. The real robot is `csm`
with the shear law, the virtual one `slip` with what was identified on the real one before; no
course was used for that.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from grouser.description import Course, Robot, load_robot
from grouser.hil.heading import HEADINGS
from grouser.papers.p0.courses import CourseErrors, sum_up_errors
from grouser.papers.p0.experiments import ENDS_IN_3D, FINAL_COURSE_3, LOOP_COURSE
from grouser.papers.p0.floor_loop import SpatialRobot, drive_floor_robot
from grouser.papers.p0.identified import identify_robot
from grouser.papers.p0.robots import draw_robots
from grouser.papers.paper import Findings, draw_stems
from grouser.papers.variation import AS_STATED, Variation
from grouser.report.colours import REFERENCE, line_colour

COUNT = 8
"""Robots, each driven twice: turned by the belts, and by the gyroscope."""
OTHER_ROBOTS = 100
"""Added to the seed, so that these robots are not those of the odometry."""


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


def drive_drawn_robots(variation: Variation = AS_STATED) -> Findings:
    """Return the errors of robots drawn as those of the odometry, but others."""
    seed = variation.seed + OTHER_ROBOTS
    noise = np.random.default_rng([seed, 2])
    robots = [
        LabRobot(
            real=drawn.robot,
            floor=drawn.prepare("flat"),
            scales=drawn.scales,
            virtual=identify_robot(drawn, noise)[0].put_into(load_robot("tp100")),
        )
        for drawn in draw_robots(COUNT, replace(variation, seed=seed))
    ]
    return drive_lab_robots(robots, seed)


def drive_lab_robots(robots: Sequence[LabRobot], seed: int) -> Findings:
    """Return the errors of course 3 over robots, with both headings."""
    found: dict[str, list[CourseErrors]] = {}
    values: dict[str, float] = {}
    intervals: dict[str, tuple[float, float]] = {}
    for heading in HEADINGS:
        found[heading] = [
            drive_floor_robot(
                LOOP_COURSE, SpatialRobot(lab.real, lab.floor, scales=lab.scales),
                f"robot {number}", heading=heading, seed=seed + number,
                random=np.random.default_rng([seed, number]), virtual=lab.virtual,
            )
            for number, lab in enumerate(robots)
        ]  # fmt: skip
        medians, limits = sum_up_errors(found[heading], ENDS_IN_3D[heading])
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
