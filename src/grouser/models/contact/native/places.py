"""Places of belts that remember: patches in lines along each run, with cells along the belt.

A law with memory keeps numbers for each place: how much of its strength each cell of a patch has
mobilised. Places are numbered along a line, so that what they remember can move on with the belt.
"""

import math
from collections.abc import Sequence

import numpy as np

from grouser.models.contact.native.layout import *

CELLS = 24
"""Cells along a line, over which strength builds up [1]."""
LEAST_STEPS = 2.0
"""Steps in which the fastest belt passes a cell at least, so that what it carries converges [1]."""

Row = list[float]


def make_places(
    links: Sequence[Row], spots: Sequence[Row], rows: Sequence[Row], owners: Sequence[int],
    step: float,
) -> list[Row]:  # fmt: skip
    """Return rows of places; number them in `spots` and in `rows` of grousers.

    `step` is how far the fastest belt runs in a step [m].
    """
    places: list[Row] = []
    for number in sorted(range(len(links)), key=lambda k: links[k][AZ] + links[k][BZ]):
        half = 0.5 * (links[number][Y1] - links[number][Y0])
        for side in (Y0, Y1):
            line = _line(links, spots, owners, number, side)
            for at, k in enumerate(line):
                spots[k][SPOT_PLACE] = len(places) + at
            lengths = [spots[k][SPOT_AREA] / half for k in line]
            places += _places(lengths, number, half, step)
    for row in rows:
        axis = float(np.hypot(row[R_BX] - row[R_AX], row[R_BZ] - row[R_AZ]))
        half, shares = 0.5 * (row[R_Y1] - row[R_Y0]), int(row[R_SHARES])
        part = axis / max(shares - 1, 1)
        lengths = [part * (1.0 if 0 < k < shares - 1 else 0.5) for k in range(shares)]
        row[R_PLACE], row[R_AREA] = len(places), 0.5 * axis * half
        for _ in range(2):
            places += _places(lengths, int(row[R_LINK]), half, step)
    return places


def _line(
    links: Sequence[Row], spots: Sequence[Row], owners: Sequence[int], number: int, side: int
) -> list[int]:
    """Return the spots of a run on one side of the belt, from its circle a to its circle b.

    A circle's spots belong to one of the two runs that meet there; the lower run has them in its
    line.
    """
    link, found = links[number], []
    circles = {(link[AX], link[AZ]): 0.0, (link[BX], link[BZ]): 1.0}
    for other, row in enumerate(links):
        if owners[other] != owners[number]:
            continue
        ends = {0.0: (row[AX], row[AZ]), 1.0: (row[BX], row[BZ])}
        for k in range(int(row[FIRST]), int(row[END])):
            spot = spots[k]
            at = spot[AT_LOAD]
            if other != number:  # only spots at circles of this run
                at = circles.get(ends.get(at, (math.inf, math.inf)), -1.0)
            free = spot[SPOT_PLACE] < 0.0 < spot[SPOT_AREA]
            if free and at >= 0.0 and math.isclose(spot[Y_LOAD], link[side], abs_tol=1e-9):
                found.append((at, k))
    return [k for _, k in sorted(found)]


def _places(lengths: Sequence[float], link: int, half: float, step: float) -> list[Row]:
    """Return the places of a line of patches with these lengths [m]."""
    whole, places = sum(lengths), []
    for k, length in enumerate(lengths):
        row = [0.0] * PLACE_ROW
        row[P_FIRST], row[P_LAST] = float(k == 0), float(k == len(lengths) - 1)
        row[P_LINK], row[P_LENGTH], row[P_WIDE] = link, length, half
        most = min(length / max(LEAST_STEPS * step, 1e-9), MOST_CELLS)
        row[P_CELLS] = float(np.clip(round(CELLS * length / whole), 1, max(int(most), 1)))
        places.append(row)
    return places
