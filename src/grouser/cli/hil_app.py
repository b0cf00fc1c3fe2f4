"""`grouser hil` and the commands below it."""

from cyclopts import App, Group

from grouser.cli.hil import hil
from grouser.cli.hil_courses import hil_courses
from grouser.cli.hil_faults import hil_faults
from grouser.cli.hil_frames import hil_frames

COMMANDS = {"courses": hil_courses, "faults": hil_faults, "frames": hil_frames}
"""What else can be done with boards, by name."""


def make_hil_app(group: Group, place: int) -> App:
    """Return `hil`, which runs a board by itself and has commands below it.

    Args:
        group: Where the help lists it.
        place: Its place there.
    """
    app = App(name="hil", group=group, sort_key=place, help_epilogue="")
    app.default(hil)
    for number, (name, command) in enumerate(COMMANDS.items()):
        app.command(command, name=name, sort_key=number, help_epilogue="")
    return app
