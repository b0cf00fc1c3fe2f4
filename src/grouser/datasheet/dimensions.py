"""Sizes and masses of a robot, flippers at rest."""

import math
from collections.abc import Mapping

import numpy as np

from grouser.description import Robot
from grouser.description.card import belt_outlines


def bounds_of(robot: Robot) -> tuple[float, float, float, float, float, float]:
    """Return x, y and z of the box around a robot, least and largest of each [m]."""
    (length, width, height), (x, y, z) = robot.body.size, robot.body.centre
    lows = [(x - 0.5 * length, y - 0.5 * width, z - 0.5 * height)]
    highs = [(x + 0.5 * length, y + 0.5 * width, z + 0.5 * height)]
    for outline, (middle, across), _ in belt_outlines(robot):
        (x_low, z_low), (x_high, z_high) = outline.min(axis=0), outline.max(axis=0)
        lows.append((float(x_low), middle - across, float(z_low)))
        highs.append((float(x_high), middle + across, float(z_high)))
    low, high = np.min(lows, axis=0).tolist(), np.max(highs, axis=0).tolist()
    return low[0], high[0], low[1], high[1], low[2], high[2]


def describe_robot(robot: Robot) -> dict[str, float | str]:
    """Return sizes [m] and masses [kg] by name with unit."""
    rear, front, right, left, _, top = bounds_of(robot)
    x, y, z = robot.centre_of_mass
    facts: dict[str, float | str] = {
        "length over all [m]": front - rear,
        "length without flippers [m]": robot.front - robot.rear,
        "width over all [m]": left - right,
        "height over all [m]": top,
        "ground clearance [m]": robot.body.centre[2] - 0.5 * robot.body.size[2],
        "gauge [m]": robot.gauge,
        "length on the ground [m]": robot.contact_length,
        "mass [kg]": robot.mass,
        "mass of the hull [kg]": robot.body.mass,
    }
    flippers = sum(flipper.mass for flipper in robot.flippers)
    if flippers:
        facts["mass of the flippers [kg]"] = flippers
    facts |= {
        "centre of mass, ahead [m]": x,
        "centre of mass, to the left [m]": y,
        "centre of mass, above ground [m]": z,
        "belt speed limit [m/s]": robot.drive.speed_limit,
    }
    torque, motor = robot.drive.torque_limit, robot.drive.motor
    facts["torque limit [N m]"] = "none in its file" if torque is None else torque
    if torque is None and motor is not None:
        facts["torque limit [N m]"] = f"{motor.torque_limit:g} N m of the motor"
    facts["pressure on the ground [kPa]"] = ground_pressure(robot)
    if not robot.tracks:
        facts.pop("pressure on the ground [kPa]")
    return without_copies(facts)


def ground_pressure(robot: Robot) -> float:
    """Return the weight over the flat part of the tracks; infinite if all is round [kPa]."""
    area = sum(
        track.width * run.length for track in robot.tracks if (run := track.loop.contact_run)
    )
    return 1e-3 * robot.mass * 9.81 / area if area else math.inf


def without_copies(facts: Mapping[str, float | str]) -> dict[str, float | str]:
    """Return facts without the second of two equal lengths."""
    found = dict(facts)
    if found["length over all [m]"] == found["length without flippers [m]"]:
        found.pop("length without flippers [m]")
    return found
