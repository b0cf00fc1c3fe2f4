"""Carry a crate up a slope on a conveyor: a smooth belt slips, one with flights does not.

python examples/06_conveyor.py
"""

from pathlib import Path

from grouser import Pose, Simulation, load_course, make_model, write_log
from grouser.description import parse_robot
from grouser.drivers import Constant, Sides

OUT = Path("out")
BELT = """
y_m = {y}
width_m = 0.20
loop.pulleys = [
    {{ x_m = 1.0, z_m = 0.06, radius_m = 0.06 }},
    {{ x_m = -1.0, z_m = 0.06, radius_m = 0.06 }},
]
grousers = {{ count = 20, shape = "cuboid", length_m = 0.01, height_m = 0.03 }}
"""
# The body is the crate; the tracks are the belts, which stand still with `fixed`.
CONVEYOR = f"""
name = "conveyor"
[body]
mass_kg = 8.0
size_m = [0.15, 0.30, 0.12]
centre_m = [0.0, 0.0, 0.06]
centre_of_mass_m = [0.0, 0.0, 0.05]
[drive]
speed_limit_m_s = 1.0
acceleration_limit_m_s2 = 2.0
[[tracks]]
name = "left"
side = "left"
{BELT.format(y=0.11)}
[[tracks]]
name = "right"
side = "right"
{BELT.format(y=-0.11)}
"""

conveyor = parse_robot(CONVEYOR, "conveyor.toml")
slope = load_course("slope", angle_deg=20.0)
for belt, grousers in (("flights", 1), ("smooth", 0)):
    model = make_model("segments", fixed=True, friction_factor=0.3, grousers=grousers)
    simulation = Simulation(model, conveyor, slope, pose=Pose(x=-0.5))
    begin = simulation.motion.pose
    simulation.run(Constant(conveyor, Sides(left=0.2, right=0.2)), duration=4.0)
    end = simulation.motion.pose
    print(f"{belt}: crate {end.x - begin.x:+.2f} m along, {end.z - begin.z:+.2f} m up")
    write_log(simulation.log(), OUT / f"conveyor-{belt}.csv")
