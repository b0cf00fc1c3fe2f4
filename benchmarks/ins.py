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
    """One line: the ratio of a wheel, or another quantity, of one kind of drive."""

    drives: str
    quantity: str
    turns: int
    not_found: int
    inside: float
    """Share of true values in their intervals [1]."""
    width: float
    """Median width of the intervals [unit of the quantity]."""


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
        found = {f"slippage {w}": (trip.share_inside(w), trip.median_width(w)) for w in WHEELS}
        found["slippage, all"] = (trip.share_inside(), trip.median_width())
        for quantity, values in trip.quantities.items():
            inside, widths = np.array(values).T
            found[quantity] = (float(inside.mean()), float(np.median(widths)))
        lines += [
            Coverage(
                drives=name, quantity=quantity, turns=trip.drives, not_found=trip.not_found,
                inside=inside, width=width,
            )
            for quantity, (inside, width) in found.items()
        ]  # fmt: skip
    return lines


def measure_table_5() -> list[RatioCheck]:
    """Return the ratios of one noisy record of each of P2's runs."""
    trip, generator = RoundTrip(), np.random.default_rng(0)
    for drive in drive_table_5(RUNS):
        trip.add(drive, generator)
    return trip.checks
