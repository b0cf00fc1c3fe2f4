"""`grouser drive`: drive a robot in the browser."""

from __future__ import annotations

import contextlib
import math
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from grouser.cli.options import CourseName, MapFile, ModelName, RobotName, several
from grouser.cli.terminal import Terminal
from grouser.errors import InvalidValue

if TYPE_CHECKING:
    from collections.abc import Iterator

    from grouser.drawing.playback import Playback
    from grouser.viewer.app import DrivePage


Host = Annotated[
    str,
    Parameter(
        metavar="ADDRESS",
        help="Address to listen on. Other than this machine's own, the page needs the token "
        "that the printed address contains.",
    ),
]
Port = Annotated[
    int, Parameter(metavar="NUMBER", help="Port; the next that is free if it is taken.")
]
Token = Annotated[
    bool,
    Parameter(
        negative="",
        show_default=False,
        help="Let nobody in without a token on this machine either, if others use it as well.",
    ),
]
Folder = Annotated[Path, Parameter(metavar="FOLDER", help="Where recordings are kept.")]
Ghosts = Annotated[
    tuple[str, ...],
    several(
        "NAME",
        "Other models that get the same commands, drawn translucent beside the robot.",
    ),
]
Replayed = Annotated[
    Path | None,
    Parameter(
        name="--log",
        metavar="FILE",
        help="Log to replay on the page, .csv, .parquet or .mcap, at first.",
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


def drive(
    *,
    robot: RobotName = "absolem",
    course: CourseName = "playground",
    model: ModelName = "csm",
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
    """Drive a robot in the browser: keys, pad or gamepad, in real time."""
    if timeout is not None and not 0.0 < timeout < math.inf:
        raise InvalidValue("--timeout", timeout, "be a positive number of seconds")
    import secrets
    import threading

    from grouser.viewer.app import DrivePage
    from grouser.viewer.session import Choice

    terminal = Terminal()
    shown = None if log is None else _load(log, column_map, robot, course)
    terminal.remark("preparing the page ...")
    choice = Choice(robot=robot, course=course, model=model, ghosts=tuple(ghosts))
    word = secrets.token_urlsafe(16) if token else None
    with DrivePage(choice, host=host, port=port, folder=folder, token=word) as page:
        # From the printed address on, Ctrl-C is how the page is meant to end.
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
            terminal.remark(f"{page.dropped} messages were dropped that no page of ours sends")
        terminal.remark("closing ...")


def _remarks(page: DrivePage, folder: Path) -> Iterator[str]:
    """Yield what to know about a page that was opened."""
    if page.needs_token:
        yield (
            "anyone with this address and its token can drive, and nobody without it; "
            "traffic is not encrypted"
        )
    yield f"W A S D or arrows drive; recordings go to {folder}"
    yield "Ctrl-C ends"


def _load(file: Path, column_map: Path | None, robot: str, course: str) -> Playback:
    """Return a log to replay; robot and course are used where the log holds none."""
    from grouser.description import load_course, load_robot
    from grouser.drawing.playback import Playback
    from grouser.log import read_foreign, read_log
    from grouser.scenario import course_of_log, robot_of_log

    log = read_log(file) if column_map is None else read_foreign(file, column_map)
    return Playback(
        log,
        robot_of_log(log) or load_robot(robot),
        course_of_log(log) or load_course(course),
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
