"""Bags of ROS 2 messages: ours, those of robots, damaged byte by byte and record by record."""

import random
import struct
import tempfile
from functools import cache
from pathlib import Path

import numpy as np
from rosbags.rosbag2 import StoragePlugin

from grouser.log import Log, read_foreign
from grouser.log.mcap.records import CHUNK, DATA_END, FOOTER, HEADER, MAGIC, unpack_chunk
from tests.fuzz.target import Target, write_input
from tests.fuzz.targets.logs import NUMBERS, check_log, files, logs, read_as, read_damaged, seeds
from tests.log.reference_bag import Messages, write_bag
from tests.log.test_rosbag import write_bag as write_rosbag

MAP = {
    "time": {"column": "/odometry/wheel.stamp", "unit": "s"},
    "x": {"column": "/odometry/wheel.pose.pose.position.x", "unit": "m"},
    "yaw": {"column": "/odometry/wheel.pose.pose.orientation.yaw", "unit": "rad"},
    "belt_speed.left": {"column": "/joint_states.velocity[left_wheel]", "unit": "m/s"},
}
_HEAD = struct.Struct("<BQ")


def _foreign_bag() -> bytes:
    """A bag as robots write it: odometry, wheels and a gyroscope at their own times."""
    log = logs()[0]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "log.mcap"
        with write_bag(path) as writer:
            kinds, messages = writer.types.types, Messages(log, writer.types)
            for row, time in enumerate(log.time):
                stamp = round(1e9 * (100.0 + time))
                writer.write("/odometry/wheel", stamp + 5, messages.odometry(row, stamp))
                state = kinds["sensor_msgs/msg/JointState"](
                    header=messages.odometry(row, stamp + 1_000_000).header,
                    name=["left_wheel", "right_wheel"],
                    velocity=np.array([10.0 * time, 20.0]),
                    position=np.empty(0),
                    effort=np.empty(0),
                )
                writer.write("/joint_states", stamp, state)
                writer.write("/imu/data", stamp, messages.imu(row, stamp))
        return path.read_bytes()


def _split(bag: bytes) -> list[tuple[int, bytes]]:
    """Return kind and content of the records of a whole bag."""
    found, place = [], len(MAGIC)
    while place < len(bag) - len(MAGIC):
        kind, size = _HEAD.unpack_from(bag, place)
        place += _HEAD.size + size
        found.append((kind, bag[place - size : place]))
    return found


def _unpack(bag: bytes) -> bytes:
    """Return a bag without chunks and summary, so that damage reaches the messages themselves."""
    records = _split(bag)
    out = MAGIC + b"".join(
        unpack_chunk(content) if kind == CHUNK else _HEAD.pack(kind, len(content)) + content
        for kind, content in records
        if kind in (HEADER, CHUNK)
    )
    out += _HEAD.pack(DATA_END, 4) + bytes(4) + _HEAD.pack(FOOTER, 20) + bytes(20)
    return out + MAGIC


@cache
def _bags() -> tuple[bytes, ...]:
    packed = (*files(".mcap"), _foreign_bag())
    return packed + tuple(_unpack(bag) for bag in packed)


def _read(content: bytes, folder: Path) -> Log:
    if b"/odometry/wheel" in content and len(content) % 2:
        return read_foreign(write_input(folder, ".mcap", content), MAP)
    return read_as(".mcap")(content, folder)


def _read_damaged_records(content: bytes, folder: Path) -> Log | None:
    """Read a bag of which some records were changed as such."""
    chance = random.Random(content)
    records = _split(chance.choice(_bags()))
    chosen = {chance.randrange(len(records)) for _ in range(chance.choice((1, 1, 2, 4)))}
    chosen |= {i for i, (kind, _) in enumerate(records) if kind == CHUNK and chance.random() < 0.3}
    damaged = b"".join(
        _damage(kind, body, chance) if i in chosen else _HEAD.pack(kind, len(body)) + body
        for i, (kind, body) in enumerate(records)
    )
    return read_damaged(_read, MAGIC + damaged + MAGIC, folder)


def _damage(kind: int, content: bytes, chance: random.Random) -> bytes:
    """Return a record with another length, kind, number, checksum, name or byte."""
    size = len(content)
    match chance.randrange(6):
        case 0:
            return _HEAD.pack(kind, chance.choice((*NUMBERS, size + 1)) % 2**64) + content
        case 1:
            return _HEAD.pack(chance.choice((*range(17), 127, 128, 255)), size) + content
        case 2:
            content = b""
        case 3:
            width = chance.choice((2, 4, 8))
            start = chance.randrange(max(1, min(size, 64)))
            new = (chance.choice(NUMBERS) % 256**width).to_bytes(width, "little")
            content = content[:start] + new + content[start + width :]
        case 4:
            for old in (b"zstd", b"ros2msg", b"cdr", b"ros2", b"std_msgs", b"float64"):
                new = chance.choice((b"lz4\0", b"none", b"\xff" * 4, b"", b"class", b"ros2idl"))
                content = content.replace(old, new, 1) if chance.random() < 0.5 else content
            content = content.replace(b"/wheel", chance.choice((b".wheel", b"/whe.l", b"/wheel")))
        case _:
            start = chance.randrange(max(1, size))
            content = content[:start] + chance.randbytes(1) + content[start + 1 :]
    return _HEAD.pack(kind, len(content)) + content


@cache
def _rosbag(suffix: str) -> bytes:
    """Return a bag of ROS 1, or the database of one of ROS 2."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "drive.bag"
        if suffix == ".bag":
            return write_rosbag(path, None).read_bytes()
        write_rosbag(path, StoragePlugin.SQLITE3)
        return next(path.glob("*.db3")).read_bytes()


TARGETS = [
    *(
        Target(
            name=f"bag {suffix}",
            samples=lambda suffix=suffix: [_rosbag(suffix)],
            attempt=read_as(suffix),
            check=check_log,
            is_text=False,
        )
        for suffix in (".db3", ".bag")
    ),
    Target(
        name="MCAP bag",
        samples=lambda: list(_bags()),
        attempt=_read,
        check=check_log,
        is_text=False,
    ),
    Target(
        name="MCAP records",
        samples=seeds,
        attempt=_read_damaged_records,
        check=check_log,
        is_text=False,
    ),
]
