"""P1's models in P1's scenarios, with metrics."""

import hashlib
import json
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from grouser import limits
from grouser.description import Course, Robot, load_robot
from grouser.errors import NotFinite
from grouser.geometry import Pose
from grouser.models import Model, start_model
from grouser.papers.p1.reference import Trajectory, load_reference, sample_times
from grouser.papers.p1.scenarios import ENTRANTS, SAMPLING, SCENARIOS, Entrant, MetricName, Scenario
from grouser.report import Panel, Series
from grouser.report.colours import REFERENCE, line_colour
from grouser.report.panel import Dash
from grouser.simulation import DEFAULT_DT
from grouser.storage import read_file
from grouser.tasks import SERIAL, OnProgress, Task, Workers, run_tasks
from grouser.version import VERSION


@dataclass(frozen=True, slots=True, kw_only=True)
class Drive:
    """Where a model was at the samples of a scenario."""

    start: Pose
    """Where it stood at rest before."""
    positions: NDArray[np.float64]
    """A row per sample [m]."""
    rotations: Rotation
    """One per sample."""
    yaw: float
    """Heading at the end, never wrapped [rad]."""


def measure(scenario: Scenario, drive: Drive, reference: Trajectory | None) -> dict[str, float]:
    """Return the metrics of Table I by name, and further ones.

    d_omega is the angle of the rotation between two orientations, from 0 to pi. Further are, for
    sums, the mean per sample (`mean_d_t` [m], `mean_d_omega` [rad]) and the last distance
    (`last_d_t` [m]); for `rotate`, the distance to the start `d_st` and the error of the heading
    that is not wrapped, `d_yaw` [rad].
    """
    found: dict[str, float] = {}
    for name in scenario.metrics:
        found |= _measure(name, scenario, drive, reference)
    if scenario.target is not None and scenario.target[1]:
        turned = drive.yaw - float(drive.start.yaw)
        found |= {"d_yaw": turned - scenario.target[1], "d_st": _from_start(drive)}
    return found


def _measure(
    name: MetricName, scenario: Scenario, drive: Drive, reference: Trajectory | None
) -> dict[str, float]:
    match name:
        case "d_t":
            ahead = scenario.target[0] if scenario.target else 0.0
            target = _place(drive.start) + drive.start.rotation.apply([ahead, 0.0, 0.0])
            return {name: float(np.linalg.norm(drive.positions[-1] - target))}
        case "d_st":
            return {name: _from_start(drive)}
        case "d_omega":
            turn = Rotation.from_euler("z", scenario.target[1] if scenario.target else 0.0)
            error = (drive.start.rotation * turn).inv() * drive.rotations[-1]
            return {name: float(error.magnitude())}
    if reference is None:
        raise ValueError("sums need a reference")
    if name == "sum_d_t":
        gaps = np.linalg.norm(drive.positions - reference.positions, axis=1)
        mean, last = float(np.mean(gaps)), float(gaps[-1])
        return {name: float(np.sum(gaps)), "mean_d_t": mean, "last_d_t": last}
    angles = (reference.rotations.inv() * drive.rotations).magnitude()
    return {name: float(np.sum(angles)), "mean_d_omega": float(np.mean(angles))}


def _place(pose: Pose) -> NDArray[np.float64]:
    return np.array([pose.x, pose.y, pose.z], dtype=np.float64)


def _from_start(drive: Drive) -> float:
    return float(np.linalg.norm(drive.positions[-1] - _place(drive.start)))


JITTER = (1e-3, 1e-3, np.radians(0.1))
"""Standard deviation of where repeated runs start: x, y [m], yaw [rad]; stands for the chance
that P1's simulator had, and ours has not."""


def drive_scenario(
    scenario: Scenario, model: Model, robot: Robot, course: Course, run: int
) -> tuple[Drive, float]:
    """Return the drive and the processor time that it took [s]; setting it up does not count.

    P1 took the wall time at high priority; processor time does not depend on who else computes.

    Args:
        scenario: What to drive.
        model: How the robot moves.
        robot: What drives.
        course: The scenario's course.
        run: Number of the repetition; 0 starts exactly where it should, others nearby.

    Raises:
        NotFinite: The model has come apart.
    """
    plant = start_model(model, robot, course, _start(course, run))
    motion, driver = plant.motion, scenario.driver(robot)
    start = motion.pose
    rows, ticks = [], round(SAMPLING / DEFAULT_DT)
    begin = time.process_time()
    for tick in range(round(scenario.duration / DEFAULT_DT)):
        command = driver(tick * DEFAULT_DT, motion)
        if command is None:
            break
        plant.advance(command, DEFAULT_DT)
        if (tick + 1) % ticks == 0:
            motion = plant.motion
            rows.append(motion.pose)
            if not np.isfinite(float(motion.pose.x)):
                raise NotFinite(f"x of {model.name}", (tick + 1) * DEFAULT_DT, None)
    seconds = time.process_time() - begin
    drive = Drive(
        start=start,
        positions=np.array([[pose.x, pose.y, pose.z] for pose in rows], dtype=np.float64),
        rotations=Rotation.concatenate([pose.rotation for pose in rows]),
        yaw=float(rows[-1].yaw),
    )
    return drive, seconds


def _start(course: Course, run: int) -> Pose | None:
    if run == 0:
        return None
    x, y, yaw = np.random.default_rng(run).normal(scale=JITTER)
    at = course.start_pose
    return Pose(x=float(at.x) + x, y=float(at.y) + y, yaw=float(at.yaw) + yaw)


ROBOT = "absolem"
"""P1's robot."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """One model in one scenario, once."""

    entrant: str
    """Which model, by P1's name."""
    scenario: str
    """Which scenario."""
    run: int
    """Number of the repetition."""
    metrics: Mapping[str, float]
    """What was measured, by name [m], [rad]."""
    seconds: float
    """Processor time that the drive took [s]."""
    reference: str
    """What it was measured against; empty if against a target."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Contest:
    """Who drives what, how often, and where results are kept."""

    entrants: tuple[Entrant, ...] = tuple(ENTRANTS.values())
    """The models."""
    scenarios: tuple[Scenario, ...] = SCENARIOS
    """The drives."""
    runs: int = 10
    """Repetitions of each."""
    values: Mapping[str, dict[str, float]] = field(default_factory=dict)
    """Searched values by model; where a model has none, the search's start [1]."""
    references: Path | None = None
    """Folder of recordings; None for the stand-ins."""
    file: Path | None = None
    """Where outcomes are kept, and looked up; None for nowhere."""

    def outcomes(
        self, tell: OnProgress = lambda *_: None, workers: Workers = SERIAL
    ) -> Iterator[Outcome]:
        """Yield all outcomes; those that the file has are not driven again.

        Args:
            tell: Is told what was driven last, how many are done, and how many there are.
            workers: Who drives; more than one process yields outcomes as they come, in any order.
        """
        tasks = [
            Task(
                name=self._key(entrant, scenario, run),
                function=_drive_once,
                arguments={"contest": self, "entrant": entrant, "scenario": scenario, "run": run},
            )
            for entrant in self.entrants
            for scenario in self.scenarios
            for run in range(self.runs)
        ]
        what = "results of a contest"
        done = run_tasks(
            tasks, workers, file=self.file, what=what, on_progress=tell, is_valid=_is_outcome
        )
        for _, kept in done:
            yield Outcome(**kept)

    def in_order(self, outcomes: Iterable[Outcome]) -> list[Outcome]:
        """Return outcomes in the order of models, scenarios and runs."""
        models = [entrant.name for entrant in self.entrants]
        drives = [scenario.name for scenario in self.scenarios]
        return sorted(
            outcomes, key=lambda o: (models.index(o.entrant), drives.index(o.scenario), o.run)
        )

    def _values(self, entrant: Entrant) -> dict[str, float]:
        return entrant.start | self.values.get(entrant.name, {})

    def _key(self, entrant: Entrant, scenario: Scenario, run: int) -> str:
        recording = self.references and self.references / f"{scenario.name}.csv"
        digest = read_file(recording, limits.LOG_BYTES) if recording and recording.exists() else b""
        settings = [VERSION, entrant.reference, self._values(entrant), scenario.legs]
        text = json.dumps(settings, sort_keys=True).encode() + digest
        mark = hashlib.sha256(text).hexdigest()[:12]
        return f"{entrant.name}/{scenario.name}/{run}/{mark}"


def _is_outcome(kept: Any) -> bool:
    """Return whether a kept result has the fields of an outcome."""
    if not isinstance(kept, dict) or set(kept) != {f.name for f in fields(Outcome)}:
        return False
    texts = [kept[name] for name in ("entrant", "scenario", "reference")]
    numbers = [kept["run"], kept["seconds"]]
    if not isinstance(kept["metrics"], dict):
        return False
    numbers += kept["metrics"].values()
    known = all(isinstance(number, int | float) for number in numbers)
    return known and all(isinstance(text, str) for text in texts)


def drive_entrant(
    entrant: Entrant,
    scenario: Scenario,
    values: dict[str, float],
    *,
    run: int = 0,
    references: Path | None = None,
) -> tuple[Outcome, Drive, Trajectory | None]:
    """Drive a scenario once; return what was measured, the drive, and what it should have been.

    Args:
        entrant: Who drives.
        scenario: What.
        values: Its searched values [1].
        run: Number of the repetition.
        references: Folder of recordings; None for the stand-ins.
    """
    robot = load_robot(ROBOT)
    course = scenario.load_course(*entrant.friction(values))
    reference = (
        load_reference(scenario, robot, course, references) if scenario.needs_reference else None
    )
    drive, seconds = drive_scenario(scenario, entrant.make(values), robot, course, run)
    outcome = Outcome(
        entrant=entrant.name,
        scenario=scenario.name,
        run=run,
        metrics=measure(scenario, drive, reference),
        seconds=seconds,
        reference=reference.source if reference else "",
    )
    return outcome, drive, reference


def _drive_once(contest: Contest, entrant: Entrant, scenario: Scenario, run: int) -> dict[str, Any]:
    values = contest._values(entrant)
    outcome, _, _ = drive_entrant(entrant, scenario, values, run=run, references=contest.references)
    return asdict(outcome)


COMMANDED = 0.3
"""Speed of the straight drive [m/s]."""
Array = NDArray[np.float64]
Axis = tuple[str, Callable[[Array, Rotation, Array], Array]]
"""Label, and what to take of positions, rotations and times."""


def _heading(places: Array, turns: Rotation, times: Array) -> Array:
    return np.unwrap(turns.as_euler("ZYX")[:, 0])


TIME: Axis = ("time [s]", lambda places, turns, times: times)
AHEAD: Axis = ("x [m]", lambda places, turns, times: places[:, 0] - places[0, 0])
BEHIND: Axis = (
    "behind the command [m]",
    lambda places, turns, times: COMMANDED * (times - times[0]) - places[:, 0] + places[0, 0],
)
ASIDE: Axis = ("y [m]", lambda places, turns, times: places[:, 1])
PLACE: Axis = ("x [m]", lambda places, turns, times: places[:, 0])
HEIGHT: Axis = ("z [m]", lambda places, turns, times: places[:, 2])
HEADING: Axis = ("heading [rad]", _heading)
MOVED: Axis = (
    "distance from the start [m]",
    lambda places, turns, times: np.linalg.norm(places - places[0], axis=1),
)
AXES: dict[str, tuple[Axis, Axis]] = {
    "straight": (TIME, BEHIND),
    "rotate": (TIME, HEADING),
    "circular": (PLACE, ASIDE),
    "ramp": (PLACE, HEIGHT),
    "staircase": (PLACE, HEIGHT),
    "stand": (TIME, MOVED),
    "pallet": (PLACE, HEIGHT),
    "back-and-forth": (TIME, AHEAD),
}
"""What is drawn of each scenario: along, and up."""


def draw_scenario(
    scenario: Scenario, name: str, drive: Drive, reference: Trajectory | None, note: str = ""
) -> Panel:
    """Return the figure of one model in a scenario; figures of several are one on the page.

    Args:
        scenario: Which.
        name: P1's name of the model.
        drive: Where it was.
        reference: Where it should have been, if that is known.
        note: What is particular, for the legend; such a line is dotted.
    """
    along, up = AXES[scenario.name]
    lines = []
    if reference is not None:
        lines.append(
            _line("stand-in for the robot", REFERENCE, "dashed", scenario,
                  reference.positions, reference.rotations)
        )  # fmt: skip
    number = list(ENTRANTS).index(name)
    dash: Dash = "dotted" if note else "dashdot" if number >= 4 else "solid"
    lines.append(
        _line(f"{name}{note}", line_colour(number), dash, scenario, drive.positions,
              drive.rotations)
    )  # fmt: skip
    return Panel(
        key=f"scenario-{scenario.name}", title=f"{scenario.title}: P1's models",
        x_label=along[0], y_label=up[0], series=tuple(lines),
        equal_axes=(along, up) == (PLACE, ASIDE),
    )  # fmt: skip


def _line(
    name: str, colour: str, dash: Dash, scenario: Scenario, places: Array, turns: Rotation
) -> Series:
    along, up = (take(places, turns, sample_times(scenario)) for _, take in AXES[scenario.name])
    return Series(name=name, x=along, y=up, colour=colour, dash=dash)
