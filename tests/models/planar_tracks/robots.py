"""Robots of two plain belts, and ground of one surface."""

import math
from typing import Any

import numpy as np

from grouser.description import Course, Robot, parse_course
from grouser.description.schema import parse_table
from grouser.geometry import Pose
from grouser.models import command_sides, make_model, start_model

GRAVITY = 9.81


def make_robot(
    *,
    mass: float = 60.0,
    length: float = 0.5,
    width: float = 0.1,
    gauge: float = 0.6,
    com: tuple[float, float, float] = (0.0, 0.0, 1e-6),
    yaw_inertia: float = 4.5,
    clearance: float = 0.05,
    grousers: dict[str, Any] | None = None,
    soil_contact: dict[str, Any] | None = None,
) -> Robot:
    """Return a robot whose belts follow commands at once."""
    pulleys = [{"x_m": x, "z_m": 0.1, "radius_m": 0.1} for x in (0.5 * length, -0.5 * length)]
    tracks = [
        {"name": side, "side": side, "y_m": y, "width_m": width, "loop": {"pulleys": pulleys}}
        for side, y in (("left", 0.5 * gauge), ("right", -0.5 * gauge))
    ]
    for track in tracks:
        if grousers is not None:
            track["grousers"] = grousers
        if soil_contact is not None:
            track["soil_contact"] = soil_contact
    half = 0.5 * yaw_inertia
    content = {
        "name": "plain",
        "body": {
            "mass_kg": mass,
            "size_m": [length, 0.9 * gauge, 0.2],
            "centre_m": [0.0, 0.0, 0.1 + clearance],
            "centre_of_mass_m": list(com),
            "inertia_kg_m2": [1.01 * half, 1.01 * half, yaw_inertia],
        },
        "tracks": tracks,
        "drive": {"speed_limit_m_s": 5.0, "acceleration_limit_m_s2": 1e4},
    }
    return parse_table(Robot, content, "plain.toml")


def ground(surface: str = "friction = 0.7", slope_deg: float = 0.0) -> Course:
    """Return a plane of one surface, uphill along x."""
    text = f'name = "plane"\n[[terrain]]\nkind = "plane"\nslope_deg = {slope_deg}\n'
    return parse_course(f"{text}[surfaces.ground]\n{surface}\n", "plane.toml")


def firm(friction: float = 0.7, shear_modulus: float = 0.0) -> str:
    """Return the surface of firm ground with a shear deformation modulus [m]."""
    return f"friction = {friction}\n[surfaces.ground.law]\nshear_modulus = {shear_modulus}"


def started(
    model: str = "", robot: Robot | None = None, course: Course | None = None, pose=None
) -> Any:
    """Return a plant of `tracks-planar` with parameters such as `patches=8`."""
    name = f"tracks-planar:{model}" if model else "tracks-planar"
    return start_model(make_model(name), robot or make_robot(), course or ground(), pose)


def run(plant: Any, robot: Robot, left: Any, right: Any, duration: float, dt: float = 0.01) -> Any:
    """Drive with constant belt speeds and return the motion."""
    for _ in range(round(duration / dt)):
        plant.advance(command_sides(robot, left, right), dt)
    return plant.motion


def many(count: int, **places: Any) -> Pose:
    """Return a pose of many robots."""
    return Pose(**{"x": np.zeros(count), "y": np.zeros(count), "yaw": np.zeros(count), **places})


def weight(robot: Robot, slope_deg: float = 0.0) -> tuple[float, float]:
    """Return weight along and into a slope [N]."""
    angle, total = math.radians(slope_deg), GRAVITY * robot.mass
    return total * math.sin(angle), total * math.cos(angle)
