"""`grouser exchange` and the commands below it."""

from cyclopts import App, Group

from grouser.cli.exchange import control, simulate

HELP = (
    "Exchange belt speeds and poses with another program, by two text files or datagrams.\n\n"
    "Encoder.txt carries belt speeds to the simulation, Orientation.txt its pose back, in the "
    "frame of Unreal Engine."
)
COMMANDS = {"simulate": simulate, "control": control}
"""The two sides, by name."""


def make_exchange_app(group: Group, place: int) -> App:
    """Return `exchange`, which only has commands below it.

    Args:
        group: Where the help lists it.
        place: Its place there.
    """
    app = App(
        name="exchange",
        help=HELP,
        help_format="plaintext",
        group=group,
        sort_key=place,
        help_epilogue="",
    )
    for number, (name, command) in enumerate(COMMANDS.items()):
        app.command(command, name=name, sort_key=number, help_epilogue="")
    return app
