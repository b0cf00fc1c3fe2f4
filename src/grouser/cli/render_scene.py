"""`grouser render`."""

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from grouser.cli.options import CourseName, ModelName, RobotName, StartPose

PictureFile = Annotated[
    Path | None,
    Parameter(
        metavar="FILE", help="Picture to write, .png; out/ROBOT-COURSE-MODEL.png if not given."
    ),
]
Azimuth = Annotated[
    float,
    Parameter(
        metavar="DEG",
        allow_leading_hyphen=True,
        help="Direction in which the camera looks, from the robot's heading to the left [deg].",
    ),
]
Elevation = Annotated[
    float,
    Parameter(
        metavar="DEG",
        allow_leading_hyphen=True,
        help="How far the camera looks up [deg]; down is negative.",
    ),
]
Distance = Annotated[
    float,
    Parameter(
        metavar="SIZES", help="How far the camera is away, in sizes of the robot from end to end."
    ),
]
Pixels = Annotated[
    tuple[int, int],
    Parameter(metavar="WIDTH HEIGHT", help="Width and height of the picture [pixels]."),
]


def render_scene(
    *,
    robot: RobotName = "absolem",
    course: CourseName = "pallet",
    model: ModelName = "csm",
    start: StartPose = None,
    azimuth: Azimuth = -37.0,
    elevation: Elevation = -20.0,
    distance: Distance = 1.7,
    size: Pixels = (1280, 720),
    out: PictureFile = None,
) -> None:
    """Draw a robot at rest on a course, as a 3D model has it, without a screen."""
    from math import radians

    from grouser.cli.name_file import name_file
    from grouser.cli.terminal import Terminal
    from grouser.cli.trip import Trip
    from grouser.models import make_model
    from grouser.models.contact.render import View, render_picture
    from grouser.models.contact.start_contacts import start_contacts

    trip = Trip.prepare(robot, course, start=start)
    if out is None:
        out = Path("out") / name_file(f"{trip.robot.name}-{trip.course.name}-{model}", ".png")
    view = View(azimuth=radians(azimuth), elevation=radians(elevation), distance=distance)
    plant = start_contacts(make_model(model), trip.robot, trip.course, trip.start)
    render_picture(plant.scene, plant.data, trip.robot, trip.course, out, view=view, size=size)
    Terminal().line(f"picture: {out}")
