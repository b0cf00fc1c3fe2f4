"""`grouser drive`: drive a robot in the browser."""

from __future__ import annotations

import contextlib
import math
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import Parameter

from grouser.cli.options import (
    NO_OPTIONS,
    Count,
    File,
    Folder,
    MapFile,
    Names,
    ScenarioFile,
    ScenarioOptions,
    Seconds,
    options,
    refuses,
)
from grouser.cli.terminal import Terminal
from grouser.errors import InvalidValue

if TYPE_CHECKING:
    from grouser.drawing.playback import Playback
    from grouser.scenario import Scenario


@options
class DriveOptions:
    """What the page shows, where it is, and for how long."""

    ghosts: Names = ()
    """Other models that follow the same commands, shown translucent."""
    log: File | None = None
    """Log to replay on the page at first, .csv, .parquet or .mcap."""
    column_map: MapFile = None
    host: Annotated[str, Parameter(metavar="ADDRESS")] = "127.0.0.1"
    """Address to listen on, such as 0.0.0.0 for other machines."""
    port: Count = 8080
    """Port; the next free one if it is taken."""
    token: bool = True
    """The page opens only by the token in the printed address; --no-token lets every program of
    this machine in, on a loopback address only."""
    folder: Folder = Path("out/drives")
    """Folder of recordings."""
    open_browser: Annotated[bool, Parameter(name="--open")] = True
    """Open a browser where there is a screen; --no-open only prints the address."""
    look: Literal["automatic", "full", "painted", "lean"] = "automatic"
    """Look of the scene: by the graphics card and the frame rate, or this one."""
    timeout: Seconds | None = None
    """Close the page after this many seconds; until Ctrl-C if not given."""


PERSON_DRIVES = "a person drives on the page, and ends the run"
TOKEN_NEEDED = (
    "anyone with this address and its token can drive, and nobody without it; "
    "traffic is not encrypted"
)
NO_TOKEN = "without a token every program of this machine can open the page and drive"


@refuses(PERSON_DRIVES, "driver", "duration", "stuck_after", "tipped")
def drive(
    file: ScenarioFile = None,
    /,
    *,
    options: ScenarioOptions = NO_OPTIONS,
    given: DriveOptions = DriveOptions(),
) -> None:
    """Drive a robot in the browser by keys, touch pad or gamepad, in real time.

    Without a file and options: robot absolem, course playground, model csm.
    """
    timeout, folder = given.timeout, given.folder
    if timeout is not None and not 0.0 < timeout < math.inf:
        raise InvalidValue("--timeout", timeout, "be a positive number of seconds")
    import threading

    from grouser.viewer.able import check_names
    from grouser.viewer.app import DEFAULT_SCENARIO, DriveApp, check_address

    check_address(given.host, given.port)
    terminal = Terminal()
    first = DEFAULT_SCENARIO
    usual = {kind: getattr(first, kind) for kind in ("robot", "course", "model", "driver")}
    scenario = options.scenario(file, **usual)
    check_names(scenario, given.ghosts)
    shown = None if given.log is None else _load(given.log, given.column_map, scenario)
    terminal.remark("preparing the page ...")
    word = None if given.token else ""
    place = {"host": given.host, "port": given.port, "folder": folder, "token": word}
    with DriveApp(scenario, ghosts=given.ghosts, look=given.look, **place) as page:
        # Once the address is printed, Ctrl-C is the normal way to close the page.
        with contextlib.suppress(KeyboardInterrupt):
            terminal.line(f"drive at: {page.address}")
            terminal.remark(TOKEN_NEEDED if page.needs_token else NO_TOKEN)
            terminal.remark(f"W A S D or arrow keys drive; recordings are saved in {folder}")
            terminal.remark("Ctrl-C closes the page")
            if shown is not None:
                page.replay(shown, str(given.log))
            if given.open_browser:
                open_address(page.address)
            threading.Event().wait(timeout)
        if page.dropped:
            terminal.remark(f"{page.dropped} invalid messages were dropped")
        terminal.remark("closing ...")


def _load(file: Path, column_map: Path | None, scenario: Scenario) -> Playback:
    """Return a log to replay; robot and course of the scenario are used where the log has none."""
    from grouser.drawing.playback import Playback
    from grouser.log import read_foreign, read_log
    from grouser.scenario import course_of_log, robot_of_log

    log = read_log(file) if column_map is None else read_foreign(file, column_map)
    return Playback(
        log,
        robot_of_log(log) or scenario.robot.load_robot(),
        course_of_log(log) or scenario.course.load_course(),
        origin=str(file),
    )


def open_address(address: str) -> bool:
    """Open an address in the person's browser; return whether one was found.

    Without a screen nothing is tried: a browser of text would take over the terminal.
    """
    import webbrowser

    has_screen = sys.platform in ("darwin", "win32") or any(
        os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY")
    )
    try:
        return has_screen and webbrowser.open(address)
    except (OSError, webbrowser.Error):
        return False
