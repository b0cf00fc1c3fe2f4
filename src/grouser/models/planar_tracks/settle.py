"""How a robot settles: sinkage, pitch and roll at which the pressure of the ground carries it.

A trim is (z, pitch, roll): the ground is pressed in by z - pitch x + roll y at (x, y), so that a
positive pitch has the nose up and a positive roll the left side down.
"""

from typing import Any

import numpy as np

from grouser.models.planar_tracks.compiled import compiled, inlined
from grouser.models.planar_tracks.ground import CAP, EXPONENT, STEEP, STIFFNESS

MOST_SHIFT = 0.49
"""How far from the middle of the contact the load may act, over its length: it tips beyond [1]."""
SETTLING_SWEEPS = 60
"""Sweeps of Newton's method for a robot that is put down."""


@inlined
def bear(z: float, row: Any) -> Any:
    """Return pressure [Pa] and its increase per sinkage [Pa/m] at a sinkage [m]."""
    if z <= 0.0:
        return 0.0, 0.0
    if z < row[CAP]:
        return row[STEEP] * z, row[STEEP]
    pressure = row[STIFFNESS] * np.exp(row[EXPONENT] * np.log(z))  # faster than a power
    return pressure, row[EXPONENT] * pressure / z


@inlined
def wanted_place(force: float, height: float, weight: float, least: float, most: float) -> float:
    """Return where the load must act so that a force at the ground does not tip the robot [m]."""
    middle, reach = 0.5 * (least + most), MOST_SHIFT * (most - least)
    return min(max(-force * height / weight, middle - reach), middle + reach)


@compiled
def sweep(
    body: Any, lines: Any, grounds: Any, under: Any, weight: float, trim: Any, pressures: Any,
    forces: Any,
) -> None:  # fmt: skip
    """Set the pressures of a trim, then improve the trim by one step of Newton's method."""
    a00 = a01 = a02 = a11 = a12 = a22 = 0.0
    b0 = b1 = b2 = 0.0
    for line in range(lines.front.shape[0]):
        row = grounds[under[lines.drive[line]], lines.drive[line]]
        y, pitch = lines.y[line], lines.pitch[line]
        area = pitch * lines.width[line]
        at_front = trim[0] + trim[2] * y
        s0 = s1 = s2 = p0 = p1 = 0.0
        for i in range(pressures.shape[1]):
            x = lines.front[line] - (i + 0.5) * pitch
            pressure, rise = bear(at_front - trim[1] * x, row)
            pressures[line, i] = pressure
            p0 += pressure
            p1 += pressure * x
            s0 += rise
            s1 += rise * x
            s2 += rise * x * x
        a00, a01, a02 = a00 + s0 * area, a01 - s1 * area, a02 + s0 * area * y
        a11, a12, a22 = a11 + s2 * area, a12 - s1 * area * y, a22 + s0 * area * y * y
        b0, b1, b2 = b0 - p0 * area, b1 + p1 * area, b2 - p0 * area * y
    b0 += weight
    b1 -= weight * wanted_place(forces[0], body.com_height, weight, body.rear, body.front)
    b2 += weight * wanted_place(forces[1], body.com_height, weight, body.right, body.left)
    _improve(trim, (a00, a01, a02, a11, a12, a22), (b0, b1, b2))


@inlined
def _improve(trim: Any, a: Any, b: Any) -> None:
    """Solve for the change of a trim, and take at most a half of the sinkage at once."""
    a00, a01, a02, a11, a12, a22 = a
    if a00 <= 0.0:  # off the ground
        trim[0], trim[1], trim[2] = trim[0] + 1e-3, 0.0, 0.0
        return
    a11, a22 = a11 * (1.0 + 1e-9), a22 * (1.0 + 1e-9)
    m11, m12, m22 = a11 - a01 * a01 / a00, a12 - a01 * a02 / a00, a22 - a02 * a02 / a00
    r1, r2 = b[1] - a01 * b[0] / a00, b[2] - a02 * b[0] / a00
    m11, m22 = max(m11, 1e-12 * a00), max(m22, 1e-12 * a00)
    roll = (r2 - m12 * r1 / m11) / max(m22 - m12 * m12 / m11, 1e-12 * a00)
    pitch = (r1 - m12 * roll) / m11
    z = (b[0] - a01 * pitch - a02 * roll) / a00
    share = min(1.0, 0.5 * max(trim[0], 1e-5) / max(abs(z), 1e-30))
    trim[0] += share * z
    trim[1] += share * pitch
    trim[2] += share * roll


@compiled
def settle_robots(
    body: Any, lines: Any, grounds: Any, under: Any, weights: Any, trims: Any, pressures: Any,
    forces: Any,
) -> None:  # fmt: skip
    """Let robots settle that are put down, from any trim."""
    for i in range(trims.shape[0]):
        for _ in range(SETTLING_SWEEPS):
            sweep(
                body, lines, grounds, under[i], weights[i], trims[i], pressures[i], forces[i]
            )  # fmt: skip


def start_trim(count: int) -> Any:
    """Return the trims from which robots settle, a row for each."""
    trims = np.zeros((count, 3))
    trims[:, 0] = 1e-3
    return trims
