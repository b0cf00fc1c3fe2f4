"""Running one side of an exchange, and what is written and said after it."""

import math
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Protocol, TypeVar

from grouser.cli.exits import DONE, INTERRUPTED
from grouser.cli.output import LOGS, claim_output
from grouser.cli.terminal import Terminal
from grouser.errors import InvalidValue
from grouser.hil.exchange.loops import Loop, run_loop
from grouser.log import Log, Spool, name_file, name_spool, write_log


class Side(Protocol):
    """One end of an exchange."""

    def close(self) -> None:
        """Give back what it holds."""
        ...


SideT = TypeVar("SideT", bound=Side)


def report_exchange(
    open_side: Callable[[], SideT],
    make_loop: Callable[[SideT], Loop],
    name: str,
    *,
    limits: tuple[float | None, float | None],
    out: Path | None,
    overwrite: bool,
    as_json: bool,
    remark: str,
    stream: Callable[[Path], Spool] | None = None,
) -> int:
    """Run one side until it ends, write its log, tell how it went, and return the exit code.

    Args:
        open_side: Opens our end.
        make_loop: Makes the loop at that end.
        name: What is driven where, for the name of the log.
        limits: Duration and patience, None for no limit [s].
        out: Where to write the log; a name in `out` if not given.
        overwrite: Whether a log that exists may be replaced.
        as_json: Whether a machine listens.
        remark: What to say once it runs.
        stream: Lets rows be written to a file as they come.
    """
    terminal = Terminal()
    for option, limit in zip(("--duration", "--patience"), limits, strict=True):
        if limit is not None and not 0.0 < limit < math.inf:
            raise InvalidValue(option, limit, "be a positive number")
    duration, patience = (math.inf if limit is None else limit for limit in limits)
    usual = Path("out") / name_file(f"exchange-{name}", ".csv")
    output = claim_output("--out", out, usual, overwrite=overwrite, suffixes=LOGS)
    with closing(open_side()) as side:
        loop = make_loop(side)
        spool = None if stream is None else stream(name_spool(output.path))
        terminal.remark(remark)
        status, why = run_loop(loop, duration=duration, timeout=patience)
        log = loop.log(status)
    file = output.write(lambda path: write_log(log, path))
    if spool is not None:
        spool.close(remove=True)
    _tell(terminal, log, file, why, as_json=as_json)
    return INTERRUPTED if status == "interrupted" else DONE


def _tell(terminal: Terminal, log: Log, file: Path, why: str, *, as_json: bool) -> None:
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
