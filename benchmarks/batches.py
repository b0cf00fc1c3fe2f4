"""Many robots at once by `csm`: time of a step of each, threads, memory and start.

Beside it runs ODE, one robot at a time, in the same run. Times are processor time of one thread,
the best of some repeats, with the calls from Python: a tick is 10 ms, ten steps.
"""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.contact import HERE, ODE, STEP, TICK, WORKLOADS, Workload, best_of, vehicle
from benchmarks.peers import Peer, find_peers
from grouser.bench import time_drive
from grouser.description import Robot, load_course, load_robot
from grouser.geometry import Pose
from grouser.models import command_sides, make_model, start_model

MODELS = ("csm", "csm:single=1")
ROBOTS, MANY = 1024, 10_000
"""Robots at once, and those that are started for memory and the real-time factor."""
REPEATS, QUICK, TICKS = 10, 2, 20
"""How often ticks are measured, and with `--quick`; how many at a time."""
SETTLING = 20
"""Ticks before the first measurement."""
TARGETS = {"a": 25.0, "b": 8.0, "d": 8.0}
"""Aims, by workload: ODE's time over that of a robot of many [1]."""
ROUGH = 6.0
"""Aim: time on the rough height field over that on flat ground [1]."""
SEGMENTS = {"packbot510": 200.0, "quince": 80.0}
"""Aims: real-time factor of one robot by `segments` [1]."""
MEMORY, START, THREADS = 20.0, 1.0, 1.8
"""Aims: memory of a robot [kB], start of all [s], two threads over one [1]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchRow:
    """One line of the table."""

    what: str
    """What is measured."""
    case: str
    """Of what."""
    value: float
    """The number."""
    unit: str
    """Its unit."""
    ratio: float | None = None
    """What it is compared with, over it or the other way round, as the target says [1]."""
    target: str = ""
    """What should hold."""


def measure_batches(
    peers: Path | None, *, quick: bool = False, tell: Callable[[str], None] = lambda text: None
) -> list[BatchRow]:
    """Return all lines."""
    repeats, rows = QUICK if quick else REPEATS, []
    works = [work for work in WORKLOADS if work.key in TARGETS]
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        others = find_peers(peers, folder, "".join(TARGETS)) if peers else []
        ode = [peer for peer in others if peer.name.startswith(ODE)]
        for work in works:
            tell(f"{ROBOTS:,} robots, {work.name}")
            rows += measure_ground(work, ode, folder, repeats)
    tell("rough ground")
    rows += measure_rough(repeats)
    tell("threads")
    rows += measure_threads(repeats)
    tell("memory, start, segments")
    return [*rows, *measure_many(), measure_start(repeats), *measure_segments(repeats)]


def start_many(model: str, robot: Robot, course: Any, count: int, along: float = 0.0) -> Any:
    """Return robots that stand about the start of a course, and ahead of it by up to `along` [m].

    One thread works on them.
    """
    random, start = np.random.default_rng(0), course.start_pose
    poses = Pose(
        x=start.x + random.uniform(0.0, along, count),
        y=start.y + random.uniform(-0.05, 0.05, count),
        yaw=start.yaw + random.uniform(-0.05, 0.05, count),
    )
    plant: Any = start_model(make_model(model), robot, course, poses)
    use_threads(plant, 1)
    return plant


def use_threads(plant: Any, count: int) -> None:
    """Let so many threads work on the robots, at most as many as there are cores."""
    plant.world._threads.count = count


def ticking(plant: Any, command: Any, clock: Callable[[], float]) -> Callable[[], float]:
    """Return what makes the same ticks each time, and gives the time of a step of a robot [s]."""
    for _ in range(SETTLING):
        plant.advance(command, TICK)
    state, steps = plant.state, TICKS * round(TICK / STEP) * plant.count

    def tick() -> float:
        plant.state = state
        return time_drive(plant, command, TICKS * TICK, tick=TICK, clock=clock) / steps

    return tick


def measure_ground(work: Workload, ode: list[Peer], folder: Path, repeats: int) -> list[BatchRow]:
    """Return the time of a step of one robot of many on one course, and of ODE's."""
    robot, course = vehicle(work.flippers), load_course(HERE / work.course)
    command = command_sides(robot, work.left, work.right)
    along = 1.2 if work.flippers else 0.0
    cases = {
        model: ticking(start_many(model, robot, course, ROBOTS, along), command, time.process_time)
        for model in MODELS
    }
    cases |= {peer.name: lambda peer=peer: peer.run(folder, work.key) for peer in ode}
    best = best_of(cases, repeats)
    reference = min((best[peer.name] for peer in ode), default=None)
    return [
        BatchRow(
            what=f"step of a robot, {work.name}",
            case=f"{name} x {ROBOTS:,}" if name in MODELS else name,
            value=1e6 * step,
            unit="µs",
            ratio=reference / step if reference else None,
            target=f"ODE ÷ it ≥ {TARGETS[work.key]:g}" if name in MODELS else "",
        )
        for name, step in best.items()
    ]


def measure_rough(repeats: int) -> list[BatchRow]:
    """Return the time of a step on the rough height field beside that on flat ground."""
    robot, cases = vehicle(flippers=False), {}
    command = command_sides(robot, 0.3, 0.3)
    for course, along in (("flat", 0.0), ("rough", 1.2)):
        for model in MODELS:
            plant = start_many(model, robot, load_course(course), ROBOTS, along)
            cases[course, model] = ticking(plant, command, time.process_time)
    best = best_of(cases, repeats)
    return [
        BatchRow(
            what="step of a robot, height field",
            case=f"{model} x {ROBOTS:,} on {course}",
            value=1e6 * step,
            unit="µs",
            ratio=step / best["flat", model],
            target=f"÷ flat ≤ {ROUGH:g}" if course == "rough" else "",
        )
        for (course, model), step in best.items()
    ]


def measure_threads(repeats: int) -> list[BatchRow]:
    """Return robots' steps by one and by two threads, by the wall clock."""
    robot, course = vehicle(flippers=False), load_course("flat")
    command = command_sides(robot, 0.3, 0.3)
    plant = start_many("csm", robot, course, ROBOTS)
    ticks = ticking(plant, command, time.perf_counter)

    def with_threads(count: int) -> Callable[[], float]:
        def measure() -> float:
            use_threads(plant, count)
            return ticks()

        return measure

    best = best_of({1: with_threads(1), 2: with_threads(2)}, 3 * repeats)
    return [
        BatchRow(
            what="step of a robot, wall time",
            case=f"csm x {ROBOTS:,}, {count} thread{'s' * (count > 1)}",
            value=1e6 * step,
            unit="µs",
            ratio=best[1] / step,
            target=f"1 ÷ 2 ≥ {THREADS:g}, idle; load {os.getloadavg()[0]:.1f}" * (count > 1),
        )
        for count, step in best.items()
    ]


_MANY = """
import time
from benchmarks.batches import start_many, ticking
from benchmarks.contact import vehicle
from grouser.description import load_course
from grouser.models import command_sides
def held():
    with open("/proc/self/status") as file:
        return next(float(line.split()[1]) for line in file if line.startswith("VmRSS"))
robot, course = vehicle(flippers=False), load_course("flat")
start_many("csm", robot, course, 64).advance(command_sides(robot, 0.3, 0.3), 0.01)
before = held()
plant = start_many("csm", robot, course, {count})
plant.advance(command_sides(robot, 0.3, 0.3), 0.01)
memory = (held() - before) / {count}
alone = ticking(plant, command_sides(robot, 0.3, 0.3), time.process_time)
one = min(alone() for _ in range(3))
plant.world._threads.count = {threads}
together = ticking(plant, command_sides(robot, 0.3, 0.3), time.perf_counter)
print(memory, one, min(together() for _ in range(3)))
"""
"""Prints the memory of a robot [kB], the processor time of its step by one thread and the wall time
by all [s]; a process of its own."""


def measure_many() -> list[BatchRow]:
    """Return memory and real-time factor of many robots on flat ground."""
    threads = os.cpu_count() or 1
    words = [sys.executable, "-c", _MANY.format(count=MANY, threads=threads)]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    memory, one, together = map(float, done.stdout.split())
    case = f"csm x {MANY:,} on flat"
    return [
        BatchRow(what="memory of a robot", case=case, value=memory, unit="kB",
                 target=f"≤ {MEMORY:g} kB"),
        BatchRow(what="real-time factor of all", case=f"{case}, one thread", value=STEP / one,
                 unit="×"),
        BatchRow(what="real-time factor of all", case=f"{case}, {threads} threads, wall time",
                 value=STEP / together, unit="×"),
    ]  # fmt: skip


def measure_start(repeats: int) -> BatchRow:
    """Return the processor time in which robots start, when everything is compiled."""
    robot, course = vehicle(flippers=False), load_course("flat")
    start_many("csm", robot, course, 64)

    def start() -> float:
        begin = time.process_time()
        start_many("csm", robot, course, ROBOTS)
        return time.process_time() - begin

    best = best_of({"start": start}, min(repeats, 3))["start"]
    return BatchRow(what="start, all robots", case=f"csm x {ROBOTS:,} on flat", value=best,
                    unit="s", target=f"≤ {START:g} s")  # fmt: skip


def measure_segments(repeats: int) -> Iterator[BatchRow]:
    """Yield the real-time factor of one robot on grousers."""
    for name, target in SEGMENTS.items():
        robot = load_robot(name)
        plant = start_model(make_model("segments"), robot, load_course("flat"))
        speed = min(0.3, robot.drive.speed_limit)
        command = command_sides(robot, speed, speed)
        case = {name: lambda p=plant, c=command: time_drive(p, c, 1.0, tick=TICK)}
        yield BatchRow(what="real-time factor, one robot", case=f"segments, {name}",
                       value=1.0 / best_of(case, repeats)[name], unit="×",
                       target=f"≥ {target:g}")  # fmt: skip
