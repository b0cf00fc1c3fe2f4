"""`grouser ros`: simulated robots in ROS 2."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from grouser.cli.exits import INTERRUPTED
from grouser.cli.options import (
    NO_OPTIONS,
    Flag,
    OutFile,
    Overwrite,
    ScenarioOptions,
    options,
    refuses,
    several,
)
from grouser.cli.terminal import Terminal
from grouser.errors import InvalidValue

ROS_ARGUMENTS = "--ros-args"
"""Where the arguments of ROS 2 begin."""


Files = Annotated[
    tuple[str, ...],
    Parameter(
        name="FILE",
        show_default=False,
        help="Scenarios to run, TOML files; options replace what they say.",
    ),
]


@options
class NodeOptions:
    """How time passes, what robots are called, and what is written."""

    namespace: Annotated[tuple[str, ...], several("NAME")] = ()
    """Namespace of each robot, which also begins its frames; none for one robot if not given,
    the robots' names for several."""
    factor: Annotated[float, Parameter(metavar="NUMBER")] = 1.0
    """Simulated time per wall time, as 2 for twice as fast as real time [1]."""
    fast: Flag = False
    """As fast as possible, instead of --factor."""
    stepped: Flag = False
    """Let time pass only by the service ~/step."""
    out: OutFile | None = None
    """Log to write at the end, .csv, .parquet or .mcap; only of one robot."""
    overwrite: Overwrite = False


@refuses("robots run until Ctrl-C", "duration", "stuck_after", "tipped")
def ros(
    files: Files = (),
    /,
    *,
    options: ScenarioOptions = NO_OPTIONS,
    given: NodeOptions = NodeOptions(),
) -> int:
    """Simulate a robot, or several, as nodes of ROS 2, until Ctrl-C.

    Commands come by cmd_vel, cmd_belts and cmd_flippers; out go /clock, /tf, odometry, joints and
    sensors (docs/ros.md). Without a file and options: robot tp100, course flat, model slip. Several
    robots are one file each, with a namespace each; they do not see each other. Arguments of ROS 2
    follow after two hyphens: grouser ros scenario.toml -- --ros-args -p stamped:=true
    """
    from grouser.cli.output import LOGS, claim_optional
    from grouser.plugs.ros.packages import require_ros

    require_ros()
    from grouser.plugs.ros.run import RosOptions, run_robots

    begin = files.index(ROS_ARGUMENTS) if ROS_ARGUMENTS in files else len(files)
    paths: list[Path | None] = [Path(word) for word in files[:begin]]
    usual = {"course": "flat", "driver": options.driver or "person"}
    scenarios = [options.scenario(path, **usual) for path in paths or [None]]
    if options.driver is None:
        scenarios = [scenario.vary(driver="person") for scenario in scenarios]
    if given.out is not None and len(scenarios) > 1:
        raise InvalidValue("--out", str(given.out), "be given with one robot only")
    record = claim_optional("--out", given.out, overwrite=given.overwrite, suffixes=LOGS)
    chosen = RosOptions(
        namespaces=given.namespace,
        factor=math.inf if given.fast else given.factor,
        stepped=given.stepped,
        record=None if record is None else record.path,
        ros_arguments=tuple(files[begin:]),
    )
    try:
        run_robots(scenarios, chosen, Terminal().remark)
    except KeyboardInterrupt:
        return INTERRUPTED
    return INTERRUPTED
