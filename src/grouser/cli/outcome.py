"""What came of a drive, in memory or streamed to disk."""

from dataclasses import dataclass
from pathlib import Path

from grouser.cli.output import Output
from grouser.description import Course
from grouser.log import Log, Spool, write_log
from grouser.report import Metric, measure_blocks, thin_run
from grouser.simulation import Pace

MOST_ROWS = 50_000
"""Rows up to which a drive that was streamed is read back into memory; a longer one is not."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What came of a drive."""

    log: Log
    """What happened; of a long drive that was streamed, only the rows that a drawing needs."""
    limit: float
    """Simulated time at which the drive would have been stopped [s]."""
    is_done: bool
    """Whether the driver got to its end; a driver without end always has."""
    pace: Pace | None
    """How the wall clock was kept; None if it was not."""
    spool: Spool | None = None
    """All rows on disk, of a drive that was streamed."""
    is_annotated: bool = False
    """Whether the log has columns that the spool has not."""

    @property
    def is_interrupted(self) -> bool:
        """Whether Ctrl-C ended it."""
        return self.log.provenance.status == "interrupted"

    @property
    def rows(self) -> int:
        """How many rows the whole log has."""
        return len(self.log) if self.spool is None else len(self.spool)

    def measure(self, course: Course) -> tuple[Metric, ...]:
        """Return the numbers that tell how it went, of all rows; before `write`."""
        if self.spool is None or len(self.log) == len(self.spool):
            return measure_blocks([self.log], course)
        return measure_blocks(self.spool.blocks(), course)

    def write(self, output: Output) -> Path:
        """Write the whole log; return where it is."""
        if self.spool is not None and not self.is_annotated:
            return output.write_spool(self.spool)
        found = output.write(lambda path: write_log(self.log, path))
        if self.spool is not None:
            self.spool.close(remove=True)
        return found


def read_back(spool: Spool) -> Log:
    """Return the log of a spool, or of a long one the rows that a drawing needs."""
    return spool.log() if len(spool) <= MOST_ROWS else thin_run(spool.blocks(), len(spool))
