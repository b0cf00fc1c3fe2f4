"""`grouser hil` and the commands below it."""

from cyclopts import App, Group

from grouser.cli.hil import hil
from grouser.cli.hil_calibrate import calibrate_encoder, calibrate_gyro, calibrate_speed
from grouser.cli.hil_courses import hil_courses
from grouser.cli.hil_faults import hil_faults
from grouser.cli.hil_frames import hil_frames

COMMANDS = {"courses": hil_courses, "faults": hil_faults, "frames": hil_frames}
"""What else can be done with boards, by name."""
CALIBRATIONS = {
    "gyro": calibrate_gyro,
    "encoder": calibrate_encoder,
    "speed": calibrate_speed,
}
"""What can be calibrated, by name."""


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
    calibrate = App(
        name="calibrate",
        help="Measure what only the robot can tell, and write it into its file.",
        help_format="plaintext",
        sort_key=len(COMMANDS),
        help_epilogue="",
    )
    for number, (name, command) in enumerate(CALIBRATIONS.items()):
        calibrate.command(command, name=name, sort_key=number, help_epilogue="")
    app.command(calibrate)
    return app
