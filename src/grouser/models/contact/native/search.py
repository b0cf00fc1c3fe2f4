"""Contacts of belts with planes, faces and edges of the ground.

A belt is a prism: a profile in a plane y = const between two sides. Its profile is one or more
*links*, each what two circles of different size span. Faces press at the link's spots, places that
each stand for a patch of the belt; edges of the ground press where they cross a side of the belt,
where a corner lies inside, or where they come closest to a circle.
"""

from typing import Any

from grouser.models.contact.compiled import compiled, inlined
from grouser.models.contact.native.layout import *
from grouser.models.contact.native.staging import stage
from grouser.models.lanes.formula import (
    Term,
    formula,
    inner,
    larger,
    magnitude,
    smaller,
    sqrt,
    where,
)
from grouser.models.lanes.lanes import anyof, put, take2, take4

WALL = 0.1
"""Sine of the angle between wall and side of a belt within which a contact leaves the rim [1]."""
LEAST_SLOPE = 1e-3
"""Share of an edge's direction across the belts from which it crosses them [1]."""
RUNS_ALONG = 0.05
"""Square of an edge direction's share in the plane of a belt from which it runs along [1]."""
EDGE_KEY = 65536.0 * 64.0
"""First identity of contacts with edges; those with faces are below."""


@inlined
def place_belts(z: Any, st: Any, sb: int, ws: Any, rob: Any, lay: Any) -> None:
    """Set where the circles of all links are, in the hull's frame."""
    for link in range(lay[AT_LINKS]):
        row, at = lay[AT_OF_LINKS] + LINK * link, lay[AT_WS_LINKS] + LINK_WORK * link
        hinge = int(rob[row + BODY]) - 1
        ends = (rob[row + AX] + z, rob[row + AZ] + z, rob[row + BX] + z, rob[row + BZ] + z)
        if hinge >= 0:
            angle = sb + lay[AT_ST_HINGES] + HINGE_STATE * hinge
            of = lay[AT_OF_HINGES] + HINGE_ROW * hinge
            ends = turn_ends(ends, take2(st, angle + COS, z), (rob[of + HX], rob[of + HZ]))
        put(ws, at, ends, z)
        put(ws, at + 4, (0.5 * (ends[0] + ends[2]), 0.5 * (ends[1] + ends[3])), z)


@formula
def turn_ends(ends: Any, angle: Any, hinge: Any) -> Any:
    """Return two points (x, z each) of a flipper's frame in the hull's."""
    c, s = angle
    out = []
    for x, z in (ends[:2], ends[2:]):
        out += [hinge[0] + (x * c + z * s), hinge[1] + (z * c - x * s)]
    return tuple(out)


@formula
def along_belt(normal: Any) -> Any:
    """Return a belt's direction on a face (x, y, z), the wall's share, where a circle touches.

    Towards a wall beside the belt, the place moves from the rim to the middle of the side, where
    the belt does not move: the last three numbers are the direction from a circle's centre to the
    place (x, z) over its radius, and the share of the normal in the plane of the belt.
    """
    fx, _, fz = normal
    length = sqrt(larger(fx * fx + fz * fz, 1e-9))
    inverse = 1.0 / length
    tilted = length > 1e-3
    held = 1.0 / larger(length, WALL)
    return (
        where(tilted, fz * inverse, 1.0), fx * 0.0, where(tilted, -(fx * inverse), 0.0),
        smaller(length * (1.0 / WALL), 1.0), fx * held, fz * held, length * length * held,
    )  # fmt: skip


@formula
def link_depths(normal: Any, off: Term, ends: Any, radii: Any, sides: Any) -> Any:
    """Return the distances of both circles' centres from a face, and the least of the link."""
    fx, fy, fz = normal
    da, db = fx * ends[0] + fz * ends[1] - off, fx * ends[2] + fz * ends[3] - off
    side = smaller(fy * sides[0], fy * sides[1])
    return da, db, smaller(da - radii[0], db - radii[1]) + side


@formula
def spot_place(spot: Any, ends: Any, radii: Any, depths: Any, normal_y: Term, touch: Any) -> Any:
    """Return depth, place of the load (3) and of friction (3) of a spot on a face.

    `touch` is the direction to the place over the radius (x, z) and how flat the belt lies.
    """
    f, y, g, y_rub = spot
    ax, az, bx, bz = ends
    ra, rb = radii
    ex, ez, flat = touch
    depth = depths[0] + (depths[1] - depths[0]) * f + normal_y * y
    r = ra + (rb - ra) * f
    px, pz = ax + (bx - ax) * f - r * ex, az + (bz - az) * f - r * ez
    shift = flat * (g - f)
    gx, gz = px + shift * ((bx - ax) - (rb - ra) * ex), pz + shift * ((bz - az) - (rb - ra) * ez)
    zero = px * 0.0
    return depth, px, zero + y, pz, gx, y + flat * (y_rub - y), gz


@formula
def in_face(place: Any, frame: Any, middle: Any, halves: Any) -> Any:
    """Return whether a place lies within a rectangle or, if a half size is negative, a triangle."""
    pu = inner(frame[:3], place) - middle[0]
    pv = inner(frame[3:], place) - middle[1]
    hu, hv = halves
    rectangle = (pu < hu) & (pu > -hu) & (pv < hv) & (pv > -hv)
    third = 1.0 / 3.0
    return rectangle | ((hu < 0.0) & (pu > -third) & (pv > -third) & (pu + pv < third))


@inlined
def spot_of(rob: Any, spot: int) -> Any:
    """Return where load and friction of a spot act: along and across, each."""
    return rob[spot + AT_LOAD], rob[spot + Y_LOAD], rob[spot + AT_RUB], rob[spot + Y_RUB]


@compiled
def touch_face(
    z: Any, width: int, ws: Any, tops: Any, rob: Any, lay: Any, soft: Any, ident: Any,
    bounded: bool, normal: Any, off: Any, frame: Any, middle: Any, halves: Any, surface: Any,
) -> None:  # fmt: skip
    """Stage the contacts of all links with a plane or face, given in the hull's frame."""
    tangent = along_belt(normal)
    for link in range(lay[AT_LINKS]):
        row = lay[AT_OF_LINKS] + LINK * link
        ends = take4(ws, lay[AT_WS_LINKS] + LINK_WORK * link, z)
        radii, sides = (rob[row + RA], rob[row + RB]), (rob[row + Y0], rob[row + Y1])
        da, db, low = link_depths(normal, off, ends, radii, sides)
        close = low < 0.0
        if bounded:
            close = close & (low > -(4.0 * rob[row + AROUND]))
        if not anyof(close):
            continue
        da, db = da - radii[0] * tangent[6], db - radii[1] * tangent[6]
        # Friction acts in the middle of a patch only if the belt lies on it.
        flat = flatness(da, db, rob[row + INV_LENGTH], normal, rob[N_STEEP])
        touch = (tangent[4], tangent[5], flat)
        for k in range(int(rob[row + FIRST]), int(rob[row + END])):
            spot = lay[AT_OF_SPOTS] + SPOT_WIDTH * k
            found = spot_place(spot_of(rob, spot), ends, radii, (da, db), normal[1], touch)
            depth = found[0]
            active = close & (depth < 0.0)
            if bounded:
                active = active & (depth > -rob[row + DEEPEST])
            if not anyof(active):
                continue
            if bounded:
                active = active & in_face(found[1:4], frame, middle, halves)
                if not anyof(active):
                    continue
            numbers = (
                depth, surface, soft * rob[spot + SHARE], ident * 64.0 + (k - rob[row + FIRST]),
                flat * rob[spot + SPREAD_LONG], flat * rob[spot + SPREAD_WIDE], tangent[3], 0.0,
                rob[N_KEEP], rob[N_PUSH], rob[spot + SPOT_AREA], rob[spot + SPOT_PLACE],
            )  # fmt: skip
            stage(z, width, ws, tops, lay, link, active, found[1:4], found[4:7], normal,
                  tangent[:3], numbers)  # fmt: skip


@formula
def flatness(da: Term, db: Term, inverse: Term, normal: Any, steep: Term) -> Any:
    """Return 1 for a belt that lies flat on a face, 0 from a tilt of 1 / steep on."""
    tilt = (db - da) * inverse
    return larger(1.0 - steep * (magnitude(tilt) + magnitude(normal[1])), 0.0)


@formula
def face_frame(face: Any, place: Any, rotation: Any) -> Any:
    """Return a face in the hull's frame: normal, distance of O, directions u and v, middle.

    `face` is centre, u, v and normal (12) in the world; `place` is O.
    """
    c, u, v, n = face[:3], face[3:6], face[6:9], face[9:]
    away = [p - q for p, q in zip(c, place, strict=True)]

    def inside(a: Any) -> list[Term]:
        return [inner(rotation[k::3], a) for k in range(3)]

    return (*inside(n), inner(away, n), *inside(u), *inside(v), inner(away, u), inner(away, v))


@formula
def edge_reach(start: Any, way: Any, length: Term, sides: Any, middle: Any) -> Any:
    """Return where an edge is between the sides of a belt (first, last), and whether it is near.

    Also returns whether its first and last place there are on the sides, and the square of its
    distance from the middle of the link.
    """
    py, dy = start[1], way[1]
    crosses = magnitude(dy) > LEAST_SLOPE
    slope = 1.0 / where(crosses, dy, 1.0)
    t0, t1 = (sides[0] - py) * slope, (sides[1] - py) * slope
    between = (py > sides[0]) & (py < sides[1])
    first = where(crosses, smaller(t0, t1), where(between, -1e9, 1e9))
    last = where(crosses, larger(t0, t1), where(between, 1e9, -1e9))
    low, high = larger(first, 0.0), smaller(last, length)
    flat = way[0] * way[0] + way[2] * way[2]
    gx, gz = start[0] - middle[0], start[2] - middle[1]
    t = -(gx * way[0] + gz * way[2]) / larger(flat, 1e-9)
    t = smaller(larger(t, low), high)
    qx, qz = gx + t * way[0], gz + t * way[2]
    return low, high, qx * qx + qz * qz, first, last, flat


@formula
def profile_depth(place: Any, ends: Any, shape: Any) -> Any:
    """Return distance of a point from a link's profile and the way into the link (x, z).

    `shape` is radii, length, inverse length, slope of the run. Also returns the place along the
    link (0 to 1) and on which side of its axis the point lies.
    """
    ax, az, bx, bz = ends
    ra, rb, length, inverse, taper = shape
    straight = inverse > 0.0
    ux = where(straight, (bx - ax) * inverse, 1.0)
    uz = where(straight, (bz - az) * inverse, 0.0)
    qx, qz = place[0] - ax, place[2] - az
    xi, zeta = qx * ux + qz * uz, qz * ux - qx * uz
    raw = (xi - taper * magnitude(zeta)) * inverse
    h = smaller(larger(raw, 0.0), 1.0)
    rest = xi - h * length
    r = ra + (rb - ra) * h
    distance = sqrt(larger(rest * rest + zeta * zeta, 1e-16))
    inv = -1.0 / distance
    return distance - r, (rest * ux - zeta * uz) * inv, (rest * uz + zeta * ux) * inv, raw, zeta


@formula
def exit_sideways(depth: Term, y: Term, sides: Any, way: Any, allowed: Term) -> Any:
    """Return depth, normal and belt share of a point that leaves a belt by the nearest way."""
    left, right = sides[0] - y, y - sides[1]
    beside = larger(left, right)
    sideways = allowed & (beside > depth)
    return (
        where(sideways, beside, depth),
        where(sideways, 0.0, way[0]),
        where(sideways, where(left > right, 1.0, -1.0), 0.0),
        where(sideways, 0.0, way[1]),
        where(sideways, 0.0, 1.0),
    )


@compiled
def touch_point(
    z: Any, width: int, ws: Any, tops: Any, rob: Any, lay: Any, soft: Any, link: int, on: Any,
    place: Any, inside: Any, key: Any, surface: Any,
) -> None:  # fmt: skip
    """Stage the contact of a point of the ground with a link, in lanes where it is `on`.

    A point that lies `inside` of the belt may leave it sideways, too.
    """
    row = lay[AT_OF_LINKS] + LINK * link
    ends = take4(ws, lay[AT_WS_LINKS] + LINK_WORK * link, z)
    shape = (rob[row + RA], rob[row + RB], rob[row + LENGTH], rob[row + INV_LENGTH],
             rob[row + TAPER])  # fmt: skip
    depth, nx, nz, raw, zeta = profile_depth(place, ends, shape)
    on = on & (depth < 0.0) & (depth > -rob[row + DEEPEST])
    outer = rob[row + OUTER]
    if outer != 0.0:
        on = on & (zeta * outer > 0.0)
    if rob[row + OWNS_END] == 0.0:
        on = on & (raw < 1.0)
    if not anyof(on):
        return
    left = exit_sideways(depth, place[1], (rob[row + Y0], rob[row + Y1]), (nx, nz), inside)
    normal = (left[1], left[2], left[3])
    numbers = (
        left[0], surface, soft, key, 0.0, 0.0, left[4], 0.0, rob[N_KEEP], rob[N_PUSH], 0.0, -1.0,
    )  # fmt: skip
    stage(z, width, ws, tops, lay, link, on, place, place, normal, along_belt(normal)[:3], numbers)


@formula
def on_edge(start: Any, way: Any, t: Term) -> Any:
    """Return a place on an edge."""
    return tuple(p + t * d for p, d in zip(start, way, strict=True))


@formula
def closest(start: Any, way: Any, flat: Term, x: Term, z: Term) -> Any:
    """Return where an edge is closest to a circle, seen along y."""
    return ((x - start[0]) * way[0] + (z - start[2]) * way[2]) / larger(flat, 1e-9)


@compiled
def touch_edge(
    z: Any, width: int, ws: Any, tops: Any, rob: Any, lay: Any, soft: Any, start: Any, way: Any,
    length: Any, ident: Any, corner: Any, surface: Any,
) -> None:  # fmt: skip
    """Stage the contacts of all links with an edge of the ground, given in the hull's frame."""
    nowhere = z > 1.0
    for link in range(lay[AT_LINKS]):
        row, at = lay[AT_OF_LINKS] + LINK * link, lay[AT_WS_LINKS] + LINK_WORK * link
        sides, around = (rob[row + Y0], rob[row + Y1]), rob[row + AROUND]
        low, high, square, first, last, flat = edge_reach(start, way, length, sides,
                                                          take2(ws, at + 4, z))  # fmt: skip
        near = (low <= high) & (square < around * around)
        if not anyof(near):
            continue
        key = EDGE_KEY + ident * 8.0
        on = near & (first > 0.0)  # crosses a side
        if anyof(on):
            touch_point(z, width, ws, tops, rob, lay, soft, link, on, on_edge(start, way, low),
                        nowhere, key, surface)  # fmt: skip
        on = near & (last < length)
        if anyof(on):
            touch_point(z, width, ws, tops, rob, lay, soft, link, on, on_edge(start, way, high),
                        nowhere, key + 1.0, surface)  # fmt: skip
        on = near & (first <= 0.0) & (corner > 0.0)
        if anyof(on):
            touch_point(z, width, ws, tops, rob, lay, soft, link, on, start, on, key + 2.0,
                        surface)  # fmt: skip
        if not anyof(near & (flat > RUNS_ALONG)):
            continue
        ends = take4(ws, at, z)
        for end in range(1 if rob[row + INV_LENGTH] == 0.0 else 2):
            t = closest(start, way, flat, ends[2 * end], ends[2 * end + 1])
            on = near & (flat > RUNS_ALONG) & (t > low) & (t < high)
            if anyof(on):
                touch_point(z, width, ws, tops, rob, lay, soft, link, on, on_edge(start, way, t),
                            on, key + (3.0 + end), surface)  # fmt: skip
