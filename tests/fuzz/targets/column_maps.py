"""Column maps of foreign logs.

Nonsense: a column without heading, a name that no column may have, a sign, scale or offset that
turns every number into the same or into none.
"""

from pathlib import Path

from grouser.log.column_map import ForeignColumn, TableShape, read_column_map, read_table_shape
from tests.fuzz.target import Target, require, write_input

SAMPLES = (
    """[columns]
time = {column = "t", unit = "ms"}
x = {column = "X (cm)", unit = "cm"}
y = {column = "Y (cm)", unit = "cm", sign = -1}
yaw = {column = "heading", unit = "deg", sign = -1, offset = 90}
belt_speed.left = {column = "vl", unit = "cm/s"}
motor_voltage_commanded.left = {column = "u", unit = "V"}
""",
    """headings = ["t", "w", "slip"]
steady = true
[columns]
time = {column = "t", unit = "s"}
belt_speed.right = {column = "w", unit = "m/s", scale = 0.05}
slip.right = {column = "slip", unit = "%"}
""",
    """[columns]
time = {column = "sec", unit = "s", plus = {column = "nanosec", unit = "ns"}}
piece = {column = "window", unit = "1"}
group = {column = "step", unit = "1"}
x = {latitude = "lat", longitude = "lon", where = "new"}
y = {latitude = "lat", longitude = "lon", where = "new"}
z = {column = "down", unit = "m", frame = "ned"}
yaw = {quaternion = ["qx", "qy", "qz", "qw"], frame = "ned"}
encoder.left = {column = "n", unit = "1", metres_per_count = 0.001, wraps_at = 65536}
belt_speed.right = {column = "w", unit = "rpm", radius_m = 0.165, file = "right.csv"}

[files."right.csv"]
headings = ["t", "w"]
time = {column = "t", unit = "us"}
piece = {column = "w", unit = "1"}
""",
)


def _read(content: bytes, folder: Path) -> tuple[dict[str, ForeignColumn], TableShape]:
    path = write_input(folder, ".toml", content)
    return read_column_map(path), read_table_shape(path)


def _check(found: tuple[dict[str, ForeignColumn], TableShape]) -> None:
    columns, shape = found
    for name, column in columns.items():
        require(0 < len(name) <= 255 and name.isprintable(), f"name {name!r}")
        words = column.headings
        require(bool(words) and all(word and word.isprintable() for word in words), f"{column}")
        require(not column.file or column.file in shape.files, f"{column}")
        require(".." not in column.file and not column.file.startswith("/"), f"{column}")
        require(column.radius_m is None or 0.0 < column.radius_m < 1e6, f"{column}")
        require(type(column.sign) in (int, float) and abs(column.sign) == 1, f"{column}")
        require(1e-18 < abs(column.scale) < 1e21 and abs(column.offset) < 1e21, f"{column}")
    require(len(set(shape.headings)) == len(shape.headings), "two headings alike")


TARGETS = [
    Target(
        name="column map",
        samples=lambda: [sample.encode() for sample in SAMPLES],
        attempt=_read,
        check=_check,
        words=(
            "unit = 'V'",
            "sign = true",
            "scale = 0",
            "column = ' '",
            "steady = false",
            "radius_m = 0",
            "wraps_at = 1",
            "file = '../a'",
            "frame = 'ned'",
            "quaternion = []",
            "plus = {}",
            "where = ''",
        ),
    )
]
