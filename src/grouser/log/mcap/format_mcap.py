"""A log as MCAP that Foxglove and ros2 bag read."""

import json
from collections.abc import Iterator
from datetime import datetime
from typing import Any
from zlib import crc32

import numpy as np

from grouser.log.log import Log
from grouser.log.mcap.bag import write_bag
from grouser.log.mcap.messages import Messages

PROVENANCE, COLUMNS = "/grouser/provenance", "/grouser/columns"
"""Topics that hold a log exactly: texts at the beginning and the end, and all columns of each row.

The first text has the unit of each column and the provenance, the last one the number of rows and
a checksum: CRC-32 of the rows one after the other, each number eight bytes, little-endian."""
DIAGNOSTICS_PERIOD = 0.1
"""Least time between two messages of diagnostics [s]."""


def format_mcap(log: Log) -> bytes:
    """Return the log as the content of an MCAP file.

    Topics: /tf, /odom, /joint_states, /cmd_vel and /diagnostics as far as the log knows what
    they tell, /imu where it has a gyroscope; and two of our own, which hold the log exactly.

    Raises:
        MissingExtra: rosbags is not installed.
        UnknownName: The log has no time.
    """
    content: list[bytes] = []
    with write_bag(content) as bag:
        stamps = stamp_rows(log)
        messages = Messages(log, bag.types)
        table = np.column_stack([log[name].astype(np.float64) for name in log])
        note = json.dumps({"columns": _units(log), "provenance": log.provenance.to_dict()})
        bag.write(PROVENANCE, int(stamps[0]) if len(stamps) else 0, messages.text(note))
        told = -np.inf
        for row, stamp in enumerate(stamps.tolist()):
            for topic, message in _row(messages, row, stamp, table):
                bag.write(topic, stamp, message)
            if messages.has_diagnostics and log.time[row] >= told + DIAGNOSTICS_PERIOD - 1e-9:
                told = log.time[row]
                bag.write("/diagnostics", stamp, messages.diagnostics(row, stamp))
        end = json.dumps({"rows": len(log), "crc32": crc32(table.tobytes())})
        bag.write(PROVENANCE, int(stamps[-1]) if len(stamps) else 0, messages.text(end))
    return content[0]


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
