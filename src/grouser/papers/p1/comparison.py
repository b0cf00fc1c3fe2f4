"""P1's models in P1's scenarios, with metrics and figures."""

import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from grouser import limits
from grouser.geometry import Pose
from grouser.models import Command, Plant, make_model
from grouser.papers.p1.reference import Trajectory, load_reference, sample_times
from grouser.papers.p1.scenarios import (
    P1_MODELS,
    SAMPLING,
    SCENARIOS,
    MetricName,
    P1Model,
    P1Scenario,
)
from grouser.papers.variation import AS_STATED, Variation
from grouser.report import Panel, Series
from grouser.report.colours import REFERENCE, line_colour
from grouser.report.panel import Dash
from grouser.scenario.run import Loaded
from grouser.sources import package_source
from grouser.storage import read_file
from grouser.tasks import SERIAL, OnProgress, Task, Workers, content_hash, run_tasks


@dataclass(frozen=True, slots=True, kw_only=True)
class Drive:
    """Poses of a robot at the samples of a scenario."""

    start: Pose
    """Pose before the drive: at rest, or where the robot would rest if nothing slid."""
    positions: NDArray[np.float64]
    """A row per sample [m]."""
    rotations: Rotation
    """One per sample."""
    yaw: float
    """Heading at the end, never wrapped [rad]."""


def measure(scenario: P1Scenario, drive: Drive, reference: Trajectory | None) -> dict[str, float]:
    """Return the metrics of Table I by name, and further ones.

    d_omega is the angle of the rotation between two orientations, from 0 to pi. Further are, for
    sums, the mean per sample (`mean_d_t` [m], `mean_d_omega` [rad]) and the last distance
    (`last_d_t` [m]); for `rotate`, the distance to the start `d_st` and the error of the heading
    that is not wrapped, `d_yaw` [rad]; for all, the largest distance to the start, `reach` [m], and
    the root mean square of the vertical speed between samples, `bump` [m/s].
    """
    gaps = np.linalg.norm(drive.positions - _place(drive.start), axis=1)
    climbs = np.diff(drive.positions[:, 2]) / SAMPLING
    found = {"reach": float(gaps.max()), "bump": float(np.sqrt(np.mean(climbs**2)))}
    for name in scenario.metrics:
        found |= _measure(name, scenario, drive, reference)
    if scenario.target is not None and scenario.target[1]:
        turned = drive.yaw - float(drive.start.yaw)
        found |= {"d_yaw": turned - scenario.target[1], "d_st": _from_start(drive)}
    return found


def _measure(
    name: MetricName, scenario: P1Scenario, drive: Drive, reference: Trajectory | None
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
"""Standard deviation of the start of repeated runs: x, y [m], yaw [rad]; P1's simulator was not
deterministic, ours is."""


GLUE = 10.0
"""Friction at which no robot slides on P1's stairs: with 4 instead, `csm` rests 0.2 mm away [1]."""


def drive_scenario(
    loaded: Loaded, run: int, *, is_from_put_down: bool = False
) -> tuple[Drive, float]:
    """Return the drive and the processor time of its model [s], without start-up, driver and log.

    P1 measured wall time at high priority; processor time does not depend on other processes.

    Args:
        loaded: The scenario.
        run: Number of the repetition; 0 starts exactly where it should, others nearby.
        is_from_put_down: Whether the drive starts where the robot is put down. Models let a robot
            settle before their clock starts, and one that slides meanwhile would go unnoticed.

    Raises:
        NotFinite: A number is no longer finite.
    """
    loaded = _vary_start(loaded, run)
    simulation = loaded.start()
    assert loaded.plan is not None  # all drivers of P1 give commands by themselves
    timed = _TimedPlant(simulation.plant)
    simulation.plant = timed  # type: ignore[assignment]
    with np.errstate(all="ignore"):
        status = simulation.run(loaded.plan.driver, loaded.limit)
    if status == "interrupted":
        raise KeyboardInterrupt
    log = simulation.log()
    every = round(SAMPLING / loaded.tick)
    rows = {name: log[name][::every] for name in ("x", "y", "z", "roll", "pitch", "yaw")}
    poses = Pose(**rows)
    drive = Drive(
        start=_rest_without_sliding(loaded) if is_from_put_down else poses[0],
        positions=np.stack([rows[name][1:] for name in "xyz"], axis=-1),
        rotations=poses.rotation[1:],
        yaw=float(rows["yaw"][-1]),
    )
    return drive, timed.seconds


def _rest_without_sliding(loaded: Loaded) -> Pose:
    """Return where a robot comes to rest that is put down at the start and sticks to the ground."""
    has_grip = loaded.model.name != "frictionless"
    sticky = replace(
        loaded,
        model=loaded.model if has_grip else make_model("csm"),
        course=loaded.course.with_friction(GLUE, GLUE),
    )
    return sticky.start().plant.motion.pose


class _TimedPlant:
    """A plant whose processor time is measured."""

    def __init__(self, plant: Plant) -> None:
        self._plant, self.seconds = plant, 0.0

    def advance(self, command: Command, duration: float) -> None:
        begin = time.process_time()
        self._plant.advance(command, duration)
        self.seconds += time.process_time() - begin

    def __getattr__(self, name: str) -> Any:
        return getattr(self._plant, name)


def _vary_start(loaded: Loaded, run: int) -> Loaded:
    if run == 0:
        return loaded
    seed = (run, loaded.scenario.seed)
    x, y, yaw = np.random.default_rng(seed).normal(scale=JITTER)
    at = loaded.start_pose
    pose = Pose(x=float(at.x) + x, y=float(at.y) + y, yaw=float(at.yaw) + yaw)
    return replace(loaded, start_pose=pose)


@dataclass(frozen=True, slots=True, kw_only=True)
class P1Result:
    """One model in one scenario, once."""

    model: str
    """P1's name of the model."""
    scenario: str
    """Name of the scenario."""
    run: int
    """Number of the repetition."""
    metrics: Mapping[str, float]
    """The metrics by name [m], [rad]."""
    seconds: float
    """Processor time of the drive [s]."""
    reference: str
    """Source of the reference; empty if it was measured against a target."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelComparison:
    """Models, scenarios and repetitions, and where results are kept."""

    models: tuple[P1Model, ...] = tuple(P1_MODELS.values())
    """The models."""
    scenarios: tuple[P1Scenario, ...] = SCENARIOS
    """The scenarios."""
    runs: int = 10
    """Repetitions of each."""
    values: Mapping[str, dict[str, float]] = field(default_factory=dict)
    """Searched values by model; where a model has none, the search's start [1]."""
    references: Path | None = None
    """Folder of recordings; None for the stand-ins."""
    file: Path | None = None
    """File of results that are kept; None for none."""

    def results(
        self, on_progress: OnProgress = lambda *_: None, workers: Workers = SERIAL
    ) -> Iterator[P1Result]:
        """Yield all results; those that the file has are not driven again."""
        tasks = [
            Task(
                name=self._key(model, scenario, run),
                function=_drive_once,
                arguments={"comparison": self, "model": model, "scenario": scenario, "run": run},
            )
            for model in self.models
            for scenario in self.scenarios
            for run in range(self.runs)
        ]
        done = run_tasks(
            tasks, workers, file=self.file, what="results of a comparison",
            on_progress=on_progress, is_valid=_is_result,
        )  # fmt: skip
        for _, kept in done:
            yield P1Result(**kept)

    def in_order(self, results: Iterable[P1Result]) -> list[P1Result]:
        """Return results in the order of models, scenarios and runs."""
        models = [model.name for model in self.models]
        names = [scenario.name for scenario in self.scenarios]
        return sorted(
            results, key=lambda r: (models.index(r.model), names.index(r.scenario), r.run)
        )

    def _values(self, model: P1Model) -> dict[str, float]:
        return model.start | self.values.get(model.name, {})

    def _key(self, model: P1Model, scenario: P1Scenario, run: int) -> str:
        recording = self.references and self.references / f"{scenario.name}.csv"
        is_there = recording is not None and recording.exists()
        digest = read_file(recording, limits.LOG_BYTES).hex() if recording and is_there else ""
        parts = model.reference, self._values(model), scenario.scenario.content_hash, digest
        return f"{model.name}/{scenario.name}/{run}/{content_hash(package_source(), *parts)}"


def _is_result(kept: Any) -> bool:
    """Return whether a kept value has the fields of a result."""
    if not isinstance(kept, dict) or set(kept) != {f.name for f in fields(P1Result)}:
        return False
    texts = [kept[name] for name in ("model", "scenario", "reference")]
    numbers = [kept["run"], kept["seconds"]]
    if not isinstance(kept["metrics"], dict):
        return False
    numbers += kept["metrics"].values()
    known = all(isinstance(number, int | float) for number in numbers)
    return known and all(isinstance(text, str) for text in texts)


def drive_model(
    model: P1Model,
    scenario: P1Scenario,
    values: dict[str, float],
    *,
    run: int = 0,
    references: Path | None = None,
    variation: Variation = AS_STATED,
) -> tuple[P1Result, Drive, Trajectory | None]:
    """Drive a scenario once; return the result, the drive, and its reference."""
    loaded = variation.vary_loaded(model.load(scenario.scenario, values))
    reference = None
    if scenario.needs_reference:
        reference = load_reference(scenario, loaded.robot, loaded.course, references)
    drive, seconds = drive_scenario(loaded, run, is_from_put_down=scenario.is_from_put_down)
    result = P1Result(
        model=model.name,
        scenario=scenario.name,
        run=run,
        metrics=measure(scenario, drive, reference),
        seconds=seconds,
        reference=reference.source if reference else "",
    )
    return result, drive, reference


def _drive_once(
    comparison: ModelComparison, model: P1Model, scenario: P1Scenario, run: int
) -> dict[str, Any]:
    values = comparison._values(model)
    result, *_ = drive_model(model, scenario, values, run=run, references=comparison.references)
    return asdict(result)


COMMANDED = 0.3
"""Speed of the straight drive [m/s]."""
Array = NDArray[np.float64]
Axis = tuple[str, Callable[[Array, Rotation, Array], Array]]
"""Label, and function of positions, rotations and times."""


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
"""What is drawn of each scenario, horizontally and vertically."""


def draw_scenario(
    scenario: P1Scenario, name: str, drive: Drive, reference: Trajectory | None, note: str = ""
) -> Panel:
    """Return the figure of one model in a scenario; figures of several are one on the page."""
    along, up = AXES[scenario.name]
    lines = []
    if reference is not None:
        lines.append(
            _line("stand-in for the robot", REFERENCE, "dashed", scenario,
                  reference.positions, reference.rotations)
        )  # fmt: skip
    number = list(P1_MODELS).index(name)
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
    name: str, colour: str, dash: Dash, scenario: P1Scenario, places: Array, turns: Rotation
) -> Series:
    along, up = (take(places, turns, sample_times(scenario)) for _, take in AXES[scenario.name])
    return Series(name=name, x=along, y=up, colour=colour, dash=dash)
