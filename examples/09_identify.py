"""From a log to parameters: a robot drives, a camera and encoders see it, its slip comes back.

python examples/09_identify.py
"""

from pathlib import Path

import numpy as np

from grouser import Simulation, load_course, load_robot, make_model
from grouser.identify import KnownRobot, export_fit, identify_records, read_record
from grouser.log import Column
from grouser.models import command_sides

robot = load_robot("tp100")
simulation = Simulation(make_model("slip"), robot, load_course("flat"), dt=0.02)
generator = np.random.default_rng(seed=5)
while simulation.time < 60.0:
    left, right = generator.uniform(-0.1, 0.25, 2)
    if generator.random() < 0.3:
        left = right  # straight drives tell the slip angle
    for _ in range(75):
        simulation.advance(command_sides(robot, left, right))

# What a camera would have seen: noise, and one pose in twenty far off.
log = simulation.log()
noise = {"x": 0.002, "y": 0.002, "yaw": 0.005}
wrong = generator.random(len(log)) < 0.05
seen = {}
for name, sigma in noise.items():
    error = generator.normal(0.0, np.where(wrong, 30.0 * sigma, sigma))
    seen[name] = Column(log[name] + error, log.unit(name))
log = log.with_columns(seen)

known_robot = KnownRobot(gauge=robot.gauge, robot=robot)
found = identify_records([read_record(log, "camera", robot)], known_robot, ("ideal", "icr", "slip"))
print("family  error after 5 s of data that no fit has seen")
for name, fit in found.fits.items():
    print(f"{name:6}  {1e3 * fit.hold_out.position[5.0]:6.1f} mm")
print(f"recommended: {found.recommendation.sentence}\n")

fit = found.fits["slip"]
true = {"slip_left": 0.1, "slip_right": 0.1188, "width": 0.2742}
print("parameter    true    found   95 % interval")
for name, value in true.items():
    one = fit.parameters[name]
    print(f"{name:10} {value:7.4f} {one.value:7.4f}   {one.low:.4f} to {one.high:.4f}")

Path("out").mkdir(exist_ok=True)
export_fit(fit, "out/09_robot.toml", known_robot)
export_fit(fit, "out/09_diff_drive.yaml", known_robot)
print("\nout/09_robot.toml, out/09_diff_drive.yaml")
