"""`python -m tests.outputs.interrupts --runs 1000 --seed 1`: commands interrupted at random times.

Each run starts a command, sends it SIGINT, SIGTERM or SIGHUP (or Ctrl-C twice) at a random time,
and looks at what is left: logs that cannot be read, rows and results that are missing, exit codes,
temporary files and processes. Most commands are forked from a process that has imported grouser; a
share is started as a shell would. How many ticks and results there were is counted in memory that
both processes share, and read before the signal is sent: what the files lack of it is missing.

Exit code 1 if anything is unreadable, missing, left or wrong. Ctrl-C ends it and prints what it
has.
"""

import argparse
import json
import mmap
import os
import random
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from tests.outputs.left_behind import Case, Outcome, count_left, judge
from tests.surroundings import take_signals_as_in_a_terminal

SIGNALS = {"SIGINT": 0.3, "SIGTERM": 0.3, "SIGHUP": 0.3, "SIGINT twice": 0.1}
"""What is sent, and how often."""
REAL_SHARE = 0.05
"""Share of commands that are started as a shell would [1]."""
LONGEST_END = 120.0
"""Time after a signal at which a command is taken to hang [s]."""
TROUBLES = ("unreadable", "missing", "lost", "code", "temporary", "process", "hang")
"""What can be wrong with a run."""


def run_case(name: str, model: str, duration: float, more: str = "") -> Case:
    """Return a run with a log."""
    course = "staircase" if model == "csm" else "flat"
    line = f"run --course {course} --model {model} --drive constant:speed=0.1"
    line += f" --duration {duration} --out {name} {more}"
    stem = name.partition(".")[0]
    return Case(line, 0.8, (name, f"{stem}.unfinished.csv"))


SWEEP = (
    "sweep --robot tp100 --course slope --model ideal --out out --duration 1 "
    "--x course.angle_deg=0:20:2 --y drive.speed=0.1:0.3:0.02 --workers "
)
CASES = {
    **{
        f"run {model} {suffix} {length} s": run_case(f"a.{suffix}", model, length)
        for model in ("ideal", "csm")
        for suffix in ("csv", "parquet", "mcap")
        for length in (10, 1e5)
    },
    "run with a page": run_case("a.csv", "ideal", 5, "--plot a.html"),
    "hil": Case(
        "hil --board python --course behaviour-3 --command-timeout 0.5 --out a.csv",
        2.5, ("a.csv",), share=1.5,
    ),
    "sweep": Case(SWEEP + "1", 1.5, results="out/results.json", share=1.5),
    "sweep by processes": Case(SWEEP + "2", 4.0, results="out/results.json", share=0.2),
    "datasheet": Case(
        "datasheet tp100 --model ideal slip --quick --workers 1 --out out",
        1.5, results="out/results.json", share=1.5,
    ),
    "identify": Case("identify drive.csv --family slip --export a.json b.toml", 1.5, share=0.5),
    "compare": Case(
        "compare --course flat --drive constant:speed=0.1 --duration 20 --models ideal slip icr "
        "--out out --plot p.html", 1.0, share=0.5,
    ),
}  # fmt: skip
"""Commands by name."""


class Counts:
    """Counts of ticks and results that another process can read."""

    def __init__(self) -> None:
        self._memory = mmap.mmap(-1, 24)

    def add(self, place: int) -> None:
        """Count one more."""
        self._memory[8 * place : 8 * place + 8] = struct.pack("q", self[place] + 1)

    def __getitem__(self, place: int) -> int:
        return struct.unpack("q", self._memory[8 * place : 8 * place + 8])[0]


READY, TICKS, RESULTS = range(3)


def count_work(counts: Counts) -> None:
    """Count ticks and results of this process from now on."""
    from grouser.simulation import Simulation
    from grouser.tasks.results import ResultStore

    def counting(place: int, call: Callable) -> Callable:
        def counted(*words, **options):
            found = call(*words, **options)
            counts.add(place)
            return found

        return counted

    Simulation.advance = counting(TICKS, Simulation.advance)
    ResultStore.keep = counting(RESULTS, ResultStore.keep)


def fork_command(line: str, folder: Path, counts: Counts) -> int:
    """Return the process of a command that is forked from this one."""
    child = os.fork()
    if child:
        return child
    try:
        os.setsid()
        os.chdir(folder)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        for number in (signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, signal.SIG_DFL)
        said = os.open("said", os.O_CREAT | os.O_WRONLY | os.O_APPEND)
        for descriptor in (1, 2):
            os.dup2(said, descriptor)
        sys.stdout, sys.stderr = (os.fdopen(n, "w", closefd=False) for n in (1, 2))
        from grouser.cli.main import main

        count_work(counts)
        counts.add(READY)
        code = main(line.split())
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)
    except BaseException:
        import traceback

        traceback.print_exc()
        sys.stderr.flush()
        os._exit(99)


def start_command(line: str, folder: Path) -> int:
    """Return the process of a command that is started as a shell would."""
    # Python gives SIGINT its own handler only where it is not ignored.
    program = (
        "import signal, sys; signal.signal(signal.SIGINT, signal.default_int_handler); "
        "from grouser.cli.main import main; sys.exit(main())"
    )
    with (folder / "said").open("ab") as said:
        process = subprocess.Popen(
            [sys.executable, "-c", program, *line.split()],
            cwd=folder, stdin=subprocess.DEVNULL, stdout=said, stderr=said, start_new_session=True,
        )  # fmt: skip
    process.returncode = 0  # waited for below
    return process.pid


def wait_end(process: int, longest: float) -> int | None:
    """Return the exit code of a process, negative for a signal; None if it does not end."""
    end = time.monotonic() + longest
    while time.monotonic() < end:
        done, status = os.waitpid(process, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.005)
    return None


def interrupt(name: str, rng: random.Random, place: Path) -> Outcome:
    """Run a command, interrupt it, and return what it left."""
    case = CASES[name]
    sent = rng.choices(list(SIGNALS), list(SIGNALS.values()))[0]
    is_real = rng.random() < REAL_SHARE or "processes" in name
    found, counts = Outcome(name, f"{sent}{', real start' if is_real else ''}"), Counts()
    folder = Path(tempfile.mkdtemp(dir=place))
    if "drive.csv" in case.line:
        shutil.copy(place / "drive.csv", folder)
    process = (
        start_command(case.line, folder) if is_real else fork_command(case.line, folder, counts)
    )
    while not is_real and not counts[READY]:
        time.sleep(0.002)
    time.sleep(rng.uniform(0.0, case.span) + (rng.uniform(0.3, 3.0) if is_real else 0.0))
    seen, kept = counts[TICKS], counts[RESULTS]
    number = getattr(signal, sent.split()[0])
    os.kill(process, number)  # one that has ended is a zombie until it is waited for
    if "twice" in sent:
        time.sleep(rng.uniform(0.0, 0.05))
        os.kill(process, number)
    found.code = wait_end(process, LONGEST_END)
    if found.code is None:
        found.troubles.append("hang")
        os.killpg(process, signal.SIGKILL)
        os.waitpid(process, 0)
    if count_left(process):
        found.troubles.append("process")
    found.words = (folder / "said").read_text(errors="replace")[-1500:]
    judge(found, case, folder, seen, kept)
    if not found.troubles:
        shutil.rmtree(folder)
    return found


def prepare(place: Path) -> None:
    """Import and load what commands need, and write the log that one of them reads."""
    from grouser import Simulation, load_course, load_robot, make_model
    from grouser.cli import app, compare, datasheet, hil, identify, output, run, sweep  # noqa: F401
    from grouser.log import mcap, parquet_file, write_log  # noqa: F401
    from grouser.models import command_sides

    robot = load_robot("tp100")
    simulation = Simulation(make_model("slip"), robot, load_course("flat"))
    for tick in range(600):
        turn = 0.3 if tick // 150 % 2 else -0.2
        simulation.advance(command_sides(robot, 0.1 * (1 - turn), 0.1 * (1 + turn)))
    write_log(simulation.log(), place / "drive.csv")
    Simulation(make_model("csm"), robot, load_course("staircase")).advance(
        command_sides(robot, 0.1, 0.1)
    )


def interrupt_many(
    runs: int, seed: int, place: Path, jobs: int = 2, show: Callable[[Outcome], None] = id
) -> list[Outcome]:
    """Interrupt commands, several at once; return what each left.

    Each job is a process that forks commands; its outcomes come through a pipe.
    """
    names, shares = list(CASES), [case.share for case in CASES.values()]
    pipes, workers, found = [], [], []
    for job in range(jobs):
        reader, writer = os.pipe()
        worker = os.fork()
        if worker == 0:
            signal.signal(signal.SIGINT, signal.SIG_IGN)
            with open(writer, "w") as file:
                for number in range(job, runs, jobs):
                    rng = random.Random(1000003 * seed + number)
                    name = rng.choices(names, shares)[0]
                    try:
                        outcome = interrupt(name, rng, place)
                    except Exception as error:
                        outcome = Outcome(name, "", troubles=["hang"], words=repr(error))
                    file.write(json.dumps(vars(outcome)) + "\n")
                    file.flush()
            os._exit(0)
        os.close(writer)
        pipes.append(os.fdopen(reader))
        workers.append(worker)
    try:
        waiting = list(pipes)
        while waiting:
            for pipe in list(waiting):
                line = pipe.readline()
                if not line:
                    waiting.remove(pipe)
                    continue
                found.append(Outcome(**json.loads(line)))
                show(found[-1])
    except KeyboardInterrupt:
        for worker in workers:
            os.kill(worker, signal.SIGTERM)
    finally:
        for worker in workers:
            os.waitpid(worker, 0)
        for pipe in pipes:
            pipe.close()
    return found


def main() -> int:
    """Interrupt commands, and print what they left."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--only", default="", help="cases whose name has this word")
    given = parser.parse_args()
    for name in [name for name in CASES if given.only not in name]:
        del CASES[name]
    take_signals_as_in_a_terminal()
    began, done = time.monotonic(), []
    with tempfile.TemporaryDirectory() as name:
        place = Path(name)
        prepare(place)

        def show(outcome: Outcome) -> None:
            done.append(outcome)
            if outcome.troubles:
                print(f"{outcome.case}, {outcome.sent}: {outcome.troubles}, code {outcome.code}")
                print("    " + outcome.words.replace("\n", "\n    "), flush=True)
            if len(done) % 50 == 0:
                print(f"{len(done)} of {given.runs}, {time.monotonic() - began:.0f} s", flush=True)

        found = interrupt_many(given.runs, given.seed, place, given.jobs, show)
    report(found, time.monotonic() - began)
    return int(any(outcome.troubles for outcome in found))


def report(found: list[Outcome], took: float) -> None:
    """Print how many runs there were of each kind, and what was wrong with them."""
    for kind in ("case", "sent"):
        counts = Counter(getattr(outcome, kind) for outcome in found)
        for name, count in sorted(counts.items()):
            of_kind = [outcome for outcome in found if getattr(outcome, kind) == name]
            wrong = Counter(word for outcome in of_kind for word in outcome.troubles)
            driven = sum(1 for outcome in of_kind if outcome.rows > 1)
            print(f"{name:28s} {count:5d} runs, {driven:5d} with rows; {dict(wrong) or 'all well'}")
    wrong = Counter(word for outcome in found for word in outcome.troubles)
    codes = Counter(outcome.code for outcome in found)
    print(f"exit codes: {dict(sorted(codes.items(), key=str))}")
    print(f"most missing: {max((o.missing for o in found), default=0.0):.2f} s of simulated time")
    words = ", ".join(f"{word} {wrong[word]}" for word in TROUBLES)
    print(f"{len(found)} runs in {took:.0f} s: {words}")


if __name__ == "__main__":
    sys.exit(main())
