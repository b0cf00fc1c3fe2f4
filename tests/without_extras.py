"""Every command where no extra is installed: it works, or says which extra to install.

`python tests/without_extras.py FOLDER` runs all of them in an empty folder, in the environment of
that Python, and ends with 1 if one of them does neither. It needs grouser alone, so that it runs
wherever a wheel was just installed.
"""

import contextlib
import io
import os
import re
import sys
import time
import traceback
from collections.abc import Iterator
from pathlib import Path

from cyclopts import App

from grouser.cli import main
from grouser.cli.app import make_app

SHORT = "--robot tp100 --course flat --model ideal --drive constant:speed=0.1"
FILES = {
    "hills.toml": 'name = "hills"\n[start]\nx_m = 0.0\n[[terrain]]\nkind = "heightfield"\n'
    'file = "hills.png"\nspacing_m = 0.1\nheight_range_m = [0.0, 0.2]\n',
    "hills.png": "no picture: nothing here can read one",
    "scan.xyz": "\n".join(f"{0.1 * (n % 40)} {0.1 * (n // 40)} 0.0" for n in range(1600)),
}
"""What commands below read, by name."""
LINES = [
    (f"run {SHORT} --duration 8 --out a.csv", ""),
    (f"run {SHORT} --duration 1 --out a.parquet", "parquet"),
    (f"run {SHORT} --duration 1 --out a.mcap", "mcap"),
    (f"run {SHORT} --duration 1 --out b.csv --plot a.html", "plots"),
    (f"run {SHORT} --duration 1 --out b.csv --plot a.png", "plots"),
    ("run --course hills.toml --duration 1 --out b.csv", "terrain"),
    ("compare --course flat --models ideal slip --drive constant:speed=0.1 --duration 1", "plots"),
    ("compare a.csv a.csv", ""),
    ("compare a.csv a.csv --plot b.html", "plots"),
    ("replay a.csv", ""),
    ("plot a.csv --out a.html", "plots"),
    ("plot a.csv --out a.svg", "plots"),
    ("export --out scene.xml", ""),
    ("export --out robot.urdf", ""),
    ("export --out robot.sdf", ""),
    ("render --out scene.png", "terrain"),
    ("render a.csv --out film.mp4", "viewer"),
    ("render a.csv --out replay.html", "viewer"),
    ("drive --timeout 1", "viewer"),
    ("foxglove --timeout 1", "foxglove"),
    ("sweep --robot tp100 --course slope --model slip --x course.angle_deg=0,10 "
     "--y drive.speed=0.1,0.2 --outcome slip --workers 1 --out map", "plots"),
    ("paper p1 compare --runs 1 --out p1 --cluster tcp://127.0.0.1:1", "cluster"),
    ("robots", ""),
    ("courses", ""),
    ("models", ""),
    ("drivers", ""),
    ("compile tankbot", ""),
    ("show tp100", ""),
    ("show hills.toml", "terrain"),
    ("course from-scan scan.xyz --spacing 0.2 --out scan.toml", ""),
    ("datasheet tp100 --quick --rows top_speed --model csm --workers 1 --out sheet", ""),
    ("soil tp100 dry-sand snow --out sheet.json", ""),
    ("soil tp100 dry-sand --out sheet.png", "plots"),
    ("bench --quick --only environments", ""),
    ("identify a.csv --family slip --workers 1", ""),
    ("identify plan --robot tp100 --area 4x4 --duration 20 --out plan.toml", ""),
    ("identify a.csv --family slip --report fit.html", "plots"),
    ("identify a.csv --family slip --robot tp100 --export mine.toml", "identify"),
    ("film a.csv --out film.mp4", "camera"),
    ("track film.mp4", "camera"),
    ("fuse a.csv --camera a.csv", ""),
    ("reproduce P2 --quick --out papers", "plots"),
    ("paper p1 compare --entrants no_friction --scenarios stand --runs 1 --out p1", ""),
    ("paper p1 search --entrant no_friction --method cma --iterations 1 --samples 3 --trials 1 "
     "--scenarios stand --workers 1", "identify"),
    ("paper p1 search --entrant no_friction --iterations 1 --samples 3 --trials 1 "
     "--scenarios stand --workers 1", ""),
    ("paper p3 --out tankbot", "plots"),
    ("hil --board python --lockstep --duration 1 --out hil.csv", "hil"),
    ("hil --port /dev/null --duration 1", "hil"),
    ("hil --board python --page --duration 1 --out hil.csv", "hil"),
    ("hil --replay hil.raw", "hil"),
    ("paper p0 courses --board python --draws 1 --out loop", "hil"),
    ("hil courses --board python --draws 1 --out real", "hil"),
    ("hil faults --only 1", "hil"),
    ("hil frames --count 100", "hil"),
    ("hil calibrate gyro --board python --dry-run", "hil"),
    ("hil calibrate encoder --board python --dry-run", "hil"),
    ("hil calibrate speed --board python --dry-run", "hil"),
    ("ros", "ros"),
    ("watch a.csv --timeout 1", "viewer"),
    ("ardupilot --port 0 --patience 0.2 --model ideal --out plane.csv", ""),
    ("exchange simulate swap --course flat --patience 0.2 --out swap-a.csv", ""),
    ("exchange control swap --course behaviour-2 --patience 0.2 --out swap-b.csv", ""),
    ("--install-completion --shell bash", ""),
]  # fmt: skip
"""A line for every command, and more for options that need an extra: which one it names."""
EXTRA = re.compile(r"pip install 'grouser\[(\w+)\]'")


def commands(app: App, before: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """Yield the words of each command that does something."""
    for name in app:
        if name in ("--help", "-h", "--version"):
            continue
        words, below = (*before, name), app[name]
        if below.default_command is not None:
            yield words
        yield from commands(below, words)


def without_line() -> list[str]:
    """Return the commands that no line runs."""
    words = [tuple(line.split()) for line, _ in LINES]
    known = list(commands(make_app()))
    run = {max((c for c in known if w[: len(c)] == c), key=len, default=()) for w in words}
    return [" ".join(command) for command in known if command not in run]


def attempt(line: str, extra: str) -> str:
    """Return what is wrong with how a line ends; empty if nothing."""
    out, err = io.StringIO(), io.StringIO()
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = main(line.split())
    except BaseException:  # whatever it is, it should not have come this far
        return traceback.format_exc()
    said = err.getvalue()
    named = EXTRA.search(said)
    if (named[1] if named else "") != extra:
        return f"exit code {code}; names the extra {named[1] if named else 'none'!r}: {said}"
    if extra and (code != 2 or said.count("\n") != 1 or out.getvalue()):
        return f"exit code {code}, and more than one sentence: {out.getvalue()}{said}"
    return f"exit code {code}: {said}" if not extra and code else ""


def run_all(folder: Path) -> int:
    """Run all lines in a folder; return how many end badly."""
    os.chdir(folder)
    os.environ["HOME"] = str(folder)
    for name, text in FILES.items():
        Path(name).write_text(text)
    failed = [f"{command}: no line runs it" for command in without_line()]
    for line, extra in LINES:
        began = time.monotonic()
        if problem := attempt(line, extra):
            failed.append(f"{line}: {problem}")
        print(
            f"{time.monotonic() - began:5.1f} s  {'bad' if problem else extra or 'works':8} {line}"
        )
    print(*failed, f"{len(LINES)} lines, {len(failed)} end badly", sep="\n")
    return len(failed)


if __name__ == "__main__":
    sys.exit(run_all(Path(sys.argv[1])) > 0)
