"""Estimators: numbers of logs that were changed go all the way to parameters.

Nonsense is an estimate that is no number or has an interval without width, one that no robot has,
and a family that is recommended though nothing was predicted.
"""

import tempfile
import warnings
from pathlib import Path
from typing import Any

import numpy as np

from grouser.control import STATE_NAMES
from grouser.description import load_robot
from grouser.hil.board_session import BoardSession
from grouser.hil.calibrate import Bench, Calibration, measure_encoder
from grouser.hil.messages import State
from grouser.identify import (
    FAMILIES,
    Identification,
    KnownRobot,
    Observation,
    Record,
    identify_records,
    read_record,
)
from grouser.identify.fusion import SLIP_RANGE, Fusion, fuse_logs
from grouser.log import Column, Log, read_log, write_log
from grouser.models import effective_width
from tests.fuzz.target import Target, require, write_input

ROBOT = load_robot("tp100")
PERIOD, LEGS = 0.2, ((0.2, 0.2), (0.1, 0.2), (0.2, 0.1), (-0.1, 0.15), (0.15, 0.15), (0.1, 0.2))
COUNT = 1000
"""Counts of an encoder in one turn."""


def _drive(noise: float) -> bytes:
    """Return a short log with belts and poses, as a CSV file."""
    belts = np.repeat(np.array(LEGS).T, 10, axis=1)
    time = PERIOD * np.arange(belts.shape[1])
    empty = Observation(kind="pose", time=time[:1], values=np.zeros((3, 1)))
    record = Record(name="", time=time, left=belts[0], right=belts[1], observation=empty)
    slip = np.array([[0.1, 0.12, 0.0, 0.0, effective_width(ROBOT)]])
    moved = FAMILIES["slip"].predict(slip, record, KnownRobot(gauge=ROBOT.gauge))
    chance = np.random.default_rng(1)
    columns = {"time": Column(time, "s")}
    columns |= {
        f"belt_speed.{d.name}": Column(getattr(record, d.side), "m/s") for d in ROBOT.drives
    }
    for name, unit in (("x", "m"), ("y", "m"), ("yaw", "rad")):
        values = getattr(moved, name)[0] + noise * chance.normal(size=time.size)
        columns[name] = Column(np.round(values, 5), unit)
    with tempfile.TemporaryDirectory() as folder:
        write_log(Log(columns), Path(folder) / "drive.csv")
        return (Path(folder) / "drive.csv").read_bytes()


def _fit(content: bytes, folder: Path) -> Identification:
    path = write_input(folder, ".csv", content)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        record = read_record(read_log(path), str(path), gauge=ROBOT.gauge)
        return identify_records([record], KnownRobot(gauge=ROBOT.gauge), ("icr", "slip"))


def _check_fit(found: Identification) -> None:
    for fit in found.fits.values():
        for e in fit.parameters.values():
            numbers = np.array([e.low, e.value, e.high])
            require(bool(np.isfinite(numbers).all()), f"{fit.family}: {e}")
            require(e.low <= e.value <= e.high and e.low < e.high, f"{fit.family}: {e}")
            if e.name in ("slip_left", "slip_right"):
                require(SLIP_RANGE[0] <= e.value <= SLIP_RANGE[1], f"{fit.family}: {e}")
    if name := found.recommendation.family:
        require(bool(np.isfinite(found.fits[name].hold_out.score)), f"{name} without a score")
        require(not found.fits[name].doubts, f"{name}: {found.fits[name].doubts}")
    require("nan" not in found.recommendation.sentence, found.recommendation.sentence)


def _fuse(content: bytes, folder: Path) -> Fusion:
    path = write_input(folder, ".csv", content)
    log = read_log(path)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return fuse_logs(log, log, ROBOT, offset=None, origins=(str(path), str(path)))


def _check_fusion(found: Fusion) -> None:
    require(found.rejected <= max(1.0, 0.2 * found.sightings), f"{found.rejected} rejected")
    for name in STATE_NAMES:
        value, deviation = found.log[f"fused.{name}"], found.log[f"fused.{name}_deviation"]
        require(bool(np.isfinite(value).all() and np.isfinite(deviation).all()), name)
    require(bool(found.note) != (found.found is not None), "an offset without a word")


class _Session(BoardSession):
    """A board whose belts ran a metre by its counts."""

    def __init__(self) -> None:
        self._count = 0

    @property
    def name(self) -> str:
        return "board"

    @property
    def counts_per_revolution(self) -> int:
        return COUNT

    def arm(self) -> None:
        pass

    def watch(self, seconds: float) -> list[State]:
        return [self._state()]

    def drive(self, seconds: float, left: float, right: float, **how: Any) -> list[State]:
        self._count = 6600
        return [self._state()]

    def _state(self) -> State:
        numbers = dict.fromkeys(State.__dataclass_fields__, 0)
        return State(**{**numbers, "encoder_left": self._count, "encoder_right": self._count})


def _measure(content: bytes, folder: Path) -> Calibration:
    text = content.decode("utf-8", "replace")
    bench = Bench(robot="tp100", port=None, board="python", seed=0, arm=False, measured=text)
    return measure_encoder(_Session(), ROBOT, bench.read_tape)


def _check_scale(found: Calibration) -> None:
    for item in found.items:
        numbers = np.array([item.after, item.deviation], dtype=float)
        require(bool(np.isfinite(numbers).all() and np.all(numbers > 0.0)), f"{item}")
        require(0.5 <= numbers[0] <= 1.5, f"{item}")


TARGETS = [
    Target(
        name="record to fit",
        samples=lambda: [_drive(0.0008), _drive(0.0)],
        attempt=_fit,
        check=_check_fit,
        names_file=False,
        words=("nan", "inf", "0", "-1", "1e300", "1e-300"),
    ),
    Target(
        name="fuse",
        samples=lambda: [_drive(0.0008)],
        attempt=_fuse,
        check=_check_fusion,
        words=("nan", "inf", "0", "-1", "1e300", "1e-300"),
    ),
    Target(
        name="calibration tape",
        samples=lambda: [b"1.0", b"0.98,0.97"],
        attempt=_measure,
        check=_check_scale,
        names_file=False,
        words=(",", "nan", "inf", "0", "-1", "m"),
    ),
]
