"""Files of a planned drive: commands for a real robot, a scenario that drives them, and a plot.

The commands are a log that `replay` drives; the scenario names it.
"""

from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np

from grouser.description import load_robot
from grouser.geometry import Array
from grouser.identify.family import KnownRobot
from grouser.identify.manoeuvres import BELT_PERIOD
from grouser.identify.plan import Plan, find_family
from grouser.log import Column, Log, Provenance
from grouser.registry import description_files
from grouser.report import Mark, Panel, Series, Shape, colours
from grouser.scenario import Part, Scenario
from grouser.storage import write_atomically
from grouser.version import VERSION

SUPERVISE = (
    "A person must supervise this drive, with an emergency stop at hand: nothing here looks for "
    "obstacles or corrects the path. Keep the area and a margin around it free."
)


def command_log(plan: Plan) -> Log:
    """Return the commands: time, belt speed of each drive, forward speed and yaw rate.

    A command holds until its time. Speed and yaw rate are those of an ideal differential drive with
    the robot's gauge, for controllers that take a twist.
    """
    belts, robot = plan.belts, plan.request.robot
    sides = {"left": belts.left, "right": belts.right}
    columns = {"time": Column(belts.time, "s")}
    for drive in robot.drives:
        columns[f"belt_speed_commanded.{drive.name}"] = Column(sides[drive.side], "m/s")
    columns["speed_commanded"] = Column(0.5 * (belts.left + belts.right), "m/s")
    columns["yaw_rate_commanded"] = Column((belts.right - belts.left) / robot.gauge, "rad/s")
    area = plan.request.area
    notes = {
        "supervise": SUPERVISE,
        "area_m": [area.length, area.width],
        "start_from_centre_m": [round(place, 3) for place in plan.start],
        "families": list(plan.request.families),
    }
    return Log(
        columns,
        Provenance(
            grouser_version=VERSION, robot=robot.name, robot_hash=robot.content_hash,
            driver="identify plan", dt=BELT_PERIOD, seed=plan.request.seed, notes=notes,
        ),
    )  # fmt: skip


def write_scenario(plan: Plan, commands: Path, path: Path) -> None:
    """Write a scenario that drives a file of commands beside it, with the first family's model.

    A robot that does not come with grouser is part of the file.
    """
    robot = plan.request.robot
    is_known = robot.name in description_files("robot") and load_robot(robot.name) == robot
    scenario = Scenario(
        robot=Part(name=robot.name, text="" if is_known else robot.text),
        course="flat",
        model=find_family(plan.request.families[0]).model,
        driver=Part(name="replay", parameters={"log": commands.name}),
        start_pose=(*(round(place, 3) for place in plan.start), 0.0),
        seed=plan.request.seed,
    )
    head = f"# A drive of {plan.request.duration:g} s that identifies {robot.name}.\n"
    write_atomically(path, head + scenario.to_toml())


def plan_content(plan: Plan) -> dict[str, Any]:
    """Return the plan as plain values for JSON, with units in the keys."""
    request = plan.request
    return {
        "robot": request.robot.name,
        "area_m": [request.area.length, request.area.width],
        "duration_s": request.duration,
        "driven_s": sum(one.duration for one in plan.manoeuvres),
        "distance_m": plan.distance,
        "fastest_belt_m_s": plan.fastest,
        "start_from_centre_m": list(plan.start),
        "extent_m": list(plan.extent),
        "return_distance_m": plan.return_distance,
        "noise": {
            "position_m": plan.noise.position,
            "heading_rad": plan.noise.heading,
            "belt_m_s": plan.noise.belt,
        },
        "expected": {
            family: {
                one.name: {
                    "width": one.width,
                    "unit": one.unit,
                    "identified": one.is_identified,
                }
                for one in parameters
            }
            for family, parameters in plan.expected.items()
        },
        "manoeuvres": [
            {
                "kind": one.kind,
                "speed_m_s": one.speed,
                "belt_ratio": one.ratio,
                "duration_s": one.duration,
            }
            for one in plan.manoeuvres
        ],
    }


def plan_facts(plan: Plan) -> dict[str, str]:
    """Return the drive in words, for tables."""
    counts = Counter(one.kind for one in plan.manoeuvres)
    noise, area = plan.noise, plan.request.area
    return {
        "manoeuvres": ", ".join(f"{count} x {kind}" for kind, count in counts.most_common()),
        "belt speeds": f"up to {plan.fastest:.3g} m/s, {plan.distance:.3g} m of path",
        "area": f"{area.length:g} m x {area.width:g} m",
        "space taken": f"{plan.extent[0]:.2f} m x {plan.extent[1]:.2f} m, whatever the slip",
        "start": f"{plan.start[0]:+.2f} m, {plan.start[1]:+.2f} m from the centre of the area, "
        "heading along its length",
        "end": f"within {plan.return_distance:.2f} m of the start",
        "assumed noise": f"{1e3 * noise.position:g} mm, {1e3 * noise.heading:g} mrad, belts "
        f"{1e3 * noise.belt:.3g} mm/s, {1.0 / noise.pose_period:.0f} poses per second",
    }


def plan_panel(plan: Plan) -> Panel:
    """Return the path in the area by the robot's file, a colour for each kind of manoeuvre."""
    robot, area = plan.request.robot, plan.request.area
    family, known_robot = (
        find_family(plan.request.families[0]),
        KnownRobot(gauge=robot.gauge, robot=robot),
    )
    own = family.parameters(known_robot, (plan.belts,))
    path = family.predict(np.array([[p.start for p in own]]), plan.belts, known_robot)
    x, y = path.x[0] + plan.start[0], path.y[0] + plan.start[1]
    kinds = sorted({one.kind for one in plan.manoeuvres})
    series = tuple(
        Series(name=kind, x=_only(plan, kind, x), y=y, colour=colours.line_colour(number))
        for number, kind in enumerate(kinds)
    )
    half = 0.5 * np.array([area.length, area.width])
    corners = half * np.array([(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)])
    floor = Shape(
        name="area", corners=corners, fill=colours.AREA_FILL, edge=colours.AREA_EDGE
    )  # fmt: skip
    start = Mark(symbol="start", x=plan.start[0], y=plan.start[1], colour=colours.TEXT,
                 name="start")  # fmt: skip
    return Panel(
        key="plan", title=f"Path of {robot.name}, {plan.request.duration:g} s", x_label="x, m",
        y_label="y, m", series=series, shapes=(floor,), marks=(start,), equal_axes=True,
    )  # fmt: skip


def _only(plan: Plan, kind: str, x: Array) -> Array:
    """Return coordinates during manoeuvres of a kind, NaN elsewhere [m]."""
    found, at = np.full(x.size, np.nan), 0
    for one in plan.manoeuvres:
        rows = slice(at, at + one.left.size + 1)
        if one.kind == kind:
            found[rows] = x[rows]
        at += one.left.size
    return found
