"""`grouser hil --replay`: a raw log, run again without a board."""

from pathlib import Path

from grouser.cli.find_parting import find_parting
from grouser.cli.main import DIFFERENT, DONE
from grouser.cli.output import Output
from grouser.cli.terminal import Terminal
from grouser.hil.options import read_run
from grouser.hil.raw_log import ReplayLink, read_raw_log
from grouser.hil.run import run_board
from grouser.log import read_log, write_log


def replay_hil(raw_file: Path, output: Output | None, *, as_json: bool) -> int:
    """Run a raw log again and report whether the result is the same.

    The host must send the same bytes, and the virtual robot must move the same, bit for bit.

    Args:
        raw_file: The raw log; the log beside it is what the new one is compared with.
        output: Where to write the new log; nowhere if not given.
        as_json: Whether to print JSON.
    """
    terminal = Terminal()
    header, entries = read_raw_log(raw_file)
    loaded, options = read_run(header, raw_file)
    link = ReplayLink(entries, boot_wait=header.get("boot_wait", 0.0))
    run = run_board(link, loaded, options, stop=lambda: link.is_stopped)
    out = None if output is None else output.write(lambda path: write_log(run.log, path))
    known = [raw_file.with_suffix(suffix) for suffix in (".csv", ".parquet")]
    log_file = next((file for file in known if file.is_file()), None)
    parting = None if log_file is None else find_parting(read_log(log_file), run.log)
    same = parting is None and not link.differs
    if as_json:
        terminal.json(
            {
                "raw_log": raw_file,
                "log": log_file,
                "same": same,
                "same_words": not link.differs,
                "parting": None if parting is None else parting.to_dict(),
                "rows": len(run.log),
                "replayed_log": out,
            }
        )
        return DONE if same else DIFFERENT
    words = "other bytes than in the log" if link.differs else "the same bytes as in the log"
    terminal.line(f"{raw_file}: the host sends {words}")
    if log_file is None:
        terminal.line(f"no log beside it to compare with; {len(run.log)} rows")
    elif parting is None:
        terminal.line(f"{log_file}: the same, bit for bit, over {len(run.log)} rows")
    else:
        terminal.line(f"{log_file}: {parting.sentence}")
    return DONE if same else DIFFERENT
