"""Everything about a robot."""

import tomllib
from collections.abc import Iterator

from grouser.cli.sheet import Sheet, Value, given_values
from grouser.description import Robot
from grouser.laws.step_feasibility import friction_demand, height_limit
from grouser.models import effective_width, steering_efficiency


def robot_sheet(robot: Robot) -> Sheet:
    """Return what the file of a robot says, and what follows from it."""
    return Sheet(
        kind="robot",
        name=robot.name,
        title=robot.title,
        description=robot.description,
        values=given_values(tomllib.loads(robot.text), robot.sources),
        derived=[*_size(robot), *_belts(robot), *_steering(robot), *_steps(robot)],
    )


def _size(robot: Robot) -> Iterator[Value]:
    yield Value(name="total mass", value=robot.mass, unit="kg", source="all parts")
    yield Value(
        name="centre of mass",
        value=robot.centre_of_mass,
        unit="m",
        source="all parts, flippers at rest; x forward, y left, z from the ground",
    )
    yield Value(name="length", value=robot.front - robot.rear, unit="m", source="without flippers")
    yield Value(name="gauge", value=robot.gauge, unit="m", source="between centre lines")
    yield Value(name="contact length", value=robot.contact_length, unit="m", source="level ground")


def _belts(robot: Robot) -> Iterator[Value]:
    belts = [(track.name, track) for track in robot.tracks]
    belts += [(flipper.name, flipper.track) for flipper in robot.flippers]
    for name, belt in belts:
        yield Value(
            name=f"belt length, {name}", value=belt.loop.length, unit="m", source="its loop"
        )
        if belt.pitch is not None:
            yield Value(
                name=f"grouser pitch, {name}",
                value=belt.pitch,
                unit="m",
                source="belt length over grousers",
            )


def _steering(robot: Robot) -> Iterator[Value]:
    efficiency = steering_efficiency(robot)
    yield Value(
        name="equivalent wheelbase", value=effective_width(robot), unit="m", source="P0 eq 7"
    )
    yield Value(
        name="width ratio chi",
        value=float(efficiency.chi),
        unit="1",
        source="effective over true width",
    )
    yield Value(
        name="steering efficiency eta", value=float(efficiency.eta), unit="1", source="1 / chi"
    )


def _steps(robot: Robot) -> Iterator[Value]:
    com_x, _, com_z = robot.centre_of_mass
    place = (com_x, com_z - robot.wheel_radius)
    highest = float(height_limit(robot.wheel_radius, robot.wheel_distance, *place))
    grousers = robot.tracks[0].grousers if robot.tracks else None
    demand = friction_demand(
        robot.wheel_radius,
        robot.wheel_distance,
        highest,
        *place,
        grouser_height=grousers.height if grousers else 0.0,
    )
    yield Value(
        name="highest step",
        value=highest,
        unit="m",
        source="centre of mass over the edge; flippers and friction left out",
    )
    yield Value(
        name="friction that step needs",
        value=float(demand),
        unit="1",
        source="both ends at the limit as the nose lifts",
    )
