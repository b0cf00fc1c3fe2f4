"""The cases of all sections."""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np

from grouser.bench.case import BenchOptions, Case, Probe, Sample
from grouser.description import Robot
from grouser.errors import InvalidValue
from grouser.geometry import Pose
from grouser.models import CATALOGUE, Command, Model, Plant, command_sides, start_model
from grouser.models.contact.plant import ContactPlant
from grouser.scenario import Scenario
from grouser.scenario.run import Loaded

ROBOTS = 16
STEPS = 10
"""Actions of each robot in one measurement."""
TASKS = (
    ("FlatTracking", "slip"),
    ("FlatTracking", "tankbot"),
    ("FlatTracking", "csm:boxes=1"),
    ("StairsUp", "csm:boxes=1"),
)
"""Task and model; the simplest model first."""
ENDLESS, WIDE = 1e6, 1e3
"""No episode ends while it is measured: longest episode [s], and width of the corridor [m]."""


def environment_cases(options: BenchOptions) -> list[Case]:
    """Return a loop and a vector environment for each task and model."""
    cases, steps = [], max(round(options.share * STEPS), 1)
    for task, model in TASKS:
        for words, start in ((f"{ROBOTS} in a loop", _loop), (f"vector of {ROBOTS}", _vector)):
            cases.append(
                Case(
                    name=f"{task}, {model}: {words}",
                    reference=f"{task}, {model}: {ROBOTS} in a loop",
                    start=lambda start=start, task=task, model=model: start(task, model, steps),
                )
            )
    return cases


def _loop(task: str, model: str, steps: int) -> Probe:
    from grouser.envs import TrackedEnv

    singles = [
        TrackedEnv(task, model=model, duration=ENDLESS, corridor=WIDE) for _ in range(ROBOTS)
    ]
    for number, env in enumerate(singles):
        env.reset(seed=number)
    actions = _actions((ROBOTS, *(singles[0].action_space.shape or ())))

    def act() -> None:
        for env, action in zip(singles, actions, strict=True):
            *_, ended, stopped, _ = env.step(action)
            if ended or stopped:  # the vector environment resets by itself
                env.reset()

    return _probe(act, steps)


def _vector(task: str, model: str, steps: int) -> Probe:
    from grouser.envs import TrackedVectorEnv

    envs = TrackedVectorEnv(ROBOTS, task, model=model, duration=ENDLESS, corridor=WIDE)
    envs.reset(seed=0)
    actions = _actions(envs.action_space.shape or ())
    return _probe(lambda: envs.step(actions), steps)


def _actions(shape: tuple[int, ...]) -> np.ndarray:
    return np.random.default_rng(0).uniform(0.0, 0.4, shape).astype(np.float32)


def _probe(act: Callable[[], object], steps: int) -> Probe:
    def measure() -> Sample:
        begin = time.perf_counter()
        for _ in range(steps):
            act()
        passed = max(time.perf_counter() - begin, 1e-9)
        return Sample(value=ROBOTS * steps / passed, step=passed / (ROBOTS * steps))

    return measure


START_UPS = {
    "python -c pass": ("-c", "pass"),
    "grouser --version": ("-m", "grouser", "--version"),
    "grouser models": ("-m", "grouser", "models"),
    "grouser run, 0.1 s of csm": ("-m", "grouser", "run", "--course", "flat", "--model", "csm",
                                  "--drive", "constant", "--duration", "0.1"),
}  # fmt: skip
"""Arguments of Python, by the name in the table."""
_PRINT_PEAK = """
import sys
if sys.platform == "linux":  # where getrusage of a child begins with the peak of its parent
    with open("/proc/self/status") as file:
        print(next(int(line.split()[1]) / 1e3 for line in file if line.startswith("VmHWM")))
else:
    import resource
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(peak / (1e6 if sys.platform == "darwin" else 1e3))
"""
"""Prints the most memory that its process has held [MB]; imports nothing large."""
_START = (
    "from grouser.bench import BenchOptions; from grouser.bench.cases import start_robots; "
    "loaded = BenchOptions(robot={robot!r}).scenario({model!r}).load(); "
    "kept = start_robots(loaded, {count})\n"
)
MEMORIES = (("slip", 1), ("slip", 10_000), ("csm", 1), ("csm", 16), ("segments", 1))
"""Model and robots at once."""


def start_up_cases(options: BenchOptions) -> list[Case]:
    """Return commands, Python alone first."""
    return [Case(name=name, start=_timed(words)) for name, words in START_UPS.items()]


def memory_cases(options: BenchOptions) -> list[Case]:
    """Return programs with an increasing need of memory."""
    cases = [Case(name="python", start=_weighed(_PRINT_PEAK))]
    # The process runs in another folder.
    robot = str(Path(options.robot).resolve()) if Path(options.robot).is_file() else options.robot
    for model, count in MEMORIES:
        program = _START.format(robot=robot, model=model, count=count) + _PRINT_PEAK
        cases.append(Case(name=f"{model} x {count:,}", start=_weighed(program)))
    return cases


def _timed(words: tuple[str, ...]) -> Callable[[], Probe]:
    def measure() -> Sample:
        begin = time.perf_counter()
        _run(words)
        return Sample(value=1e3 * (time.perf_counter() - begin))

    return lambda: measure


def _weighed(program: str) -> Callable[[], Probe]:
    return lambda: lambda: Sample(value=float(_run(("-c", program)).split()[-1]))


def _run(words: tuple[str, ...]) -> str:
    """Return what a new Python process prints, run in a temporary folder.

    Raises:
        InvalidValue: It failed.
    """
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            [sys.executable, *words], cwd=folder, capture_output=True, text=True, check=False
        )
    if done.returncode:
        reason = (done.stderr.strip().splitlines() or ["no reason given"])[-1]
        raise InvalidValue("process", " ".join(words), f"end well ({reason})")
    return done.stdout


TICK = 0.01
"""How long one command holds [s]."""
SPEED = 0.1
"""Speed of the belts, within the robot's limit [m/s]."""


def start_robots(loaded: Loaded, count: int = 1) -> tuple[Plant, Command]:
    """Return robots that have followed one command, so that everything is compiled, and it.

    Raises:
        GrouserError: The model cannot drive that robot, or there.
    """
    robot = loaded.robot
    speed = min(SPEED, robot.drive.speed_limit)
    if count == 1:
        plant = start_model(loaded.model, robot, loaded.course)
        command = command_sides(robot, speed, speed)
    else:
        random = np.random.default_rng(0)
        poses = Pose(x=np.zeros(count), yaw=random.uniform(-3.0, 3.0, count))
        plant = start_model(loaded.model, robot, loaded.course, poses)
        command = command_sides(robot, *random.uniform(0.5 * speed, speed, (2, count)))
    plant.advance(command, TICK)
    return plant, command


def _step(model: Model) -> float:
    """Return the step of a model: that of its engine of contacts, or a whole tick [s]."""
    return float(getattr(model, "timestep", TICK))


def time_drive(
    plant: Plant,
    command: Command,
    duration: float,
    *,
    tick: float = 0.01,
    clock: Callable[[], float] = time.process_time,
) -> float:
    """Return the time that a plant takes to follow a constant command [s].

    Args:
        plant: What moves.
        command: The command of all ticks.
        duration: Simulated time [s].
        tick: How long one command holds [s].
        clock: Processor time, which others on the machine do not stretch; or another [s].
    """
    begin = clock()
    for _ in range(round(duration / tick)):
        plant.advance(command, tick)
    return max(clock() - begin, 1e-9)  # some clocks have steps of milliseconds


LONG, SHORT = 10.0, 1.0
"""Simulated time of a drive by models without and with an engine of contacts [s]."""
REFERENCE = "ideal"
"""The model that others are compared with."""
GROUND = (
    ("slip", "flat"), ("slip", "slope"), ("slip", "step"),
    ("csm:boxes=1", "flat"), ("csm:boxes=1", "slope"), ("csm:boxes=1", "rough"),
    ("csm:boxes=1", "staircase-stand"),
)  # fmt: skip
"""Models and what they drive on; each is compared with its first."""
BOXES = (1, 3, 5, 9)
"""Boxes per straight run of a belt: what carries the weight, and makes contacts."""


def model_cases(options: BenchOptions) -> list[Case]:
    """Return every model of the catalogue, or those of the options, after the reference."""
    names = dict.fromkeys((REFERENCE, *(options.models or CATALOGUE)))
    return [Case(name=name, start=_drive(options, options.scenario(name))) for name in names]


def ground_cases(options: BenchOptions) -> list[Case]:
    """Return courses, the simplest first."""
    cases = []
    for model, course in GROUND:
        start = _drive(options, options.scenario(model, course))
        cases.append(Case(name=f"{model} on {course}", start=start, reference=f"{model} on flat"))
    return cases


def contact_cases(options: BenchOptions) -> list[Case]:
    """Return belts with an increasing number of contacts."""
    names = [f"csm:boxes={boxes}" for boxes in BOXES]
    return [Case(name=name, start=_drive(options, options.scenario(name))) for name in names]


def track_cases(options: BenchOptions) -> list[Case]:
    """Return the robot with each track as one, two and three belts side by side."""
    return [
        Case(
            name=f"{model}, {count} per side",
            reference=f"{model}, 1 per side",
            start=_drive(options, options.scenario(model), partial(split_tracks, count=count)),
        )
        for model in ("csm:boxes=1", "segments")
        for count in (1, 2, 3)
    ]


def flipper_cases(options: BenchOptions) -> list[Case]:
    """Return the robot without flippers, with two of them, and with all that it has."""
    scenario = options.scenario("csm:boxes=1")
    most = len(scenario.robot.load_robot().flippers)
    return [
        Case(
            name=f"csm:boxes=1, {count} flippers",
            start=_drive(options, scenario, partial(keep_flippers, count=count)),
        )
        for count in sorted({0, 2, most} & set(range(most + 1)))
    ]


def split_tracks(robot: Robot, count: int) -> Robot:
    """Return a robot with each track split into some narrower ones side by side."""
    tracks = []
    for track in robot.tracks:
        width = track.width / count
        for number in range(count):
            y = track.y + (number - 0.5 * (count - 1)) * width
            changes = {"name": f"{track.name}-{number + 1}", "y": y, "width": width}
            tracks.append(track.model_copy(update=changes))
    return robot.model_copy(update={"tracks": tuple(tracks)})


def keep_flippers(robot: Robot, count: int) -> Robot:
    """Return a robot with only the first few of its flippers."""
    return robot.model_copy(update={"flippers": robot.flippers[:count]})


def _drive(
    options: BenchOptions,
    scenario: Scenario,
    change: Callable[[Robot], Robot] = lambda robot: robot,
) -> Callable[[], Probe]:
    def start() -> Probe:
        loaded = scenario.load()
        plant, command = start_robots(replace(loaded, robot=change(loaded.robot)))
        step = _step(loaded.model)
        duration = max(options.share * (SHORT if step < TICK else LONG), TICK)

        def measure() -> Sample:
            plant.reset()
            factor = duration / time_drive(plant, command, duration, tick=TICK)
            note = f"{1e3 * step:g} ms"
            if isinstance(plant, ContactPlant):
                note += f", {len(plant.world.contacts(0).belt)} contacts"
            return Sample(value=factor, step=step / factor, note=note)

        return measure

    return start


SIZES = {
    "slip": {1: 10.0, 100: 10.0, 10_000: 0.5},
    "tankbot": {1: 5.0, 10: 1.0, 100: 0.2},
    "csm:boxes=1": {1: 1.0, 8: 0.2, 32: 0.1},
}
"""Robots at once, and how long they drive, by model [s]."""


def batch_cases(options: BenchOptions) -> list[Case]:
    """Return each model alone, and as an increasing number of robots at once."""
    return [
        Case(
            name=f"{model} x {count:,}",
            reference=f"{model} x 1",
            start=_drive_many(options, model, count, duration),
        )
        for model, sizes in SIZES.items()
        for count, duration in sizes.items()
    ]


def _drive_many(options: BenchOptions, model: str, count: int, usual: float) -> Callable[[], Probe]:
    def start() -> Probe:
        loaded = options.scenario(model).load()
        plant, command = start_robots(loaded, count)
        step, duration = _step(loaded.model), max(options.share * usual, TICK)
        # Only robots of the engine are shared out among threads.
        threads = f", {os.cpu_count()} threads" if count > 1 and step < TICK else ""

        def measure() -> Sample:
            wall = time_drive(plant, command, duration, tick=TICK, clock=time.perf_counter)
            factor = count * duration / wall
            return Sample(value=factor, step=step / factor, note=f"{1e3 * step:g} ms{threads}")

        return measure

    return start
