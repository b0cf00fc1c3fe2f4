"""Two thousand robots at once: how far does uncertain slip spread them? And back: slip from a run.

python examples/03_many_robots.py
"""

import time
from pathlib import Path

import numpy as np

from grouser import Pose, Simulation, load_course, load_robot, make_model, run_batch
from grouser.drivers import Constant, Sides
from grouser.laws.slip_odometry import estimate_slip_from_poses
from grouser.models import effective_width

ROBOTS, DURATION, DT = 2000, 20.0, 0.01
robot, course = load_robot("tp100"), load_course("flat")
program = Constant(robot, Sides(left=0.09, right=0.11))  # a wide curve to the left

# Parameters of a model may be arrays, with one entry for each robot. That the measured slip
# ratios are known to 20 % (one standard deviation) is an assumption.
generator, slip = np.random.default_rng(seed=1), robot.slip
model = make_model(
    "slip",
    slip_left=slip.turning_left * generator.normal(1.0, 0.2, ROBOTS),
    slip_right=slip.turning_right * generator.normal(1.0, 0.2, ROBOTS),
)
start = Pose(x=np.zeros(ROBOTS))
begin = time.perf_counter()
batch = run_batch(model, robot, course, start, program, duration=DURATION, dt=DT, every=100)
rate = ROBOTS * DURATION / DT / (time.perf_counter() - begin)

x, y, yaw = batch.x[-1], batch.y[-1], batch.yaw[-1]
print(f"{ROBOTS} robots after {DURATION:g} s, mean and standard deviation:")
print(f"  x   {x.mean():6.3f} +- {x.std():.3f} m")
print(
    f"  y   {y.mean():6.3f} +- {y.std():.3f} m, correlation with x {np.corrcoef(x, y)[0, 1]:+.2f}"
)
print(f"  yaw {yaw.mean():6.3f} +- {yaw.std():.3f} rad")
print(f"  {rate / 1e6:.1f} million robot-steps per second, here and now")
Path("out").mkdir(exist_ok=True)
np.savetxt(
    "out/03_ends.csv", np.stack((x, y, yaw), axis=1), delimiter=",", header="x_m,y_m,yaw_rad"
)

# The way back, from a run to its parameters: differentiate the poses, explain them by slip.
simulation = Simulation(make_model("slip"), robot, course)
simulation.run(program, duration=DURATION)
log = simulation.log()
found = estimate_slip_from_poses(
    times=log.time, x=log["x"], y=log["y"], yaw=log["yaw"],
    belt_left=log["belt_speed.left"], belt_right=log["belt_speed.right"],
    width=effective_width(robot), steady=(1.0, DURATION - 1.0),
)  # fmt: skip
print("slip ratio  in the robot's file  found in the run")
print(f"left        {slip.turning_left:19.4f}  {found.left:16.4f}")
print(f"right       {slip.turning_right:19.4f}  {found.right:16.4f}")
