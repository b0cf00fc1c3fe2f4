"""`grouser identify plan`: the drive that identifies a robot best in a given time and space."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from grouser.cli.exits import DONE
from grouser.cli.options import File, Names, RandomSeed, RobotName, Seconds, Speed, options
from grouser.cli.shared_options import ResultOptions
from grouser.cli.terminal import Terminal
from grouser.errors import InvalidValue
from grouser.storage import numbered
from grouser.units import format_number

if TYPE_CHECKING:
    from grouser.cli.output import Output
    from grouser.identify.plan import Plan, PlanRequest

AreaText = Annotated[
    str,
    Parameter(metavar="LENGTHxWIDTH", help="Free level floor in metres, as in 5x4; robot inside."),
]


@options
class PlanOptions:
    """What to plan."""

    robot: RobotName
    area: AreaText
    duration: Seconds = 60.0
    """Time of the drive [s], 20 to 600."""
    family: Names = ()
    """Families to identify, such as icr-drift or slip; icr-drift if not given."""
    speed: Speed | None = None
    """Largest belt speed [m/s]; if not given, 80 % of what the robot can, or less in a small
    area."""
    position_noise: Annotated[float, Parameter(metavar="METRES")] = 0.003
    """Assumed standard deviation of x and y of a pose [m]."""
    heading_noise: Annotated[float, Parameter(metavar="RAD")] = 0.006
    """Assumed standard deviation of the heading of a pose [rad]."""
    belt_noise: Annotated[float, Parameter(metavar="SHARE")] = 0.02
    """Assumed standard deviation of a belt speed, over the largest one [1]."""
    out: File | None = None
    """Scenario to write, .toml; commands for a robot go beside it, .csv. plan-ROBOT.toml in folder
    out if not given."""
    plot: File | None = None
    """Draw the path in the area, .html, .png or .svg."""
    seed: RandomSeed = 0
    """Seed of the noise and of the robots that may be the true one: same seed, same plan."""

    def request(self) -> PlanRequest:
        """Return what the package plans."""
        from grouser.description import load_robot
        from grouser.identify.manoeuvres import Area
        from grouser.identify.plan import DEFAULT_FAMILIES, PlanRequest

        return PlanRequest(
            robot=load_robot(self.robot),
            area=Area.parse(self.area),
            duration=self.duration,
            families=tuple(dict.fromkeys(self.family)) or DEFAULT_FAMILIES,
            speed=self.speed,
            position_noise=self.position_noise,
            heading_noise=self.heading_noise,
            belt_noise=self.belt_noise,
            seed=self.seed,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Outputs:
    """The files to write, claimed before the work."""

    scenario: Output
    commands: Output
    plot: Output | None

    @classmethod
    def claim(cls, given: PlanOptions, robot: str, *, overwrite: bool) -> _Outputs:
        from grouser.cli.output import PLOTS, claim_optional, claim_output

        if given.out is not None and given.out.suffix.lower() != ".toml":
            raise InvalidValue("--out", str(given.out), "end in .toml")
        usual = Path("out") / f"plan-{robot}.toml"
        if not overwrite:
            usual = next(path for path in numbered(usual) if not _is_taken(path))
        commands = None if given.out is None else given.out.with_suffix(".csv")
        return cls(
            scenario=claim_output("--out", given.out, usual, overwrite=overwrite),
            commands=claim_output(
                "--out", commands, usual.with_suffix(".csv"), overwrite=overwrite
            ),
            plot=claim_optional("--plot", given.plot, overwrite=overwrite, suffixes=PLOTS),
        )

    def write(self, plan: Plan) -> dict[str, Path]:
        """Write all files; return where they are."""
        from grouser.identify.plan_files import command_log, plan_facts, plan_panel, write_scenario
        from grouser.log import write_log
        from grouser.report import write_map

        commands = self.commands.write(lambda path: write_log(command_log(plan), path))
        scenario = self.scenario.write(lambda path: write_scenario(plan, commands, path))
        written = {"commands": commands, "scenario": scenario}
        if self.plot is not None:
            written["plot"] = self.plot.write(
                lambda path: write_map(plan_panel(plan), path, plan_facts(plan))
            )
        return written


def _is_taken(path: Path) -> bool:
    return os.path.lexists(path) or os.path.lexists(path.with_suffix(".csv"))


def plan(*, given: PlanOptions, results: ResultOptions = ResultOptions()) -> int:
    """Plan the drive that identifies a robot best in a given time and space.

    Writes a scenario for `grouser run`, and the commands for a real robot as CSV: time, belt
    speeds, forward speed and yaw rate. Nothing is driven. A person must supervise a real drive.
    """
    from grouser.identify.plan import make_plan
    from grouser.identify.plan_files import plan_content

    request, terminal = given.request(), Terminal()
    request.check()
    outputs = _Outputs.claim(given, request.robot.name, overwrite=results.overwrite)
    if terminal.err.is_terminal:
        with terminal.err.status("planning") as status:
            found = make_plan(request, status.update)
    else:
        found = make_plan(request)
    written = outputs.write(found)
    if results.as_json:
        terminal.json({**plan_content(found), "written": written})
    else:
        _print(terminal, found, written)
    return DONE


def _print(terminal: Terminal, plan: Plan, written: dict[str, Any]) -> None:
    from grouser.identify.plan_files import plan_facts

    request = plan.request
    terminal.heading(f"{request.robot.name}: drive of {request.duration:g} s")
    for name, words in plan_facts(plan).items():
        terminal.line(f"{name}: {words}")
    terminal.line()
    rows = [
        (family, one.name, format_number(one.width), one.unit, "yes" if one.is_identified else "no")
        for family, parameters in plan.expected.items()
        for one in parameters
    ]
    heads = ("family", "parameter", "95 % width", "unit", "identifiable")
    terminal.table(heads, rows, numbers=(2,))
    for what, path in written.items():
        terminal.line(f"{what}: {path}")
    terminal.line("A person must supervise a real robot that drives these commands.")
