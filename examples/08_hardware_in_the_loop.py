"""A board drives a virtual robot along a course; then a track blocks, and the board stops.

The board is the one in Python, which needs no tools; a real one is SerialPort("/dev/ttyACM0").

python examples/08_hardware_in_the_loop.py
"""

from pathlib import Path

from grouser import PathFollower, load_course, load_robot, make_model, write_log
from grouser.hil.links import LockstepLink
from grouser.hil.python_board import PythonBoard
from grouser.hil.run import BoardTask, drive_board

OUT = Path("out")
robot, course = load_robot("tp100"), load_course("behaviour-2")

for name, faults in (("whole", ()), ("blocked", (("track left blocked", 6.0),))):
    task = BoardTask(
        robot=robot,
        course=course,
        model=make_model("slip"),
        driver=PathFollower(robot, course.path, speed=0.1),  # closes the loop on the virtual pose
        faults=faults,
    )
    run = drive_board(LockstepLink(PythonBoard()), task)
    pose, report = run.log, run.report
    print(
        f"{name}: {report.states} states, {report.late} late commands, "
        f"at x = {pose['x'][-1]:.2f} m, y = {pose['y'][-1]:.2f} m; "
        + ("it counts" if report.is_valid else f"it does not count: {report.problems[0]}")
    )
    write_log(run.log, OUT / f"board-{name}.csv")
