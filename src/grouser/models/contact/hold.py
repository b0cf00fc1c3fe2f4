"""What an impulse does to a robot whose parts constraints hold together, compiled.

Traction asks how the robot answers to impulses at its contacts. For a hull with joints that is
the inverse of its inertia. Belts of plates are held by constraints: a plate that the ground stops
stops the hull, through pins, guide and sprocket. The engine's constraints are stiff springs; with
those that act in this step, the answer is the inverse of

    H = M + sum over acting rows i of  D_i J_i^T J_i

which is the matrix that the engine's own solver works with.
"""

from typing import Any

import numpy as np
from numba import njit

from grouser.models.contact.native_calls import call_fill, integer, number, pointer

QUADRATIC = 1
"""State of a row that acts as a spring; others are free, or slide."""


@njit(cache=True, nogil=True)
def fill_stiffness(model: int, data: int, at: Any, stiffness: Any) -> None:
    """Set the matrix H of this step, from the rows that acted when forces were last solved."""
    call_fill(at.full_inertia, model, data, stiffness.ctypes.data)
    counts, starts = pointer(data + at.row_sizes), pointer(data + at.row_starts)
    columns, entries = pointer(data + at.row_columns), pointer(data + at.row_jacobian)
    states, stiff = pointer(data + at.row_states), pointer(data + at.row_stiffness)
    for row in range(integer(data + at.row_count)):
        if integer(states + 4 * row) != QUADRATIC:
            continue
        scale, start = number(stiff + 8 * row), integer(starts + 4 * row)
        size = integer(counts + 4 * row)
        for a in range(start, start + size):
            i, value = integer(columns + 4 * a), scale * number(entries + 8 * a)
            for b in range(start, a + 1):
                j = integer(columns + 4 * b)
                change = value * number(entries + 8 * b)
                stiffness[i, j] += change
                if i != j:
                    stiffness[j, i] += change


@njit(cache=True, nogil=True)
def answer(
    stiffness: Any, applied: Any, jacobian: Any, rows: int, velocity: Any, response: Any
) -> None:
    """Set what applied forces, and unit impulses along some rows, do to all velocities.

    The matrix is overwritten by its factor L, H = L^T L, from the last degree to the first: so
    the factor has no more entries than tree and constraints have, and zeros are passed over.
    """
    size = stiffness.shape[0]
    factorise(stiffness)
    effects = np.empty((size, rows + 1))
    for i in range(size):
        effects[i, 0] = applied[i]
        for r in range(rows):
            effects[i, r + 1] = jacobian[r, i]
    substitute(stiffness, effects)
    for i in range(size):
        velocity[i] = effects[i, 0]
        for r in range(rows):
            response[r, i] = effects[i, r + 1]


@njit(cache=True, nogil=True)
def factorise(matrix: Any) -> None:
    """Replace the lower half of a matrix by its factor L, H = L^T L."""
    for k in range(matrix.shape[0] - 1, -1, -1):
        matrix[k, k] = np.sqrt(matrix[k, k])
        for j in range(k):
            matrix[k, j] /= matrix[k, k]
        for i in range(k):
            share = matrix[k, i]
            if share != 0.0:
                for j in range(i + 1):
                    matrix[i, j] -= share * matrix[k, j]


@njit(cache=True, nogil=True)
def substitute(factor: Any, effects: Any) -> None:
    """Replace columns by what they cause, given the factor of the matrix."""
    for i in range(factor.shape[0] - 1, -1, -1):
        for r in range(effects.shape[1]):
            effects[i, r] /= factor[i, i]
        for j in range(i):
            share = factor[i, j]
            if share != 0.0:
                for r in range(effects.shape[1]):
                    effects[j, r] -= share * effects[i, r]
    for i in range(factor.shape[0]):
        for j in range(i):
            share = factor[i, j]
            if share != 0.0:
                for r in range(effects.shape[1]):
                    effects[i, r] -= share * effects[j, r]
        for r in range(effects.shape[1]):
            effects[i, r] /= factor[i, i]
