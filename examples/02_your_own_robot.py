"""Describe a robot in a few lines of TOML, see what follows from them, and drive it uphill.

python examples/02_your_own_robot.py
"""

from pathlib import Path

from grouser import GrouserError, PathFollower, Simulation, load_course, load_robot, make_model
from grouser.laws.step_feasibility import height_limit
from grouser.models import effective_width

HULL = """name = "delta"
body.mass_kg = 6.0
body.size_m = [0.36, 0.22, 0.10]
body.centre_m = [0.0, 0.0, 0.09]
body.centre_of_mass_m = [0.01, 0.0, 0.07]
drive = { speed_limit_m_s = 0.5, acceleration_limit_m_s2 = 1.0 }
slip = { left = 0.06, right = 0.06, slope_per_deg = 0.004 }
sources = { slip = "a guess, until it is measured [A]" }
"""
TRACK = """[[tracks]]
name = "SIDE"
side = "SIDE"
y_m = Y
width_m = 0.06
loop.pulleys = [  # a triangle: the belt is the outer tangent loop around its pulleys
    { x_m = 0.16, z_m = 0.04, radius_m = 0.04 },
    { x_m = -0.16, z_m = 0.04, radius_m = 0.04 },
    { x_m = 0.04, z_m = 0.17, radius_m = 0.03 },
]
grousers = { count = 40, shape = "triangle", length_m = 0.012, height_m = 0.008 }
"""
left, right = (TRACK.replace("SIDE", side) for side in ("left", "right"))
text = HULL + left.replace("Y", "0.15") + right.replace("Y", "-0.15")
Path("out").mkdir(exist_ok=True)
Path("out/delta.toml").write_text(text)

robot = load_robot("out/delta.toml")
belt, (com_x, _, com_z) = robot.tracks[0], robot.centre_of_mass
limit = height_limit(robot.wheel_radius, robot.wheel_distance, com_x, com_z - robot.wheel_radius)
assert belt.pitch is not None  # a belt without grousers has none
print(f"belt {belt.loop.length:.4f} m, pitch of its grousers {belt.pitch * 1000:.2f} mm")
print(f"gauge {robot.gauge:.3f} m, turns as if it were {effective_width(robot):.3f} m wide")
print(f"climbs steps up to {limit * 1000:.0f} mm, if friction and motors suffice")

course = load_course("slope", angle_deg=12.0)
assert course.path is not None
simulation = Simulation(make_model("slip"), robot, course)
simulation.run(PathFollower(robot, course.path, speed=0.2), duration=30.0)
rise, slip = simulation.motion.pose.z, simulation.motion.slips[0]
print(f"after {simulation.time:.1f} s uphill: {rise:.3f} m higher, slip ratio {slip:.3f}")

Path("out/bad.toml").write_text(text.replace("mass_kg = 6", "mass = -6").replace("= 40", "= 90"))
try:
    load_robot("out/bad.toml")
except GrouserError as error:
    print(f"\nall mistakes of a file at once, each by its key:\n{error}")
