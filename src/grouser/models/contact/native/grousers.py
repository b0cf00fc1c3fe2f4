"""Grousers: ribs across a belt that move with it.

In the side of a belt a grouser is a tapered capsule: a circle on the belt's surface, half as wide
as its foot, a circle at its tip, and what lies between. It stands upright on the loop where the
belt's travel has taken it. Tips press on the ground, edges of the ground press on flanks: there the
belt's motion has a part along the normal, that is the grouser pushes.

Of the tips that touch a face, each share of the belt's length keeps one: the deepest, among almost
equal ones that nearest to the middle of the share. So the number of contacts does not grow with the
number of grousers.
"""

from typing import Any

from grouser.models.contact.compiled import compiled, inlined
from grouser.models.contact.native.field import look_below
from grouser.models.contact.native.layout import *
from grouser.models.contact.native.search import EDGE_KEY, along_belt, edge_reach, in_face, on_edge
from grouser.models.contact.native.staging import stage
from grouser.models.lanes.formula import (
    Term,
    choose,
    dot,
    formula,
    larger,
    magnitude,
    smaller,
    sqrt,
    where,
    whole,
)
from grouser.models.lanes.lanes import (
    anyof,
    load,
    put,
    select,
    store,
    take2,
    take4,
    take10,
)

TIDY = 1e-3
"""How much deeper a tip must be to be kept, over its distance from the middle of its share [1]."""
AWAY = 0.3
"""Cosine between a grouser and a face's normal from which it stands away from the face [1]."""
CORNER = 0.1
"""Depth to which a tip presses on a face at its very border, over the height of grousers [1]."""
EMPTY = 1.0
"""Depth of a share without a tip [m]."""


@formula
def point_on(segment: Any, along: Term) -> Any:
    """Return foot (x, z), outward direction (x, z) and curvature at a distance along a segment."""
    x, z, cos, sin, curvature = segment
    a = 0.25 * (curvature * along)
    q = a * a
    s = a * (1.0 - q * (1 / 6 - q * (1 / 120 - q * (1 / 5040 - q * (1 / 362880 - q / 39916800)))))
    c = 1.0 - q * (0.5 - q * (1 / 24 - q * (1 / 720 - q * (1 / 40320 - q / 3628800))))
    s, c = 2.0 * s * c, c * c - s * s  # of half the turn
    # The chord of an arc points half-way between its first and last heading.
    half = 0.5 * (curvature * along)
    straight = magnitude(half) < 1e-9
    chord = along * where(straight, 1.0, s / where(straight, 1.0, half))
    middle_cos, middle_sin = cos * c - sin * s, sin * c + cos * s
    s, c = 2.0 * s * c, c * c - s * s
    return (
        x + chord * middle_cos, z - chord * middle_sin,
        sin * c + cos * s, cos * c - sin * s, curvature + 0.0 * along,
    )  # fmt: skip


@formula
def hung(rib: Any, angle: Any, hinge: Any) -> Any:
    """Return a grouser of a flipper's frame in the hull's."""
    x, z, ox, oz, curvature = rib
    c, s = angle
    return (hinge[0] + (x * c + z * s), hinge[1] + (z * c - x * s), ox * c + oz * s,
            oz * c - ox * s, curvature)  # fmt: skip


@compiled
def place_grousers(z: Any, st: Any, sb: int, ws: Any, rob: Any, lay: Any) -> None:
    """Put all grousers where their belts' travel takes them."""
    for number in range(lay[AT_ROWS]):
        row = lay[AT_OF_ROWS] + ROW * number
        link = lay[AT_OF_LINKS] + LINK * int(rob[row + R_LINK])
        drive = sb + lay[AT_ST_DRIVES] + DRIVE_STATE * int(rob[link + DRIVE])
        travel, pitch = load(st, drive + TRAVEL, z), rob[row + R_PITCH]
        rolled = travel - whole(travel * (1.0 / pitch)) * pitch  # rolled back by whole pitches
        first, end = int(rob[row + R_PATH]), int(rob[row + R_PATH_END])
        segment = first
        for i in range(int(rob[row + R_COUNT])):
            home = rob[row + R_START] + i * pitch
            while segment + 1 < end and rob[lay[AT_OF_PATH] + PATH * (segment + 1)] <= home:
                segment += 1
            rib = follow(z, rob, lay, row, segment, first, end, home, rolled)
            hinge = int(rob[link + BODY]) - 1
            if hinge >= 0:
                of = lay[AT_OF_HINGES] + HINGE_ROW * hinge
                angle = take2(st, sb + lay[AT_ST_HINGES] + HINGE_STATE * hinge + COS, z)
                rib = hung(rib, angle, (rob[of + HX], rob[of + HZ]))
            put(ws, lay[AT_WS_RIBS] + RIB * (int(rob[row + R_RIBS]) + i), rib, z)


@inlined
def follow(
    z: Any, rob: Any, lay: Any, row: int, segment: int, first: int, end: int, home: float,
    rolled: Any,
) -> Any:  # fmt: skip
    """Return a grouser that has moved by `rolled` from its home, along the loop or its segment."""
    at = lay[AT_OF_PATH] + PATH * segment
    along = rolled + (home - rob[at])
    rib = point_on((rob[at + 2], rob[at + 3], rob[at + 4], rob[at + 5], rob[at + 6]), along)
    if rob[row + R_ROLLS] > 0.0:
        return rib
    length, passed = rob[at + 1], segment
    for _ in range(end - first):
        beyond = along >= length
        if not anyof(beyond):
            break
        along = along - length
        passed = passed + 1 if passed + 1 < end else first
        at = lay[AT_OF_PATH] + PATH * passed
        length = rob[at + 1]
        new = point_on((rob[at + 2], rob[at + 3], rob[at + 4], rob[at + 5], rob[at + 6]), along)
        rib = choose(beyond, new, rib)
        along = select(beyond, along, z - 1.0)
    return rib


@compiled
def axis_of(z: Any, st: Any, sb: int, rob: Any, lay: Any, row: int) -> Any:
    """Return both ends of a belt's axis, and its middle, in the hull's frame (x, z each)."""
    ends = (rob[row + R_AX] + z, rob[row + R_AZ] + z, rob[row + R_BX] + z, rob[row + R_BZ] + z,
            z, z, rob[row + R_MX] + z, rob[row + R_MZ] + z)  # fmt: skip
    hinge = int(rob[lay[AT_OF_LINKS] + LINK * int(rob[row + R_LINK]) + BODY]) - 1
    if hinge >= 0:
        of = lay[AT_OF_HINGES] + HINGE_ROW * hinge
        angle = take2(st, sb + lay[AT_ST_HINGES] + HINGE_STATE * hinge + COS, z)
        a = hung((ends[0], ends[1], z, z, z), angle, (rob[of + HX], rob[of + HZ]))
        b = hung((ends[2], ends[3], z, z, z), angle, (rob[of + HX], rob[of + HZ]))
        m = hung((ends[6], ends[7], z, z, z), angle, (rob[of + HX], rob[of + HZ]))
        return (a[0], a[1], b[0], b[1]), (m[0], m[1])
    return (ends[0], ends[1], ends[2], ends[3]), (ends[6], ends[7])


@formula
def share_of(place: Any, axis: Any, inverse: Term, shares: Term) -> Any:
    """Return the share of the axis that a place belongs to, and its distance from its middle."""
    ax, az, bx, bz = axis
    part = ((place[0] - ax) * (bx - ax) + (place[1] - az) * (bz - az)) * inverse * (shares - 1.0)
    part = smaller(larger(part, 0.0), shares - 1.0)
    share = (part + 0.5).call("floor")
    return share, magnitude(part - share)


@inlined
def offer(
    z: Any, ws: Any, to: int, active: Any, cost: Any, place: Any, depth: Any, rib: Any, normal: Any
) -> None:
    """Let a tip be the one of a share, where it is deeper than the one so far."""
    better = active & (cost < load(ws, to, z))
    if anyof(better):
        new = (cost, place[0], place[1], depth, rib[2], rib[3], rib[4], normal[0], normal[1],
               normal[2])  # fmt: skip
        put(ws, to, choose(better, new, take10(ws, to, z)), z)


@inlined
def share_and_cost(rob: Any, row: int, place: Any, axis: Any) -> Any:
    """Return the share that a place belongs to, and what its distance from its middle costs."""
    share, away = share_of(place, axis, rob[row + R_INV], rob[row + R_SHARES])
    shares = int(rob[row + R_SHARES])
    return share, TIDY / max(shares - 1.0, 1.0) * rob[row + R_AROUND] * away


@inlined
def offer_share(
    z: Any, ws: Any, lay: Any, side: int, shares: int, share: Any, active: Any, cost: Any,
    place: Any, depth: Any, rib: Any, normal: Any,
) -> None:  # fmt: skip
    """Offer a tip to the share that it belongs to, on one side of its belt."""
    for k in range(shares):
        d = share - k
        to = lay[AT_WS_BEST] + BEST * (side * shares + k)
        offer(z, ws, to, active & (d * d < 0.25), cost, place, depth, rib, normal)


@compiled
def stage_tips(
    z: Any, width: int, ws: Any, tops: Any, rob: Any, lay: Any, soft: Any, number: int, ident: Any,
    surface: Any,
) -> None:  # fmt: skip
    """Stage the tips that the shares of a row of grousers have kept."""
    row = lay[AT_OF_ROWS] + ROW * number
    shares = int(rob[row + R_SHARES])
    group = lay[AT_LINKS] + lay[AT_SHAPES] + number
    for side in range(2):
        y = rob[row + R_Y0 + side] + z
        for k in range(shares):
            kept = take10(ws, lay[AT_WS_BEST] + BEST * (side * shares + k), z)
            active = kept[0] < 0.5 * EMPTY
            if not anyof(active):
                continue
            weight = (1.0 if 0 < k < shares - 1 else 0.5) * 2.0 / max(shares - 1, 1)
            normal = (kept[7], kept[8], kept[9])
            tangent = along_belt(normal)
            # The tip's circle moves with the belt; its centre lies `high` above the belt.
            reach = (rob[row + R_HIGH], rob[row + R_TIP])
            roll, lift = tip_motion(kept[4:7], tangent[:3], normal, reach)
            place = (kept[1], y, kept[2])
            numbers = (
                kept[3], surface, soft / weight, ident * 64.0 + (side * 32 + k), 0.0, 0.0, roll,
                lift, rob[row + R_KEEP], rob[row + R_PUSH], rob[row + R_AREA] * weight,
                rob[row + R_PLACE] + (side * shares + k),
            )  # fmt: skip
            stage(
                z, width, ws, tops, lay, group, active, place, place, normal, tangent[:3], numbers
            )


@formula
def tip_motion(rib: Any, along: Any, normal: Any, reach: Any) -> Any:
    """Return a tip's speed along a contact and its normal, over the belt's."""
    ox, oz, curvature = rib
    high, tip = reach
    fx, _, fz = normal
    inverse = 1.0 / sqrt(larger(fx * fx + fz * fz, 1e-9))
    dx, dz = high * ox - tip * fx * inverse, high * oz - tip * fz * inverse
    sx, sz = oz + curvature * dz, -ox - curvature * dx
    return -(sx * along[0] + sz * along[2]), sx * fx + sz * fz


@inlined
def clear_shares(z: Any, ws: Any, lay: Any, shares: int) -> None:
    """Begin a choice of tips."""
    for k in range(2 * shares):
        store(ws, lay[AT_WS_BEST] + BEST * k, EMPTY + z)


@compiled
def tips_on_face(
    z: Any, width: int, st: Any, sb: int, ws: Any, tops: Any, rob: Any, lay: Any, soft: Any,
    ident: Any, bounded: bool, normal: Any, off: Any, frame: Any, middle: Any, halves: Any,
    surface: Any,
) -> None:  # fmt: skip
    """Stage the contacts of tips with a plane or face."""
    flat = dot((normal[0], normal[2]), (normal[0], normal[2]))
    if not anyof(flat > 0.01):
        return
    tangent = along_belt(normal)
    for number in range(lay[AT_ROWS]):
        row = lay[AT_OF_ROWS] + ROW * number
        axis, centre = axis_of(z, st, sb, rob, lay, row)
        shares, tip, high = int(rob[row + R_SHARES]), rob[row + R_TIP], rob[row + R_HIGH]
        side = least_side(normal[1], rob[row + R_Y0], rob[row + R_Y1])
        far = dot((normal[0], normal[2]), centre) - off + side - rob[row + R_AROUND]
        close = (far < 0.0) & (flat > 0.01)
        if bounded:
            close = close & (far > -4.0 * rob[row + R_AROUND])
        if not anyof(close):
            continue
        clear_shares(z, ws, lay, shares)
        for i in range(int(rob[row + R_COUNT])):
            at = lay[AT_WS_RIBS] + RIB * (int(rob[row + R_RIBS]) + i)
            x, zz, ox, oz = take4(ws, at, z)
            near = ox * normal[0] + oz * normal[2] < AWAY
            cx, cz = x + high * ox, zz + high * oz
            from_face = normal[0] * cx + normal[2] * cz - off - tip * tangent[6]
            near = close & near & (from_face + side < 0.0)
            if not anyof(near):
                continue
            place = (cx - tip * tangent[4], cz - tip * tangent[5])
            share, worse = share_and_cost(rob, row, place, axis)
            rib = (x, zz, ox, oz, load(ws, at + 4, z))
            for s in range(2):
                y = rob[row + R_Y0 + s]
                depth = from_face + normal[1] * y
                active = near & (depth < 0.0)
                if bounded:
                    inside = inner_halves(halves, depth, CORNER * (high + tip) + z)
                    within = in_face((place[0], y + z, place[1]), frame, middle, inside)
                    active = active & (depth > -rob[row + R_DEEPEST]) & within
                if anyof(active):
                    offer_share(z, ws, lay, s, shares, share, active, depth + worse, place, depth,
                                rib, normal)  # fmt: skip
        stage_tips(z, width, ws, tops, rob, lay, soft, number, ident, surface)


@formula
def inner_halves(halves: Any, depth: Term, corner: Term) -> Any:
    """Return half sizes of the part of a face that a tip at a depth may have come through.

    What is deeper behind a face than inside of its border came through the face beyond the border:
    a grouser that hangs over an edge must not be pushed along both faces. Triangles stay whole.
    """
    lost = larger(0.0 - depth - corner, 0.0)
    return tuple(where(half > 0.0, larger(half - lost, 1e-9), half) for half in halves)


@formula
def least_side(normal: Term, y0: Term, y1: Term) -> Any:
    """Return the smaller distance of both sides of a belt from a face, by their place across."""
    return smaller(normal * y0, normal * y1)


@compiled
def tips_on_field(
    z: Any, width: int, st: Any, sb: int, ws: Any, tops: Any, rob: Any, lay: Any, ground: Any,
    soft: Any, origin: Any, rotation: Any,
) -> None:  # fmt: skip
    """Stage the contacts of tips with height fields."""
    for field in range(lay[AT_FIELDS]):
        at_field = lay[AT_OF_FIELDS] + FIELD * field
        for number in range(lay[AT_ROWS]):
            row = lay[AT_OF_ROWS] + ROW * number
            axis, _ = axis_of(z, st, sb, rob, lay, row)
            shares, tip, high = int(rob[row + R_SHARES]), rob[row + R_TIP], rob[row + R_HIGH]
            clear_shares(z, ws, lay, shares)
            for i in range(int(rob[row + R_COUNT])):
                at = lay[AT_WS_RIBS] + RIB * (int(rob[row + R_RIBS]) + i)
                x, zz, ox, oz = take4(ws, at, z)
                near = ox * rotation[6] + oz * rotation[8] < AWAY
                if not anyof(near):
                    continue
                cx, cz = x + high * ox, zz + high * oz
                rib = (x, zz, ox, oz, load(ws, at + 4, z))
                for s in range(2):
                    y = rob[row + R_Y0 + s] + z
                    tip_place = (cx + tip * ox, y, cz + tip * oz)
                    depth, nx, ny, nz = look_below(
                        z, ground, rob, lay, at_field, origin, rotation, tip_place
                    )
                    active = near & (depth < 0.0)
                    if not anyof(active):
                        continue
                    place = (tip_place[0], tip_place[2])
                    share, worse = share_and_cost(rob, row, place, axis)
                    offer_share(z, ws, lay, s, shares, share, active, depth + worse, place, depth,
                                rib, (nx, ny, nz))  # fmt: skip
            stage_tips(z, width, ws, tops, rob, lay, soft, number, z - (100.0 + field),
                       rob[at_field + 10] + z)  # fmt: skip


@formula
def flank_depth(place: Any, rib: Any, shape: Any) -> Any:
    """Return the distance of a point from a grouser, and the way into it (x, z).

    `shape` is radius at foot and tip, height of the tip's circle, slope of the flank.
    """
    x, z, ox, oz, _ = rib
    foot, tip, high, taper = shape
    gx, gz = place[0] - x, place[2] - z
    out, beside = gx * ox + gz * oz, gx * oz - gz * ox
    h = smaller(larger((out - taper * magnitude(beside)) / high, 0.0), 1.0)
    rest = out - h * high
    r = foot + (tip - foot) * h
    distance = sqrt(larger(rest * rest + beside * beside, 1e-16))
    inv = -1.0 / distance
    return distance - r, (rest * ox + beside * oz) * inv, (rest * oz - beside * ox) * inv, out


@formula
def point_motion(place: Any, rib: Any, along: Any, normal: Any) -> Any:
    """Return a grouser's speed at a point of its surface, along and normal, over the belt's."""
    x, z, ox, oz, curvature = rib
    dx, dz = place[0] - x, place[2] - z
    sx, sz = oz + curvature * dz, -ox - curvature * dx
    return -(sx * along[0] + sz * along[2]), sx * normal[0] + sz * normal[2]


@compiled
def flanks_on_edge(
    z: Any, width: int, st: Any, sb: int, ws: Any, tops: Any, rob: Any, lay: Any, soft: Any,
    start: Any, way: Any, length: Any, ident: Any, surface: Any,
) -> None:  # fmt: skip
    """Stage the contacts of an edge of the ground with grousers, between their sides."""
    for number in range(lay[AT_ROWS]):
        row = lay[AT_OF_ROWS] + ROW * number
        _, centre = axis_of(z, st, sb, rob, lay, row)
        sides, around = (rob[row + R_Y0], rob[row + R_Y1]), rob[row + R_AROUND]
        low, high, square, _first, _last, _flat = edge_reach(start, way, length, sides, centre)
        near = (low <= high) & (square < around * around)
        if not anyof(near):
            continue
        foot, tip, tall = rob[row + R_FOOT], rob[row + R_TIP], rob[row + R_HIGH]
        lean = (foot - tip) / tall
        shape = (foot, tip, tall, lean / (1.0 - lean * lean) ** 0.5 if abs(lean) < 0.99 else 7.0)
        group = lay[AT_LINKS] + lay[AT_SHAPES] + number
        reach = tall + tip + foot
        for end in range(2):
            place = on_edge(start, way, low if end == 0 else high)
            for i in range(int(rob[row + R_COUNT])):
                at = lay[AT_WS_RIBS] + RIB * (int(rob[row + R_RIBS]) + i)
                gx, gz = place[0] - load(ws, at, z), place[2] - load(ws, at + 1, z)
                if not anyof(near & (gx * gx + gz * gz < reach * reach)):
                    continue
                x, zz, ox, oz = take4(ws, at, z)
                rib = (x, zz, ox, oz, load(ws, at + 4, z))
                depth, nx, nz, out = flank_depth(place, rib, shape)
                active = near & (depth < 0.0) & (out > 0.0)
                if not anyof(active):
                    continue
                normal = (nx, z, nz)
                along = along_belt(normal)[:3]
                roll, lift = point_motion(place, rib, along, normal)
                numbers = (
                    depth, surface, soft, EDGE_KEY + ident * 64.0 + (2.0 * (i % 32) + end), 0.0,
                    0.0, roll, lift, rob[row + R_KEEP], rob[row + R_PUSH], 0.0, -1.0,
                )  # fmt: skip
                stage(z, width, ws, tops, lay, group, active, place, place, normal, along, numbers)
