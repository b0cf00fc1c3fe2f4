"""A board drives a virtual robot along a course; then a track blocks, and the board stops.

The board is the one in Python, which needs no tools; a real one is SerialPort("/dev/ttyACM0").

python examples/08_hardware_in_the_loop.py
"""

from pathlib import Path

from grouser import Scenario, write_log
from grouser.hil.links import LockstepLink
from grouser.hil.options import BoardOptions
from grouser.hil.python_board import PythonBoard
from grouser.hil.run import run_board

OUT = Path("out")
# The driver closes the loop on the pose of the virtual robot.
scenario = Scenario(robot="tp100", course="behaviour-2", model="slip", driver="follow", speed=0.1)

for name, faults in (("whole", ()), ("blocked", ("track left blocked @6",))):
    run = run_board(LockstepLink(PythonBoard()), scenario, BoardOptions(faults=faults))
    pose, report = run.log, run.report
    print(
        f"{name}: {report.states} states, {report.late} late commands, "
        f"at x = {pose['x'][-1]:.2f} m, y = {pose['y'][-1]:.2f} m; "
        + ("the run is valid" if report.is_valid else f"not valid: {report.problems[0]}")
    )
    write_log(run.log, OUT / f"board-{name}.csv")
