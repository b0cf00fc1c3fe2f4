"""Drive the Absolem over a pallet, then up and down a staircase, moving its flippers.

python examples/04_stairs.py
"""

from math import radians
from pathlib import Path

from grouser import Simulation, load_course, load_robot, make_model, write_log
from grouser.drivers import Constant, Sides, WithFlippers

OUT = Path("out")


def angles(front: float, rear: float) -> tuple[float, ...]:
    """Return an angle for each flipper [rad], from degrees; positive lowers the front end."""
    return radians(front), radians(front), radians(rear), radians(rear)


def ride(course_name: str, speed: float, duration: float, schedule) -> Simulation:
    """Drive straight on while the flippers follow a schedule."""
    robot = load_robot("absolem")
    belts = Constant(robot, Sides(left=speed, right=speed))
    simulation = Simulation(make_model("csm"), robot, load_course(course_name))
    simulation.run(WithFlippers(belts, robot, schedule), duration)
    write_log(simulation.log(), OUT / f"absolem-{course_name}.csv")
    return simulation


pallet = ride("pallet", 0.1, 24.0, [(0.0, angles(-30, 30)), (9.0, angles(0, 0))])
pose = pallet.motion.pose
print(f"pallet: {pose.x:.2f} m driven, {abs(pose.y) * 100:.1f} cm beside the line")

# Front flippers up to meet the first step, level on the flight, down to reach for the landing.
stairs = ride(
    "staircase",
    0.25,
    28.0,
    [(0.0, angles(-35, 0)), (5.0, angles(-15, -10)), (11.0, angles(20, -10)), (14.0, angles(0, 0))],
)
log = stairs.log()
print(f"staircase: {log['z'].max():.2f} m up, nose up by at most {-log['pitch'].min():.2f} rad")
print(f"and down again to {log['z'][-1]:.2f} m, {log['x'][-1]:.2f} m from the start")
