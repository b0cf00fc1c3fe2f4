"""Slip of a robot from its belts and a track of where it was, such as that of a camera."""

from grouser.description import Robot
from grouser.identify.families import FAMILIES
from grouser.identify.family import Setting
from grouser.identify.fit import Fit
from grouser.identify.fit_family import fit_family
from grouser.identify.read_record import read_record
from grouser.log import Log

LONG = 10.0
"""Time of a drive from which on the offset of the clocks is found, too [s]."""


def fit_slip(log: Log, track: Log, robot: Robot, *, finds_offset: bool | None = None) -> Fit:
    """Return slip ratios and slip angles with which odometry follows a track, family `slip`.

    The equivalent wheelbase is taken from the robot, and so is the slope's part. Encoders go before
    belt speeds that only a simulation knows, so that intervals hold the steps that they count in.
    A short drive is taken to have the clock of the track.

    Args:
        log: Time and what belts did.
        track: Time, x, y and yaw.
        robot: Whose wheelbase.
        finds_offset: Whether the clocks may differ; in long drives alone if not given.

    Raises:
        InvalidLog: Belts of a side or poses are missing.
        InvalidValue: The two overlap in too few pictures.
    """
    if any(column.startswith("belt_speed_measured.") for column in log):
        kept = {n: c for n, c in log.columns.items() if not n.startswith("belt_speed.")}
        log = Log(kept, log.provenance)
    record = read_record(log, "log", robot, kind="pose", observed=track)
    known = {"width", "slope_coefficient"}
    if not (record.duration >= LONG if finds_offset is None else finds_offset):
        known.add("time_offset")
    setting = Setting(gauge=robot.gauge, robot=robot)
    return fit_family(FAMILIES["slip"], (record,), setting, known=known, holds_out=False)
