"""How the measurements of a sensor become messages of ROS 2 and Foxglove.

A sensor declares its columns and its messages once. Bags, ROS 2 and Foxglove read the
declaration, so that a new sensor needs no change there.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from grouser.errors import InvalidValue

NUMBERS_KIND = "std_msgs/msg/Float64MultiArray"
"""Type of the messages of a sensor that declares none: all its columns in one list."""
BODY = "base_link"
"""Name of the body frame by REP 105."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Declaration:
    """One message for each sample of a sensor. Fields of messages are named by dotted paths."""

    topic: str
    """Name of the topic, without a slash: `imu`, `camera/image_raw`."""
    kind: str = NUMBERS_KIND
    """Type of the message, such as `sensor_msgs/msg/Imu`."""
    frame: str = BODY
    """Frame of the measurement, for the header."""
    columns: Mapping[str, str | tuple[str, ...]] = field(default_factory=dict)
    """Column, or columns of a list, for each field: `{"angular_velocity.x": "gyro_roll_rate"}`."""
    constants: Mapping[str, Any] = field(default_factory=dict)
    """Number, text, truth value or list of numbers of each other field that is not zero."""
    array: str = ""
    """Field that holds `Sample.array`; empty for sensors of numbers."""

    def to_dict(self) -> dict[str, Any]:
        """Return the declaration as plain JSON values."""
        columns = {k: v if isinstance(v, str) else list(v) for k, v in self.columns.items()}
        return {
            "topic": self.topic, "kind": self.kind, "frame": self.frame, "columns": columns,
            "constants": dict(self.constants), "array": self.array,
        }  # fmt: skip

    @classmethod
    def from_dict(cls, content: Any) -> "Declaration":
        """Return the declaration from the result of `to_dict`; InvalidValue if it is none."""
        texts = ("topic", "kind", "frame", "array")
        if not (
            isinstance(content, Mapping)
            and all(isinstance(content.get(name), str) for name in texts)
            and all(isinstance(content.get(name), Mapping) for name in ("columns", "constants"))
        ):
            raise InvalidValue("declaration of a sensor", content, "have topic, kind and columns")
        columns = {
            str(key): value if isinstance(value, str) else tuple(map(str, value))
            for key, value in content["columns"].items()
        }
        words = {name: content[name] for name in texts}
        return cls(**words, columns=columns, constants=dict(content["constants"]))


def numbers_declaration(name: str, columns: tuple[tuple[str, str], ...]) -> Declaration:
    """Return the declaration of a sensor that has no message type of its own."""
    return Declaration(topic=name, columns={"data": tuple(column for column, _ in columns)})
