"""One run against a hostile board, and what the host did."""

from dataclasses import dataclass
from pathlib import Path

from grouser import Scenario
from grouser.errors import LinkBroken
from grouser.hil.options import BoardOptions
from grouser.hil.raw_log import RawLog, read_raw_log
from grouser.hil.run import BoardRun, run_board
from tests.hil.hostile.board import HostileLink, Record
from tests.hil.hostile.rows import COMMAND_TIMEOUT, Row


@dataclass(frozen=True)
class Outcome:
    """What came of a run."""

    row: Row
    """What the board did."""
    record: Record
    """What was said."""
    run: BoardRun | None
    """The run; None if the host did not accept the board."""
    rejected: str
    """Why it did not; empty if it did."""
    took: float
    """How long it all took, by the host's clock [s]."""
    is_off: bool
    """Whether the motors are off in the end."""
    raw_bytes: bytes
    """What the raw log says that came; empty if there is none."""
    last_row: float
    """Time of the last row of the log; 0 if there is none [s]."""

    @property
    def verdict(self) -> str:
        """What the host did, in a word."""
        if self.run is None:
            return "rejected"
        return "stopped" if self.run.report.stopped_by else "drove on"


def attempt(row: Row, folder: Path) -> Outcome:
    """Run against a board that does what the row says."""
    sabotage, also = row.make()
    link = HostileLink(sabotage, also=also)
    driver = f"constant:left={row.speed},right={row.speed}"
    scenario = Scenario(course="flat", model="ideal", driver=driver, stop=row.duration)
    options = BoardOptions(command_timeout=COMMAND_TIMEOUT, arm=row.arms)
    raw_file = folder / "a.raw"
    run, rejected = None, ""
    try:
        run = run_board(link, scenario, options, raw=RawLog(raw_file, {}))
    except LinkBroken as error:
        rejected = str(error)
    took = link.now()
    link.step(200_000)
    heard = b""
    if raw_file.is_file():
        heard = b"".join(entry.data for entry in read_raw_log(raw_file)[1] if entry.kind == "<")
        raw_file.unlink()
    return Outcome(
        row=row,
        record=link.record,
        run=run,
        rejected=rejected,
        took=took,
        is_off=link.last is not None and link.last.enabled == (False, False),
        raw_bytes=heard,
        last_row=0.0 if run is None else float(run.log.time[-1]),
    )
