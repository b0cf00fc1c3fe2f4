"""Robots of batches beside lone ones, bit for bit, on random scenes."""

from collections.abc import Callable
from dataclasses import dataclass, field

from tests.models.contact.native.equality import COUNT, VARIANTS, differences
from tests.models.contact.native.random_scenes import make_random_scene


@dataclass(slots=True, kw_only=True)
class Row:
    """One line of the table."""

    run: str
    """How the robots were run."""
    robots: int = 0
    """How many were compared."""
    differ: int = 0
    """How many differ from the lone robot in any bit."""
    scenes: list[int] = field(default_factory=list)
    """Seeds of their scenes."""


def measure_equality(scenes: int, first: int, tell: Callable[[str], None]) -> list[Row]:
    """Return all lines, over scenes from a seed on."""
    rows = {name: Row(run=name) for name in VARIANTS}
    for seed in range(first, first + scenes):
        for name, robots in differences(make_random_scene(seed)).items():
            row = rows[name]
            row.robots += COUNT
            row.differ += len(robots)
            row.scenes += [seed] if robots else []
        if seed % 20 == 19:
            tell(f"{seed + 1 - first} scenes")
    return list(rows.values())
