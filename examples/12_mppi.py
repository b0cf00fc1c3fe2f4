"""Drive the Absolem over a step of 20 cm by rollouts of its own simulator (MPPI).

python examples/12_mppi.py              with a page that shows the rollouts of every plan
python examples/12_mppi.py --headless   without it

Ten times a second, 128 robots are branched from the live state and driven with random belt speeds
and flipper angles for one second; the best of them are averaged into the next command. Following
the path alone, the robot stays at the edge. Other courses: python examples/12_mppi.py staircase
"""

import os
import sys

import numpy as np

from grouser import Scenario, Simulation, load_course, load_robot, make_model, write_log
from grouser.control import Mppi, MppiSettings
from grouser.simulation import Pace

COURSE = next((word for word in sys.argv[1:] if word[0] != "-"), "step:height_m=0.2")
robot, course = load_robot("absolem"), load_course(COURSE)
simulation = Simulation(make_model("csm"), robot, course)
coarse = make_model("csm:timestep=0.005,single=1")  # a sixth of the work, 1 cm off after 1 s


class Planner:  # drives, shows its rollouts, and is the robot that the page looks at
    def __init__(self) -> None:
        self.mppi = Mppi(robot, course.path, self.roll, MppiSettings(rollouts=128))
        self.app, self.shown, self.seen = None, 0, (0.0, simulation.motion)
        self.look, self.log, self.stop = lambda: self.seen, lambda: None, lambda: None

    def roll(self, speeds: np.ndarray, angles: np.ndarray | None):
        return simulation.rollouts(speeds, flipper_angles=angles, dt=0.05, hold=2, model=coarse)

    def __call__(self, time, motion):
        self.seen, command = (time, motion), self.mppi(time, motion)
        if self.app and self.mppi.plans > self.shown:
            self.shown, pose, share = self.mppi.plans, self.mppi.foreseen.pose, self.mppi.weights
            colours = np.where(share[:, None] > 0.3 * share.max(), (216, 121, 16), (140, 150, 160))
            points = np.stack((pose.x, pose.y, pose.z + 0.1), axis=2)
            self.app.show_lines("rollouts", points, colours=colours)
        return command


drive = Planner()
if "--headless" in sys.argv or "GROUSER_QUICK" in os.environ:
    simulation.run(drive, 40.0)
else:
    from grouser.viewer.app import DriveApp

    scenario = Scenario(robot="absolem", course=COURSE, model="csm", driver="person")
    with DriveApp(scenario, external=drive) as drive.app:
        input(f"open {drive.app.address}, then press Enter here ")
        simulation.run(drive, 120.0, Pace(simulation.dt))
end, pose = course.path.at(course.path.length), simulation.motion.pose
away = np.hypot(pose.x - end[0], pose.y - end[1])
print(f"{away:.2f} m from the goal after {simulation.time:.1f} s and {drive.mppi.plans} plans")
write_log(simulation.log(driver="mppi"), "out/12_mppi.csv")
assert away < 0.2
