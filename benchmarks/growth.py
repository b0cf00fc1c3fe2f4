"""Time of a step of `csm` as the ground grows: boxes, height fields, meshes; one robot and many.

The robot drives straight over the ground; all sizes of a kind take turns, the best counts. All is
processor time with the calls from Python, ticks of 10 ms. Terrain is built in memory.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks.batches import start_many
from benchmarks.contact import STEP, TICK, best_of
from grouser.bench import time_drive
from grouser.description import Course, load_course, load_robot
from grouser.description.heightfield import HeightField
from grouser.description.mesh import Mesh
from grouser.description.solids import Plane, Slab
from grouser.description.surface import Rectangle
from grouser.description.terrain import Terrain
from grouser.models import command_sides, make_model, start_model

ROBOT, MODEL, SPEED = "absolem", "csm", 0.3
ROBOTS, REPEATS, QUICK = 64, 5, 2
"""Robots of a batch; how often each drive is measured, and with `--quick`."""
DURATION, BATCH_DURATION = 8.0, 2.0
"""How long one robot, and many, drive [s]."""
TARGET = 1.5
"""Aim: time of a step over that on the smallest ground [1]."""
HEIGHTS = 0.02, 0.06
"""Least and largest height of boxes and blocks [m]."""
SIDE = 0.4
"""Side of boxes and blocks, which stand 1 m apart [m]."""
SPACING, BUMPS = 0.05, 0.02
"""Distance of nodes of height fields, and largest height of their bumps [m]."""
BEHIND = 1.0
"""How far the smallest height field begins behind the start [m]."""
BLOCK = 12
"""Triangles of a block."""
SIZES: dict[str, tuple[int, ...]] = {
    "boxes": (10, 100, 1_000, 10_000),
    "height field": (100, 300, 1_000, 2_000, 4_000),
    "mesh": (1_000, 10_000, 100_000, 1_000_000),
}
"""Boxes, nodes along each side of a height field, triangles of a mesh."""
LARGE = {"boxes": 1_000, "height field": 1_000, "mesh": 100_000}
"""Largest size with `--quick`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GrowthRow:
    """One line of the table."""

    kind: str
    """What the ground is made of."""
    size: str
    """How much of it."""
    step_us: float
    """Processor time of a step of one robot [us]."""
    ratio: float
    """That over the smallest ground's [1]."""
    batch_us: float
    """Processor time of a step of a robot of many [us]."""
    batch_ratio: float
    """That over the smallest ground's [1]."""
    start: float
    """Processor time in which one robot starts there, ground included [s]."""
    batch_start: float
    """Processor time in which many start [s]."""


def measure_growth(
    *, quick: bool = False, tell: Callable[[str], None] = lambda text: None
) -> list[GrowthRow]:
    """Return all lines."""
    _start_and_time(make_course("boxes", 1))  # compiles
    rows = []
    for kind, sizes in SIZES.items():
        chosen = [size for size in sizes if not quick or size <= LARGE[kind]]
        rows += _measure_kind(kind, chosen, QUICK if quick else REPEATS, tell)
    return rows


def _measure_kind(
    kind: str, sizes: list[int], repeats: int, tell: Callable[[str], None]
) -> list[GrowthRow]:
    cases: dict[Any, Callable[[], float]] = {}
    starts: dict[int, tuple[float, float]] = {}
    for size in sizes:
        tell(f"{kind}, {size:,}")
        one, many, *passed = _start_and_time(make_course(kind, size))
        cases[size, 1] = _driving(one, DURATION)
        cases[size, ROBOTS] = _driving(many, BATCH_DURATION)
        starts[size] = passed[0], passed[1]
    best = best_of(cases, repeats)
    return [
        GrowthRow(
            kind=kind,
            size=f"{size:,}²" if kind == "height field" else f"{size:,}",
            step_us=1e6 * best[size, 1],
            ratio=best[size, 1] / best[sizes[0], 1],
            batch_us=1e6 * best[size, ROBOTS],
            batch_ratio=best[size, ROBOTS] / best[sizes[0], ROBOTS],
            start=starts[size][0],
            batch_start=starts[size][1],
        )
        for size in sizes
    ]


def _start_and_time(course: Course) -> tuple[Any, Any, float, float]:
    robot = load_robot(ROBOT)
    begin = time.process_time()
    one = start_model(make_model(MODEL), robot, course)
    middle = time.process_time()
    many = start_many(MODEL, robot, course, ROBOTS, along=0.5)
    passed = time.process_time()
    command = command_sides(robot, SPEED, SPEED)
    one.advance(command, TICK)
    many.advance(command, TICK)
    return one, many, middle - begin, passed - middle


def _driving(plant: Any, duration: float) -> Callable[[], float]:
    command, state = command_sides(load_robot(ROBOT), SPEED, SPEED), plant.state
    steps = duration / STEP * plant.count

    def drive() -> float:
        plant.state = state
        return time_drive(plant, command, duration, tick=TICK) / steps

    return drive


def make_course(kind: str, size: int) -> Course:
    """Return level ground with so many boxes, nodes along a side or triangles about the start."""
    make = {"boxes": _boxes, "height field": _field, "mesh": _mesh}[kind]
    flat = load_course("flat")
    terrain = Terrain(solids=make(size), surfaces=flat.terrain.surfaces)
    fields = {name: getattr(flat, name) for name in type(flat).model_fields}
    course = flat.model_construct(None, **fields)
    vars(course)["terrain"] = terrain  # instead of that of its pieces
    return course


def _places(count: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return centres [m] and heights [m] of things 1 m apart, in a row ahead and rows beside it.

    The first ten are the same for every count.
    """
    columns = max(10, round(count**0.5))
    number = np.arange(count)
    row = number // columns
    x, y = 1.0 + number % columns, np.where(row % 2, 1.0, -1.0) * ((row + 1) // 2)
    return x, y, np.random.default_rng(0).uniform(*HEIGHTS, count)


def _boxes(count: int) -> tuple[Any, ...]:
    boxes = [
        Slab(footprint=Rectangle(x=x, y=y, length=SIDE, width=SIDE), top_start=z, top_end=z)
        for x, y, z in zip(*(values.tolist() for values in _places(count)), strict=True)
    ]
    return Plane(), *boxes


def _field(side: int) -> tuple[Any, ...]:
    """Return a field about the start, whose nodes near it are the same for every size."""
    random = np.random.default_rng(0)
    middle, small = side // 2, min(SIZES["height field"])
    heights = random.uniform(0.0, BUMPS, (side, side))
    least = np.random.default_rng(1).uniform(0.0, BUMPS, (small, small))
    near = slice(middle - small // 2, middle - small // 2 + small)
    heights[near, near] = least
    first = -(middle - small // 2) * SPACING - BEHIND
    centre = first + 0.5 * (side - 1) * SPACING
    across = centre - 0.5 * (small - 1) * SPACING + BEHIND
    field = HeightField(
        x=centre, y=across, spacing_along=SPACING, spacing_across=SPACING, heights=heights
    )
    return Plane(z=-1.0), field  # a course needs ground everywhere


def _mesh(triangles: int) -> tuple[Any, ...]:
    """Return one closed mesh of blocks, of twelve triangles each."""
    x, y, z = _places(triangles // BLOCK)
    corner = np.array([(i, j, k) for k in (0, 1) for j in (0, 1) for i in (0, 1)], np.float64)
    faces = [
        (0, 2, 1), (1, 2, 3), (4, 5, 6), (5, 7, 6), (0, 1, 4), (1, 5, 4),
        (2, 6, 3), (3, 6, 7), (0, 4, 2), (2, 4, 6), (1, 3, 5), (3, 7, 5),
    ]  # fmt: skip
    sizes = np.stack((np.full_like(z, SIDE), np.full_like(z, SIDE), z + 0.1), axis=-1)
    lows = np.stack((x - 0.5 * SIDE, y - 0.5 * SIDE, np.full_like(z, -0.1)), axis=-1)
    vertices = lows[:, None, :] + corner[None] * sizes[:, None, :]
    numbers = 8 * np.arange(len(x))[:, None, None] + np.array(faces)[None]
    return Plane(), Mesh(vertices=vertices.reshape(-1, 3), triangles=numbers.reshape(-1, 3))
