"""Robots of usual and of unusual shapes that must turn alike in all models."""

from grouser.description import Robot, load_robot, parse_robot, robot_names
from grouser.description.slip import Slip

HULL = """
name = "{name}"
[body]
mass_kg = {mass}
size_m = [{long}, {hull}, {high}]
centre_m = [0.0, 0.0, {high2}]
centre_of_mass_m = [{com[0]}, {com[1]}, {com[2]}]
{parts}
[drive]
speed_limit_m_s = {speed}
acceleration_limit_m_s2 = 2.0
"""
TRACK = """
[[tracks]]
name = "{side}"
side = "{side}"
y_m = {y}
width_m = {width}
loop.pulleys = [
    {{ x_m = {end}, z_m = {radius}, radius_m = {radius} }},
    {{ x_m = -{end}, z_m = {radius}, radius_m = {radius} }},
]
"""
WHEEL = """
[[wheels]]
name = "{side}-{number}"
side = "{side}"
x_m = {x}
y_m = {y}
radius_m = {radius}
width_m = {width}
"""
FLIPPER = """
[[flippers]]
name = "{side}-{end}"
side = "{side}"
hinge_m = [{x}, {y}, {radius}]
limits_deg = [-90.0, 90.0]
rest_deg = {rest}
speed_limit_deg_s = 60.0
mass_kg = {mass}
track.width_m = 0.05
track.loop.pulleys = [
    {{ x_m = {far}, z_m = 0.0, radius_m = {radius} }},
    {{ x_m = 0.0, z_m = 0.0, radius_m = {radius} }},
]
"""
SIDES = (("left", 1.0), ("right", -1.0))


def tracked(
    name: str, mass: float, length: float, gauge: float, width: float, radius: float,
    com: tuple[float, float, float], speed: float, *, flippers: float | None = None,
) -> Robot:  # fmt: skip
    """Return a robot on two tracks; front flippers lie on the ground at a rest angle of 0 [deg]."""
    parts = "".join(
        TRACK.format(side=side, y=0.5 * sign * gauge, width=width, end=0.5 * length, radius=radius)
        for side, sign in SIDES
    )
    if flippers is not None:
        parts += "".join(
            FLIPPER.format(
                side=side, end="front", x=0.5 * length, y=sign * (0.5 * (gauge + width) + 0.04),
                far=0.4 * length, radius=radius, mass=0.04 * mass, rest=flippers,
            )
            for side, sign in SIDES
        )  # fmt: skip
    return _robot(name, mass, length, 0.6 * (gauge - width), radius, com, speed, parts)


def wheeled(
    name: str, mass: float, axles: tuple[float, ...], gauge: float, width: float, radius: float,
    com: tuple[float, float, float], speed: float,
) -> Robot:  # fmt: skip
    """Return a robot on wheels."""
    parts = "".join(
        WHEEL.format(
            side=side, number=number, x=x, y=0.5 * sign * gauge, radius=radius, width=width
        )
        for side, sign in SIDES
        for number, x in enumerate(axles)
    )
    length = max(axles) - min(axles)
    return _robot(name, mass, length, 0.6 * (gauge - width), radius, com, speed, parts)


def _robot(
    name: str, mass: float, long: float, hull: float, high: float,
    com: tuple[float, float, float], speed: float, parts: str,
) -> Robot:  # fmt: skip
    text = HULL.format(
        name=name, mass=mass, long=long, hull=hull, high=high, high2=1.6 * high, com=com,
        parts=parts, speed=speed,
    )  # fmt: skip
    return parse_robot(text, f"{name}.toml")


def without_slip(robot: Robot) -> Robot:
    """Return a robot as if nothing of its slip had been measured."""
    return robot.model_copy(update={"slip": Slip(), "turning": None})


OWN = {
    robot.name: robot
    for robot in (
        tracked("rover", 90.0, 0.80, 0.56, 0.15, 0.12, (0.03, 0.0, 0.18), 1.0),
        tracked("long", 12.0, 1.00, 0.30, 0.06, 0.05, (0.0, 0.0, 0.08), 0.5),
        tracked("digger", 18e3, 3.70, 2.40, 0.60, 0.45, (0.25, 0.0, 1.10), 1.2),
        tracked("toy", 0.35, 0.09, 0.075, 0.02, 0.018, (-0.005, 0.004, 0.02), 0.2),
        tracked("armed", 60.0, 0.70, 0.50, 0.12, 0.10, (0.0, 0.0, 0.15), 0.6, flippers=0.0),
        tracked("raised", 60.0, 0.70, 0.50, 0.12, 0.10, (0.0, 0.0, 0.15), 0.6, flippers=-30.0),
        wheeled("six", 60.0, (0.35, 0.0, -0.35), 0.60, 0.12, 0.15, (0.0, 0.0, 0.25), 1.0),
        wheeled("car", 3.0, (0.12, -0.12), 0.26, 0.05, 0.05, (0.01, 0.0, 0.06), 0.6),
    )
}
"""Robots of our own: long, heavy, tiny, with flippers on the ground, on wheels."""
ZOO = {name: load_robot(name) for name in robot_names()}
"""Robots of the catalogue."""
