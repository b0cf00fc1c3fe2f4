"""What an impulse does to a robot whose parts constraints hold together, compiled.

Traction asks how the robot answers to impulses at its contacts. For a hull with joints that is
the inverse of its inertia. Belts of plates are held by constraints: a plate that the ground stops
stops the hull, through pins, guide and sprocket. The engine's constraints are stiff springs; with
those that act in this step, the answer is the inverse of

    H = M + sum over acting rows i of  D_i J_i^T J_i  =  L^T L

which is the matrix that the engine's own solver works with. With u = L v and w_i = L^-T J_i^T, a
slip is J_i v = w_i u and an impulse l changes u by w_i l: velocities themselves are not needed.

L is found from the last degree to the first, so that it has no more entries than tree and
constraints have: in each row those of the hull, and a span of degrees of one branch.
"""

from typing import Any

import numpy as np

from grouser.models.contact.compiled import compiled
from grouser.models.contact.native_calls import call_fill, integer, number, pointer

QUADRATIC = 1
"""State of a row that acts as a spring; others are free, or slide."""
HULL = 6
"""Degrees of the hull, which come first [1]."""


@compiled
def fill_stiffness(model: int, data: int, at: Any, stiffness: Any) -> None:
    """Set the lower half of H of this step, from the rows that acted when last solved."""
    call_fill(at.full_inertia, model, data, stiffness.ctypes.data)
    counts, starts = pointer(data + at.row_sizes), pointer(data + at.row_starts)
    columns, entries = pointer(data + at.row_columns), pointer(data + at.row_jacobian)
    states, stiff = pointer(data + at.row_states), pointer(data + at.row_stiffness)
    for row in range(integer(data + at.row_count)):
        if integer(states + 4 * row) != QUADRATIC:
            continue
        scale, start = number(stiff + 8 * row), integer(starts + 4 * row)
        for a in range(start, start + integer(counts + 4 * row)):
            i, value = integer(columns + 4 * a), scale * number(entries + 8 * a)
            for b in range(start, a + 1):
                stiffness[i, integer(columns + 4 * b)] += value * number(entries + 8 * b)


@compiled
def factorise(matrix: Any, first: Any) -> None:
    """Replace the lower half of H by L, and tell where each row's span of its branch begins."""
    size = matrix.shape[0]
    for k in range(HULL, size):
        first[k] = HULL
        while matrix[k, first[k]] == 0.0:
            first[k] += 1
    for k in range(size - 1, -1, -1):
        begin = first[k] if k >= HULL else k
        matrix[k, k] = np.sqrt(matrix[k, k])
        inverse = 1.0 / matrix[k, k]
        for j in range(min(k, HULL)):
            matrix[k, j] *= inverse
        for j in range(begin, k):
            matrix[k, j] *= inverse
        for i in range(min(k, HULL)):
            for j in range(i + 1):
                matrix[i, j] -= matrix[k, i] * matrix[k, j]
        for i in range(begin, k):
            share = matrix[k, i]
            first[i] = min(first[i], begin)
            for j in range(HULL):
                matrix[i, j] -= share * matrix[k, j]
            for j in range(begin, i + 1):
                matrix[i, j] -= share * matrix[k, j]


@compiled
def whiten(factor: Any, first: Any, row: Any, last: int) -> None:
    """Replace a row of forces, of which `last` is the last degree, by L^-T times it."""
    for k in range(last, -1, -1):
        share = row[k] / factor[k, k]
        row[k] = share
        if share != 0.0:
            for j in range(min(k, HULL)):
                row[j] -= share * factor[k, j]
            for j in range(first[k] if k >= HULL else k, k):
                row[j] -= share * factor[k, j]


@compiled
def stretch(factor: Any, first: Any, row: Any) -> None:
    """Replace velocities v by u = L v."""
    for k in range(row.size - 1, -1, -1):
        value = factor[k, k] * row[k]
        for j in range(min(k, HULL)):
            value += factor[k, j] * row[j]
        for j in range(first[k] if k >= HULL else k, k):
            value += factor[k, j] * row[j]
        row[k] = value


@compiled
def whiten_contacts(memory: Any) -> None:
    """Set the response w of each contact, and the span of degrees in which it is not zero."""
    jacobian, response, first = memory.jacobian, memory.response, memory.first
    for i in range(memory.count[0]):
        last = jacobian.shape[1] - 1
        while last > 0 and jacobian[2 * i, last] == 0.0 and jacobian[2 * i + 1, last] == 0.0:
            last -= 1
        for row in range(2 * i, 2 * i + 2):
            response[row] = jacobian[row]
            whiten(memory.stiffness, first, response[row], last)
        memory.span[i, 0] = first[last] if last >= HULL else HULL
        memory.span[i, 1] = max(last + 1, HULL)
