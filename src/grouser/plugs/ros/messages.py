"""Measurements as ROS 2 messages, by the declarations of sensors: no sensor is named here.

A declaration has the type of a message and the column, constant or array of each of its fields, by
dotted paths. A sensor that is new needs no change here.
"""

import array
import math
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from importlib import import_module
from typing import Any

import numpy as np

from grouser.errors import GrouserError, UnknownName
from grouser.log.declaration import Declaration
from grouser.simulation.sensors import Sample

_CODES = {
    "float": "f", "double": "d", "int8": "b", "uint8": "B", "octet": "B", "int16": "h",
    "uint16": "H", "int32": "i", "uint32": "I", "int64": "q", "uint64": "Q",
}  # fmt: skip
_NANOSECONDS = 1_000_000_000


@cache
def find_message_class(kind: str) -> Any:
    """Return the class of a message type such as `sensor_msgs/msg/Imu`.

    Types are looked up when they are needed: this module can be imported without ROS 2.

    Raises:
        GrouserError: The package of the type is not installed, or has no such type.
    """
    package, _, name = kind.replace("/msg/", "/").partition("/")
    try:
        return getattr(import_module(f"{package}.msg"), name)
    except (ImportError, AttributeError):
        raise GrouserError(
            f"message type {kind!r} needs the ROS 2 package {package!r}, which is not installed; "
            f"install it with: pip install ros-jazzy-{package.replace('_', '-')} (or ros-kilted-…)"
        ) from None


def split_time(seconds: float) -> tuple[int, int]:
    """Return a time as whole seconds and nanoseconds."""
    return divmod(round(seconds * 1e9), _NANOSECONDS)


def set_stamp(stamp: Any, seconds: float) -> None:
    """Set a builtin_interfaces/Time [s]."""
    stamp.sec, stamp.nanosec = split_time(seconds)


class MessageMaker:
    """Makes the messages of one declaration."""

    def __init__(
        self, declaration: Declaration, columns: Sequence[str], frame: Callable[[str], str] = str
    ) -> None:
        """Prepare.

        Args:
            declaration: Type and fields.
            columns: Names of the sensor's columns, in the order of a sample's values.
            frame: Returns the name of a frame as it is on /tf.

        Raises:
            GrouserError: The type is not installed.
            UnknownName: The type has no such field, or the sensor no such column.
        """
        self.declaration, self.kind = declaration, find_message_class(declaration.kind)
        """The declaration, and the class of the messages."""
        self._places = {name: place for place, name in enumerate(columns)}
        self._frame, self._fields = frame(declaration.frame), self.kind.get_fields_and_field_types()
        self._constants = {
            path: convert(self._leaf_type(path), value)
            for path, value in declaration.constants.items()
        }
        self._columns = [
            (path, self._leaf_type(path), self._places_of(names))
            for path, names in declaration.columns.items()
        ]
        self._array = self._leaf_type(declaration.array) if declaration.array else ""

    def make(self, sample: Sample) -> Any:
        """Return the message of a sample."""
        message = self.kind()
        if "header" in self._fields:
            message.header.frame_id = self._frame
            set_stamp(message.header.stamp, sample.time)
        for path, value in self._constants.items():
            set_field(message, path, value)
        for path, kind, places in self._columns:
            values: Any = [sample.values[place] for place in places]
            is_list = kind.startswith("sequence<") or kind.endswith("]")
            set_field(message, path, convert(kind, values if is_list else values[0]))
        if self._array and sample.array is not None:
            set_field(message, self.declaration.array, convert(self._array, sample.array))
        return message

    def _places_of(self, names: str | tuple[str, ...]) -> list[int]:
        names = (names,) if isinstance(names, str) else names
        for name in names:
            if name not in self._places:
                raise UnknownName(
                    f"column for topic {self.declaration.topic!r}", name, self._places
                )
        return [self._places[name] for name in names]

    def _leaf_type(self, path: str) -> str:
        message, kind = self.kind(), ""
        for part in path.split("."):
            fields = message.get_fields_and_field_types()
            if part not in fields:
                raise UnknownName(f"field of {self.declaration.kind}", path, fields)
            kind, message = fields[part], getattr(message, part)
        return kind


def set_field(message: Any, path: str, value: Any) -> None:
    """Set a field by its dotted path."""
    *owners, last = path.split(".")
    for owner in owners:
        message = getattr(message, owner)
    setattr(message, last, value)


def convert(kind: str, value: Any) -> Any:
    """Return a value as a field of a type holds it: `double`, `sequence<uint8>`, `float[9]`."""
    if kind.startswith("sequence<"):
        return _convert_list(kind.removeprefix("sequence<").partition(",")[0].rstrip(">"), value)
    if kind.endswith("]"):
        return np.asarray(value, np.dtype(_CODES[kind.partition("[")[0]]))
    plain = _PLAIN.get(kind.partition("<")[0])
    return _make_nested(kind, value) if plain is None else plain(value)


def _whole(value: float) -> int:
    """Return a whole number; 0 for a value that is not known."""
    return 0 if math.isnan(value) else int(value)


_PLAIN: dict[str, Callable[[Any], Any]] = {
    **dict.fromkeys(_CODES, _whole), "float": float, "double": float, "boolean": bool,
    "string": str,
}  # fmt: skip


def _convert_list(element: str, values: Any) -> Any:
    if element in _CODES:
        code = _CODES[element]
        if element in ("uint8", "octet"):  # pixels and points are bytes, whatever their type
            return array.array(code, np.ascontiguousarray(values).tobytes())
        return array.array(code, np.ascontiguousarray(values, np.dtype(code)).tobytes())
    if isinstance(values, np.ndarray):
        values = values.tolist()
    return [convert(element, value) for value in values]


def _make_nested(kind: str, value: Mapping[str, Any]) -> Any:
    """Return a message within a message, from a mapping of its fields."""
    message = find_message_class(kind)()
    fields = message.get_fields_and_field_types()
    for name, content in value.items():
        setattr(message, name, convert(fields[name], content))
    return message
