"""Speed of the 3D model `csm` beside other programs: flat ground and obstacles."""

import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from benchmarks.peers import Peer, find_peers
from grouser.bench import time_drive
from grouser.description import Robot, load_course, load_robot
from grouser.models import Plant, command_sides, make_model, start_model

HERE = Path(__file__).parent
STEP = 0.001
"""Step of the engine [s]."""
TICK = 0.1
"""How often the robot is looked at [s]."""
REPEATS = 5
MODELS = (
    "csm:patches=2",
    "csm:patches=4",
    "csm:engine=mujoco,patches=2",
    "csm:engine=mujoco,patches=4",
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
    """Real-time factor over that of the fastest other program on the same drive [1]."""
    end: str = ""
    """Where the robot ended."""


def vehicle(flippers: bool) -> Robot:
    """Return the vehicle of the comparison."""
    robot = load_robot(HERE / "peer_vehicle.toml")
    return robot if flippers else robot.model_copy(update={"flippers": ()})


def factor_of(plant: Plant, robot: Robot, work: Workload) -> float:
    """Return the real-time factor of one drive, by the wall clock as others measure theirs [1]."""
    plant.reset()
    command = command_sides(robot, work.left, work.right)
    clock = time.perf_counter
    return work.duration / time_drive(plant, command, work.duration, tick=TICK, clock=clock)


def measure_contact(peers: Path | None) -> list[ContactRow]:
    """Return all lines; other programs are run in turn with ours, so that all share the noise."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        keys = "".join(work.key for work in WORKLOADS)
        others = find_peers(peers, folder, keys) if peers else []
        return [row for work in WORKLOADS for row in measure_drive(work, others, folder)]


def measure_drive(work: Workload, others: list[Peer], folder: Path) -> list[ContactRow]:
    """Return the lines of one drive, best of some repeats."""
    robot, course = vehicle(work.flippers), load_course(HERE / work.course)
    plants = {name: start_model(make_model(name), robot, course) for name in MODELS}
    best = dict.fromkeys([*MODELS, *(peer.name for peer in others)], 0.0)
    for _ in range(REPEATS):
        for name, plant in plants.items():
            best[name] = max(best[name], factor_of(plant, robot, work))
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
