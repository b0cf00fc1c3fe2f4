"""`grouser foxglove`: a live simulation as a data source of Foxglove."""

from __future__ import annotations

import contextlib
import math
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from grouser.cli.options import (
    NO_OPTIONS,
    Count,
    OutFile,
    Overwrite,
    ScenarioFile,
    ScenarioOptions,
    Seconds,
    options,
    refuses,
)
from grouser.cli.terminal import Terminal
from grouser.errors import GrouserError, InvalidValue, describe_bug
from grouser.extras import require_extra
from grouser.storage import temporary_name

if TYPE_CHECKING:
    from grouser.cli.output import Output
    from grouser.plugs.foxglove.server import FoxgloveServer
    from grouser.scenario import Scenario

EVERYONE = (
    "everyone who reaches this address can drive: traffic is not encrypted, there is no password"
)


@options
class FoxgloveOptions:
    """Where the server listens, how fast time passes, and what is written."""

    host: Annotated[str, Parameter(metavar="ADDRESS")] = "127.0.0.1"
    """Address to listen on. Everyone who reaches it can drive: nothing is encrypted, and there is
    no password."""
    port: Count = 8765
    """Port; a free one if 0."""
    out: OutFile | None = None
    """MCAP file for all messages; it is complete when the command ends."""
    layout: OutFile | None = None
    """JSON file for a layout to import in Foxglove, with panels for this robot."""
    factor: Annotated[float, Parameter(metavar="NUMBER")] = 1.0
    """Simulated time per wall time [1]; inf for as fast as possible."""
    command_timeout: Seconds = 0.5
    """Belts stop when no command came for so long, in simulated time [s]."""
    timeout: Seconds | None = None
    """End after this many seconds; at Ctrl-C if not given."""
    overwrite: Overwrite = False


@refuses("the run ends at Ctrl-C", "duration", "stuck_after", "tipped")
def foxglove(
    file: ScenarioFile = None,
    /,
    *,
    options: ScenarioOptions = NO_OPTIONS,
    given: FoxgloveOptions = FoxgloveOptions(),
) -> None:
    """Show and drive a simulation in Foxglove, live, and record it.

    Without a file and options: robot absolem, course playground, model csm. A driver that is named
    drives until the first command comes.
    """
    require_extra("grouser foxglove", "foxglove", "foxglove", "trimesh")
    from grouser.plugs.foxglove.server import check_address

    if given.timeout is not None and not 0.0 < given.timeout < math.inf:
        raise InvalidValue("--timeout", given.timeout, "be a positive number of seconds")
    recording = _claim("--out", given.out, ".mcap", given)
    layout = _claim("--layout", given.layout, ".json", given)
    check_address(given.host, given.port)
    usual = {"robot": "absolem", "course": "playground", "model": "csm", "driver": "foxglove"}
    scenario = options.scenario(file, **usual)
    if recording is None:
        if problem := _serve(scenario, given, layout, None):
            raise GrouserError(problem)
        return
    part = temporary_name(recording.path)
    part.parent.mkdir(parents=True, exist_ok=True)
    try:
        problem = _serve(scenario, given, layout, part)
        where = recording.write(lambda path: shutil.copyfile(part, path))
        Terminal().line(f"recording: {where}")
        if problem:
            raise GrouserError(problem)
    finally:
        part.unlink(missing_ok=True)


def _serve(
    scenario: Scenario, given: FoxgloveOptions, layout: Output | None, record: Path | None
) -> str:
    """Serve until the end; return what ended it, or was wrong with the recording, if anything."""
    from grouser.live import Options
    from grouser.plugs.foxglove.server import FoxgloveServer

    terminal = Terminal()
    terminal.remark("preparing the simulation ...")
    running = Options(timeout=given.command_timeout, factor=given.factor)
    with FoxgloveServer(
        scenario, running, host=given.host, port=given.port, record=record
    ) as server:
        problem = ""
        # Once the address is printed, Ctrl-C is the normal way to end.
        with contextlib.suppress(KeyboardInterrupt):
            if layout is not None:
                _write_layout(layout, server, terminal)
            terminal.line(f"open in Foxglove: ws://{_address(given.host)}:{server.port}")
            if not _is_loopback(given.host):
                terminal.remark(EVERYONE)
            terminal.remark("publish cmd_vel to drive, as the Teleop panel does; Ctrl-C ends")
            try:
                server.serve(math.inf if given.timeout is None else given.timeout)
            except Exception as error:  # the recording is kept, whatever ended the server
                problem = describe_bug(error)
        if server.rejected:
            terminal.remark(f"{server.rejected} commands were not valid and had no effect")
        terminal.remark("closing ...")
    return problem or ("" if server.recording is None else server.recording.problem)


def _write_layout(output: Output, server: FoxgloveServer, terminal: Terminal) -> None:
    import json

    from grouser.plugs.foxglove.layout import make_layout
    from grouser.scenario.parts import default_speed

    publisher = server.publisher
    robot, declared = publisher.robot, server.physics.started.declarations
    content = make_layout(robot, declared, default_speed(robot, publisher.course))
    text = json.dumps(content, indent=2) + "\n"
    where = output.write(lambda path: path.write_text(text, "utf-8"))
    terminal.line(f"layout: {where} (in Foxglove: Layouts, Import from file)")


def _claim(option: str, path: Path | None, suffix: str, given: FoxgloveOptions) -> Output | None:
    from grouser.cli.output import claim_optional

    # No extra but ours is needed to write these files.
    if path is not None and path.suffix.lower() != suffix:
        raise InvalidValue(option, str(path), f"end in {suffix}")
    return claim_optional(option, path, overwrite=given.overwrite)


def _address(host: str) -> str:
    """Return an address as a URL has it, that of this machine if all are listened on."""
    name = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)
    return f"[{name}]" if ":" in name else name


def _is_loopback(host: str) -> bool:
    import ipaddress

    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
