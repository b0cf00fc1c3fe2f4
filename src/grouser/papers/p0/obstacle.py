"""P0's obstacle of 37 mm and ramp of 28 degrees in three dimensions, and the friction they need.

Friction is that of the shipped course: 0.8, a table's value of rubber that slides on dry concrete.
P0 prints none, and its climb was virtual: this shows whether its robot can, not that it did.
"""

import numpy as np

from grouser.control import PathFollower
from grouser.description import Course, Robot, load_course, load_robot
from grouser.drivers import Constant, Sides
from grouser.geometry import Pose
from grouser.laws.step_feasibility import friction_demand
from grouser.log import Log
from grouser.models import make_model
from grouser.papers.p0.experiments import SPEED, WAY_BACK
from grouser.papers.paper import Findings
from grouser.papers.variation import AS_STATED, Variation
from grouser.report import Panel, Series
from grouser.report.colours import line_colour
from grouser.simulation import Simulation

MODELS = {"csm": "csm", "four wheels": "wheels:count=4"}
"""Models that drive course 3, by their names in claims; `segments` computes the same as `csm` for
TP100, which has no grousers."""
HEIGHT = 0.037
"""Height of the obstacle [m] (P0)."""
LONGEST = 60.0
"""Time after which course 3 is given up; it takes 36 s [s]."""
REACHED = 0.05
"""Distance from the goal within which it counts as reached [m]."""
LEVEL = float(np.deg2rad(0.5))
"""Pitch within which a robot lies level on the obstacle [rad]."""
SLOWLY, SLOW_LENGTH = 0.02, 16.0
"""Speed at which statics holds [m/s], and time that a climb at it may take [s]."""
LIFTED = float(np.deg2rad(2.0))
"""Nose-up angle from which a robot has lifted off [rad]."""
FRICTIONS = (0.5, 1.1)
"""Least and greatest friction of the search [1]."""
HALVINGS = 7
"""Halvings of that range: 0.0047 is left."""
SWEEP = tuple(round(0.6 + 0.05 * number, 2) for number in range(9))
"""Frictions with which course 3 is driven: those of the tables for rubber on concrete [1]."""


def cross_in_3d(variation: Variation = AS_STATED) -> Findings:
    """Return whether course 3 is crossed by each model."""
    robot = variation.vary_robot(load_robot("tp100"))
    course = variation.vary_course(load_course("behaviour-3"))
    values, lines = {}, []
    for number, (name, model) in enumerate(MODELS.items()):
        log = drive_course_3(model, robot, course)
        values |= {f"{key}, {name}": value for key, value in judge_crossing(log, course).items()}
        back = log["y"] < WAY_BACK
        lines.append(Series(name=name, x=log["x"][back][::5], y=1e3 * log["z"][back][::5],
                            colour=line_colour(number)))  # fmt: skip
    side = Panel(
        key="course-3-3d", title="Course 3 in 3D from the side, driven to the left",
        x_label="x [m]", y_label="z [mm]", series=tuple(lines),
    )  # fmt: skip
    return Findings(values=values, panels=(side,))


def find_friction_needed(variation: Variation = AS_STATED) -> Findings:
    """Return which friction the obstacle needs, approached slowly, and where course 3 ends."""
    robot = variation.vary_robot(load_robot("tp100"))
    ends = sweep_friction(robot)
    values = find_frictions(robot)
    reached = [friction for friction, x in ends.items() if abs(x) < REACHED]
    values["least friction of the tables that crosses course 3"] = min(reached, default=np.inf)
    return Findings(values=values, panels=(_draw_sweep(ends),))


def drive_course_3(model: str, robot: Robot, course: Course) -> Log:
    """Return how a robot follows the path of course 3 by its true pose."""
    simulation = Simulation(make_model(model), robot, course)
    simulation.run(PathFollower(robot, course.path, speed=SPEED), duration=LONGEST)
    return simulation.log()


def judge_crossing(log: Log, course: Course) -> dict[str, float]:
    """Return whether the goal is reached, the height on the obstacle and the angle on the ramp."""
    path = course.path
    assert path is not None
    x, back, (goal_x, goal_y, _) = log["x"], log["y"] < WAY_BACK, path.at(path.length)
    missed = float(np.hypot(x[-1] - goal_x, log["y"][-1] - goal_y))
    on_top = back & (np.abs(x - 1.2) < 0.05) & (np.abs(log["pitch"]) < LEVEL)
    on_ramp = back & (x > 0.5) & (x < 0.9)
    return {
        "reaches the goal of course 3 in 3D": float(missed < REACHED),
        "height on the obstacle in 3D": float(log["z"][on_top].max(initial=0.0)),
        "angle on the ramp in 3D": float(np.rad2deg((-log["pitch"][on_ramp]).max(initial=0.0))),
    }


def sweep_friction(robot: Robot) -> dict[float, float]:
    """Return the x at which the robot ends with each friction, by `csm`; the goal is at 0 [m]."""
    ends = {}
    for friction in SWEEP:
        changed = {"surfaces.ground.friction": friction}
        log = drive_course_3("csm", robot, load_course("behaviour-3", changed))
        ends[friction] = float(log["x"][-1])
    return ends


def find_frictions(robot: Robot) -> dict[str, float]:
    """Return the least friction at which the nose lifts, and with which the step is climbed."""
    outcomes: dict[float, tuple[bool, bool]] = {}

    def search(which: int) -> float:
        low, high = FRICTIONS
        for _ in range(HALVINGS):
            middle = 0.5 * (low + high)
            if middle not in outcomes:
                outcomes[middle] = climb_slowly(robot, middle)
            low, high = (low, middle) if outcomes[middle][which] else (middle, high)
        return high

    return {
        "least friction that lifts the nose, slowly": search(0),
        "least friction that climbs the obstacle, slowly": search(1),
    }


def climb_slowly(robot: Robot, friction: float) -> tuple[bool, bool]:
    """Return whether `csm` lifts its nose at a head-on step of the obstacle's height, and is up."""
    course = load_course(f"step:height_m={HEIGHT}", {"surfaces.ground.friction": friction})
    begin = Pose(x=_riser(course) - robot.front - 0.01)
    simulation = Simulation(make_model("csm"), robot, course, pose=begin)
    simulation.run(Constant(robot, Sides(left=SLOWLY, right=SLOWLY)), duration=SLOW_LENGTH)
    log = simulation.log()
    is_level = abs(log["pitch"][-1]) < LEVEL  # or it hangs on the edge, nose up
    return bool(log["pitch"].min() < -LIFTED), bool(is_level and log["z"][-1] > 0.9 * HEIGHT)


def _riser(course: Course) -> float:
    """Return the x of the first riser [m]."""
    return min(riser.start[0] for riser in course.terrain.risers)


def statics(nose_up: float | None) -> float:
    """Return the friction that TP100 needs at a nose-up angle, or at most over the climb [1]."""
    robot = load_robot("tp100")
    radius, distance = robot.wheel_radius, robot.wheel_distance
    com_x, _, com_z = robot.centre_of_mass
    demand = friction_demand(radius, distance, HEIGHT, com_x, com_z - radius, nose_up=nose_up)
    return float(demand)


def _draw_sweep(ends: dict[float, float]) -> Panel:
    x, y = np.array(list(ends)), np.array(list(ends.values()))
    lines = [Series(name="csm", x=x, y=y, colour=line_colour(0), dots=True)]
    for number, (name, nose_up) in enumerate((("lift-off", 0.0), ("tip", None)), start=1):
        at = np.full(2, statics(nose_up))
        lines.append(Series(name=f"statics, {name}", x=at, y=np.array([0.0, 1.4]),
                            colour=line_colour(number), dash="dashed"))  # fmt: skip
    return Panel(
        key="course-3-friction", title="End of course 3: its goal is at 0, its obstacle at 1.25",
        x_label="friction [1]", y_label="x of the end [m]", series=tuple(lines),
    )  # fmt: skip
