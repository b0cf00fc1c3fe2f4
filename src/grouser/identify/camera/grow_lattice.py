"""Which of many places lie on a grid, and on which of its lines."""

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import KDTree

REACH = 0.3
"""How far from where it is expected a neighbour may be, in steps of the grid [1]."""
SIDES = ((1, 0), (-1, 0), (0, 1), (0, -1))


def grow_lattice(places: NDArray[np.float64], spacing: float) -> dict[tuple[int, int], int]:
    """Return the largest lattice: for each column and row, the index of the place.

    Neighbours are looked for where the last step points to, so that a lattice may be bent and
    stretched a little at a time. Columns and rows are counted from an arbitrary member.

    Args:
        places: Places (n, 2), with axes about along the grid [m].
        spacing: Step of the grid, about [m].
    """
    if not len(places):
        return {}
    tree, best = KDTree(places), {}
    middle = np.argsort(np.linalg.norm(places - np.median(places, axis=0), axis=1))
    tried: set[int] = set()
    for seed in middle:
        if int(seed) in tried:
            continue
        grown = _grow(places, tree, int(seed), spacing)
        tried |= set(grown.values())
        if len(grown) > len(best):
            best = grown
        if 2 * len(best) >= len(places) - len(tried):
            break  # what is left cannot hold a larger one worth having
    return best


def _grow(
    places: NDArray[np.float64], tree: KDTree, seed: int, spacing: float
) -> dict[tuple[int, int], int]:
    member = {(0, 0): seed}
    steps = {(0, 0): (np.array((spacing, 0.0)), np.array((0.0, spacing)))}
    taken, queue = {seed}, [(0, 0)]
    while queue:
        cell = queue.pop(0)
        here, (along, across) = places[member[cell]], steps[cell]
        for column, row in SIDES:
            there = cell[0] + column, cell[1] + row
            if there in member:
                continue
            step = column * along + row * across
            distance, index = tree.query(here + step)
            if distance > REACH * spacing or int(index) in taken:
                continue
            member[there] = int(index)
            taken.add(int(index))
            found = places[index] - here
            sign = column + row
            steps[there] = (sign * found, across) if column else (along, sign * found)
            queue.append(there)
    return member
