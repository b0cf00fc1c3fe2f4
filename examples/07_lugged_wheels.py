"""A rover whose wheels carry plates climbs a step at which smooth wheels stop.

python examples/07_lugged_wheels.py
"""

from pathlib import Path

from grouser import Simulation, load_course, make_model, write_log
from grouser.description import parse_robot
from grouser.drivers import Constant, Sides

OUT = Path("out")
# A wheel is a belt whose loop is one full circle; its grousers are the plates.
WHEEL = """
[[tracks]]
name = "{end}-{side}"
side = "{side}"
y_m = {y}
width_m = 0.10
loop.start_m = [{x}, 0.0]
loop.segments = [{{ arc_radius_m = 0.10, turn_deg = 360 }}]
grousers = {{ count = 12, shape = "cuboid", length_m = 0.004, height_m = 0.025 }}
"""
WHEELS = [
    WHEEL.format(end=end, side=side, x=x, y=y)
    for side, y in (("left", 0.25), ("right", -0.25))
    for end, x in (("front", 0.3), ("rear", -0.3))
]
ROVER = f"""
name = "rover"
[body]
mass_kg = 20.0
size_m = [0.6, 0.35, 0.1]
centre_m = [0.0, 0.0, 0.15]
centre_of_mass_m = [0.0, 0.0, 0.12]
[drive]
speed_limit_m_s = 0.5
acceleration_limit_m_s2 = 1.0
{"".join(WHEELS)}
"""

rover, step = parse_robot(ROVER, "rover.toml"), load_course("step", height_m=0.07)
for name, model in (("plates", "segments"), ("smooth", "segments:grousers=0")):
    simulation = Simulation(make_model(model), rover, step)
    simulation.run(Constant(rover, Sides(left=0.2, right=0.2)), duration=8.0)
    pose = simulation.motion.pose
    print(f"{name}: {pose.x:.2f} m along, {pose.z:.2f} m up")
    write_log(simulation.log(), OUT / f"rover-{name}.csv")
