"""Contacts of belts with height fields.

A field is a function of place, not a heap of triangles: it has no inner edges to snag on, and any
depth is still inside. A spot of a belt looks up the plane below its circle, moves to where the
circle touches that plane, and looks again. Samples of the straight run replace the nearest spot
only if the ground bulges there, that is if they are deeper than the line between the ends of the
run; so a plane gives just the contacts of a plane. End circles also look ahead, for a bump that
they meet besides the ground below.
"""

from typing import Any

from grouser.models.contact.compiled import compiled, inlined
from grouser.models.contact.native.layout import *
from grouser.models.contact.native.search import (
    along_belt,
    flatness,
    link_depths,
    spot_of,
    spot_place,
)
from grouser.models.contact.native.staging import stage
from grouser.models.lanes.formula import (
    Term,
    choose,
    dot,
    formula,
    inner,
    larger,
    least,
    magnitude,
    most,
    smaller,
    sqrt,
    where,
)
from grouser.models.lanes.lanes import (
    anyof,
    gather,
    load,
    put,
    select,
    store,
    take3,
    take4,
    take10,
)

BULGE = 1e-6
"""By how much ground must bulge to move a contact [m]."""
CLOSE, SAME = 0.002, 1e-4
"""A circle farther from the ground than this does not look again, nor one that moves less [m]."""
NO_GROUND = -1e20
"""Height below which there is no ground: holes, and outside of a field [m]."""
AHEAD = (0.7660444431189780, 0.6427876096865393), (0.2588190451025207, 0.9659258262890683)
"""Directions in which end circles look ahead: 40 and 75 degrees from below (cosine, sine)."""
APART = 0.97
"""Cosine of the angle from which a contact ahead is another one than that below [1]."""
FIELD_KEY = 65536.0 * 64.0 + 65536.0 * 8.0
"""First identity of contacts with height fields."""
SAMPLES_AT = 2000
"""Where depths of samples of the middle line begin in the workspace for chosen points."""


@formula
def cell_of(place: Any, origin: Any, rotation: Any, field: Any) -> Any:
    """Return the cell below a place of the hull's frame: first node, shares u, v, whether inside.

    `field` is x, y, cos, sin of its first node and rows, inverse spacings, columns, rows.
    """
    x = origin[0] + inner(rotation[:3], place)
    y = origin[1] + inner(rotation[3:6], place)
    x0, y0, cos, sin, along, across, columns, rows = field
    dx, dy = x - x0, y - y0
    u, v = (dx * cos + dy * sin) * along, (dy * cos - dx * sin) * across
    inside = (u >= -1e-6) & (v >= -1e-6) & (u <= columns - 1.0 + 1e-6) & (v <= rows - 1.0 + 1e-6)
    u = smaller(larger(where(inside, u, 0.0), 0.0), columns - 1.0)
    v = smaller(larger(where(inside, v, 0.0), 0.0), rows - 1.0)
    i = smaller(u.call("floor"), columns - 2.0)
    j = smaller(v.call("floor"), rows - 2.0)
    return j * columns + i, u - i, v - j, where(inside, 1.0, 0.0 * u)


@formula
def plane_below(nodes: Any, cell: Any, place: Any, origin: Any, rotation: Any, field: Any) -> Any:
    """Return the distance of a place from the triangle below it, and its normal (hull's frame).

    Cells are cut from the node of least to that of greatest u and v.
    """
    a, b, c, d = nodes
    u, v, inside = cell
    cos, sin, along, across = field
    left = v > u
    su, sv = where(left, d - c, b - a), where(left, c - a, d - b)
    top = a + su * u + sv * v
    su, sv = su * along, sv * across
    sx, sy = su * cos - sv * sin, su * sin + sv * cos
    up = 1.0 / sqrt(1.0 + sx * sx + sy * sy)
    height = origin[2] + inner(rotation[6:], place) - top
    exists = (inside > 0.5) & (top > NO_GROUND)
    normal = [(rotation[6 + k] - rotation[k] * sx - rotation[3 + k] * sy) * up for k in range(3)]
    return where(exists, height * up, 1e9), *normal


@inlined
def look_below(
    z: Any, ground: Any, rob: Any, lay: Any, at: int, origin: Any, rotation: Any, place: Any
) -> Any:
    """Return the distance of a place from the field below it, and the normal there."""
    numbers = (rob[at], rob[at + 1], rob[at + 2], rob[at + 3], rob[at + 4], rob[at + 5],
               rob[at + 6], rob[at + 7])  # fmt: skip
    node, u, v, inside = cell_of(place, origin, rotation, numbers)
    node = node + (lay[AT_HEIGHTS] + rob[at + 8])
    above = node + rob[at + 6]
    nodes = (gather(ground, node), gather(ground, node + 1.0), gather(ground, above),
             gather(ground, above + 1.0))  # fmt: skip
    turned = (rob[at + 2], rob[at + 3], rob[at + 4], rob[at + 5])
    return plane_below(nodes, (u, v, inside), place, origin, rotation, turned)


@formula
def tile_of(place: Any, origin: Any, rotation: Any, field: Any) -> Any:
    """Return the first of the four tiles around a place of the hull's frame."""
    x = origin[0] + inner(rotation[:3], place)
    y = origin[1] + inner(rotation[3:6], place)
    x0, y0, cos, sin, inverse, along, across = field
    dx, dy = x - x0, y - y0
    u = smaller(larger((dx * cos + dy * sin) * inverse - 0.5, 0.0), along - 2.0)
    v = smaller(larger((dy * cos - dx * sin) * inverse - 0.5, 0.0), across - 2.0)
    return v.call("floor") * along + u.call("floor")


@compiled
def highest_near(
    z: Any, ground: Any, rob: Any, lay: Any, at: int, origin: Any, rotation: Any, place: Any
) -> Any:
    """Return the highest ground within half a tile of a place."""
    numbers = (rob[at], rob[at + 1], rob[at + 2], rob[at + 3], rob[at + 12], rob[at + 13],
               rob[at + 14])  # fmt: skip
    tile = tile_of(place, origin, rotation, numbers) + (lay[AT_TILES] + rob[at + 11])
    beyond = tile + rob[at + 13]
    return most(most(gather(ground, tile), gather(ground, tile + 1.0)),
                most(gather(ground, beyond), gather(ground, beyond + 1.0)))  # fmt: skip


@formula
def centre_at(ends: Any, radii: Any, f: Term) -> Any:
    """Return centre (x, z) and radius of the circle at a share of a link."""
    ax, az, bx, bz = ends
    return ax + (bx - ax) * f, az + (bz - az) * f, radii[0] + (radii[1] - radii[0]) * f


@formula
def moved_far(a: Any, b: Any, depth: Term) -> Any:
    """Return whether a place has moved, close to the ground, so that it must look again."""
    square = sum(((p - q) * (p - q) for p, q in zip(a, b, strict=True)), a[0] * 0.0)
    return (depth < CLOSE) & (square > SAME * SAME)


@compiled
def touch_spot(
    z: Any, ground: Any, rob: Any, lay: Any, at: int, origin: Any, rotation: Any, ends: Any,
    row: int, spot: int, down: Any,
) -> Any:  # fmt: skip
    """Return a spot's depth, places of load and friction, normal, and how flat it lies."""
    radii = (rob[row + RA], rob[row + RB])
    where_ = spot_of(rob, spot)
    cx, cz, r = centre_at(ends, radii, where_[0])
    place = (cx - r * down[0], where_[1] + z, cz - r * down[1])
    again = z <= 0.0
    found, normal, flat = (z, z, z, z, z, z, z), (z, z, z), z
    for _ in range(2):
        distance, nx, ny, nz = look_below(z, ground, rob, lay, at, origin, rotation, place)
        normal = (nx, ny, nz)
        tangent = along_belt(normal)
        off = dot(normal, place) - distance
        da, db, _low = link_depths(normal, off, ends, radii, (0.0, 0.0))
        da, db = da - radii[0] * tangent[6], db - radii[1] * tangent[6]
        flat = flatness(da, db, rob[row + INV_LENGTH], normal, rob[N_STEEP])
        found = spot_place(where_, ends, radii, (da, db), ny, (tangent[4], tangent[5], flat))
        again = moved_far(found[1:4], place, found[0])
        if not anyof(again):
            break
        place = (select(again, found[1], place[0]), place[1], select(again, found[3], place[2]))
    return found, normal, flat


@compiled
def touch_field_links(
    z: Any, width: int, ws: Any, tops: Any, rob: Any, lay: Any, ground: Any, field: int,
    origin: Any, rotation: Any, soft: Any,
) -> None:  # fmt: skip
    """Stage the contacts of all links with a height field."""
    at = lay[AT_OF_FIELDS] + FIELD * field
    down = belt_down(rotation)
    for link in range(lay[AT_LINKS]):
        row = lay[AT_OF_LINKS] + LINK * link
        ends = take4(ws, lay[AT_WS_LINKS] + LINK_WORK * link, z)
        middle = (load(ws, lay[AT_WS_LINKS] + LINK_WORK * link + 4, z),
                  0.5 * (rob[row + Y0] + rob[row + Y1]) + z,
                  load(ws, lay[AT_WS_LINKS] + LINK_WORK * link + 5, z))  # fmt: skip
        half = 0.5 * (rob[row + Y1] - rob[row + Y0])
        low = lowest(origin, rotation, ends, (rob[row + RA], rob[row + RB]), middle[1], half)
        close = low < highest_near(z, ground, rob, lay, at, origin, rotation, middle)
        if not anyof(close):
            continue
        first, end = int(rob[row + FIRST]), int(rob[row + END])
        for k in range(first, end):
            spot = lay[AT_OF_SPOTS] + SPOT_WIDTH * k
            found, normal, flat = touch_spot(
                z, ground, rob, lay, at, origin, rotation, ends, row, spot, down
            )
            best = lay[AT_WS_BEST] + BEST * (k - first)
            put(ws, best, (found[1], found[2], found[3], found[0], normal[0], normal[1], normal[2],
                           flat, found[4], found[6]), z)  # fmt: skip
        look_ahead(z, width, ws, tops, rob, lay, ground, field, origin, rotation, soft, link, ends,
                   down, close)  # fmt: skip
        if rob[row + SAMPLES] > 1.0:
            find_bulges(z, ws, rob, lay, ground, at, origin, rotation, link, ends, down)
        stage_spots(z, width, ws, tops, rob, lay, field, soft, link, close)


@formula
def belt_down(rotation: Any) -> Any:
    """Return the direction against which a belt looks for ground: up, in its plane (x, z)."""
    x, z = rotation[6], rotation[8]
    inverse = 1.0 / sqrt(larger(x * x + z * z, 1e-9))
    return x * inverse, z * inverse


@formula
def lowest(origin: Any, rotation: Any, ends: Any, radii: Any, y: Term, half: Term) -> Any:
    """Return the height of the lowest point of a link."""
    up_x, up_y, up_z = rotation[6:]
    a = up_x * ends[0] + up_z * ends[1] - radii[0]
    b = up_x * ends[2] + up_z * ends[3] - radii[1]
    return origin[2] + up_y * y + smaller(a, b) - half * magnitude(up_y)


@compiled
def stage_spots(
    z: Any, width: int, ws: Any, tops: Any, rob: Any, lay: Any, field: int, soft: Any, link: int,
    close: Any,
) -> None:  # fmt: skip
    """Stage the contacts that the spots of a link have ended with."""
    row = lay[AT_OF_LINKS] + LINK * link
    surface = rob[lay[AT_OF_FIELDS] + FIELD * field + 10] + z
    first = int(rob[row + FIRST])
    for k in range(first, int(rob[row + END])):
        best = lay[AT_WS_BEST] + BEST * (k - first)
        depth = load(ws, best + 3, z)
        active = close & (depth < 0.0)
        if not anyof(active):
            continue
        spot = lay[AT_OF_SPOTS] + SPOT_WIDTH * k
        place, normal, flat = take3(ws, best, z), take3(ws, best + 4, z), load(ws, best + 7, z)
        rub = (load(ws, best + 8, z), place[1] + flat * (rob[spot + Y_RUB] - place[1]),
               load(ws, best + 9, z))  # fmt: skip
        tangent = along_belt(normal)
        numbers = (
            most(depth, z - rob[row + DEEPEST]), surface, soft * rob[spot + SHARE],
            FIELD_KEY + field * 1024.0 + (k - first), flat * rob[spot + SPREAD_LONG],
            flat * rob[spot + SPREAD_WIDE], tangent[3], 0.0, rob[N_KEEP], rob[N_PUSH],
            rob[spot + SPOT_AREA], rob[spot + SPOT_PLACE],
        )  # fmt: skip
        stage(z, width, ws, tops, lay, link, active, place, rub, normal, tangent[:3], numbers)


@formula
def run_below(ends: Any, radii: Any, inverse: Term, down: Any) -> Any:
    """Return the lower straight run: its start, way and inward normal (x, z each), its side."""
    ax, az, bx, bz = ends
    ra, rb = radii
    ux, uz = (bx - ax) * inverse, (bz - az) * inverse
    taper = (ra - rb) * inverse
    side = where(ux * down[1] - uz * down[0] > 0.0, 1.0, -1.0 + 0.0 * ux)
    up = side * sqrt(1.0 - taper * taper)
    lx, lz = taper * ux + up * uz, taper * uz - up * ux
    return (ax + ra * lx, az + ra * lz, bx - ax + (rb - ra) * lx, bz - az + (rb - ra) * lz,
            -lx, -lz, side)  # fmt: skip


@compiled
def find_bulges(
    z: Any, ws: Any, rob: Any, lay: Any, ground: Any, at: int, origin: Any, rotation: Any,
    link: int, ends: Any, down: Any,
) -> None:  # fmt: skip
    """Replace spots of a link by samples of its run where the ground bulges between them.

    The middle line comes first; lines beside it count where the ground is higher there.
    """
    row, best = lay[AT_OF_LINKS] + LINK * link, lay[AT_WS_BEST]
    run = run_below(ends, (rob[row + RA], rob[row + RB]), rob[row + INV_LENGTH], down)
    faces_down = run[6] * rob[row + OUTER] <= 0.0
    lean = rotation[6] * run[4] + rotation[8] * run[5]
    samples, lines = int(rob[row + SAMPLES]), int(rob[row + LINES])
    for line in range(3 + lines):
        share = 0.5 if line == 0 else line - 1.0 if line < 3 else (line - 2.0) / (lines + 1.0)
        y = rob[row + Y0] * (1.0 - share) + rob[row + Y1] * share
        first, last = (run[0], y + z, run[1]), (run[0] + run[2], y + z, run[1] + run[3])
        low, _, _, _ = look_below(z, ground, rob, lay, at, origin, rotation, first)
        high, _, _, _ = look_below(z, ground, rob, lay, at, origin, rotation, last)
        for i in range(1, samples):
            f = i / samples
            place = (run[0] + run[2] * f, y + z, run[1] + run[3] * f)
            depth, nx, ny, nz = look_below(z, ground, rob, lay, at, origin, rotation, place)
            usual = low * (1.0 - f) + high * f
            kept = best + SAMPLES_AT + i
            if line == 0:
                store(ws, kept, depth)
            else:
                usual = least(usual, load(ws, kept, z))
            to = best + BEST * nearest_spot(rob, row, f, share)
            better = (
                (depth < usual - BULGE) & (depth < load(ws, to + 3, z)) & (depth < 0.0) & faces_down
            )
            if anyof(better):
                up = dot((nx, ny, nz), (rotation[6], rotation[7], rotation[8]))
                pressed = depth * lean / most(up, 0.1 + z)
                replace_best(z, ws, to, better, place, pressed, (run[4], z, run[5]))


@inlined
def nearest_spot(rob: Any, row: int, f: float, share: float) -> int:
    """Return the spot of a link that a sample may replace: between the ends, if there are any."""
    ends = 2 * int(rob[row + ENDS])
    between = int(rob[row + END]) - int(rob[row + FIRST]) - ends
    if between > 0:
        return ends + min(int(f * between), between - 1)
    side = 0 if share < 0.5 else 1
    return side if f < 0.5 or ends < 4 else 2 + side


@inlined
def replace_best(z: Any, ws: Any, to: int, which: Any, place: Any, depth: Any, normal: Any) -> None:
    """Replace the chosen point of a spot in some lanes; a point has no patch."""
    old = take10(ws, to, z)
    new = (place[0], place[1], place[2], depth, normal[0], normal[1], normal[2], z, place[0],
           place[2])  # fmt: skip
    put(ws, to, choose(which, new, old), z)


@compiled
def look_ahead(
    z: Any, width: int, ws: Any, tops: Any, rob: Any, lay: Any, ground: Any, field: int,
    origin: Any, rotation: Any, soft: Any, link: int, ends: Any, down: Any, close: Any,
) -> None:  # fmt: skip
    """Stage the contacts of a link's end circles with bumps ahead of them."""
    row, at = lay[AT_OF_LINKS] + LINK * link, lay[AT_OF_FIELDS] + FIELD * field
    forward = select(ends[2] - ends[0] >= 0.0, 1.0 + z, z - 1.0)
    for side in range(2):
        y = rob[row + Y0 + side] + z
        for end in range(2):
            cx, cz, r = ends[2 * end], ends[2 * end + 1], rob[row + RA + end]
            below = below_end(z, ws, rob, lay, row, side, end)
            out = forward if end == 1 else -forward
            best, spot, normal = 1.0 + z, (z, z, z), (z, z, z)
            for k in range(2):
                c, s = AHEAD[0] if k == 0 else AHEAD[1]
                ex, ez = down[0] * c - down[1] * s * out, down[1] * c + down[0] * s * out
                place = (cx - r * ex, y, cz - r * ez)
                found, face, again = (z, z, z), (z, z, z), z <= 0.0
                for _ in range(2):
                    depth, nx, ny, nz = look_below(z, ground, rob, lay, at, origin, rotation, place)
                    met = circle_touch(place, depth, (nx, ny, nz), (cx, cz, r + z))
                    found = choose(again, met, found)
                    face = choose(again, (nx, ny, nz), face)
                    place = (found[0], y, found[1])
                    again = again & (found[2] < CLOSE)  # no robot looks again for a neighbour
                    if not anyof(again):
                        break
                better = (dot(face, below) < APART) & (found[2] < best)
                best = select(better, found[2], best)
                spot = choose(better, place, spot)
                normal = choose(better, face, normal)
            active = close & (best < 0.0)
            if anyof(active):
                tangent = along_belt(normal)
                numbers = (
                    most(best, z - rob[row + DEEPEST]), rob[at + 10] + z, soft,
                    FIELD_KEY + field * 1024.0 + (512.0 + 2 * side + end), 0.0, 0.0, tangent[3],
                    0.0, rob[N_KEEP], rob[N_PUSH], 0.0, -1.0,
                )  # fmt: skip
                stage(
                    z, width, ws, tops, lay, link, active, spot, spot, normal, tangent[:3], numbers
                )


@inlined
def below_end(z: Any, ws: Any, rob: Any, lay: Any, row: int, side: int, end: int) -> Any:
    """Return the normal of the ground below an end of a link, from its own or a near spot."""
    spot = side if end == 0 or rob[row + ENDS] < 2.0 else 2 + side
    count = int(rob[row + END]) - int(rob[row + FIRST])
    return take3(ws, lay[AT_WS_BEST] + BEST * min(spot, count - 1) + 4, z)


@formula
def circle_touch(place: Any, depth: Term, normal: Any, circle: Any) -> Any:
    """Return where a circle touches a plane (x, z), and its distance from it."""
    cx, cz, r = circle
    nx, _, nz = normal
    inverse = r / sqrt(larger(nx * nx + nz * nz, 1e-9))
    qx, qz = cx - inverse * nx, cz - inverse * nz
    return qx, qz, depth + nx * (qx - place[0]) + nz * (qz - place[2])
