"""Time of a step of `csm`, one robot: beside other programs, and on the courses of the zoo.

All cases of a drive take turns in one run; the best of some repeats counts. It is processor time,
with the calls from Python: a tick is 10 ms, ten steps.
"""

import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.peers import Peer, find_peers
from grouser.bench import time_drive
from grouser.description import Course, Robot, load_course, load_robot
from grouser.models import Plant, command_sides, make_model, start_model

HERE = Path(__file__).parent
STEP, TICK = 0.001, 0.01
"""Step of the engine, and how long one command holds [s]."""
REPEATS, QUICK = 7, 2
"""How often a drive is measured, and with `--quick`."""
MODELS = ("csm", "csm:patches=2", "csm:engine=mujoco")
"""What is measured beside other programs; the first is compared with them."""
ODE = "ODE"
"""How names of the programs begin that `csm` is compared with."""
ROBOTS = ("quince", "absolem")
COURSES = ("flat", "step", "staircase", "pallet", "rough")
"""Where robots of the zoo are driven."""
SPEED, DURATION = 0.2, 10.0
"""Belt speed there, if the robot can [m/s], and how long [s]."""
ZOO_TARGET, EXPORT_TARGET = 8.0, 0.25
"""Aims: time of a step on courses of the zoo [us], and time over that of MuJoCo alone [1]."""
EXPORTED = ("flat", "pallet", "rough")
"""Courses on which Quince's exported scene is stepped by MuJoCo alone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Workload:
    """One drive."""

    key: str
    """What the other programs call it."""
    name: str
    """What it is called in the table."""
    course: str
    """File of its course, beside this one."""
    left: float
    """Belt speed on the left [m/s]."""
    right: float
    """Belt speed on the right [m/s]."""
    duration: float
    """How long [s]."""
    flippers: bool
    """Whether the robot has its flippers."""
    target: float
    """Aim: time of a step over that of ODE [1]."""


WORKLOADS = (
    Workload(key="a", name="straight", course="peer_flat.toml", left=0.3, right=0.3,
             duration=10.0, flippers=False, target=0.3),
    Workload(key="c", name="pivot", course="peer_flat.toml", left=-0.12, right=0.12,
             duration=10.0, flippers=False, target=0.3),
    Workload(key="b", name="pallet, flippers", course="peer_pallet.toml", left=0.1, right=0.1,
             duration=30.0, flippers=True, target=0.3),
    Workload(key="d", name="stairs, flippers", course="peer_stairs.toml", left=0.3, right=0.3,
             duration=10.0, flippers=True, target=0.4),
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class ContactRow:
    """One line of the table."""

    drive: str
    """What was driven."""
    case: str
    """By what."""
    step_us: float
    """Processor time of one step of 1 ms of one robot [us]."""
    ratio: float | None = None
    """That over the reference: the fastest ODE, or MuJoCo alone [1]."""
    target: str = ""
    """What it should be at most."""
    end: str = ""
    """Where the robot ended."""

    @property
    def real_time_factor(self) -> float:
        """Simulated over processor time [1]."""
        return STEP / self.step_us * 1e6


def vehicle(flippers: bool) -> Robot:
    """Return the vehicle of the comparison."""
    robot = load_robot(HERE / "peer_vehicle.toml")
    return robot if flippers else robot.model_copy(update={"flippers": ()})


def measure_contact(
    peers: Path | None, *, quick: bool = False, tell: Callable[[str], None] = lambda text: None
) -> list[ContactRow]:
    """Return all lines; other programs are run in turn with ours, so that all share the noise."""
    repeats, rows = QUICK if quick else REPEATS, []
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        keys = "".join(work.key for work in WORKLOADS)
        others = find_peers(peers, folder, keys) if peers else []
        for work in WORKLOADS:
            tell(work.name)
            rows += measure_drive(work, others, folder, repeats)
        for course in EXPORTED:
            tell(f"Quince's exported scene, {course}")
            rows += measure_exported(course, folder, repeats)
    tell("courses of the zoo")
    return rows + list(measure_zoo(repeats))


def measure_drive(
    work: Workload, others: list[Peer], folder: Path, repeats: int
) -> list[ContactRow]:
    """Return the lines of one drive."""
    robot, course = vehicle(work.flippers), load_course(HERE / work.course)
    plants = {name: start_model(make_model(name), robot, course) for name in MODELS}
    cases: dict[str, Callable[[], float]] = {
        name: _driving(plant, robot, work.left, work.right, work.duration)
        for name, plant in plants.items()
    }
    cases |= {peer.name: lambda peer=peer: peer.run(folder, work.key) for peer in others}
    best = best_of(cases, repeats)
    reference = min((best[name] for name in best if name.startswith(ODE)), default=None)
    return [
        ContactRow(
            drive=work.name,
            case=name,
            step_us=1e6 * step,
            ratio=step / reference if reference else None,
            target=f"≤ {work.target:.2f} of ODE" if name == MODELS[0] else "",
            end=tell_end(plants[name], work.duration) if name in plants else "",
        )
        for name, step in best.items()
    ]


def measure_exported(name: str, folder: Path, repeats: int) -> list[ContactRow]:
    """Return csm on a course, and MuJoCo alone on the scene that is exported from it."""
    import mujoco

    from grouser.drawing.mjcf import export_mjcf

    robot, course = load_robot("quince"), load_course(name)
    speed, file = min(SPEED, robot.drive.speed_limit), folder / "quince.xml"
    export_mjcf(robot, course, make_model("csm"), file, speed=speed)
    model = mujoco.MjModel.from_xml_path(str(file))
    model.opt.timestep = STEP
    data, per_tick = mujoco.MjData(model), round(TICK / STEP)

    class Alone:
        def advance(self, command: object, duration: float) -> None:
            mujoco.mj_step(model, data, per_tick)

    def step_alone() -> float:
        mujoco.mj_resetDataKeyframe(model, data, 0)
        return time_drive(Alone(), None, DURATION, tick=TICK) / (DURATION / STEP)  # type: ignore[arg-type]

    plant = start_model(make_model("csm"), robot, course)
    alone = "MuJoCo alone"
    cases = {"csm": _driving(plant, robot, speed, speed, DURATION), alone: step_alone}
    best = best_of(cases, repeats)
    return [
        ContactRow(
            drive=f"Quince exported, {name}",
            case=case,
            step_us=1e6 * step,
            ratio=step / best[alone],
            target=f"≤ {EXPORT_TARGET:.2f} of it" if case == "csm" else "",
            end=tell_end(plant, DURATION) if case == "csm" else f"x = {data.qpos[0]:.3f} m",
        )
        for case, step in best.items()
    ]


def measure_zoo(repeats: int) -> Iterator[ContactRow]:
    """Yield csm on the courses of the zoo."""
    for name in ROBOTS:
        robot = load_robot(name)
        speed = min(SPEED, robot.drive.speed_limit)
        courses: dict[str, Course] = {course: load_course(course) for course in COURSES}
        plants = {key: start_model(make_model("csm"), robot, at) for key, at in courses.items()}
        cases = {
            key: _driving(plant, robot, speed, speed, DURATION) for key, plant in plants.items()
        }
        for key, step in best_of(cases, repeats).items():
            yield ContactRow(
                drive=name,
                case=f"csm on {key}",
                step_us=1e6 * step,
                target=f"≤ {ZOO_TARGET:g} µs",
                end=tell_end(plants[key], DURATION),
            )


def best_of(cases: dict[Any, Callable[[], float]], repeats: int) -> dict[Any, float]:
    """Return the least that each case gave; the cases take turns."""
    best = dict.fromkeys(cases, float("inf"))
    for _ in range(repeats):
        for name, measure in cases.items():
            best[name] = min(best[name], measure())
    return best


def _driving(
    plant: Plant, robot: Robot, left: float, right: float, duration: float
) -> Callable[[], float]:
    """Return what drives from the start on, and returns the processor time of a step [s]."""
    command = command_sides(robot, left, right)

    def drive() -> float:
        plant.reset()
        return time_drive(plant, command, duration, tick=TICK) / (duration / STEP)

    return drive


def tell_end(plant: Plant, duration: float) -> str:
    """Return where a robot is, and how fast it turned."""
    pose = plant.motion.pose
    return f"x = {pose.x:.3f} m, {pose.yaw / duration:.4f} rad/s"
