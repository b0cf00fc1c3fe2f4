"""The page of the viewer, showing a robot that a board moves."""

from typing import TYPE_CHECKING

from grouser.cli.watch_board import Watch

if TYPE_CHECKING:
    from grouser.scenario import Scenario
    from grouser.viewer.app import DrivePage


def show_board_page(scenario: "Scenario", watch: Watch) -> "DrivePage":
    """Return the page, open: a context that closes it.

    Args:
        scenario: What is run.
        watch: Where the run stores its state, and how to stop it.

    Raises:
        MissingExtra: The packages of the page are not installed.
    """
    from grouser.viewer.app import DrivePage
    from grouser.viewer.session import Choice

    choice = Choice(
        robot=scenario.robot.name, course=scenario.course.reference, model=scenario.model.reference
    )
    return DrivePage(choice, outside=watch)
