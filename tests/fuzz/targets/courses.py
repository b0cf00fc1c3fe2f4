"""Course files, some with a height field beside them.

Nonsense: a number that is not finite or absurd, friction beyond all experience, a terrain without
area, a start that is not finite, a path without length or longer than a country, a name that
leads elsewhere.
"""

import math
from contextlib import suppress
from pathlib import Path

import numpy as np

from grouser.description import Course, course_names, load_course
from grouser.errors import InvalidValue
from tests.fuzz.nonsense import check_name, check_numbers
from tests.fuzz.target import Target, require, write_input

MORE = """name = "mixed"
speed_m_s = 0.2
[start]
x_m = -1.0
yaw_deg = 10
[area]
x_m = [-2, 2]
y_m = [-1, 1]
[path]
waypoints_m = [[0.0, 0.0], [1.0, 0.5]]
[disturbance]
at_path_m = 0.5
yaw_deg = 20
[surfaces.mud]
friction = 0.3
friction_across = 0.2
slip_factor = 2.0
[surfaces.sand.soil]
like = "dry-sand"
cohesion_Pa = 500
[ruts]
cell_m = 0.05
[[ruts.lanes]]
length_m = 1
width_m = 0.1
depth_m = 0.02
[parameters.height_m]
default = 0.1
minimum = 0.01
maximum = 0.3
help = "of the box"
[[terrain]]
kind = "plane"
slope_deg = 2
[[terrain]]
kind = "heightfield"
heights_m = [[0.0, 0.1], [0.2, 0.1]]
spacing_m = 0.5
x_m = 3
[[terrain]]
kind = "box"
length_m = 1
width_m = 1
height_m = "$height_m"
[[terrain]]
kind = "patch"
length_m = 1
width_m = 2
surface = "mud"
[[terrain]]
kind = "patch"
length_m = 1
width_m = 2
y_m = 3
surface = "sand"
[[terrain]]
kind = "box"
length_m = 1
width_m = 1
height_m = "= 0.5 * $height_m + tan(2)"
roll_deg = 10
pitch_deg = -20
[[terrain]]
kind = "cylinder"
diameter_m = 0.2
length_m = 1
standing = true
pitch_deg = 5
facets = 16
[[terrain]]
kind = "cone"
diameter_m = 0.2
top_diameter_m = 0.1
height_m = 1
[[terrain]]
kind = "stepfield"
length_m = 1
width_m = 1
post_m = 0.1
unit_m = 0.05
pattern = "hill"
levels = 3
rise = 0.5
seed = 4
[[terrain]]
kind = "ramps"
length_m = 1
width_m = 1
cell_m = 0.5
pattern = "crossing"
[[terrain]]
kind = "waves"
wave_length_m = 0.5
height_m = 0.1
width_m = 1
[[terrain]]
kind = "gap"
gap_m = 0.2
length_m = 1
width_m = 1
height_m = 0.3
[sources]
"terrain" = "by hand [A]"
"""


def _read(content: bytes, folder: Path) -> Course:
    course = load_course(write_input(folder, ".toml", content))
    with suppress(InvalidValue):  # of a start beside the terrain, as whoever drives is told
        _ = course.start_pose
    course.terrain.at(np.linspace(-3.0, 3.0, 7), np.zeros(7))
    course.terrain.friction(0.0, 0.0)
    _ = (course.content_hash, course.features, course.treadmill_speed)
    course.outlines()
    if course.path is not None:
        course.path.points(max(course.path.length / 100.0, 1e-3))
        course.path.nearest(0.0, 0.0)
    return course


def _check(course: Course) -> None:
    check_numbers(course)
    check_name(course.name)
    for name, surface in course.surfaces.items():
        check_name(name)
        require(max(surface.friction, surface.friction_across) <= 1e3, f"friction of {name}")
    require(math.isfinite(course.start.x + course.start.y + course.start.yaw), "start")
    for outline in course.outlines():
        x, y = outline.polygon.T
        require(bool(np.isfinite(outline.polygon).all()), f"{outline.name} has no place")
        require(min(np.ptp(x) + 0.0, np.ptp(y) + 0.0) >= 0.0, "outline")
        require(max(np.ptp(x), np.ptp(y)) > 1e-7, f"{outline.name} has no area")
    height = course.terrain.height(np.linspace(-5.0, 5.0, 11), np.zeros(11))
    known = height[~np.isnan(height)]
    require(bool(np.all(np.abs(known) < 1e8)), f"heights {known}")
    if course.path is not None:
        require(1e-7 < course.path.length < 1e7, f"path of {course.path.length} m")


TARGETS = [
    Target(
        name="course TOML",
        samples=lambda: [MORE.encode(), *(load_course(n).text.encode() for n in course_names())],
        attempt=_read,
        check=_check,
        words=("turn_deg = -1e9", "count = 1000000000", "$height_m", "[[terrain]]", "kind", "'x'"),
    )
]
