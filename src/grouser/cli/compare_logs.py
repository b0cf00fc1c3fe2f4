"""Two logs side by side."""

from collections.abc import Sequence
from pathlib import Path

from grouser.cli.exits import DONE
from grouser.cli.output import Output
from grouser.cli.terminal import Terminal, name_logs
from grouser.errors import InvalidLog, InvalidValue, UnknownName
from grouser.log import NEEDED, compare, read_foreign, read_log
from grouser.report import find_divergences, write_report
from grouser.units import format_number

THRESHOLDS = (0.01, 0.05, 0.10)
"""Gaps at which two runs count as parted [m]."""


def compare_logs(
    files: Sequence[Path], column_map: Path | None, output: Output | None, *, as_json: bool
) -> int:
    """Tell how far a log is from another, and return the exit code.

    Args:
        files: The log to judge, and the reference.
        column_map: Column map of the reference, if that is foreign.
        output: Where to draw both; nowhere if not given.
        as_json: Whether a machine listens.
    """
    if len(files) != 2:
        found = ", ".join(map(str, files))
        raise InvalidValue("logs to compare", found, "be two, the second of them the reference")
    log = read_log(files[0], needs=NEEDED, rows=1)
    if column_map is None:
        reference = read_log(files[1], needs=NEEDED, rows=1)
    else:
        reference = read_foreign(files[1], column_map)
    terminal = Terminal()
    try:
        comparison = compare(log, reference)
    except (InvalidValue, UnknownName) as error:
        raise InvalidLog(f"{files[0]} and {files[1]}", f"cannot be compared: {error}") from error
    partings = find_divergences(comparison, THRESHOLDS)
    numbers = comparison.to_dict() | {
        f"parted_by_{100 * parting.threshold:g}_cm_at_s": parting.time for parting in partings
    }
    names = name_logs(files)
    runs, plot = {names[1]: reference, names[0]: log}, None
    if output is not None:
        plot = output.write(lambda path: write_report(runs, path))
    if as_json:
        content = {"log": files[0], "reference": files[1], "plot": plot}
        terminal.json(content | numbers)
        return DONE
    terminal.heading(f"{names[0]} against {names[1]}")
    rows = [
        (name.replace("_", " "), "never" if value is None else format_number(value))
        for name, value in numbers.items()
    ]
    terminal.table(("measured", "value"), rows, numbers=(1,))
    if plot is not None:
        terminal.line(f"plot: {plot}")
    return DONE
