"""The page of the viewer, showing a robot that a board moves."""

from typing import TYPE_CHECKING

from grouser.cli.hil_setup import HilSetup
from grouser.cli.watch_board import Watch

if TYPE_CHECKING:
    from grouser.viewer.app import DriveApp


def show_board_page(setup: HilSetup, watch: Watch) -> "DriveApp":
    """Return the page, open: a context that closes it.

    Args:
        setup: What is run.
        watch: Where the run leaves what it sees, and how to stop it.

    Raises:
        MissingExtra: The packages of the page are not installed.
    """
    from grouser.scenario import Scenario
    from grouser.viewer.app import DriveApp

    robot, course = setup.references
    return DriveApp(Scenario(robot=robot, course=course, model=setup.model), external=watch)
