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
    MOST_BESIDE,
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

GIVE = 1e-3
"""Displacement over which the resistance of soil builds up [m]."""
GIVE_DAMPING, GIVE_SPEED = 100.0, 1e-3
"""Share of the resistance that damps what it holds, per speed [s/m], and the speed above which that
fades [m/s]."""
STILL = 1e-7
"""Belt speed below which slip does not sink a belt deeper [m/s]."""
LEAST_SLIP = 1e-4
"""Slip below which the form of Wong is viscous [m/s]."""
LONGEST_SHEAR = 50.0
"""Shear displacement that is remembered in the form of Wong, over K [1]."""

STRENGTH, GAIN, CALMED, WIDE = range(4)
RESISTED, RESISTED_GAIN = 4, 5
HELD = 6
"""Columns of what a step keeps of a patch: strength [N], change of state per slip [s/m] or [s],
damping [s/m], strength across over along [1]; and of the first patch, resistance of the whole
line [N] and how its share changes per speed [s/m]."""


@inlined
def rotation(angle: float) -> Any:
    """Return cosine and sine of nearly an angle, small: of a rotation exactly."""
    half = 0.5 * angle
    scale = 1.0 / (1.0 + half * half)
    return (1.0 - half * half) * scale, angle * scale


@inlined
def rise(before: float, own: float, after: float) -> float:
    """Return the slope of shear over a patch: the smaller of both sides', 0 at a peak."""
    low, high = own - before, after - own
    if low * high <= 0.0:
        return 0.0
    return low if abs(low) < abs(high) else high


@inlined
def pass_on(before: float, own: float, after: float, inflow: float, carried: float) -> Any:
    """Return the shear of a patch after a share of it has moved on, and what flows out."""
    outflow = own + 0.5 * (1.0 - carried) * rise(before, own, after)
    return own - carried * (outflow - inflow), outflow


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
def wall_force(z: float, length: float, row: Any) -> float:
    """Return the passive force of soil on a wall of a depth and length [N]."""
    return length * z * (row[WALL_WEIGHT] * z + row[WALL_COHESION]) if z > 0.0 else 0.0


@inlined
def strengths(pressure: float, z: float, area: float, length: float, row: Any) -> Any:
    """Return the strength of a patch per area [Pa], and that across over that along [1].

    Soil beside the belt adds to the strength across, and builds up as that does.
    """
    strong, wall = strength_at(pressure, row), row[SOFT] * wall_force(z, length, row)
    return strong, row[ACROSS] * (1.0 + min(wall / max(area * strong, 1e-9), MOST_BESIDE))


@inlined
def drag(line: int, row: Any, lines: Any, count: int, trim: Any, twist: Any, belt: float) -> float:
    """Return the resistance of compaction and bulldozing of a line [N].

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
    return width * pressure * z / (row[EXPONENT] + 1.0) + wall_force(z, width, row)


@inlined
def hold_back(
    line: int, row: Any, lines: Any, trim: Any, twist: Any, belt: float, h: float, shear: Any,
    held: Any,
) -> Any:  # fmt: skip
    """Return the resistance of a line and how its share, behind the patches, grows per speed.

    It holds as shear does, against the ground: it never drives, and stands without creep.
    """
    count, speed = len(shear) - 1, twist[0] - twist[2] * lines.y[line]
    force = drag(line, row, lines, count, trim, twist, belt)
    left = GIVE / (GIVE + h * abs(speed))
    shear[count, 0] *= left
    held[0, RESISTED], held[0, RESISTED_GAIN] = force, left * h / GIVE
    calm = GIVE_DAMPING / (GIVE_SPEED * GIVE_SPEED + speed * speed) * GIVE_SPEED * GIVE_SPEED
    return force, left * h / GIVE + calm


@compiled
def gather(
    line: int, row: Any, grip: float, lines: Any, trim: Any, twist: Any, belt: float, h: float,
    wong: bool, pressures: Any, shear: Any, held: Any,
) -> Any:  # fmt: skip
    """Carry the shear of a line along; return its part of the matrix and of the right-hand side."""
    u, v, omega = twist
    count, y, pitch = len(pressures), lines.y[line], lines.pitch[line]
    area, carried = pitch * lines.width[line] * grip, abs(belt) * h / pitch
    hold = 0.0 if wong else 1.0
    ahead, first = (1, 0) if belt >= 0.0 else (-1, count - 1)
    even, turn = rotation(omega * h)
    slip_x, in_x, in_y = u - omega * y - belt, 0.0, 0.0
    last_x, last_y = -shear[first, 0], -shear[first, 1]  # half a patch before the first is none
    a00 = a11 = a12 = a22 = b0 = b1 = b2 = 0.0
    for k in range(count):
        i = first + k * ahead
        x = lines.front[line] - (i + 0.5) * pitch
        qx, qy = shear[i, 0], shear[i, 1]
        after = i + ahead if k < count - 1 else i  # level at the end
        cx, in_x = pass_on(last_x, qx, shear[after, 0], in_x, carried)
        cy, in_y = pass_on(last_y, qy, shear[after, 1], in_y, carried)
        last_x, last_y = qx, qy
        depth, pressure = trim[0] - trim[1] * x + trim[2] * y, pressures[i]
        strong, wide = strengths(pressure, depth, area, pitch * lines.share[line], row)
        aside = wide * (v + omega * x)
        slip = np.sqrt(slip_x * slip_x + aside * aside)
        cx, cy, gain, calm = mobilise(
            cx * even + cy * turn, cy * even - cx * turn, slip, row, belt, h, wong,
            max(strong, 1e-9) / max(pressure, 1e-9),
        )  # fmt: skip
        strength = area * strong
        if pressure <= 0.0:
            cx = cy = gain = calm = strength = 0.0
        shear[i, 0], shear[i, 1] = cx, cy
        held[i, STRENGTH], held[i, GAIN] = strength, gain
        held[i, CALMED], held[i, WIDE] = calm, wide
        along = strength * (hold * gain + calm)
        lateral = along * wide * wide
        fy = -hold * strength * wide * cy
        a00, a11, a12, a22 = a00 + along, a11 + lateral, a12 + lateral * x, a22 + lateral * x * x
        b0, b1, b2 = b0 + along * belt - hold * strength * cx, b1 + fy, b2 + fy * x
    force, gain = hold_back(line, row, lines, trim, twist, belt, h, shear, held)
    resist, b0 = a00 + force * gain, b0 - force * shear[count, 0]
    return resist, -resist * y, a11, a12, a22 + resist * y * y, b0, b1, b2 - b0 * y


@compiled
def slide(line: int, lines: Any, twist: Any, belt: float, wong: bool, shear: Any, held: Any) -> Any:
    """Add the slip of the step to the shear of a line; return its forces and resistance."""
    u, v, omega = twist
    hold = 0.0 if wong else 1.0
    slip_x = u - omega * lines.y[line] - belt
    along = lateral = 0.0
    count = shear.shape[0] - 1
    for i in range(count):
        x = lines.front[line] - (i + 0.5) * lines.pitch[line]
        wide = held[i, WIDE]
        aside = wide * (v + omega * x)
        qx = shear[i, 0] + held[i, GAIN] * slip_x
        qy = shear[i, 1] + held[i, GAIN] * aside
        strength, calm = held[i, STRENGTH], held[i, CALMED]
        along -= strength * (hold * qx + calm * slip_x)
        lateral -= strength * wide * (hold * qy + calm * aside)
        size = qx * qx + qy * qy
        if size * hold > 1.0:  # slip has grown within the step
            qx, qy = qx / np.sqrt(size), qy / np.sqrt(size)
        shear[i, 0], shear[i, 1] = qx, qy
    speed = u - omega * lines.y[line]
    shear[count, 0] = min(max(shear[count, 0] + held[0, RESISTED_GAIN] * speed, -1.0), 1.0)
    return along, lateral, held[0, RESISTED] * shear[count, 0]
