"""What a run with a board needs besides its scenario, and both in the header of a raw log."""

import math
import secrets
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from grouser.errors import GrouserError, InvalidLog, InvalidValue
from grouser.hil.board import split_fault
from grouser.hil.conversation import Conversation
from grouser.hil.hand import PERSON, HandDrive, drive_by_hand
from grouser.hil.heading import STANDING, Heading, check_heading
from grouser.hil.messages import period_us
from grouser.scenario import Scenario
from grouser.scenario.run import Loaded
from grouser.version import VERSION


@dataclass(frozen=True, slots=True, kw_only=True)
class BoardOptions:
    """How a board is connected and driven."""

    rate: int = 100
    """States per second, 10 to 200 [Hz]."""
    command_timeout: float = 0.1
    """Time without a new command after which the board stops its motors, 0.05 to 0.5 [s]."""
    arm: bool = True
    """Whether to enable the motors; else states are only received."""
    faults: tuple[str, ...] = ()
    """Faults to inject into a simulated board, each as `WORDS [@SECONDS]`."""
    heading: Heading = "belts"
    """What turns the virtual robot: `belts`, or `gyro`, which stands first to measure its bias."""
    exchange: str | None = None
    """Folder or UDP address of another program that has the virtual robot; None for none."""
    link_id: int = 1
    """Number of the connection; `new_link_id` for a board that outlives its connections."""

    def __post_init__(self) -> None:
        """Check all ranges."""
        if check_heading(self.heading) == "gyro" and self.exchange is not None:
            raise InvalidValue("heading", self.heading, "go without an exchange: it has the robot")
        self.converse()
        self.timed_faults()

    def converse(self, boot_wait: float = 0.0) -> Conversation:
        """Return a connection with these options; see `Conversation`."""
        return Conversation(
            self.link_id, rate=self.rate, command_timeout=self.command_timeout, boot_wait=boot_wait
        )

    def timed_faults(self) -> list[tuple[str, float]]:
        """Return the words of each fault and its time [s]."""
        return [split_fault(fault) for fault in self.faults]


def new_link_id() -> int:
    """Return a random number of a connection, for a board that may still know the last one."""
    return 1 + secrets.randbelow(0xFFFF)


def load_for_board(
    scenario: Scenario, options: BoardOptions, hand: HandDrive | None = None
) -> Loaded:
    """Return everything that a run with a board needs, checked together.

    The tick of the scenario is the period of the board's states. `hand` drives where the
    scenario's driver is a person.
    """
    tick = 1e-6 * period_us(options.rate)
    if scenario.tick not in (None, tick):
        raise InvalidValue("tick", scenario.tick, f"be {tick:g} s, the period of the board")
    loaded = scenario.vary(tick=tick).load()
    name = loaded.driver_name
    if name == PERSON:
        loaded = drive_by_hand(loaded, hand or HandDrive(loaded.robot))
    if loaded.plan is None or loaded.plan.needs:
        raise InvalidValue("driver", name, "give belt speeds: a board takes no others")
    if scenario.observers and options.exchange is not None:
        raise InvalidValue("observers", scenario.observers[0].name, "go without an exchange")
    is_endless = not options.arm and scenario.stop.duration is None
    standing = STANDING if options.heading == "gyro" else 0.0
    limit = math.inf if is_endless else loaded.limit + standing
    return replace(loaded, driver_name=f"board: {name}", limit=limit)


def describe_run(loaded: Loaded, options: BoardOptions) -> dict[str, Any]:
    """Return the header of a raw log: the scenario with its files' texts, and the options."""
    parts = {
        kind: replace(getattr(loaded.scenario, kind), text=getattr(loaded, kind).text)
        for kind in ("robot", "course")
    }
    scenario = loaded.scenario.vary(**parts).content()
    return {
        "grouser": VERSION,
        "scenario": scenario,
        "driver": loaded.driver_name,
        "board": asdict(options),
    }


OPEN_LOOP = "open loop"
"""Name of a driver that repeats belt speeds which were computed before."""
NOT_REPEATABLE = {
    f"board: {PERSON}": "a person drove, and a raw log does not hold their keys",
    OPEN_LOOP: "belt speeds were computed before the run, and a raw log does not hold them",
}
"""Drivers whose runs cannot be run again from a raw log, and why."""


class _Content(BaseModel):
    model_config = ConfigDict(strict=True, extra="ignore", allow_inf_nan=False)


class _Board(_Content):
    rate: int
    command_timeout: float
    arm: bool
    link_id: int
    heading: Heading = "belts"


class _Link(_Content):
    boot_wait: Annotated[float, Field(ge=0.0, le=60.0)] = 0.0


class _OldHeader(_Content):
    """Header before scenarios; `lease` was the command timeout [ms]."""

    robot: str
    robot_text: str
    course: str
    course_text: str
    course_parameters: dict[str, float]
    model: str
    drive: str
    speed: float
    duration: float | None
    rate: int
    lease: int
    seed: int
    arm: bool
    link_id: int
    observe: str | None = None


def read_run(header: Mapping[str, Any], origin: Path) -> tuple[Loaded, BoardOptions]:
    """Return the run that a raw log was written of, without its faults: its bytes have them."""
    is_old = "scenario" not in header
    given = header if is_old else header.get("board")
    if isinstance(given, Mapping) and given.get("exchange"):
        problem = "another program had the virtual robot, and a raw log does not hold its poses"
        raise InvalidLog(origin, problem)
    for driver, problem in NOT_REPEATABLE.items():
        if header.get("driver") == driver:
            raise InvalidLog(origin, f"{problem}; `grouser replay` runs the log beside it")
    try:
        if is_old:
            content, board = _convert(_OldHeader.model_validate(dict(header)))
        else:
            content, board = header["scenario"], _Board.model_validate(given)
        if not isinstance(content, Mapping):
            raise InvalidLog(origin, "header: scenario must be a table")
        _Link.model_validate(dict(header))
        options = BoardOptions(**board.model_dump())
        return load_for_board(Scenario.from_content(content, "scenario"), options), options
    except ValidationError as error:
        raise InvalidLog(origin, f"header {_first_mistake(error)}") from error
    except InvalidLog:
        raise
    except GrouserError as error:
        raise InvalidLog(origin, f"cannot be run again: {error}") from error


def _convert(old: _OldHeader) -> tuple[dict[str, Any], _Board]:
    content = {
        "robot": {"name": old.robot, "text": old.robot_text},
        "course": {
            "name": old.course,
            "text": old.course_text,
            "parameters": old.course_parameters,
        },
        "model": old.model,
        "driver": old.drive,
        "speed_m_s": old.speed,
        "seed": old.seed,
        "observers": [] if old.observe is None else [old.observe],
    }
    if old.duration is not None:
        content["duration_s"] = old.duration
    board = {"command_timeout": 1e-3 * old.lease}
    board |= {name: getattr(old, name) for name in ("rate", "arm", "link_id")}
    return content, _Board.model_validate(board)


def _first_mistake(error: ValidationError) -> str:
    first = error.errors()[0]
    where = ".".join(map(str, first["loc"])) or "board"
    if first["type"] == "missing":
        return f"has no {where!r}"
    return f"{where}: {first['msg']}, not {str(first['input'])[:40]!r}"
