"""`grouser exchange simulate` and `grouser exchange control`."""

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from grouser.cli.options import NO_OPTIONS, Json, Overwrite, ScenarioOptions
from grouser.cli.parameters import log_to_write

Where = Annotated[
    str,
    Parameter(
        name="WHERE",
        help="Folder of Encoder.txt and Orientation.txt; or udp, udp:PORT, udp:HOST:PORT.",
    ),
]
LogFile = Annotated[
    Path | None,
    log_to_write("out/exchange-SIDE-ROBOT-COURSE.csv if not given."),
]
ScenarioFile = Annotated[
    Path | None,
    Parameter(metavar="FILE", help="Scenario to run, a TOML file; options replace what it says."),
]
Patience = Annotated[
    float | None,
    Parameter(
        metavar="SECONDS",
        help="Stop when the other side was silent for so long [s]; wait for ever if not given.",
    ),
]
Period = Annotated[
    float, Parameter(metavar="SECONDS", help="Time [s] between two lines that we write.")
]


def simulate(
    where: Where = "out/exchange",
    /,
    *,
    scenario: ScenarioFile = None,
    options: ScenarioOptions = NO_OPTIONS,
    patience: Patience = None,
    out: LogFile = None,
    overwrite: Overwrite = False,
    as_json: Json = False,
) -> int:
    """Be the simulation of another program's controller: Encoder.txt in, Orientation.txt out.

    Without a scenario file and options: robot tp100, course behaviour-2, model slip.
    """
    from grouser.cli.report_exchange import report_exchange
    from grouser.hil.exchange import SimulationLoop, SimulationSide

    options.reject(("driver", "speed", "stuck_after", "tipped"), "another program drives")
    chosen = options.scenario(scenario, course="behaviour-2").vary(driver="exchange")
    loaded = options.load(chosen)
    simulation = loaded.start(dump_folder=Path("out") if out is None else out.parent)
    return report_exchange(
        lambda: SimulationSide.open(where),
        lambda side: SimulationLoop(simulation, side, loaded.equip),
        f"simulate-{loaded.robot.name}-{loaded.course.name}",
        stream=simulation.stream,
        limits=(chosen.stop.duration, patience),
        out=out,
        overwrite=overwrite,
        as_json=as_json,
        remark=f"simulating for whoever writes to {where}; Ctrl-C ends and keeps the log",
    )


def control(
    where: Where = "out/exchange",
    /,
    *,
    scenario: ScenarioFile = None,
    options: ScenarioOptions = NO_OPTIONS,
    period: Period = 0.05,
    patience: Patience = None,
    out: LogFile = None,
    overwrite: Overwrite = False,
    as_json: Json = False,
) -> int:
    """Drive another program's simulation: Orientation.txt in, Encoder.txt out.

    Without a scenario file and options: robot tp100, course behaviour-2, driver follow.
    """
    from grouser.cli.report_exchange import report_exchange
    from grouser.errors import InvalidValue
    from grouser.hil.exchange import ControllerSide, ControlLoop

    if not 0.001 <= period <= 0.25:
        raise InvalidValue("--period", period, "be from 0.001 to 0.25 s")
    options.reject(("dt",), "lines are written every --period")
    held = ("model", "seed", "flippers", "observe", "contacts")
    options.reject((*held, "stuck_after", "tipped"), "another program holds the robot")
    loaded = options.load(options.scenario(scenario, course="behaviour-2"))
    if (plan := loaded.plan) is None:
        raise InvalidValue("--driver", loaded.driver_name, "be one that gives commands by itself")
    return report_exchange(
        lambda: ControllerSide.open(where),
        lambda side: ControlLoop(loaded.robot, loaded.course, plan.driver, side, period),
        f"control-{loaded.robot.name}-{loaded.course.name}",
        limits=(loaded.limit, patience),
        out=out,
        overwrite=overwrite,
        as_json=as_json,
        remark=f"driving whoever writes to {where}; Ctrl-C ends and keeps the log",
    )
