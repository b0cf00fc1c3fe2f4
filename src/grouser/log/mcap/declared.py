"""Messages of sensors, laid out by their declarations: one for each sample."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from grouser.errors import InvalidValue
from grouser.log.declaration import Declaration
from grouser.log.log import Log
from grouser.log.mcap.cdr import Layout

HEADER = "std_msgs/msg/Header"
_GYROSCOPE = ("gyro_roll_rate", "gyro_pitch_rate", "gyro_yaw_rate")
_NOT_MEASURED = [-1.0, *[0.0] * 8]  # a covariance, "no estimate" by sensor_msgs/Imu
GYROSCOPE = Declaration(
    topic="imu",
    kind="sensor_msgs/msg/Imu",
    columns={
        f"angular_velocity.{axis}": name for axis, name in zip("xyz", _GYROSCOPE, strict=True)
    },
    constants={
        "orientation.w": 1.0,
        "orientation_covariance": _NOT_MEASURED,
        "linear_acceleration_covariance": _NOT_MEASURED,
    },
)
"""Message of a gyroscope: attitude and acceleration are marked as not measured."""
_KINDS = {
    "bool": "u1", "byte": "u1", "char": "u1", "octet": "u1", "uint8": "u1", "int8": "i1",
    "uint16": "<u2", "int16": "<i2", "uint32": "<u4", "int32": "<i4", "uint64": "<u8",
    "int64": "<i8", "float32": "<f4", "float64": "<f8",
}  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class DeclaredMessage:
    """A message of a sensor, and when there is one."""

    declaration: Declaration
    rate: float | None = None
    """Samples per second; one in each row if None [1/s]."""
    latency: float = 0.0
    """Time from a sample to the row where it is known [s]."""

    def samples(self, log: Log) -> tuple[np.ndarray, np.ndarray]:
        """Return whether each row has a new sample, and how old that is [s]."""
        time = log.time
        if self.rate is None:
            return time >= self.latency - 1e-9, np.full(len(time), self.latency)
        # As a simulation schedules them: sample k is taken at the first tick after k / rate.
        number = np.floor((time - self.latency + 1e-9) * self.rate + 1e-6)
        before = np.concatenate(([-1.0], number[:-1]))
        tick = log.provenance.dt or 0.0
        taken = number / self.rate
        if tick:
            taken = np.ceil(taken / tick - 1e-6) * tick
        return (number > before) & (number >= 0.0), np.maximum(time - taken, self.latency)


def read_declarations(log: Log) -> Iterator[DeclaredMessage]:
    """Yield the messages of the sensors of a log, as far as it has their columns."""
    kept = log.provenance.notes.get("sensors", {})
    found = list(_parse(kept)) if isinstance(kept, Mapping) else []
    if not found and "gyro_yaw_rate" in log:
        found = [DeclaredMessage(declaration=GYROSCOPE)]
    for message in found:
        names = message.declaration.columns.values()
        columns = [c for name in names for c in ((name,) if isinstance(name, str) else name)]
        declared = not message.declaration.array and any(column in log for column in columns)
        if declared:
            yield message


def _parse(kept: Mapping[str, Any]) -> Iterator[DeclaredMessage]:
    for sensor in kept.values():
        if not isinstance(sensor, Mapping):
            continue
        rate, latency = sensor.get("rate"), sensor.get("latency", 0.0)
        for content in sensor.get("messages", ()):
            try:
                declaration = Declaration.from_dict(content)
            except InvalidValue:
                continue  # of a newer version; the columns are in the file all the same
            yield DeclaredMessage(
                declaration=declaration,
                rate=float(rate) if isinstance(rate, int | float) and rate > 0.0 else None,
                latency=float(latency) if isinstance(latency, int | float) else 0.0,
            )


def lay_out(declaration: Declaration, types: Any) -> tuple[Layout, dict[str, tuple[str, ...]]]:
    """Return the layout of a declared message, and the columns of each of its numbers.

    Raises:
        InvalidValue: The message type is not known, or a field is of another kind.
    """
    if declaration.kind not in types.fielddefs:
        required = "be a type of ROS 2, such as sensor_msgs/msg/Imu"
        raise InvalidValue("type of a message", declaration.kind, required)
    layout, numbers = Layout(), dict[str, tuple[str, ...]]()
    _append_fields(layout, numbers, declaration, types, declaration.kind, "")
    return layout, numbers


def _append_fields(
    layout: Layout, numbers: dict[str, tuple[str, ...]], declaration: Declaration, types: Any,
    kind: str, path: str,
) -> None:  # fmt: skip
    if kind == HEADER:
        layout.header(declaration.frame)
        return
    for name, node in types.fielddefs[kind][1]:
        _append(layout, numbers, declaration, types, node, f"{path}.{name}" if path else name)


def _append(
    layout: Layout, numbers: dict[str, tuple[str, ...]], declaration: Declaration, types: Any,
    node: Any, path: str,
) -> None:  # fmt: skip
    (shape, content), constant = node, declaration.constants.get(path)
    columns = declaration.columns.get(path)
    given = (columns,) if isinstance(columns, str) else columns
    match shape.name:
        case "NAME":
            _append_fields(layout, numbers, declaration, types, content, path)
        case "BASE" if content[0] == "string":
            layout.text(str(constant or ""))
        case "BASE" if given:
            numbers[path] = given
            layout.numbers(path, 1, _KINDS[content[0]])
        case "BASE":
            layout.constant(_KINDS[content[0]], constant or 0)
        case _:
            element, count = content
            is_list, values = shape.name == "SEQUENCE", list(constant or ())
            length = len(given or values) if is_list else count
            if is_list:
                layout.constant("<u4", length)
            if given:
                numbers[path] = given
                layout.numbers(path, length, _KINDS[element[1][0]])
            elif length:
                layout.constant(_KINDS[element[1][0]], *(values or [0] * length))


def column_values(log: Log, columns: tuple[str, ...], rows: slice) -> np.ndarray:
    """Return some columns side by side, 0 where there is none."""
    missing = np.zeros(rows.stop - rows.start)
    return np.column_stack([log[name][rows] if name in log else missing for name in columns])
