"""What an interrupted command left: files, rows, results, processes, and what is wrong with it."""

import json
import os
import signal
import time
from dataclasses import dataclass, field
from pathlib import Path

from grouser.errors import GrouserError
from grouser.log import read_log

LAST_SECOND = 1.0
"""Simulated time that may be missing [s]."""
TICK = 0.01
"""Length of a tick of all runs [s]."""


@dataclass(frozen=True)
class Case:
    """A command to be interrupted."""

    line: str
    """What is run."""
    span: float
    """Time within which the signal is sent [s]."""
    logs: tuple[str, ...] = ()
    """Names of logs, one of which must be there."""
    results: str = ""
    """File of results."""
    share: float = 1.0
    """How often it is run, beside the others [1]."""


@dataclass
class Outcome:
    """What one run left."""

    case: str
    sent: str
    code: int | None = None
    rows: int = 0
    missing: float = 0.0
    """Simulated time that the log lacks [s]."""
    troubles: list[str] = field(default_factory=list)
    words: str = ""


def count_left(session: int) -> int:
    """Return how many processes of a session there are, after those that end had time to."""
    end = time.monotonic() + 10.0
    while time.monotonic() < end:
        found = [path for path in Path("/proc").iterdir() if _session_of(path) == session]
        if not found:
            return 0
        time.sleep(0.05)
    for path in found:
        os.kill(int(path.name), signal.SIGKILL)
    return len(found)


def _session_of(path: Path) -> int | None:
    try:
        fields = (path / "stat").read_text().rpartition(")")[2].split()
    except (OSError, ValueError):
        return None
    return int(fields[3]) if path.name.isdigit() and fields[0] != "Z" else None


def judge(found: Outcome, case: Case, folder: Path, seen: int, kept: int) -> None:
    """Note what is wrong with what a command left."""
    number = getattr(signal, found.sent.split(",")[0].split()[0])
    logs = [folder / name for name in case.logs if (folder / name).exists()]
    logs += sorted((folder / "out").glob("*.csv")) if not case.logs else []
    try:
        rows = [len(read_log(path)) for path in logs]
        found.rows = max(rows, default=0)
    except GrouserError as error:
        found.troubles.append("unreadable")
        found.words += f"\n{error}"
        rows = []
    if case.logs and seen:  # the first row is that of the start
        found.missing = max(0.0, (seen + 1 - found.rows) * TICK)
        if found.missing > LAST_SECOND:
            found.troubles.append("missing")
    check_results(found, case, folder, kept)
    if list(folder.rglob(".grouser-*")):
        found.troubles.append("temporary")
    is_board_late = "command timeout" in found.words or "silent" in found.words
    is_good = found.code in (0, 128 + number, 1 if is_board_late else 0)
    # Before the command began, and after all of it was written, the signal itself may end it.
    is_outside = not seen or any((folder / name).exists() for name in case.logs[:1])
    if not (is_good or (is_outside and found.code in (-number, 1 if "real" in found.sent else 0))):
        found.troubles.append("code")
    if "Traceback" in found.words and found.code != 1:
        found.troubles.append("code")


def check_results(found: Outcome, case: Case, folder: Path, kept: int) -> None:
    """Note results and files that are missing or not whole."""
    if case.results and kept:
        try:
            there = len(json.loads((folder / case.results).read_text()))
        except (OSError, ValueError) as error:
            found.troubles.append("unreadable")
            found.words += f"\n{error}"
            return
        if there < kept:
            found.troubles.append("lost")
    for path in (*folder.glob("*.json"), *folder.glob("out/sheet.json")):
        try:
            json.loads(path.read_text())
        except ValueError:
            found.troubles.append("unreadable")
    for path in (*folder.glob("*.html"), *folder.glob("out/*.html")):
        if "</html>" not in path.read_text()[-200:]:
            found.troubles.append("unreadable")
