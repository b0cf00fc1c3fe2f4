"""A drive in short pieces with known centres of rotation, as logged by a calibration drive."""

import numpy as np

from grouser.identify import FAMILIES, Identification, KnownRobot, identify_records, read_record
from grouser.identify.record import Observation, Record
from grouser.log import Column, Log

ROBOT = KnownRobot(gauge=0.4)
CENTRES = np.array([0.35, -0.3, 0.02])  # left_y, right_y, x
PERIOD = 0.05
SPEEDS = (
    (0.4, 0.4), (-0.3, -0.3), (0.2, 0.5), (0.5, 0.2), (-0.3, 0.3), (0.35, -0.35), (-0.2, -0.4),
    (0.0, 0.3),
)  # fmt: skip
"""Left and right belt of the pieces, in turn [m/s]."""


def log_of_pieces(
    pieces: int = 32,
    noise: float = 0.004,
    speeds=SPEEDS,
    family: str = "icr",
    values=CENTRES,
    rows: int = 40,
) -> Log:
    """Return a log of pieces of some rows, two pieces to a group."""
    generator = np.random.default_rng(0)
    time = PERIOD * np.arange(rows)
    empty = Observation(kind="pose", time=time[:1], values=np.zeros((3, 1)))
    parts = []
    for number in range(pieces):
        ends = np.array(speeds[number % len(speeds)])[:, None]
        left, right = ends * np.minimum(1.0, 0.4 + time / 0.5) * generator.uniform(0.6, 1.4)
        truth = Record(name="truth", time=time, left=left, right=right, observation=empty)
        seen = FAMILIES[family].predict(values[None], truth, ROBOT)
        poses = np.stack([getattr(seen, name)[0] for name in ("x", "y", "yaw")])
        poses += generator.normal(0.0, 1.0, poses.shape) * noise
        numbers = (np.full(rows, float(number)), np.full(rows, float(number // 2)))
        parts.append([time + 10.0 * number, *numbers, left, right, *poses])
    names = (("time", "s"), ("piece", "1"), ("group", "1"), ("belt_speed.left", "m/s"),
             ("belt_speed.right", "m/s"), ("x", "m"), ("y", "m"), ("yaw", "rad"))  # fmt: skip
    columns = np.concatenate([np.array(part) for part in parts], axis=1)
    return Log({n: Column(v, u) for (n, u), v in zip(names, columns, strict=True)})


def record_of_pieces(**given) -> Record:
    """Return the record of such a log."""
    return read_record(log_of_pieces(**given), "pieces", None, ROBOT.gauge)


def identify_pieces(families=("ideal", "icr", "slip"), **given) -> Identification:
    """Return the fits of some families to such a log."""
    return identify_records([record_of_pieces(**given)], ROBOT, families)
