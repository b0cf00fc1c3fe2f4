"""Drive a robot along a path: load, simulate, measure, write a log and a page.

python examples/00_drive.py
"""

import numpy as np

from grouser import Scenario, read_log, run, write_log, write_page
from grouser.report import measure_run

scenario = Scenario(
    robot="tp100",  # a name of `grouser robots`, or the path of a TOML file
    course="behaviour-3",  # a name of `grouser courses`, or the path of a TOML file
    model="slip",  # a name of `grouser models`
    driver="follow:speed=0.1",  # a name of `grouser drivers`, with its keys
    stop=60.0,  # [s]; the run ends before that at the end of the path
)
result = run(scenario)
robot, course, log = result.loaded.robot, result.loaded.course, result.log
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
