"""P0's courses with a robot in three dimensions as the real one, and `slip` as the virtual one.

As in P0, the controller steers the virtual robot, and the real one gets the same belt speeds on the
floor of its laboratory, which has neither obstacle nor ramp. The virtual robot is `slip` with what
was identified on straight and turning drives; no course was used for that. Robots are `csm` with
the shear law (`robots`), so that nothing of what moves them is P0's model.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from grouser.control import PathFollower
from grouser.description import Course, load_course, load_robot
from grouser.drivers import Replay
from grouser.hil.virtual_robot import StraightClimb
from grouser.log import Log, compare
from grouser.models import make_model
from grouser.papers.p0.experiments import (
    COURSES,
    FINAL_COURSE_3,
    SECTIONS,
    SPEED,
    TITLES,
    printed_largest_errors,
)
from grouser.papers.p0.identified import NO_SLIP, IdentifiedSlip, identify_robot, slip_difference
from grouser.papers.p0.robots import (
    COUNT,
    TICK,
    DrawnRobot,
    draw_robots,
    find_interval,
    share_interval,
)
from grouser.papers.paper import Findings
from grouser.papers.variation import AS_STATED, Variation
from grouser.report import Panel, Series
from grouser.report.colours import REFERENCE, line_colour
from grouser.simulation import Simulation

LONGEST = 120.0
"""Time after which a course is given up [s]."""
CORNER_COURSE_2 = 0.4 + 0.15 * np.pi + 0.3
"""Path length of course 2 at its sharp turn [m]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OdometryErrors:
    """Errors of predictions of a robot's way on one course."""

    largest: float
    """Largest position error of compensated odometry [m]."""
    rms: float
    """Root mean square of it [m]."""
    final: float
    """Position error of it at the end [m]."""
    yaw: float
    """Root mean square of its yaw error [rad]."""
    plain: float
    """Root mean square of the position error of plain odometry [m]."""
    plain_wide: float
    """The same of plain odometry that knows the equivalent wheelbase, but no slip ratios [m]."""
    ahead: float
    """How much farther the robot came than the model, over all of the course, or on course 2 after
    the sharp turn [m]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RobotResult:
    """A drawn robot, identified and driven over all courses."""

    identified: IdentifiedSlip
    """What was identified."""
    slip_difference: float
    """Slip ratios of other turns less those of driving straight, mean of the absolute values
    [1]."""
    courses: Mapping[str, OdometryErrors]
    """Errors by course."""


def drive_population(variation: Variation = AS_STATED) -> Findings:
    """Return how well slip-compensated odometry predicts drawn robots on P0's courses."""
    noise = np.random.default_rng([variation.seed, 2])
    results = [judge_robot(robot, noise) for robot in draw_robots(COUNT, variation)]
    return sum_up(results)


def judge_robot(robot: DrawnRobot, noise: np.random.Generator) -> RobotResult:
    """Return what is identified on a robot and how well that predicts it."""
    identified, by_one, drives = identify_robot(robot, noise)
    return RobotResult(
        identified=identified,
        slip_difference=slip_difference(by_one, drives),
        courses={name: judge_course(robot, identified, name) for name in COURSES},
    )


def judge_course(robot: DrawnRobot, identified: IdentifiedSlip, name: str) -> OdometryErrors:
    """Return the errors of odometry on a course that was not used to identify it."""
    course = load_course(name)
    virtual = _follow(identified, course)
    floor = robot.prepare("flat" if name == "behaviour-3" else name)
    real = robot.repeat(virtual, floor)
    compensated = compare(virtual, real)
    wide = IdentifiedSlip(left=0.0, right=0.0, angle=0.0, width=identified.width)
    plain, plain_wide = (compare(_predict(slip, course, virtual), real).position.rms
                         for slip in (NO_SLIP, wide))  # fmt: skip
    position = compensated.position
    return OdometryErrors(
        largest=position.max, rms=position.rms, final=position.final,
        yaw=compensated.mse_yaw**0.5, plain=plain, plain_wide=plain_wide,
        ahead=_travel(real, virtual, name) - _travel(virtual, virtual, name),
    )  # fmt: skip


def _follow(identified: IdentifiedSlip, course: Course) -> Log:
    """Return how the virtual robot follows the course's path; nobody steers while it climbs."""
    robot = identified.put_into(load_robot("tp100"))
    simulation = Simulation(make_model("slip"), robot, course, dt=TICK)
    driver = StraightClimb(PathFollower(robot, course.path, speed=SPEED), robot)
    simulation.run(driver, duration=LONGEST)
    return simulation.log()


def _predict(slip: IdentifiedSlip, course: Course, commands: Log) -> Log:
    """Return where odometry with other parameters comes with the same belt speeds."""
    robot = slip.put_into(load_robot("tp100"))
    simulation = Simulation(make_model("slip"), robot, course, dt=TICK)
    simulation.run(Replay(robot, commands), duration=float(commands.time[-1]))
    return simulation.log()


def _travel(log: Log, virtual: Log, name: str) -> float:
    """Return the length of a way in plan; on course 2 after the virtual robot's sharp turn [m]."""
    begin = 0
    if name == "behaviour-2":
        way = np.concatenate(((0.0,), np.cumsum(np.hypot(np.diff(virtual["x"]),
                                                         np.diff(virtual["y"])))))  # fmt: skip
        begin = int(np.searchsorted(way, CORNER_COURSE_2))
    return float(np.sum(np.hypot(np.diff(log["x"]), np.diff(log["y"]))[begin:]))


def sum_up(results: Sequence[RobotResult]) -> Findings:
    """Return shares and medians over robots with their intervals, and figures."""
    samples: dict[str, list[float]] = {
        "equivalent wheelbase of robots in 3D": [r.identified.width for r in results],
        "slip ratios of other turns less those of driving straight":
            [r.slip_difference for r in results],
    }  # fmt: skip
    key = "distance by which the model falls behind after course 2's sharp turn"
    samples[key] = [r.courses["behaviour-2"].ahead for r in results]
    counts: dict[str, list[bool]] = {}
    for name in COURSES:
        title, errors = TITLES[name], [r.courses[name] for r in results]
        samples[f"largest error of robots in 3D, {title}"] = [e.largest for e in errors]
        samples[f"final error of robots in 3D, {title}"] = [e.final for e in errors]
        samples[f"rms yaw error of robots in 3D, {title}"] = [e.yaw for e in errors]
        samples[f"rms error of robots in 3D, {title}"] = [e.rms for e in errors]
        samples[f"rms error of plain odometry, {title}"] = [e.plain for e in errors]
        counts[f"share of robots better predicted with slip, {title}"] = [
            e.rms < e.plain for e in errors
        ]
        counts[f"share of robots better predicted with slip ratios alone, {title}"] = [
            e.rms < e.plain_wide for e in errors
        ]
    counts |= _orders(results)
    values = {key: float(np.median(sample)) for key, sample in samples.items()}
    intervals = {key: find_interval(sample) for key, sample in samples.items()}
    for name, printed in (printed_largest_errors() | {"behaviour-3": FINAL_COURSE_3}).items():
        low, high = intervals[f"{_judged(name)} error of robots in 3D, {TITLES[name]}"]
        key = f"P0's {_judged(name)} error is within 90 % of ours, {TITLES[name]}"
        values[key] = float(low <= printed <= high)
    for key, answers in counts.items():
        values[key] = sum(answers) / len(answers)
        intervals[key] = share_interval(sum(answers), len(answers))
    return Findings(values=values, intervals=intervals, panels=_draw(results))


def _orders(results: Sequence[RobotResult]) -> dict[str, list[bool]]:
    """Return for each robot whether errors are in the order of P0's."""
    straight, radius, sharp = SECTIONS

    def ask(largest: str, *others: str) -> list[bool]:
        return [
            all(r.courses[largest].largest > r.courses[other].largest for other in others)
            for r in results
        ]

    return {
        "share of robots whose sharp turns are worst": ask(sharp, straight, radius),
        "share of robots that follow course 2 better than course 3": [
            r.courses["behaviour-2"].rms < r.courses["behaviour-3"].rms for r in results
        ],
        "share of robots ahead of the model after course 2's sharp turn": [
            r.courses["behaviour-2"].ahead > 0.0 for r in results
        ],
        "share of robots ahead of the model on course 3": [
            r.courses["behaviour-3"].ahead > 0.0 for r in results
        ],
    }


SHORT = ("straight", "radius", "sharp", "course 2", "course 3")
"""Names of the courses in figures."""


def _draw(results: Sequence[RobotResult]) -> tuple[Panel, ...]:
    """Return the errors of all robots on each course beside what P0 printed, and the gain."""
    printed = printed_largest_errors() | {"behaviour-3": FINAL_COURSE_3}
    beside = np.linspace(-0.25, 0.25, len(results))
    x, y, at, theirs = [], [], [], []
    for number, name in enumerate(COURSES):
        errors = [getattr(r.courses[name], _judged(name)) for r in results]
        x.append(number + beside)
        y.append(100.0 * np.array(errors))
        if name in printed:
            at += [number - 0.35, number + 0.35, np.nan]
            theirs += [100.0 * printed[name], 100.0 * printed[name], np.nan]
    lines = (
        Series(name="ours, a dot per robot", x=np.concatenate(x), y=np.concatenate(y),
               colour=line_colour(0), dots=True),
        Series(name="P0", x=np.array(at), y=np.array(theirs), colour=line_colour(3)),
    )  # fmt: skip
    panel = Panel(
        key="population-errors", title="Largest position error; on course 3 the final one",
        x_label="", y_label="error [cm]", series=lines, x_names=SHORT,
    )  # fmt: skip
    return panel, _draw_gain(results)


def _judged(name: str) -> str:
    """Return which error of a course P0 prints."""
    return "final" if name == "behaviour-3" else "largest"


def _draw_gain(results: Sequence[RobotResult]) -> Panel:
    lines = []
    for number, name in enumerate(COURSES):
        errors = [r.courses[name] for r in results]
        lines.append(
            Series(name=SHORT[number], x=100.0 * np.array([e.plain for e in errors]),
                   y=100.0 * np.array([e.rms for e in errors]), colour=line_colour(number),
                   dots=True)
        )  # fmt: skip
    most = max(float(np.max(line.y)) for line in lines)
    same = np.array([0.0, most])
    lines.append(Series(name="no gain", x=same, y=same, colour=REFERENCE, dash="dashed"))
    return Panel(
        key="population-gain", title="Rms error of odometry, a dot per robot",
        x_label="without slip [cm]", y_label="with slip [cm]", series=tuple(lines),
    )  # fmt: skip
