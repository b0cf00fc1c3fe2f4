"""Recovery: are known parameters found again."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray
from scipy.ndimage import uniform_filter1d

from grouser.description import load_course, load_robot
from grouser.identify.families import FAMILIES
from grouser.identify.family import Family, Setting
from grouser.identify.fit import Status
from grouser.identify.fit_family import fit_family
from grouser.identify.record import CHANNELS, Kind, Observation, Record
from grouser.tasks import SERIAL, OnProgress, Task, Workers, run_tasks

Array = NDArray[np.float64]
BELT_PERIOD, CAMERA_PERIOD = 0.02, 1.0 / 30.0
"""Of belt speeds, and of what observes [s]."""
RAMP = 0.3
"""Time in which belts change their speed [s]."""
MANOEUVRES, LONGEST = 45, 2.0
"""How many straights, arcs and turns a drive has, and how long one is at most, both in the middle
[1, s]: what a log tells is told by few of them."""
NOISE = {
    "x": 0.003, "y": 0.003, "yaw": 0.006, "vx": 0.01, "vy": 0.01, "yaw_rate": 0.02,
    "gyro_yaw_rate": 0.01,
}  # fmt: skip
"""Standard deviation of what is observed [unit of the channel]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Troubles:
    """What is wrong with the data."""

    belt_noise: float = 0.02
    """Standard deviation of a belt speed, over the fastest [1]."""
    outliers: float = 0.05
    """Share of observations with gross errors [1]."""
    outlier_size: float = 30.0
    """Gross errors over the usual noise [1]."""
    gap: float = 1.5
    """Length of a gap in the observations [s]."""
    largest_offset: float = 0.2
    """Offset of the clocks at most [s]."""
    gyro_bias: float = 0.01
    """Of a gyroscope, at most [rad/s]."""


def random_drive(
    family: Family,
    values: Array,
    setting: Setting,
    generator: Generator,
    *,
    kind: Kind = "pose",
    duration: float = 90.0,
    troubles: Troubles | None = None,
) -> tuple[Record, float]:
    """Return what sensors saw of a random drive, and the offset of their clocks [s].

    Args:
        family: How the robot moves.
        values: Its true parameters.
        setting: What is known before.
        generator: Of all chance.
        kind: What is observed.
        duration: Of the drive [s].
        troubles: What is wrong with the data.
    """
    troubles = troubles or Troubles()
    fastest = setting.robot.drive.speed_limit * 0.8 if setting.robot else 0.6
    time, left, right = _belts(generator, duration, fastest)
    nothing = Observation(kind="pose", time=time[:1], values=np.zeros((3, 1)))
    truth = Record(name="truth", time=time, left=left, right=right, observation=nothing)
    offset = float(generator.uniform(-1.0, 1.0)) * troubles.largest_offset
    seen = family.predict(values[None], truth, setting)
    names = {"gyro_yaw_rate": "yaw_rate"}
    at = _times(generator, duration, troubles)
    rows = [getattr(seen, names.get(c, c))[0] for c in CHANNELS[kind]]
    observed = np.stack([np.interp(at - offset, time, row) for row in rows])
    _spoil(observed, kind, generator, troubles)
    record = Record(
        name="random drive",
        time=time,
        left=left + generator.normal(0.0, troubles.belt_noise * fastest, time.size),
        right=right + generator.normal(0.0, troubles.belt_noise * fastest, time.size),
        observation=Observation(kind=kind, time=at, values=observed),
    )
    return record, offset


def _belts(generator: Generator, duration: float, fastest: float) -> tuple[Array, Array, Array]:
    """Return times and belt speeds: straights, arcs and turns on the spot, forward and back."""
    time = np.arange(0.0, duration + 0.5 * BELT_PERIOD, BELT_PERIOD)
    sides = np.zeros((2, time.size))
    begin, each = 0, min(duration / MANOEUVRES, LONGEST)
    while begin < time.size:
        end = begin + round(generator.uniform(0.5, 1.5) * each / BELT_PERIOD)
        speed = generator.uniform(0.3, 1.0) * fastest * generator.choice([1.0, 1.0, 1.0, -1.0])
        slower = speed * generator.uniform(0.1, 0.85)
        pairs = ((speed, speed), (-speed, speed), (slower, speed), (speed, slower))
        sides[:, begin:end] = np.array(pairs[int(generator.integers(4))])[:, None]
        begin = end
    smooth = uniform_filter1d(sides, round(RAMP / BELT_PERIOD), axis=1)
    return time, smooth[0], smooth[1]


def _times(generator: Generator, duration: float, troubles: Troubles) -> Array:
    """Return when observations come: not quite regularly, and not at all during a gap."""
    margin = 0.5 + troubles.largest_offset
    times = np.arange(margin, duration - margin, CAMERA_PERIOD)
    times = times + generator.uniform(-0.002, 0.002, times.size)
    begin = generator.uniform(0.1, 0.8) * duration
    return times[(times < begin) | (times > begin + troubles.gap)]


def _spoil(observed: Array, kind: Kind, generator: Generator, troubles: Troubles) -> None:
    """Add noise, gross errors and a bias."""
    wrong = generator.random(observed.shape[1]) < troubles.outliers
    for row, channel in zip(observed, CHANNELS[kind], strict=True):
        row += generator.normal(0.0, NOISE[channel], row.size)
        gross = troubles.outlier_size * NOISE[channel]
        row[wrong] += generator.normal(0.0, gross, int(wrong.sum()))
    if kind == "gyro":
        observed += generator.uniform(-1.0, 1.0) * troubles.gyro_bias


SMALL = "tp100"
"""Robot that simulated families drive: the lightest of the zoo to compute."""
FAST = 0.5
"""Its speed limit here: clocks and friction show in motion, its own 0.3 m/s need longer drives
[m/s]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Recovery:
    """How well one family comes back."""

    family: str
    """Whose parameters."""
    kind: str
    """What was observed."""
    robots: int
    """How many random robots drove."""
    held: dict[str, float]
    """Share of the robots whose interval holds the truth, by parameter [1]."""
    told: dict[str, float]
    """Share of the robots whose log told the parameter at all, by parameter [1]."""
    coverage: float
    """The same over all parameters [1]."""
    errors: dict[str, float]
    """Median error, over half the interval, by parameter [1]."""
    largest_offset_error: float
    """Largest error of the offset of the clocks [s]."""
    unsettled: int
    """Fits that did not come to rest."""


def recover(
    family: str,
    robots: int = 50,
    *,
    kind: Kind = "pose",
    duration: float = 90.0,
    troubles: Troubles | None = None,
    seed: int = 0,
    workers: Workers = SERIAL,
    file: Path | None = None,
    tell: OnProgress = lambda *_: None,
) -> Recovery:
    """Drive random robots, identify each, and count.

    Args:
        family: Whose parameters.
        robots: How many.
        kind: What is observed.
        duration: Of each drive [s].
        troubles: What is wrong with the data; noise, gross errors, a gap and another clock if
            not given.
        seed: Of all chance.
        workers: What runs it.
        file: Where the robots that are done are kept; None for nowhere.
        tell: Is told of each robot that is done.
    """
    given = {
        "family": family,
        "kind": kind,
        "duration": duration,
        "troubles": troubles or Troubles(),
    }
    tasks = [
        Task(
            name=f"{family} from {kind}, {duration:g} s, robot {seed}.{number}",
            function=recover_one,
            arguments=given | {"seed": (seed, number)},
        )
        for number in range(robots)
    ]
    what = "recovered robots"
    found = dict(
        run_tasks(tasks, workers, file=file, what=what, on_progress=tell, is_valid=_is_recovered)
    )
    return _count(family, kind, [found[task.name] for task in tasks])


def _is_recovered(kept: Any) -> bool:
    """Return whether a kept result is what `recover_one` returns."""
    if not isinstance(kept, dict) or not isinstance(kept.get("unsettled"), bool):
        return False
    found = kept.get("parameters")
    return isinstance(found, dict) and all(
        isinstance(row, list) and len(row) == 4 and all(isinstance(n, int | float) for n in row)
        for row in found.values()
    )


def recover_one(
    family: str, kind: Kind, duration: float, troubles: Troubles, seed: tuple[int, int]
) -> dict[str, Any]:
    """Return what one random robot was, and what was found: plain, to be kept.

    Args:
        family: Whose parameters.
        kind: What is observed.
        duration: Of the drive [s].
        troubles: What is wrong with the data.
        seed: Of this robot.
    """
    chosen = FAMILIES[family]
    generator = np.random.default_rng(seed)
    setting = random_setting(family, generator)
    values = np.array(chosen.draw(setting, generator))
    record, offset = random_drive(
        chosen, values, setting, generator, kind=kind, duration=duration, troubles=troubles
    )
    fit = fit_family(chosen, (record,), setting, seed=seed[1])
    names = [p.name for p in chosen.parameters(setting, (record,))]
    truth = dict(zip(names, values.tolist(), strict=True)) | {"time_offset": offset}
    return {
        "unsettled": fit.status == Status.UNSETTLED,
        "parameters": {
            name: [value, found.value, found.low, found.high]
            for name, value in truth.items()
            if (found := fit.parameters.get(name)) is not None
        },
    }


def random_setting(family: str, generator: Generator) -> Setting:
    """Return what is known of a random robot: its gauge, or a whole robot on a slope.

    Friction shows in turns on a slope, so that is where simulated families drive.
    """
    if FAMILIES[family].is_simulated:
        robot = load_robot(SMALL)
        robot = robot.model_copy(
            update={"drive": robot.drive.model_copy(update={"speed_limit": FAST})}
        )
        return Setting(gauge=robot.gauge, robot=robot, course=load_course("slope:angle_deg=10"))
    return Setting(gauge=float(generator.uniform(0.15, 1.2)))


def _count(family: str, kind: str, robots: list[dict[str, Any]]) -> Recovery:
    held: dict[str, list[bool]] = {}
    errors: dict[str, list[float]] = {}
    offsets = [0.0]
    for robot in robots:
        for name, (true, value, low, high) in robot["parameters"].items():
            held.setdefault(name, []).append(low <= true <= high)
            errors.setdefault(name, []).append(abs(value - true) / max(high - value, 1e-12))
            if name == "time_offset":
                offsets.append(abs(value - true))
    everything = [inside for of_name in held.values() for inside in of_name]
    return Recovery(
        family=family,
        kind=kind,
        robots=len(robots),
        held={name: float(np.mean(inside)) for name, inside in held.items()},
        told={name: len(inside) / len(robots) for name, inside in held.items()},
        coverage=float(np.mean(everything)),
        errors={name: float(np.median(error)) for name, error in errors.items()},
        largest_offset_error=max(offsets),
        unsettled=sum(robot["unsettled"] for robot in robots),
    )


__all__ = ["Recovery", "recover"]
