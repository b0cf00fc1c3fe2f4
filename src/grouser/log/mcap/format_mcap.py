"""A log as MCAP that Foxglove and ros2 bag read."""

import json
from collections.abc import Iterable, Iterator
from datetime import datetime
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from grouser.log.column import Column
from grouser.log.log import Log
from grouser.log.mcap.bag import BagWriter, write_bag_file
from grouser.log.mcap.messages import Messages

PROVENANCE, COLUMNS = "/grouser/provenance", "/grouser/columns"
"""Topics that hold a log exactly: a text at the beginning, and all columns of each row."""
DIAGNOSTICS_PERIOD = 0.1
"""Least time between two messages of diagnostics [s]."""


def write_mcap(blocks: Iterable[Log], path: Path) -> None:
    """Write a log that comes in blocks, at least one, as an MCAP file.

    Topics: /tf, /odom, /joint_states, /cmd_vel and /diagnostics as far as the log knows what
    they tell, /imu where it has a gyroscope; and two of our own, which hold the log exactly.

    Raises:
        OSError: There is no room, or no such place.
        MissingExtra: rosbags is not installed.
        UnknownName: The log has no time.
    """
    with write_bag_file(path) as bag:
        travels: dict[str, float] = {}
        told, previous = -np.inf, None
        for block in blocks:
            # The last row of the block before is there again: belts have run since then.
            log = block if previous is None else _join(previous, block)
            messages, stamps = Messages(log, bag.types, travels), stamp_rows(log)
            if previous is None:
                note = json.dumps({"columns": _units(log), "provenance": log.provenance.to_dict()})
                bag.write(PROVENANCE, int(stamps[0]) if len(stamps) else 0, messages.text(note))
            told = _write_rows(bag, messages, log, stamps, told, since=previous is not None)
            travels = messages.travels_at_end
            previous = _last_row(log)


def _write_rows(
    bag: BagWriter, messages: Messages, log: Log, stamps: np.ndarray, told: float, *, since: bool
) -> float:
    """Write the rows of a block, but not its first if it was written before."""
    table = np.column_stack([log[name].astype(np.float64) for name in log])
    for row, stamp in islice(enumerate(stamps.tolist()), int(since), None):
        for topic, message in _row(messages, row, stamp, table):
            bag.write(topic, stamp, message)
        if messages.has_diagnostics and log.time[row] >= told + DIAGNOSTICS_PERIOD - 1e-9:
            told = log.time[row]
            bag.write("/diagnostics", stamp, messages.diagnostics(row, stamp))
    return told


def _last_row(log: Log) -> Log | None:
    columns = {name: Column(c.values[-1:], c.unit) for name, c in log.columns.items()}
    return Log(columns, log.provenance) if len(log) else None


def _join(first: Log, second: Log) -> Log:
    columns = {
        name: Column(np.concatenate((first[name], column.values)), column.unit)
        for name, column in second.columns.items()
    }
    return Log(columns, second.provenance)


def stamp_rows(log: Log) -> np.ndarray:
    """Return when each row was, by the clock of ROS: since 1970, if the log tells when it began.

    Returns:
        Whole nanoseconds [ns].
    """
    created = log.provenance.created
    begin = round(datetime.fromisoformat(created).timestamp() * 1e9) if created else 0
    since = np.round(np.nan_to_num(log.time) * 1e9).astype(np.int64)
    return begin + since


def _units(log: Log) -> dict[str, str]:
    return {name: log.unit(name) for name in log}


def _row(messages: Messages, row: int, stamp: int, table: np.ndarray) -> Iterator[tuple[str, Any]]:
    yield COLUMNS, messages.numbers(table[row])
    if messages.has_pose:
        yield "/tf", messages.transform(row, stamp)
        yield "/odom", messages.odometry(row, stamp)
    if messages.joints:
        yield "/joint_states", messages.joint_state(row, stamp)
    if messages.has_command:
        yield "/cmd_vel", messages.twist(row)
    if messages.has_gyroscope:
        yield "/imu", messages.imu(row, stamp)
