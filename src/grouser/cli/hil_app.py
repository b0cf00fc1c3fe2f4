"""`grouser hil` and the commands below it."""

from cyclopts import App, Group

from grouser.cli.hil import hil
from grouser.cli.hil_courses import hil_courses

COMMANDS = {"courses": hil_courses}
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
