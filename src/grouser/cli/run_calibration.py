"""One calibration: from options to a changed robot file."""

import math
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from grouser.cli.main import DONE
from grouser.cli.open_link import BOARDS
from grouser.cli.output import Output, claim_output
from grouser.cli.terminal import Terminal, format_number
from grouser.description import Robot, load_robot
from grouser.description.edit import Entry, edit_robot
from grouser.errors import InvalidValue, UnknownName
from grouser.extras import require_extra
from grouser.hil.board_session import BoardSession
from grouser.hil.calibrate import Calibration, Tape
from grouser.hil.connection import Link
from grouser.hil.options import new_link_id
from grouser.storage import write_atomically


@dataclass(frozen=True, slots=True, kw_only=True)
class Bench:
    """What is calibrated, and by what it is reached."""

    robot: str
    """Name or file of the robot."""
    port: str | None
    """Serial port of a real board; None for a simulated one."""
    board: str
    """Which simulated board."""
    seed: int
    """Seed of its noise."""
    arm: bool
    """Whether motors of a real board may run."""
    measured: str | None = None
    """What a tape measure said, if that is known already."""
    tape: Tape = field(default_factory=Tape)
    """What a simulated board's belts really did."""

    def open(self) -> Link:
        """Return a line to the board; a simulated one runs as fast as it can."""
        if self.port is not None:
            if not self.arm:
                raise InvalidValue("--arm", "not given", "be given: the motors will run")
            from grouser.hil.serial_port import SerialPort

            return SerialPort(self.port)
        if self.board not in BOARDS:
            raise UnknownName("board", self.board, BOARDS)
        from grouser.hil.board import make_board
        from grouser.hil.links import LockstepLink

        board = make_board(self.board, self.seed)  # type: ignore[arg-type]
        return LockstepLink(board, self.tape.observe)

    def read_tape(self) -> tuple[float, float]:
        """Return how far the belts ran, by whatever measured them [m]."""
        if self.measured is not None:
            return _parse_distances(self.measured)
        if self.port is None:
            return self.tape.travels
        if not sys.stdin.isatty():
            raise InvalidValue("--measured", "not given", "be given where nobody can be asked")
        sys.stderr.write("How far did the belts run, LEFT or LEFT,RIGHT [m]? ")
        sys.stderr.flush()
        return _parse_distances(sys.stdin.readline().strip())


def run_calibration(
    bench: Bench,
    measure: Callable[[BoardSession, Robot], Calibration],
    *,
    out: Path | None,
    overwrite: bool,
    dry_run: bool,
    as_json: bool,
) -> int:
    """Measure, tell what changes, and write the robot's file.

    Args:
        bench: What is calibrated.
        measure: Does it.
        out: File to write; the robot's own if not given.
        overwrite: Whether `out` may replace a file.
        dry_run: Whether to write nothing.
        as_json: Whether a machine listens.
    """
    require_extra("changing a robot's file", "hil", "tomlkit")
    robot = load_robot(bench.robot)
    target = None if dry_run else _find_target(bench.robot, out, overwrite=overwrite)
    if bench.measured is not None:
        _parse_distances(bench.measured)  # a mistake should not cost a drive
    Terminal().remark("measuring ...")
    with BoardSession(bench.open(), link_id=new_link_id()) as session:
        found = measure(session, robot)
        name = session.name
    today = datetime.now(UTC).date().isoformat()
    source = f"`grouser hil calibrate` on {today}, {name}: {found.method} [M]"
    text = edit_robot(robot.text, found.changes, source, bench.robot)
    file = target and target.write(lambda path: write_atomically(path, text))
    _tell(found, file, as_json=as_json)
    return DONE


def _find_target(robot: str, out: Path | None, *, overwrite: bool) -> Output:
    if out is not None:
        return claim_output("--out", out, overwrite=overwrite, suffixes=(".toml",))
    if not Path(robot).is_file():
        required = "be a file of your own, or come with --out FILE to write one"
        raise InvalidValue("--robot", robot, required)
    return claim_output("--robot", Path(robot), overwrite=True)  # it is to be changed


def _parse_distances(text: str) -> tuple[float, float]:
    try:
        numbers = [float(word) for word in text.split(",")]
    except ValueError:
        numbers = []
    if len(numbers) not in (1, 2) or not all(0.0 < number < math.inf for number in numbers):
        raise InvalidValue("--measured", text, "be one or two distances [m], as in 0.98,0.97")
    return numbers[0], numbers[-1]


def _tell(found: Calibration, target: Path | None, *, as_json: bool) -> None:
    terminal = Terminal()
    if as_json:
        terminal.json({**asdict(found), "file": target})
        return
    rows = [
        (item.key, _format(item.before), _format(item.after), _format(item.deviation))
        for item in found.items
    ]
    terminal.table(("key", "before", "after", "deviation"), rows)
    before, after = format_number(found.error_before), format_number(found.error_after, 2)
    terminal.line(f"error of {found.error}: {before} {found.unit} before, {after} after")
    terminal.line("nothing written" if target is None else f"robot: {target}")


def _format(entry: Entry | None) -> str:
    if entry is None:
        return "-"
    if isinstance(entry, Sequence):
        return ", ".join(format_number(float(number)) for number in entry)
    return format_number(float(entry), 5)
