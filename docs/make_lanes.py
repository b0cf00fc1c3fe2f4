"""Drive the six robots over all test lanes with csm, and write the table of docs/lanes.md.

python -m docs.make_lanes
"""

from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from math import radians
from pathlib import Path

from docs.claim_tables import replace_between

from grouser import GrouserError, Scenario, load_course, run
from grouser.description.load import course_names, robot_names
from grouser.scenario.parts import Stop
from grouser.storage import write_atomically

PAGE = Path(__file__).parent / "lanes.md"
WIDTHS = {"tp100": 0.3, "zhou-ugv": 2.4}
"""Width of the lane for a robot that is small or large [m]."""
USUAL = 1.2
"""Width of the lane for the others [m]."""
FIXED = {"width_m", "levels", "seed", "cohesion_Pa"}
"""Parameters that do not grow with the width of the lane."""
STOP = Stop(stuck_after=5.0, tipped=radians(80.0))


def reference(lane: str, width: float) -> str:
    """Return a lane in which all lengths grow with its width."""
    course = load_course(lane)
    chosen = {
        name: value * width / USUAL
        for name, value in course.parameters.items()
        if isinstance(value, float) and name.endswith("_m") and name not in FIXED
    }
    words = ",".join(f"{name}={value:g}" for name, value in {"width_m": width, **chosen}.items())
    return f"{lane}:{words}"


def drive(case: tuple[str, str]) -> str:
    """Return how a robot fares on a lane: its time, or how far it came."""
    lane, robot = case
    course = reference(lane, WIDTHS.get(robot, USUAL))
    try:
        result = run(Scenario(robot=robot, course=course, model="csm", stop=STOP))
    except GrouserError:  # wheels on a soil
        return "not described"
    path = load_course(course).path
    assert path is not None
    x, y = float(result.log["x"][-1]), float(result.log["y"][-1])
    if result.ending == "done":
        return f"{result.log['time'][-1]:.0f} s"
    share = 100.0 * path.nearest(x, y) / path.length
    return f"{result.ending} at {share:.0f} %"


def rows() -> Iterator[str]:
    """Yield the rows of the table."""
    lanes = [name for name in course_names() if name.startswith("lane-")]
    robots = robot_names()
    widths = [f"`{robot}`, {WIDTHS.get(robot, USUAL):g} m" for robot in robots]
    yield f"| lane | {' | '.join(widths)} |"
    yield "|---" * (len(robots) + 1) + "|"
    cases = [(lane, robot) for lane in lanes for robot in robots]
    with ProcessPoolExecutor() as pool:
        found = dict(zip(cases, pool.map(drive, cases), strict=True))
    for lane in lanes:
        yield f"| `{lane}` | {' | '.join(found[lane, robot] for robot in robots)} |"


def main() -> None:
    """Write the table."""
    table = "\n".join(rows())
    write_atomically(PAGE, replace_between(PAGE.read_text(), "lanes", table).encode())


if __name__ == "__main__":
    main()
