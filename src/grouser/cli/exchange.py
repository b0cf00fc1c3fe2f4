"""`grouser exchange simulate` and `grouser exchange control`."""

from __future__ import annotations

import math
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from grouser import interrupts
from grouser.cli.exits import BY_STATUS, DONE
from grouser.cli.options import (
    NO_OPTIONS,
    File,
    Json,
    OutFile,
    Overwrite,
    ScenarioOptions,
    Seconds,
    options,
    refuses,
)
from grouser.cli.terminal import Terminal
from grouser.errors import InvalidValue

if TYPE_CHECKING:
    from grouser.hil.exchange import ControlLoop, SimulationLoop
    from grouser.log import Log, Spool

Where = Annotated[
    str,
    Parameter(
        name="WHERE",
        help="Folder of Encoder.txt and Orientation.txt; or udp, udp:PORT, udp:HOST:PORT.",
    ),
]
Scenario = Annotated[
    File | None, Parameter(help="Scenario to run, a TOML file; options replace what it says.")
]


@options
class ExchangeOptions:
    """When an exchange ends, and what is written."""

    patience: Seconds | None = None
    """Stop after so long without a line from the other program [s]; never if not given."""
    out: OutFile | None = None
    """Log to write, .csv, .parquet or .mcap; out/exchange-SIDE-ROBOT-COURSE.csv if not given."""
    overwrite: Overwrite = False
    as_json: Json = False


@refuses("another program drives", "driver", "speed", "stuck_after", "tipped")
def simulate(
    where: Where = "out/exchange",
    /,
    *,
    scenario: Scenario = None,
    options: ScenarioOptions = NO_OPTIONS,
    given: ExchangeOptions = ExchangeOptions(),
) -> int:
    """Simulate for another program's controller: Encoder.txt in, Orientation.txt out.

    Without a scenario file and options: robot tp100, course behaviour-2, model slip.
    """
    from grouser.hil.exchange import SimulationLoop, SimulationSide

    chosen = options.scenario(scenario, course="behaviour-2").vary(driver="exchange")
    loaded = options.load(chosen)
    simulation = loaded.start(dump_folder=given.out.parent if given.out else Path("out"))
    return report_exchange(
        lambda: SimulationSide.open(where),
        lambda side: SimulationLoop(simulation, side, loaded.equip),
        f"simulate-{loaded.robot.name}-{loaded.course.name}",
        stream=simulation.stream,
        duration=chosen.stop.duration,
        given=given,
        remark=f"simulating for the program that writes to {where}; Ctrl-C ends and keeps the log",
    )


Period = Annotated[Seconds, Parameter(help="Time [s] between two lines written.")]


@refuses("lines are written every --period", "dt")
@refuses(
    "another program holds the robot",
    "model", "seed", "flippers", "observe", "contacts", "stuck_after", "tipped",
)  # fmt: skip
def control(
    where: Where = "out/exchange",
    /,
    *,
    scenario: Scenario = None,
    options: ScenarioOptions = NO_OPTIONS,
    period: Period = 0.05,
    given: ExchangeOptions = ExchangeOptions(),
) -> int:
    """Drive another program's simulation: Orientation.txt in, Encoder.txt out.

    Without a scenario file and options: robot tp100, course behaviour-2, driver follow.
    """
    from grouser.hil.exchange import ControllerSide, ControlLoop

    if not 0.001 <= period <= 0.25:
        raise InvalidValue("--period", period, "be from 0.001 to 0.25 s")
    loaded = options.load(options.scenario(scenario, course="behaviour-2"))
    if (plan := loaded.plan) is None:
        raise InvalidValue("--driver", loaded.driver_name, "be one that gives commands by itself")
    return report_exchange(
        lambda: ControllerSide.open(where),
        lambda side: ControlLoop(loaded.robot, loaded.course, plan.driver, side, period),
        f"control-{loaded.robot.name}-{loaded.course.name}",
        duration=loaded.limit,
        given=given,
        remark=f"driving the program that writes to {where}; Ctrl-C ends and keeps the log",
    )


def report_exchange(
    open_side: Callable[[], Any],
    make_loop: Callable[[Any], ControlLoop | SimulationLoop],
    name: str,
    *,
    duration: float | None,
    given: ExchangeOptions,
    remark: str,
    stream: Callable[[Path], Spool] | None = None,
) -> int:
    """Run one side until it ends, write its log, print a summary, and return the exit code."""
    from grouser.cli.output import LOGS, claim_output
    from grouser.hil.exchange.loops import run_loop
    from grouser.log import name_file, name_spool, write_log

    terminal = Terminal()
    limits = {"--duration": duration, "--patience": given.patience}
    for option, limit in limits.items():
        if limit is not None and not 0.0 < limit < math.inf:
            raise InvalidValue(option, limit, "be a positive number")
    length, timeout = (math.inf if limit is None else limit for limit in limits.values())
    usual = Path("out") / name_file(f"exchange-{name}", ".csv")
    output = claim_output("--out", given.out, usual, overwrite=given.overwrite, suffixes=LOGS)
    with interrupts.held():
        with closing(open_side()) as side:
            loop = make_loop(side)
            spool = None if stream is None else stream(name_spool(output.path))
            terminal.remark(remark)
            status, why = run_loop(loop, duration=length, timeout=timeout)
            log = loop.log(status)
        file = output.write(lambda path: write_log(log, path))
        if spool is not None:
            spool.close(remove=True)
    _print_summary(terminal, log, file, why, as_json=given.as_json)
    return BY_STATUS.get(status, DONE)


def _print_summary(terminal: Terminal, log: Log, file: Path, why: str, *, as_json: bool) -> None:
    counts = log.provenance.notes["exchange"]
    where = {name: float(log[name][-1]) if len(log) else math.nan for name in ("x", "y", "yaw")}
    if as_json:
        terminal.json({"ended": why, "duration_s": log.duration, **where, **counts, "log": file})
        return
    rows = [("duration", f"{log.duration:.4g} s")]
    rows += [(f"final {n}", f"{where[n]:.4g} {log.unit(n)}") for n in where]
    rows += [(f"lines {word}", str(counts[word])) for word in counts if word != "stale_ticks"]
    rows += [("ticks without fresh data", f"{counts['stale_ticks']} of {len(log)}")]
    terminal.table(("measured", "value"), rows, numbers=(1,))
    terminal.line(f"log: {file}")
    terminal.remark(f"ended: {why}")
