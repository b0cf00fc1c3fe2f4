"""Rays against courses: time of a scan by the package, and by MuJoCo on the same solids."""

import time
from collections.abc import Callable
from dataclasses import dataclass

import mujoco
import numpy as np

from grouser.description import Course, load_course, parse_course
from grouser.models.mujoco.terrain import add_terrain
from grouser.models.rays import RayScene

RAYS = 1000
REACH = 30.0
"""Reach of the scanner [m]."""
RINGS = (-0.2, -0.05, 0.0)
"""Elevations of the rays, each for a third of them [rad]."""
REPEATS = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class Scan:
    """A scan from the start of a course."""

    course: str
    """Name of the course."""
    solids: int
    """Number of its solids."""
    ours: float
    """Time of the scan, best of several [s]."""
    theirs: float
    """Time of `mj_multiRay` [s]."""
    differ: float
    """Largest difference of ranges [m]."""

    @property
    def ratio(self) -> float:
        """Time by MuJoCo over our time [1]."""
        return self.theirs / self.ours


def measure_rays() -> list[Scan]:
    names = ("flat", "rough", "staircase", "pallet", "playground")
    courses = [load_course(name) for name in names]
    courses += [_field(200), _field(700), _boxes(1000), _boxes(10_000)]
    return [_measure(course) for course in courses]


def _measure(course: Course) -> Scan:
    azimuth = np.linspace(-np.pi, np.pi, RAYS, endpoint=False)
    up = np.resize(RINGS, RAYS)
    rays = np.column_stack((np.cos(azimuth) * np.cos(up), np.sin(azimuth) * np.cos(up), np.sin(up)))
    origin = np.array([course.start.x, course.start.y, 0.5])
    scene = RayScene(course.terrain)
    spec = mujoco.MjSpec()
    add_terrain(spec, course)
    model = spec.compile()
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    numbers, ranges = np.empty(RAYS, np.int32), np.empty(RAYS)

    def theirs() -> None:
        mujoco.mj_multiRay(
            model, data, origin, rays.ravel(), None, 1, -1, numbers, ranges, None, RAYS, REACH
        )

    ours = _best(lambda: scene.cast(origin, rays, REACH))
    other = _best(theirs)
    found = scene.cast(origin, rays, REACH)
    both = np.isfinite(found) & (ranges > 0.0)
    return Scan(
        course=course.name,
        solids=len(course.terrain.solids),
        ours=ours,
        theirs=other,
        differ=float(np.abs(found - ranges)[both].max(initial=0.0)),
    )


def _best(work: Callable[[], object]) -> float:
    work()
    times = []
    for _ in range(REPEATS):
        began = time.perf_counter()
        work()
        times.append(time.perf_counter() - began)
    return min(times)


def _field(nodes: int) -> Course:
    heights = np.round(0.2 * np.random.default_rng(0).random((nodes, nodes)), 3)
    text = (
        f'name = "field of {nodes} x {nodes}"\n[[terrain]]\nkind = "plane"\n'
        f'[[terrain]]\nkind = "heightfield"\nspacing_m = {40.0 / (nodes - 1)}\nheights_m = '
    )
    return parse_course(text + str(heights.tolist()), "field.toml")


def _boxes(count: int) -> Course:
    places = np.random.default_rng(1).uniform(-20.0, 20.0, (count, 2))
    boxes = "".join(
        f'[[terrain]]\nkind = "box"\nx_m = {x}\ny_m = {y}\nlength_m = 0.2\nwidth_m = 0.2\n'
        "height_m = 0.6\n"
        for x, y in places.tolist()
    )
    return parse_course(
        f'name = "{count} boxes"\n[[terrain]]\nkind = "plane"\n{boxes}', "boxes.toml"
    )
