"""Drive a robot along a path: load, simulate, measure, write a log and a page.

python examples/00_drive.py
"""

import numpy as np

from grouser import (
    PathFollower,
    Simulation,
    load_course,
    load_robot,
    make_model,
    read_log,
    write_log,
    write_page,
)
from grouser.report import measure_run

robot = load_robot("tp100")  # a name of `grouser robots`, or the path of a TOML file
course = load_course("behaviour-3")  # a name of `grouser courses`, or the path of a TOML file
model = make_model("slip")  # a name of `grouser models`

simulation = Simulation(model, robot, course, dt=0.01)
assert course.path is not None  # some courses have no path to follow, such as "flat"
driver = PathFollower(robot, course.path, speed=0.1)
status = simulation.run(driver, duration=60.0)  # ends at the end of the path, or after 60 s

log = simulation.log(status, driver="follow")
print(f"{robot.title}\n{course.title}\n")
for metric in measure_run(log, course):
    print(f"{metric.name:40} {metric.text}")

# What the robot did is in the columns of its log; phases 1 to 5 are those of climbing a step.
climbing = log["phase"] > 0
first, last = log.time[climbing][[0, -1]]
nose_up = np.rad2deg(-log["pitch"][climbing]).max()  # pitch is positive nose down
print(f"\non the obstacle from {first:.2f} s to {last:.2f} s, nose up by {nose_up:.1f} deg at most")

write_log(log, "out/00_drive.csv")
write_page({"slip": log}, "out/00_drive.html", title="TP100 on behaviour course 3")
assert read_log("out/00_drive.csv") == log  # bit for bit, robot and course included
print("log: out/00_drive.csv\npage: out/00_drive.html")
