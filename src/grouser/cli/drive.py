"""`grouser drive`: drive a robot in the browser."""

from __future__ import annotations

import contextlib
import math
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from grouser.cli.options import NO_OPTIONS, MapFile, ScenarioFile, ScenarioOptions
from grouser.cli.parameters import several
from grouser.cli.terminal import Terminal
from grouser.errors import InvalidValue

if TYPE_CHECKING:
    from collections.abc import Iterator

    from grouser.drawing.playback import Playback
    from grouser.scenario import Scenario
    from grouser.viewer.app import DriveApp


Host = Annotated[
    str,
    Parameter(
        metavar="ADDRESS",
        help="Address to listen on. Unless it is a loopback address, the page needs the token "
        "that the printed address contains.",
    ),
]
Port = Annotated[int, Parameter(metavar="NUMBER", help="Port; the next free one if it is taken.")]
Token = Annotated[
    bool,
    Parameter(
        negative="",
        show_default=False,
        help="Require a token on a loopback address, too, if others use this machine.",
    ),
]
Folder = Annotated[Path, Parameter(metavar="FOLDER", help="Folder of recordings.")]
Ghosts = Annotated[
    tuple[str, ...],
    several(
        "NAME",
        "Other models that follow the same commands, shown translucent.",
    ),
]
Replayed = Annotated[
    Path | None,
    Parameter(
        name="--log",
        metavar="FILE",
        help="Log to replay on the page at first, .csv, .parquet or .mcap.",
    ),
]
Opened = Annotated[
    bool,
    Parameter(
        name="--open",
        help="Open a browser where there is a screen; --no-open only prints the address.",
    ),
]
Seconds = Annotated[
    float | None,
    Parameter(
        name="--timeout",
        metavar="SECONDS",
        help="Close the page after this many seconds; until Ctrl-C if not given.",
    ),
]


PERSON_DRIVES = "a person drives on the page, and ends the run"


def drive(
    file: ScenarioFile = None,
    /,
    *,
    options: ScenarioOptions = NO_OPTIONS,
    ghosts: Ghosts = (),
    log: Replayed = None,
    column_map: MapFile = None,
    host: Host = "127.0.0.1",
    port: Port = 8080,
    token: Token = False,
    folder: Folder = Path("out/drives"),
    open_browser: Opened = True,
    timeout: Seconds = None,
) -> None:
    """Drive a robot in the browser by keys, touch pad or gamepad, in real time.

    Without a file and options: robot absolem, course playground, model csm.
    """
    if timeout is not None and not 0.0 < timeout < math.inf:
        raise InvalidValue("--timeout", timeout, "be a positive number of seconds")
    options.reject(("driver", "duration", "stuck_after", "tipped"), PERSON_DRIVES)
    import secrets
    import threading

    from grouser.viewer.app import DEFAULT_SCENARIO, DriveApp

    terminal = Terminal()
    first = DEFAULT_SCENARIO
    usual = {kind: getattr(first, kind) for kind in ("robot", "course", "model", "driver")}
    scenario = options.scenario(file, **usual)
    shown = None if log is None else _load(log, column_map, scenario)
    terminal.remark("preparing the page ...")
    word = secrets.token_urlsafe(16) if token else None
    with DriveApp(
        scenario, ghosts=tuple(ghosts), host=host, port=port, folder=folder, token=word
    ) as page:
        # Once the address is printed, Ctrl-C is the normal way to close the page.
        with contextlib.suppress(KeyboardInterrupt):
            terminal.line(f"drive at: {page.address}")
            for remark in _remarks(page, folder):
                terminal.remark(remark)
            if shown is not None:
                page.replay(shown, str(log))
            if open_browser:
                open_address(page.address)
            threading.Event().wait(timeout)
        if page.dropped:
            terminal.remark(f"{page.dropped} invalid messages were dropped")
        terminal.remark("closing ...")


def _remarks(page: DriveApp, folder: Path) -> Iterator[str]:
    """Yield remarks about an opened page."""
    if page.needs_token:
        yield (
            "anyone with this address and its token can drive, and nobody without it; "
            "traffic is not encrypted"
        )
    yield f"W A S D or arrow keys drive; recordings are saved in {folder}"
    yield "Ctrl-C closes the page"


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
