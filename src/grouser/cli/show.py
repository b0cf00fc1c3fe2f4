"""`grouser show`."""

from typing import Annotated, Literal

from cyclopts import Parameter

from grouser.cli.options import Json, RobotOrCourse

Kind = Annotated[
    Literal["robot", "course"] | None,
    Parameter(name="--as", help="What the name means, where it could be either."),
]


def show(name: RobotOrCourse, /, *, kind: Kind = None, as_json: Json = False) -> None:
    """Show all numbers of a robot or a course, each with unit and source, and what follows."""
    from grouser.cli.choose_kind import choose_kind
    from grouser.cli.course_sheet import course_sheet
    from grouser.cli.robot_sheet import robot_sheet
    from grouser.cli.terminal import Terminal
    from grouser.description import load_course, load_robot

    if (kind or choose_kind(name)) == "robot":
        sheet = robot_sheet(load_robot(name))
    else:
        sheet = course_sheet(load_course(name))
    if as_json:
        Terminal().json(sheet.to_dict())
    else:
        sheet.print(Terminal())
