"""Samples of sensors as messages of Foxglove, by what the sensors declare.

Scans, points, images, calibrations and fixes become Foxglove's own messages. Every other declared
message becomes JSON of the same fields, so that a new sensor needs no change here.
"""

import json
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
from foxglove import Channel, Context, channels, messages

from grouser.log import Declaration
from grouser.log.declaration import NUMBERS_KIND
from grouser.plugs.foxglove.frames import SECOND, stamp
from grouser.plugs.foxglove.state import word
from grouser.simulation.sensors import Sample

NUMERIC = {1: "Int8", 2: "Uint8", 3: "Int16", 4: "Uint16", 5: "Int32", 6: "Uint32", 7: "Float32",
           8: "Float64"}  # fmt: skip
"""Types of the fields of a point cloud, by their numbers in sensor_msgs/PointField."""
FIX_KINDS = ("Unknown", "Approximated", "DiagonalKnown", "Known")
"""Kinds of covariance of a fix, by their numbers in sensor_msgs/NavSatFix."""


class Fields:
    """The fields of one declared message, by dotted path."""

    def __init__(self, declaration: Declaration, columns: Sequence[str]) -> None:
        """Prepare a declaration.

        Args:
            declaration: What the sensor declares.
            columns: Names of the sensor's columns, in the order of a sample's values.
        """
        self.declaration = declaration
        self._constants = dict(declaration.constants)
        places = {name: place for place, name in enumerate(columns)}
        self._places: dict[str, int | list[int]] = {
            path: places[names] if isinstance(names, str) else [places[name] for name in names]
            for path, names in declaration.columns.items()
        }

    def of(self, sample: Sample) -> dict[str, Any]:
        """Return the value of each field but the array."""
        values = sample.values
        found = dict(self._constants)
        for path, place in self._places.items():
            is_one = isinstance(place, int)
            found[path] = values[place] if is_one else [values[n] for n in place]
        return found


Common: TypeAlias = dict[str, Any]
"""Arguments of a message, such as its time stamp and its frame."""


def _scan(common: Common, fields: Mapping[str, Any], array: Any) -> messages.LaserScan:
    return messages.LaserScan(
        **common,
        pose=_origin(),
        start_angle=float(fields.get("angle_min", 0.0)),
        end_angle=float(fields.get("angle_max", 0.0)),
        ranges=np.asarray(array, np.float64).ravel().tolist(),
    )


def _cloud(common: Common, fields: Mapping[str, Any], array: Any) -> messages.PointCloud:
    kinds = messages.PackedElementFieldNumericType
    layout = [
        messages.PackedElementField(
            name=field["name"],
            offset=field["offset"],
            type=getattr(kinds, NUMERIC[field["datatype"]]),
        )
        for field in fields["fields"]
    ]
    points = np.asarray(array)
    if points.dtype.kind == "f":  # rays that did not return are not points
        points = points.reshape(-1, points.shape[-1])
        points = points[np.isfinite(points).all(axis=1)]
    return messages.PointCloud(
        **common,
        pose=_origin(),
        point_stride=int(fields["point_step"]),
        fields=layout,
        data=points.tobytes(),
    )


def _origin() -> messages.Pose:
    """Return where a measurement is in its frame: at the origin."""
    return messages.Pose(position=messages.Vector3(), orientation=messages.Quaternion(w=1.0))


def _image(common: Common, fields: Mapping[str, Any], array: Any) -> messages.RawImage:
    sizes: Common = {name: int(fields.get(name, 0)) for name in ("width", "height", "step")}
    data = np.ascontiguousarray(array).tobytes()
    return messages.RawImage(**common, **sizes, encoding=fields["encoding"], data=data)


def _compressed(common: Common, fields: Mapping[str, Any], array: Any) -> messages.CompressedImage:
    data = np.ascontiguousarray(array).tobytes()
    return messages.CompressedImage(**common, format=fields["format"], data=data)


def _calibration(
    common: Common, fields: Mapping[str, Any], array: Any
) -> messages.CameraCalibration:
    return messages.CameraCalibration(
        **common,
        width=int(fields["width"]),
        height=int(fields["height"]),
        distortion_model=str(fields.get("distortion_model", "")),
        D=_floats(fields, "d"),
        K=_floats(fields, "k"),
        R=_floats(fields, "r"),
        P=_floats(fields, "p"),
    )


def _fix(common: Common, fields: Mapping[str, Any], array: Any) -> messages.LocationFix | None:
    place: Common = {name: float(fields[name]) for name in ("latitude", "longitude", "altitude")}
    if not all(math.isfinite(number) for number in place.values()):
        return None  # an outage
    kind = FIX_KINDS[int(fields.get("position_covariance_type", 0))]
    return messages.LocationFix(
        **common,
        **place,
        position_covariance=_floats(fields, "position_covariance") or [0.0] * 9,
        position_covariance_type=getattr(messages.LocationFixPositionCovarianceType, kind),
    )


def _floats(fields: Mapping[str, Any], name: str) -> list[float]:
    return [float(number) for number in fields.get(name, ())]


Maker: TypeAlias = Callable[[Common, Mapping[str, Any], Any], Any]
MAKERS: dict[str, tuple[Any, Maker]] = {
    "LaserScan": (channels.LaserScanChannel, _scan),
    "PointCloud2": (channels.PointCloudChannel, _cloud),
    "Image": (channels.RawImageChannel, _image),
    "CompressedImage": (channels.CompressedImageChannel, _compressed),
    "CameraInfo": (channels.CameraCalibrationChannel, _calibration),
    "NavSatFix": (channels.LocationFixChannel, _fix),
}
"""Channel and maker of Foxglove's message for each type of sensor_msgs that has one."""


class SensorChannel:
    """Publishes one declared message of a sensor."""

    def __init__(
        self,
        declaration: Declaration,
        columns: Sequence[str],
        units: Mapping[str, str],
        context: Context,
    ) -> None:
        """Advertise the message.

        Args:
            declaration: What the sensor declares.
            columns: Names of the sensor's columns, in the order of a sample's values.
            units: Unit of each column.
            context: Where channels belong to.
        """
        self._fields, self._declaration, self._columns = (
            Fields(declaration, columns), declaration, columns,
        )  # fmt: skip
        self.topic = f"/{declaration.topic}"
        """Name of the topic."""
        package, _, rest = declaration.kind.partition("/")
        own = MAKERS.get(rest.rpartition("/")[2]) if package == "sensor_msgs" else None
        self._make: Maker | None = None
        self._channel: Any
        if own is None:
            schema = json_schema(declaration, columns, units)
            self._channel = Channel(self.topic, schema=schema, context=context)
        else:
            self._channel, self._make = own[0](self.topic, context=context), own[1]

    def publish(self, sample: Sample, taken: int, now: int) -> None:
        """Send a sample that was taken at one time and is known at another [ns]."""
        if not self._channel.has_sinks():
            return
        if self._make is None:
            self._channel.log(self._json(sample, taken), log_time=now)
            return
        common = {"timestamp": stamp(taken), "frame_id": self._declaration.frame}
        message = self._make(common, self._fields.of(sample), sample.array)
        if message is not None:
            self._channel.log(message, log_time=now)

    def _json(self, sample: Sample, taken: int) -> bytes:
        seconds, rest = divmod(taken, SECOND)
        header = {"stamp": {"sec": seconds, "nanosec": rest}, "frame_id": self._declaration.frame}
        message: dict[str, Any] = {"header": header}
        if self._declaration.kind == NUMBERS_KIND:
            fields: dict[str, Any] = {
                word(c): v for c, v in zip(self._columns, sample.values, strict=True)
            }
        else:
            fields = self._fields.of(sample)
        if self._declaration.array and sample.array is not None:
            fields[self._declaration.array] = np.asarray(sample.array).ravel().tolist()
        for path, value in fields.items():
            _put(message, path, _plain(value))
        return json.dumps(message, allow_nan=False).encode()


def json_schema(
    declaration: Declaration, columns: Sequence[str], units: Mapping[str, str]
) -> dict[str, Any]:
    """Return the JSON schema of a declared message; numbers of columns have their unit."""
    stamps = {"sec": {"type": "integer"}, "nanosec": {"type": "integer"}}
    header = {"stamp": {"type": "object", "properties": stamps}, "frame_id": {"type": "string"}}
    fields: dict[str, Any] = {"header": {"type": "object", "properties": header}}
    title = declaration.kind
    if declaration.kind == NUMBERS_KIND:
        title = f"grouser.{word(declaration.topic)}"
        fields |= {word(name): _number(units.get(name)) for name in columns}
        return {"title": title, "type": "object", "properties": fields}
    for path, value in declaration.constants.items():
        _put_schema(fields, path, _kind_of(value))
    for path, names in declaration.columns.items():
        single = isinstance(names, str)
        number = _number(units.get(names if single else names[0]))
        _put_schema(fields, path, number if single else {"type": "array", "items": number})
    if declaration.array:
        _put_schema(fields, declaration.array, {"type": "array", "items": {"type": "number"}})
    return {"title": title, "type": "object", "properties": fields}


def _number(unit: str | None) -> dict[str, Any]:
    return {"type": "number", "description": f"[{unit}]"} if unit else {"type": "number"}


KINDS = {bool: "boolean", int: "number", float: "number", str: "string"}
"""Types of JSON schemas."""


def _kind_of(value: Any) -> dict[str, Any]:
    if isinstance(value, Mapping):
        inside = {str(key): _kind_of(inner) for key, inner in value.items()}
        return {"type": "object", "properties": inside}
    if isinstance(value, list | tuple):
        return {"type": "array", "items": _kind_of(value[0]) if value else {"type": "number"}}
    return {"type": KINDS[type(value)]}


def _put(message: dict[str, Any], path: str, value: Any) -> None:
    """Put a value at a dotted path; a number that is not finite is left out."""
    if value is None:
        return
    *above, last = path.split(".")
    for name in above:
        message = message.setdefault(name, {})
    message[last] = value


def _put_schema(fields: dict[str, Any], path: str, kind: dict[str, Any]) -> None:
    *above, last = path.split(".")
    for name in above:
        fields = fields.setdefault(name, {"type": "object", "properties": {}})["properties"]
    fields[last] = kind


def _plain(value: Any) -> Any:
    """Return a value as JSON has it; None for a number that is not finite."""
    if isinstance(value, list | tuple):
        return [_plain(inner) for inner in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value
