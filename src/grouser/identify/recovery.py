"""Recovery test: identify random robots with known parameters, and count correct intervals."""

from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.random import Generator
from scipy.ndimage import uniform_filter1d

from grouser.description import load_course, load_robot
from grouser.geometry import Array, rotate
from grouser.identify.choice import block_errors, compare_errors
from grouser.identify.families import FAMILIES
from grouser.identify.family import Family, KnownRobot
from grouser.identify.fit import Status
from grouser.identify.fit_family import fit_family
from grouser.identify.identify import Identification, identify_records
from grouser.identify.record import CHANNELS, Kind, Observation, Record
from grouser.tasks import SERIAL, OnProgress, Task, Workers, run_tasks

BELT_PERIOD, CAMERA_PERIOD = 0.02, 1.0 / 30.0
"""Sampling periods of belt speeds and of observations [s]."""
RAMP_TIME = 0.3
"""Time of a change of belt speed [s]."""
MANOEUVRES, MAX_MANOEUVRE_TIME = 45, 2.0
"""Mean number of straights, arcs and turns of a drive, and the largest mean time of one [1, s]."""
NOISE = {
    "x": 0.003, "y": 0.003, "yaw": 0.006, "vx": 0.01, "vy": 0.01, "yaw_rate": 0.02,
    "gyro_yaw_rate": 0.01,
}  # fmt: skip
"""Standard deviation of observations [unit of the channel]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SensorFaults:
    """Noise and faults of simulated sensors."""

    belt_noise: float = 0.02
    """Standard deviation of a belt speed, over the fastest [1]."""
    outliers: float = 0.05
    """Share of outliers among the observations [1]."""
    outlier_size: float = 30.0
    """Standard deviation of outliers over that of the noise [1]."""
    gap: float = 1.5
    """Length of a gap in the observations [s]."""
    largest_offset: float = 0.2
    """Largest clock offset [s]."""
    gyro_bias: float = 0.01
    """Largest gyroscope bias [rad/s]."""


def random_drive(
    family: Family,
    values: Array,
    known_robot: KnownRobot,
    generator: Generator,
    *,
    kind: Kind = "pose",
    duration: float = 90.0,
    faults: SensorFaults | None = None,
) -> tuple[Record, float]:
    """Return the record of a random drive of a duration [s], and its clock offset [s]."""
    faults = faults or SensorFaults()
    fastest = known_robot.robot.drive.speed_limit * 0.8 if known_robot.robot else 0.6
    time, left, right = _belts(generator, duration, fastest)
    nothing = Observation(kind="pose", time=time[:1], values=np.zeros((3, 1)))
    truth = Record(name="truth", time=time, left=left, right=right, observation=nothing)
    offset = float(generator.uniform(-1.0, 1.0)) * faults.largest_offset
    seen = family.predict(values[None], truth, known_robot)
    names = {"gyro_yaw_rate": "yaw_rate"}
    at = _times(generator, duration, faults)
    rows = [getattr(seen, names.get(c, c))[0] for c in CHANNELS[kind]]
    observed = np.stack([np.interp(at - offset, time, row) for row in rows])
    _add_faults(observed, kind, generator, faults)
    record = Record(
        name="random drive",
        time=time,
        left=left + generator.normal(0.0, faults.belt_noise * fastest, time.size),
        right=right + generator.normal(0.0, faults.belt_noise * fastest, time.size),
        observation=Observation(kind=kind, time=at, values=observed),
    )
    return record, offset


def _belts(generator: Generator, duration: float, fastest: float) -> tuple[Array, Array, Array]:
    """Return times and belt speeds of random straights, arcs and turns on the spot."""
    time = np.arange(0.0, duration + 0.5 * BELT_PERIOD, BELT_PERIOD)
    sides = np.zeros((2, time.size))
    begin, each = 0, min(duration / MANOEUVRES, MAX_MANOEUVRE_TIME)
    while begin < time.size:
        end = begin + round(generator.uniform(0.5, 1.5) * each / BELT_PERIOD)
        speed = generator.uniform(0.3, 1.0) * fastest * generator.choice([1.0, 1.0, 1.0, -1.0])
        slower = speed * generator.uniform(0.1, 0.85)
        pairs = ((speed, speed), (-speed, speed), (slower, speed), (speed, slower))
        sides[:, begin:end] = np.array(pairs[int(generator.integers(4))])[:, None]
        begin = end
    smooth = uniform_filter1d(sides, round(RAMP_TIME / BELT_PERIOD), axis=1)
    return time, smooth[0], smooth[1]


def _times(generator: Generator, duration: float, faults: SensorFaults) -> Array:
    """Return the times of observation, with jitter and a gap."""
    margin = 0.5 + faults.largest_offset
    times = np.arange(margin, duration - margin, CAMERA_PERIOD)
    times = times + generator.uniform(-0.002, 0.002, times.size)
    begin = generator.uniform(0.1, 0.8) * duration
    return times[(times < begin) | (times > begin + faults.gap)]


def _add_faults(observed: Array, kind: Kind, generator: Generator, faults: SensorFaults) -> None:
    """Add noise, outliers and a bias."""
    wrong = generator.random(observed.shape[1]) < faults.outliers
    for row, channel in zip(observed, CHANNELS[kind], strict=True):
        row += generator.normal(0.0, NOISE[channel], row.size)
        gross = faults.outlier_size * NOISE[channel]
        row[wrong] += generator.normal(0.0, gross, int(wrong.sum()))
    if kind == "gyro":
        observed += generator.uniform(-1.0, 1.0) * faults.gyro_bias


def cut_drive(record: Record, length: float, *, keeps_frame: bool = False) -> list[Record]:
    """Return a drive as records of a length [s], with times and, by default, poses of their own.

    A simulation on a slope needs poses in the frame of the world.
    """
    seen, found = record.observation, []
    count = max(int(record.duration / length + 1e-6), 1)
    for number in range(count):
        begin = record.time[0] + number * length
        belts = (record.time >= begin - 1e-9) & (record.time < begin + length - 1e-9)
        poses = (seen.time >= begin - 1e-9) & (seen.time < begin + length - 1e-9)
        values = seen.values[:, poses].copy()
        if seen.kind == "pose" and values.size and not keeps_frame:
            x, y = rotate(values[0] - values[0, 0], values[1] - values[1, 0], -values[2, 0])
            values = np.stack([np.asarray(x), np.asarray(y), values[2] - values[2, 0]])
        found.append(
            replace(
                record, name=f"piece {number}", time=record.time[belts] - begin,
                left=record.left[belts], right=record.right[belts],
                observation=replace(seen, time=seen.time[poses] - begin, values=values),
            )
        )  # fmt: skip
    return [piece for piece in found if piece.time.size > 1 and piece.observation.time.size > 1]


SIMULATED_ROBOT = "tp100"
"""Robot of simulated families, the fastest one to simulate."""
SIMULATED_SPEED_LIMIT = 0.5
"""Its speed limit, raised from 0.3 m/s so that shorter drives identify clocks and friction
[m/s]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Recovery:
    """How well the parameters of one family are recovered."""

    family: str
    kind: str
    duration: float
    """Time driven [s]."""
    piece: float
    """Length of the pieces that the drive was cut into; 0 if it was not cut [s]."""
    robots: int
    covered: dict[str, float]
    """Share of the intervals that contain the true value, by parameter [1]."""
    identified: dict[str, float]
    """Share of the robots whose log identifies the parameter, by parameter [1]."""
    coverage: float
    """Share of the intervals that contain the true value, over all parameters [1]."""
    errors: dict[str, float]
    """Median error over half the interval, by parameter [1]."""
    largest_offset_error: float
    """Largest error of the clock offset [s]."""
    not_converged: int
    recommended: dict[str, int]
    """How often each family was recommended; empty if no others were fitted."""
    wrong: int
    """How often a family was recommended whose error is not within the limits of the truth's."""


def recover(
    family: str,
    robots: int = 50,
    *,
    kind: Kind = "pose",
    duration: float = 90.0,
    piece: float = 0.0,
    chooses: bool = False,
    faults: SensorFaults | None = None,
    seed: int = 0,
    workers: Workers = SERIAL,
    file: Path | None = None,
    tell: OnProgress = lambda *_: None,
) -> Recovery:
    """Drive random robots for a duration [s] each, identify them, and compare with the truth.

    The drives are cut into pieces of a length [s] if that is not 0; `chooses` fits all kinematic
    families, and counts what is recommended.
    """
    given = {
        "family": family,
        "kind": kind,
        "duration": duration,
        "faults": faults or SensorFaults(),
        "piece": piece,
        "chooses": chooses,
    }
    cut = f" in pieces of {piece:g} s" if piece else ""
    cut += ", choice" if chooses else ""
    tasks = [
        Task(
            name=f"{family} from {kind}, {duration:g} s{cut}, robot {seed}.{number}",
            function=recover_one,
            arguments=given | {"seed": (seed, number)},
        )
        for number in range(robots)
    ]
    what = "recovered robots"
    found = dict(
        run_tasks(tasks, workers, file=file, what=what, on_progress=tell, is_valid=_is_recovered)
    )
    robots_found = [found[task.name] for task in tasks]
    return _count(robots_found, family=family, kind=kind, duration=duration, piece=piece)


def _is_recovered(kept: Any) -> bool:
    """Return whether a stored result has the form that `recover_one` returns."""
    if not isinstance(kept, dict) or not isinstance(kept.get("not_converged"), bool):
        return False
    found = kept.get("parameters")
    return isinstance(found, dict) and all(
        isinstance(row, list) and len(row) == 4 and all(isinstance(n, int | float) for n in row)
        for row in found.values()
    )


def recover_one(
    family: str,
    kind: Kind,
    duration: float,
    faults: SensorFaults,
    seed: tuple[int, int],
    piece: float = 0.0,
    chooses: bool = False,
) -> dict[str, Any]:
    """Return true value, estimate and interval of one random robot as plain JSON values."""
    chosen = FAMILIES[family]
    generator = np.random.default_rng(seed)
    known_robot = random_known_robot(family, generator)
    values = np.array(chosen.draw(known_robot, generator))
    record, offset = random_drive(
        chosen, values, known_robot, generator, kind=kind, duration=duration, faults=faults
    )
    records = [record]
    if piece:
        records = cut_drive(record, piece, keeps_frame=chosen.is_simulated)
    choice: dict[str, Any] = {}
    if chooses:
        found = identify_records(records, known_robot)
        fit, choice = found.fits[family], _choice(found, family)
    else:
        fit = fit_family(chosen, records, known_robot, seed=seed[1], holds_out=False)
    names = [p.name for p in chosen.parameters(known_robot, (record,))]
    truth = dict(zip(names, values.tolist(), strict=True)) | {"time_offset": offset}
    return {
        "not_converged": fit.status == Status.NOT_CONVERGED,
        **choice,
        "parameters": {
            name: [value, found.value, found.low, found.high]
            for name, value in truth.items()
            if (found := fit.parameters.get(name)) is not None
        },
    }


def _choice(found: Identification, truth: str) -> dict[str, Any]:
    """Return what was recommended, and whether it is the truth or as good within 90 % limits."""
    name, best = found.recommendation.family, found.recommendation.best
    tables = {n: block_errors(found.fits[n]) for n in {name, truth} if n}
    if not name:
        return {"recommended": "", "right": True}
    excess = compare_errors(tables[name], tables[truth])
    return {
        "recommended": name,
        "best": best,
        "right": name == truth or excess.excess_low <= 0.0,
        "excess": [excess.excess, excess.excess_low, excess.excess_high],
    }


def random_known_robot(family: str, generator: Generator) -> KnownRobot:
    """Return what is known of a random robot: its gauge, or a whole robot on a slope.

    Friction shows in turns on a slope, so that is where simulated families drive.
    """
    if FAMILIES[family].is_simulated:
        robot = load_robot(SIMULATED_ROBOT)
        robot = robot.model_copy(
            update={"drive": robot.drive.model_copy(update={"speed_limit": SIMULATED_SPEED_LIMIT})}
        )
        return KnownRobot(gauge=robot.gauge, robot=robot, course=load_course("slope:angle_deg=10"))
    return KnownRobot(gauge=float(generator.uniform(0.15, 1.2)))


def _count(robots: list[dict[str, Any]], **given: Any) -> Recovery:
    covered: dict[str, list[bool]] = {}
    errors: dict[str, list[float]] = {}
    offsets = [0.0]
    for robot in robots:
        for name, (true, value, low, high) in robot["parameters"].items():
            covered.setdefault(name, []).append(low <= true <= high)
            errors.setdefault(name, []).append(abs(value - true) / max(high - value, 1e-12))
            if name == "time_offset":
                offsets.append(abs(value - true))
    everything = [inside for of_name in covered.values() for inside in of_name]
    return Recovery(
        **given,
        robots=len(robots),
        covered={name: float(np.mean(inside)) for name, inside in covered.items()},
        identified={name: len(inside) / len(robots) for name, inside in covered.items()},
        coverage=float(np.mean(everything)) if everything else 1.0,
        errors={name: float(np.median(error)) for name, error in errors.items()},
        largest_offset_error=max(offsets),
        not_converged=sum(robot["not_converged"] for robot in robots),
        recommended=dict(Counter(r["recommended"] for r in robots if "recommended" in r)),
        wrong=sum(not robot.get("right", True) for robot in robots),
    )


__all__ = ["Recovery", "recover"]
