"""Slippage ratios out of raw records of a simulated inertial navigation system.

All numbers are a round trip: our simulation through our procedure, with assumed noise. The first
section counts true ratios in their 95 % intervals; the second has one record for each of P2's 26
runs, on its printed circle and with its printed ratios.
"""

from dataclasses import dataclass

import numpy as np

from grouser.papers.p2.ins import RatioCheck, RoundTrip, TrueDrive, drive_table_5, simulate_drives
from grouser.papers.p2.tables import WHEELS

RUNS = range(1, 27)
REPEATS, FEW = 8, 1
"""Records of each drive."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Coverage:
    """One line: a wheel of one kind of drive."""

    drives: str
    wheel: str
    turns: int
    not_found: int
    inside: float
    """Share of true ratios in their intervals [1]."""
    width: float
    """Median width of the intervals [1]."""


def measure_coverage(*, quick: bool) -> list[Coverage]:
    """Return lines of both kinds of drives, left and right."""
    kinds: dict[str, list[TrueDrive]] = {
        "simulated wheels": simulate_drives(RUNS),
        "circles of Table 5": [*drive_table_5(RUNS), *drive_table_5(RUNS, is_right=True)],
    }
    lines = []
    for seed, (name, drives) in enumerate(kinds.items()):
        trip, generator = RoundTrip(), np.random.default_rng(seed)
        for drive in (FEW if quick else REPEATS) * drives:
            trip.add(drive, generator)
        lines += [
            Coverage(
                drives=name, wheel=wheel or "all", turns=trip.drives, not_found=trip.not_found,
                inside=trip.share_inside(wheel), width=trip.median_width(wheel),
            )
            for wheel in (*WHEELS, "")
        ]  # fmt: skip
    return lines


def measure_table_5() -> list[RatioCheck]:
    """Return the ratios of one noisy record of each of P2's runs."""
    trip, generator = RoundTrip(), np.random.default_rng(0)
    for drive in drive_table_5(RUNS):
        trip.add(drive, generator)
    return trip.checks
