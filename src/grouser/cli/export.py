"""`grouser export`."""

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from grouser.cli.options import (
    CourseName,
    ModelName,
    Overwrite,
    RobotName,
    ScenarioOptions,
    StartPose,
)

SceneFile = Annotated[
    Path | None,
    Parameter(
        metavar="FILE", help="MJCF file to write, .xml; out/ROBOT-COURSE-MODEL.xml if not given."
    ),
]
BeltSpeed = Annotated[
    float,
    Parameter(
        metavar="M_PER_S",
        allow_leading_hyphen=True,
        help="Speed at which all belts move forward in the file [m/s].",
    ),
]


def export(
    *,
    robot: RobotName = "absolem",
    course: CourseName = "pallet",
    model: ModelName = "csm",
    start: StartPose = None,
    speed: BeltSpeed = 0.0,
    out: SceneFile = None,
    overwrite: Overwrite = False,
) -> None:
    """Write a robot on a course as a plain MJCF file, which MuJoCo's own viewer opens.

    Friction in the file is the engine's, not the exact one that runs here use.
    """
    from grouser.cli.output import claim_output
    from grouser.cli.terminal import Terminal
    from grouser.drawing.mjcf import export_mjcf
    from grouser.log import name_file

    options = ScenarioOptions(robot=robot, course=course, model=model, driver="person", start=start)
    loaded = options.load(options.scenario())
    usual = Path("out") / name_file(f"{loaded.robot.name}-{loaded.course.name}-{model}", ".xml")
    output = claim_output("--out", out, usual, overwrite=overwrite, suffixes=(".xml",))
    file = output.write(
        lambda path: export_mjcf(
            loaded.robot, loaded.course, loaded.model, path, loaded.start_pose, speed=speed
        )
    )
    Terminal().line(f"scene: {file}")
    Terminal().line(f"to look at it: python -m mujoco.viewer --mjcf={file}")
