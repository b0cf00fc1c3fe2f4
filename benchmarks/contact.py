"""Speed of the 3D model `csm`: flat ground, obstacles, growth, many robots, other programs."""

import tempfile
import time
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

from benchmarks.peers import Peer, find_peers
from grouser.description import Robot, load_course, load_robot
from grouser.geometry import Pose
from grouser.models import Plant, command_sides, make_model, start_model
from grouser.models.contact.batch import ContactBatch
from grouser.models.contact.belt_geoms import add_belt
from grouser.models.contact.scene import build_scene

HERE = Path(__file__).parent
STEP = 0.001
"""Step of the engine [s]."""
TICK = 0.1
"""How often the robot is looked at [s]."""
REPEATS = 5
ROBOTS = 64
"""Robots of the batch [1]."""
MODELS = (
    "csm:boxes=1",
    "csm:boxes=3",
    "csm:friction=engine,boxes=1",
    "csm:friction=engine,boxes=3",
)


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


WORKLOADS = (
    Workload(key="a", name="straight", course="peer_flat.toml", left=0.3, right=0.3,
             duration=10.0, flippers=False),
    Workload(key="c", name="pivot", course="peer_flat.toml", left=-0.12, right=0.12,
             duration=10.0, flippers=False),
    Workload(key="b", name="pallet, flippers", course="peer_pallet.toml", left=0.1, right=0.1,
             duration=30.0, flippers=True),
    Workload(key="d", name="stairs, flippers", course="peer_stairs.toml", left=0.3, right=0.3,
             duration=10.0, flippers=True),
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class ContactRow:
    """One line of the table."""

    drive: str
    """What was driven."""
    case: str
    """By what."""
    step_us: float
    """Time of one step of 1 ms of one robot [us]."""
    real_time_factor: float
    """Simulated over wall time [1]."""
    ratio: float | None = None
    """Real-time factor over that of the fastest other program on the same drive; or, for
    batches, over that of the first batch [1]."""
    end: str = ""
    """Where the robot ended."""


def vehicle(flippers: bool) -> Robot:
    """Return the vehicle of the comparison."""
    robot = load_robot(HERE / "peer_vehicle.toml")
    return robot if flippers else robot.model_copy(update={"flippers": ()})


def time_drive(plant: Plant, robot: Robot, work: Workload) -> float:
    """Return the wall time of one drive [s]."""
    plant.reset()
    command = command_sides(robot, work.left, work.right)
    begin = time.perf_counter()
    for _ in range(round(work.duration / TICK)):
        plant.advance(command, TICK)
    return time.perf_counter() - begin


def measure_contact(peers: Path | None) -> list[ContactRow]:
    """Return all lines; other programs are run in turn with ours, so that all share the noise."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        keys = "".join(work.key for work in WORKLOADS)
        others = find_peers(peers, folder, keys) if peers else []
        rows = [row for work in WORKLOADS for row in measure_drive(work, others, folder)]
    return rows + measure_growth() + measure_batch()


def measure_drive(work: Workload, others: list[Peer], folder: Path) -> list[ContactRow]:
    """Return the lines of one drive, best of some repeats."""
    robot, course = vehicle(work.flippers), load_course(HERE / work.course)
    plants = {name: start_model(make_model(name), robot, course) for name in MODELS}
    best = dict.fromkeys([*MODELS, *(peer.name for peer in others)], 0.0)
    for _ in range(REPEATS):
        for name, plant in plants.items():
            best[name] = max(best[name], work.duration / time_drive(plant, robot, work))
        for peer in others:
            best[peer.name] = max(best[peer.name], peer.run(folder, work.key))
    fastest = max((best[peer.name] for peer in others), default=None)
    return [
        ContactRow(
            drive=work.name,
            case=name,
            step_us=STEP / factor * 1e6,
            real_time_factor=factor,
            ratio=factor / fastest if fastest else None,
            end=tell_end(plants[name], work) if name in plants else "",
        )
        for name, factor in best.items()
    ]


def tell_end(plant: Plant, work: Workload) -> str:
    pose = plant.motion.pose
    return f"x = {pose.x:.3f} m, {pose.yaw / work.duration:.4f} rad/s"


def measure_growth() -> list[ContactRow]:
    """Return how the time of a step grows with boxes and flippers, straight on flat ground."""
    rows = []
    course = load_course(HERE / "peer_flat.toml")
    for flippers in (False, True):
        robot = vehicle(flippers)
        work = Workload(key="", name="", course="", left=0.3, right=0.3, duration=2.0,
                        flippers=flippers)  # fmt: skip
        for boxes in (1, 3, 5, 9):
            plant = start_model(make_model(f"csm:boxes={boxes}"), robot, course)
            factor = max(work.duration / time_drive(plant, robot, work) for _ in range(REPEATS))
            rows.append(
                ContactRow(
                    drive="growth", case=f"{boxes} boxes, {len(robot.flippers)} flippers",
                    step_us=STEP / factor * 1e6, real_time_factor=factor,
                )
            )  # fmt: skip
    return rows


def measure_batch() -> list[ContactRow]:
    """Return the time per robot and step of many robots, on one thread and on two."""
    robot, course = vehicle(False), load_course(HERE / "peer_flat.toml")
    belt = partial(add_belt, boxes=1)
    scene = build_scene(robot, course, belt, timestep=STEP, own_friction=True)
    command = command_sides(robot, *np.random.default_rng(1).uniform(-0.3, 0.3, (2, ROBOTS)))
    poses = Pose(x=np.zeros(ROBOTS), yaw=np.linspace(-3.0, 3.0, ROBOTS))
    batches = {n: ContactBatch(scene, robot, course, poses, threads=n) for n in (1, 2)}
    best = dict.fromkeys(batches, 0.0)
    for _ in range(3 * REPEATS):
        for threads, batch in batches.items():
            begin = time.perf_counter()
            batch.advance(command, TICK)
            best[threads] = max(best[threads], ROBOTS * TICK / (time.perf_counter() - begin))
    return [
        ContactRow(
            drive="batch", case=f"{ROBOTS} robots, threads: {threads}",
            step_us=STEP / factor * 1e6, real_time_factor=factor, ratio=factor / best[1],
        )
        for threads, factor in best.items()
    ]  # fmt: skip
