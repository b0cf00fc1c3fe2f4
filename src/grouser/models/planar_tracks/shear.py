"""Shear of the ground along lines of patches: transported with the belt, implicit in the twist.

q is the share of a patch's strength S that is mobilised, s its slip velocity, w the belt's speed:

    dq/dt + w dq/dx = (s - |s| q) / K - omega x q        q = 0 where the belt enters
    q' = r (q~ + h s' / K),   r = 1 / (1 + h |s| / K)    q~ carried and turned, s' at the step's end
    F = -S q'                                            linear in the twist at the end of the step

In the form of Wong the state is the shear displacement j, and F = -S (1 - exp(-|j|/K)) s' / |s|.
With another strength across the belt (times a), slip across is multiplied by a, and so is stress.
"""

from typing import Any

import numpy as np

from grouser.models.contact.traction.shear import (
    CALM_BELT,
    CALM_SHARE,
    CALM_SLIP,
    MOST_COHESION,
)
from grouser.models.planar_tracks.compiled import compiled, inlined
from grouser.models.planar_tracks.ground import (
    ACROSS,
    CALM,
    COHESION,
    COHESION_2,
    EXPONENT,
    FRICTION,
    FRICTION_2,
    SHEAR,
    SLIP_SINKS,
    SOFT,
    WALL_COHESION,
    WALL_WEIGHT,
)
from grouser.models.planar_tracks.settle import bear

ENTRY = 1.5
"""Factor on the transport into the first patch, whose middle is half a patch from the entry; less
than 2, which balances the diffusion of the transport [1]."""
WONG_ENTRY = 2.0
"""The same for shear displacement, which grows linearly: exact [1]."""
STILL = 1e-9
"""Speed below which resistance is viscous, so that it never drives [m/s]."""
LEAST_SLIP = 1e-4
"""Slip below which the form of Wong is viscous [m/s]."""
LONGEST_SHEAR = 50.0
"""Shear displacement that is remembered in the form of Wong, over K [1]."""

STRENGTH, GAIN, CALMED, WALL = range(4)
RESISTED = 4
HELD = 5
"""Columns of what a step keeps of a patch: strength [N], change of state per slip [s/m] or [s],
damping [s/m], resistance of the soil beside it [N s/m]; and of the first patch, resistance of the
whole line ahead [N s/m]."""


@inlined
def rotation(angle: float) -> Any:
    """Return cosine and sine of nearly an angle, small: of a rotation exactly."""
    half = 0.5 * angle
    scale = 1.0 / (1.0 + half * half)
    return (1.0 - half * half) * scale, angle * scale


@inlined
def strength_at(pressure: float, row: Any) -> float:
    """Return the strength of the ground at a pressure [Pa]."""
    most = MOST_COHESION * pressure
    first = min(row[COHESION], most) + pressure * row[FRICTION]
    return min(first, min(row[COHESION_2], most) + pressure * row[FRICTION_2])


@inlined
def damp(q: float, slip: float, row: Any, belt: float, per_load: float) -> float:
    """Return the damping of a patch as `damping` of the law `shear` does; per strength and slip.

    `per_load` is strength over load.
    """
    per_slip = np.sqrt(row[CALM] / per_load)
    fades, runs = min(CALM_SLIP, CALM_SHARE / max(per_slip, 1e-6)), CALM_BELT * belt
    square = fades * fades
    share = max(square / (square + slip * slip), max(1.0 - q, 0.0) / (1.0 + per_slip * slip))
    return per_slip * share * square / (square + runs * runs)


@inlined
def mobilise(
    qx: float, qy: float, slip: float, row: Any, belt: float, h: float, wong: bool, per_load: float
) -> Any:
    """Return the state before slip is added, its gain per slip, and the damping of a patch."""
    K = row[SHEAR]
    if wong:
        j = np.sqrt(qx * qx + qy * qy)
        kept = min(1.0, LONGEST_SHEAR * K / max(j, 1e-300))
        share = 1.0 - np.exp(-j / K)
        return kept * qx, kept * qy, h, share / max(slip, LEAST_SLIP)
    left = 1.0 / (1.0 + h / K * slip)
    calm = damp(np.sqrt(qx * qx + qy * qy), slip, row, belt, per_load)
    return left * qx, left * qy, h / K * left, calm


@inlined
def wall_resistance(z: float, speed: float, length: float, row: Any) -> float:
    """Return the resistance of soil against a wall of a depth and length, per speed [N s/m]."""
    if z <= 0.0:
        return 0.0
    force = length * z * (row[WALL_WEIGHT] * z + row[WALL_COHESION])
    return force / max(abs(speed), STILL)


@inlined
def drag(line: int, row: Any, lines: Any, count: int, trim: Any, twist: Any, belt: float) -> float:
    """Return the resistance of compaction and bulldozing of a line, per speed [N s/m].

    Of the deeper end: what the leading end presses and what the inclined floor adds, together.
    """
    if row[SOFT] == 0.0:
        return 0.0
    y, front = lines.y[line], lines.front[line]
    speed = twist[0] - twist[2] * y
    middle = trim[0] + trim[2] * y
    z = max(middle - trim[1] * front, middle - trim[1] * (front - count * lines.pitch[line]))
    if row[SLIP_SINKS] > 0.0 and abs(belt) > STILL:
        slip = min(max(1.0 - speed / belt, 0.0), 1.0)
        z *= (1.0 + slip) / (1.0 - 0.5 * slip)
    pressure, _ = bear(z, row)
    width = lines.width[line]
    pressed = width * pressure * z / (row[EXPONENT] + 1.0) / max(abs(speed), STILL)
    return pressed + wall_resistance(z, speed, width, row)


@compiled
def gather(
    line: int, row: Any, grip: float, lines: Any, trim: Any, twist: Any, belt: float, h: float,
    wong: bool, pressures: Any, shear: Any, held: Any,
) -> Any:  # fmt: skip
    """Carry the shear of a line along; return its part of the matrix and of the right-hand side."""
    u, v, omega = twist
    count, y, pitch, across = len(pressures), lines.y[line], lines.pitch[line], row[ACROSS]
    area, soft = pitch * lines.width[line] * grip, row[SOFT] * pitch * lines.share[line]
    carried = abs(belt) * h / pitch
    share, hold = carried * (WONG_ENTRY if wong else ENTRY), (0.0 if wong else 1.0)
    even, turn = rotation(omega * h)
    slip_x, last_x, last_y = u - omega * y - belt, 0.0, 0.0
    a00 = a11 = a12 = a22 = b0 = b1 = b2 = 0.0
    for k in range(count):
        i = k if belt >= 0.0 else count - 1 - k
        x = lines.front[line] - (i + 0.5) * pitch
        qx, qy = shear[i, 0], shear[i, 1]
        cx, cy = qx - share * (qx - last_x), qy - share * (qy - last_y)
        last_x, last_y, share = qx, qy, carried
        aside = v + omega * x
        slip = np.sqrt(slip_x * slip_x + aside * aside * across * across)
        pressure = pressures[i]
        strong = strength_at(pressure, row)
        cx, cy, gain, calm = mobilise(
            cx * even + cy * turn, cy * even - cx * turn, slip, row, belt, h, wong,
            max(strong, 1e-9) / max(pressure, 1e-9),
        )  # fmt: skip
        strength = area * strong
        if pressure <= 0.0:
            cx = cy = gain = calm = strength = 0.0
        wall = wall_resistance(trim[0] - trim[1] * x + trim[2] * y, aside, soft, row)
        shear[i, 0], shear[i, 1] = cx, cy
        held[i, STRENGTH], held[i, GAIN] = strength, gain
        held[i, CALMED], held[i, WALL] = calm, wall
        along = strength * (hold * gain + calm)
        lateral = along * across * across + wall
        fx, fy = along * belt - hold * strength * cx, -hold * strength * across * cy
        a00, a11, a12, a22 = a00 + along, a11 + lateral, a12 + lateral * x, a22 + lateral * x * x
        b0, b1, b2 = b0 + fx, b1 + fy, b2 + fy * x
    resist = a00 + drag(line, row, lines, count, trim, twist, belt)
    return resist, -resist * y, a11, a12, a22 + resist * y * y, b0, b1, b2 - b0 * y, resist - a00


@compiled
def slide(
    line: int, across: float, lines: Any, twist: Any, belt: float, wong: bool, shear: Any, held: Any
) -> Any:
    """Add the slip of the step to the shear of a line; return its force along, across, of walls."""
    u, v, omega = twist
    hold = 0.0 if wong else 1.0
    slip_x = u - omega * lines.y[line] - belt
    along = lateral = walls = 0.0
    for i in range(shear.shape[0]):
        x = lines.front[line] - (i + 0.5) * lines.pitch[line]
        aside = v + omega * x
        qx = shear[i, 0] + held[i, GAIN] * slip_x
        qy = shear[i, 1] + held[i, GAIN] * across * aside
        strength, calm = held[i, STRENGTH], held[i, CALMED]
        along -= strength * (hold * qx + calm * slip_x)
        lateral -= strength * across * (hold * qy + calm * across * aside)
        walls -= held[i, WALL] * aside
        size = qx * qx + qy * qy
        if size * hold > 1.0:  # slip has grown within the step
            qx, qy = qx / np.sqrt(size), qy / np.sqrt(size)
        shear[i, 0], shear[i, 1] = qx, qy
    return along, lateral, walls
