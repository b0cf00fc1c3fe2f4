"""Many bad inputs for every reader and grammar: `python -m tests.fuzz --cases 100000`.

Each target is tried in a process of its own, with limits on time and memory for each case: a
worker that hangs in compiled code is killed, and another goes on behind the case. Findings are
written to `out/fuzz/TARGET/`, each as the input and a text beside it; move an input to
`tests/fuzz/cases/TARGET/` and it is tried in each run of the tests. Ctrl-C prints what was done.
"""

import argparse
import hashlib
import json
import os
import random
import resource
import selectors
import subprocess
import sys
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event

from tests.fuzz.mutate import mutate
from tests.fuzz.target import Target
from tests.fuzz.targets import find_modules, load_targets
from tests.fuzz.trial import FAULTS, SECONDS, Finding, folder_of, limit_memory, try_case

KILL_AFTER = 2.0 * SECONDS
"""Silence after which a worker is killed: it hangs where no signal reaches it [s]."""

STOPPED = Event()
"""Set by Ctrl-C."""


@dataclass
class Tally:
    """What came of the cases of one target."""

    name: str
    verdicts: Counter[str] = field(default_factory=Counter)
    seconds: float = 0.0
    """Time that it took [s]."""
    slowest: float = 0.0
    """Longest time of one case [s]."""


def work(target: Target, seed: int, first: int, count: int, out: Path) -> None:
    """Try cases of one target and print a line of JSON for each; runs in the worker."""
    name = target.name
    assert target.valid
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    current = current_case(out, name)
    current.parent.mkdir(parents=True, exist_ok=True)
    answers = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)  # what a reader prints does not go among the answers
    for number in range(first, first + count):
        content = mutate(target, random.Random(f"{name} {seed} {number}"))
        current.write_bytes(content)  # what is tried when this process dies
        limit_memory()
        began = time.perf_counter()
        answers.write(json.dumps({"start": number}) + "\n")
        finding = try_case(target, content)
        if finding.verdict in FAULTS:
            save(out, name, content, finding)
        took = time.perf_counter() - began
        answers.write(json.dumps({"end": number, "verdict": finding.verdict, "took": took}) + "\n")


def current_case(out: Path, name: str) -> Path:
    """Return where a worker leaves the case that it tries."""
    return out / f"{folder_of(name).name}.current"


def save(out: Path, name: str, content: bytes, finding: Finding) -> None:
    """Write a finding as the input and a text beside it."""
    folder = out / folder_of(name).name
    folder.mkdir(parents=True, exist_ok=True)
    stem = f"{finding.verdict}-{hashlib.sha256(content).hexdigest()[:12]}"
    (folder / stem).write_bytes(content)
    (folder / f"{stem}.txt").write_text(finding.detail, errors="backslashreplace")


def fuzz(name: str, module: str, seed: int, count: int, out: Path) -> Tally:
    """Try a target of a module in workers, one after the other; return what came of it."""
    tally, done, began = Tally(name), 0, time.monotonic()
    current = current_case(out, name)
    said = current.with_suffix(".stderr")
    said.parent.mkdir(parents=True, exist_ok=True)
    while done < count:
        words = [sys.executable, "-m", "tests.fuzz", "--work", name, "--seed", str(seed)]
        words += ["--module", module]  # the others need not be imported
        words += ["--first", str(done), "--cases", str(count - done), "--out", str(out)]
        with (
            said.open("wb") as errors,
            subprocess.Popen(
                words, stdout=subprocess.PIPE, stderr=errors, start_new_session=True
            ) as worker,
        ):
            done = _follow(worker, tally, done)
        if STOPPED.is_set():
            break
        if done < count:  # the worker died or was killed inside this case
            verdict = "hang" if worker.returncode == -9 else "exception"
            tally.verdicts[verdict] += 1
            last_words = said.read_bytes()[-2000:].decode(errors="replace")
            detail = f"the process ended: {worker.returncode}\n{last_words}"
            if not current.exists():
                raise RuntimeError(f"the worker of {name} did not start\n{last_words}")
            save(out, name, current.read_bytes(), Finding(verdict, detail))
            done += 1
        if worker.returncode == 0 and done < count:
            raise RuntimeError(f"the worker of {name} ended early")
    for file in (current, said):
        file.unlink(missing_ok=True)
    tally.seconds = time.monotonic() - began
    return tally


def _follow(worker: subprocess.Popen[bytes], tally: Tally, done: int) -> int:
    """Count what a worker answers until it ends or hangs; return the first case not done."""
    assert worker.stdout is not None
    pending = b""
    with selectors.DefaultSelector() as selector:
        selector.register(worker.stdout, selectors.EVENT_READ)
        started = False
        while True:
            silent_since = time.monotonic()
            while STOPPED.is_set() or not selector.select(0.5):
                silence = time.monotonic() - silent_since
                if STOPPED.is_set() or silence > (KILL_AFTER if started else 120.0):
                    worker.kill()
                    return done
            data = os.read(worker.stdout.fileno(), 65536)
            if not data:
                worker.wait()
                return done
            started = True
            *lines, pending = (pending + data).split(b"\n")
            for line in lines:
                answer = json.loads(line)
                if "end" in answer:
                    tally.verdicts[answer["verdict"]] += 1
                    tally.slowest = max(tally.slowest, answer["took"])
                    done = answer["end"] + 1


def print_table(tallies: list[Tally], seed: int) -> int:
    """Print a row for each target; return how many findings there are."""
    head = ("target", "cases", "accepted", "rejected", *FAULTS, "slowest s")
    rows = [
        (t.name, sum(t.verdicts.values()), t.verdicts["accepted"], t.verdicts["rejected"],
         *(t.verdicts[fault] for fault in FAULTS), f"{t.slowest:.2f}")
        for t in sorted(tallies, key=lambda t: t.name)
    ]  # fmt: skip
    sums = [sum(int(row[column]) for row in rows) for column in range(1, len(head) - 1)]
    rows.append(("total", *sums, f"{max((t.slowest for t in tallies), default=0.0):.2f}"))
    print(f"seed {seed}")
    for row in (head, *rows):
        print("| " + " | ".join(str(cell).rjust(9) for cell in row) + " |", flush=True)
    return sum(sums[3:])


def main() -> int:
    """Obey the command line; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=100_000, help="cases in all")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--targets", nargs="*", help="names of targets; all if not given")
    parser.add_argument("--out", type=Path, default=Path("out/fuzz"))
    parser.add_argument("--work", help=argparse.SUPPRESS)
    parser.add_argument("--module", help=argparse.SUPPRESS)
    parser.add_argument("--first", type=int, default=0, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.work:
        target = load_targets(given.module)[given.work]
        work(target, given.seed, given.first, given.cases, given.out)
        return 0
    modules = find_modules()
    names = given.targets or list(modules)
    each = -(-given.cases // len(names))
    tallies: list[Tally] = []

    def run(name: str) -> None:
        tallies.append(tally := fuzz(name, modules[name], given.seed, each, given.out))
        findings = sum(tally.verdicts[fault] for fault in FAULTS)
        tried = sum(tally.verdicts.values())
        print(f"{name}: {tried} cases in {tally.seconds:.0f} s, {findings} findings", flush=True)

    pool = ThreadPoolExecutor(os.cpu_count())
    try:
        for done in [pool.submit(run, name) for name in names]:
            done.result()
    except KeyboardInterrupt:
        print("interrupted; what was done:")
        STOPPED.set()
        pool.shutdown(cancel_futures=True)
    finally:
        findings = print_table(tallies, given.seed)
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
