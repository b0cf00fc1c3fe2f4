"""Hold the Tankbot on its treadmill by motor voltages, then drive another robot there.

python examples/05_treadmill.py
"""

from pathlib import Path

import numpy as np

from grouser import Simulation, load_course, load_robot, make_model, write_log
from grouser.control import PoseHold
from grouser.drivers import Constant, Sides
from grouser.papers.p3.manoeuvre import MANOEUVRES, run_many, tankbot_constants

OUT = Path("out")

# A reference that jumps by 20 cm across a belt that is rolled by 2 degrees.
robot, course = load_robot("tankbot"), load_course("treadmill", roll_deg=-2.0)
simulation = Simulation(make_model("tankbot", resting_shift=False), robot, course)
controller = PoseHold(robot, course, MANOEUVRES["step-y"].at, start_voltage=2.627)
simulation.run(controller, duration=30.0)
log = simulation.log(driver="step-y")
write_log(log, OUT / "treadmill.csv")
swing = np.rad2deg(np.abs(log["yaw"]).max())
print(
    f"tankbot: y from {log['y'].min():+.2f} to {log['y'].max():+.2f} m, turned by {swing:.0f} deg"
)

# Which inertia overshoots how much? Sixteen robots at once.
inertias = np.linspace(1.5, 3.5, 16)
_, history = run_many(
    MANOEUVRES["step-y"], constants=tankbot_constants(inertia=inertias), count=16, duration=25.0
)
peaks = history[:, 1500:, 1].max(axis=1)
print(f"highest y: {peaks[0]:.3f} m at 1.5 kg m2, {peaks[-1]:.3f} m at 3.5 kg m2")

# Any robot: forces scaled from mass, contact length and friction, belt speeds by an inner loop.
absolem = load_robot("absolem")
drive = Simulation(make_model("tankbot"), absolem, load_course("slope", angle_deg=10.0))
drive.run(Constant(absolem, Sides(left=0.2, right=0.3)), duration=5.0)
pose, slip = drive.motion.pose, drive.motion.slips[0]
print(f"absolem: {pose.z:.2f} m up the slope, yaw {pose.yaw:.2f} rad, slip {slip:.3f}")
