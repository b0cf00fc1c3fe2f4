"""`grouser ardupilot`."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from grouser.cli.exits import BY_STATUS, DONE
from grouser.cli.options import (
    NO_OPTIONS,
    Count,
    Json,
    OutFile,
    Overwrite,
    ScenarioFile,
    ScenarioOptions,
    Seconds,
    options,
    refuses,
)
from grouser.cli.terminal import Terminal
from grouser.errors import InvalidValue

if TYPE_CHECKING:
    from grouser.plugs.ardupilot import ServoMap
    from grouser.scenario.run import Loaded

TICK = 0.002
"""Length of a tick where none is given: a step of every model, and shorter than ArduPilot's [s]."""


@options
class ArdupilotOptions:
    """Where ArduPilot's frames come, which servos drive the belts, and what is written."""

    port: Count = 9002
    """UDP port to which ArduPilot sends: 9002 for its first instance, 9012 for the next."""
    host: Annotated[str, Parameter(metavar="ADDRESS")] = "127.0.0.1"
    """Address of this machine at which to listen; 0.0.0.0 for all of them."""
    left_channel: Count = 1
    """Servo channel of the left belts: the one whose SERVOx_FUNCTION is 73 (ThrottleLeft)."""
    right_channel: Count = 3
    """Servo channel of the right belts: the one whose SERVOx_FUNCTION is 74 (ThrottleRight)."""
    pulses: Annotated[str, Parameter(metavar="MIN,TRIM,MAX")] = "1000,1500,2000"
    """Pulses of full speed backward, of rest and of full speed forward [us]: SERVOx_MIN, _TRIM and
    _MAX of both channels."""
    dead_zone: Annotated[float, Parameter(metavar="MICROSECONDS")] = 0.0
    """Difference from the pulse of rest up to which belts stand [us]."""
    patience: Seconds | None = None
    """Stop after so long without a frame of ArduPilot [s]; never if not given."""
    out: OutFile | None = None
    """Log to write, .csv, .parquet or .mcap; out/ardupilot-ROBOT-COURSE.csv if not given. Runs
    that a new start of ArduPilot has ended are beside it: NAME-run1 and so on."""
    overwrite: Overwrite = False
    as_json: Json = False

    def servos(self) -> ServoMap:
        """Return which servos drive the belts."""
        from grouser.plugs.ardupilot import ServoMap
        from grouser.units import parse_number

        words = self.pulses.split(",")
        numbers = [number for word in words if (number := parse_number(word)) is not None]
        if len(words) != 3 or len(numbers) != 3:
            raise InvalidValue("--pulses", self.pulses, "be three numbers, as in 1000,1500,2000")
        least, trim, most = numbers
        return ServoMap(
            left=self.left_channel,
            right=self.right_channel,
            least=least,
            trim=trim,
            most=most,
            dead_zone=self.dead_zone,
        )


@refuses("ArduPilot drives", "driver", "speed", "stuck_after", "tipped")
def ardupilot(
    file: ScenarioFile = None,
    /,
    *,
    options: ScenarioOptions = NO_OPTIONS,
    given: ArdupilotOptions = ArdupilotOptions(),
) -> int:
    """Simulate for ArduPilot's rover by its JSON interface: each waits for the other's step.

    Start ArduPilot with `--model JSON:127.0.0.1`. Without a scenario file and options: robot
    packbot510, course flat, model csm.
    """
    scenario = options.scenario(file, robot="packbot510", course="flat", model="csm")
    scenario = scenario.vary(driver="ardupilot", tick=scenario.tick or TICK)
    return _serve(options.load(scenario), given)


def _serve(loaded: Loaded, given: ArdupilotOptions) -> int:
    from grouser.cli.output import LOGS, claim_output
    from grouser.log import name_file, write_log
    from grouser.plugs.ardupilot import LockStep, Port, run_server
    from grouser.plugs.ardupilot.vehicle import LoggedVehicle

    terminal, servos = Terminal(), given.servos()
    limits = {"--duration": loaded.scenario.stop.duration, "--patience": given.patience}
    for option, limit in limits.items():
        if limit is not None and not 0.0 < limit < math.inf:
            raise InvalidValue(option, limit, "be a positive number")
    length, patience = (math.inf if limit is None else limit for limit in limits.values())
    usual = Path("out") / name_file(f"ardupilot-{loaded.robot.name}-{loaded.course.name}", ".csv")
    output = claim_output("--out", given.out, usual, overwrite=given.overwrite, suffixes=LOGS)
    with Port(given.host, given.port) as port:
        vehicle = LoggedVehicle(loaded.scenario, output.path)
        lock_step = LockStep(vehicle, servos)
        place = f"{given.host}, port {port.number}"
        terminal.remark(f"waiting for ArduPilot at {place}; Ctrl-C ends and keeps the log")
        status, why = run_server(
            port, lock_step, time_of=lambda: vehicle.time, duration=length, patience=patience
        )
    log = vehicle.log(status, lock_step.summary())
    file = output.write(lambda path: write_log(log, path))
    vehicle.discard()
    numbers = {"duration_s": vehicle.time, **_place(vehicle.motion), **lock_step.summary()}
    logs = [*vehicle.earlier, file]
    _print_summary(terminal, numbers, logs, why, as_json=given.as_json)
    return BY_STATUS.get(status, DONE)


def _place(motion: Any) -> dict[str, float]:
    return {name: float(getattr(motion.pose, name)) for name in ("x", "y", "yaw")}


def _print_summary(
    terminal: Terminal, numbers: dict[str, float], logs: list[Path], why: str, *, as_json: bool
) -> None:
    if as_json:
        terminal.json({"ended": why, **numbers, "logs": logs})
        return
    units = {"x": " m", "y": " m", "yaw": " rad"}
    rows = [("duration", f"{numbers['duration_s']:.4g} s")]
    rows += [(f"final {name}", f"{numbers[name]:.4g}{unit}") for name, unit in units.items()]
    rest = [name for name in numbers if name not in (*units, "duration_s")]
    rows += [(name, str(numbers[name])) for name in rest]
    terminal.table(("measured", "value"), rows, numbers=(1,))
    for log in logs:
        terminal.line(f"log: {log}")
    terminal.remark(f"ended: {why}")
