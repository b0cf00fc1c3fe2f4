"""All contacts of robots with the ground: planes, height fields, faces and edges near them.

The hull is convex shapes: their corners meet faces and fields, edges of the ground pass through
them.
"""

from typing import Any

from grouser.models.contact.compiled import compiled
from grouser.models.contact.native.field import (
    FIELD_KEY,
    highest_near,
    look_below,
    touch_field_links,
)
from grouser.models.contact.native.grousers import (
    flanks_on_edge,
    place_grousers,
    tips_on_face,
    tips_on_field,
)
from grouser.models.contact.native.layout import *
from grouser.models.contact.native.search import (
    EDGE_KEY,
    along_belt,
    face_frame,
    in_face,
    on_edge,
    touch_edge,
    touch_face,
)
from grouser.models.contact.native.staging import stage
from grouser.models.lanes.formula import (
    Term,
    dot,
    formula,
    inner,
    inward,
    larger,
    magnitude,
    most,
    smaller,
    sub,
    where,
)
from grouser.models.lanes.lanes import anyof, load, put, take3, take4, take12


@compiled
def find_contacts(
    z: Any, width: int, st: Any, sb: int, ws: Any, tops: Any, near: Any, nb: int, rob: Any,
    lay: Any, ground: Any, rotation: Any,
) -> None:  # fmt: skip
    """Stage all contacts of the robots of a block."""
    if lay[AT_ROWS] > 0:
        place_grousers(z, st, sb, ws, rob, lay)
    if lay[AT_ANCHORED] > 0:
        touch_carriers(z, width, st, sb, ws, tops, rob, lay, rotation)
    touch_planes(z, width, st, sb, ws, tops, rob, lay, rotation)
    if lay[AT_FIELDS] > 0:
        touch_fields(z, width, st, sb, ws, tops, rob, lay, ground, rotation)
        if lay[AT_ROWS] > 0 and lay[AT_ANCHORED] == 0:
            soft = load(st, sb + lay[AT_ST_PARAMETERS] + SOFT, z)
            tips_on_field(z, width, st, sb, ws, tops, rob, lay, ground, soft,
                          take3(st, sb + POS, z), rotation)  # fmt: skip
    if lay[AT_MOST_FACES] + lay[AT_MOST_EDGES] > 0:
        touch_near(z, width, st, sb, ws, tops, near, nb, rob, lay, rotation)


@compiled
def touch_near(
    z: Any, width: int, st: Any, sb: int, ws: Any, tops: Any, near: Any, nb: int, rob: Any,
    lay: Any, rotation: Any,
) -> None:  # fmt: skip
    """Stage all contacts with the faces and edges near each robot."""
    place = take3(st, sb + POS, z)
    soft = load(st, sb + lay[AT_ST_PARAMETERS] + SOFT, z)
    used, belts = lay[AT_GROUPS], lay[AT_ANCHORED] == 0
    for j in range(tops[used, 0]):
        at = nb + j * FACE
        face = face_frame(take12(near, at, z), place, rotation)
        hu, hv, surface, ident = take4(near, at + 12, z)
        if belts:
            touch_face(z, width, ws, tops, rob, lay, soft, ident, True, face[:3], face[3],
                       face[4:10], face[10:], (hu, hv), surface)  # fmt: skip
        touch_face_shapes(z, width, ws, tops, rob, lay, soft, ident, True, face[:3], face[3],
                          face[4:10], face[10:], (hu, hv), surface)  # fmt: skip
        if belts and lay[AT_ROWS] > 0:
            tips_on_face(z, width, st, sb, ws, tops, rob, lay, soft, ident, True, face[:3], face[3],
                         face[4:10], face[10:], (hu, hv), surface)  # fmt: skip
    for j in range(tops[used, 1]):
        at = nb + lay[AT_MOST_FACES] * FACE + j * EDGE
        start = inward(sub(take3(near, at, z), place), rotation)
        way = inward(take3(near, at + 3, z), rotation)
        length, surface, ident, corner = take4(near, at + 6, z)
        if belts:
            touch_edge(
                z, width, ws, tops, rob, lay, soft, start, way, length, ident, corner, surface
            )
        touch_edge_shapes(z, width, ws, tops, rob, lay, soft, start, way, length, ident, surface)
        if belts and lay[AT_ROWS] > 0:
            flanks_on_edge(z, width, st, sb, ws, tops, rob, lay, soft, start, way, length, ident,
                           surface)  # fmt: skip


@compiled
def touch_planes(
    z: Any, width: int, st: Any, sb: int, ws: Any, tops: Any, rob: Any, lay: Any, rotation: Any,
) -> None:  # fmt: skip
    """Stage all contacts with planes that have no end."""
    place = take3(st, sb + POS, z)
    soft = load(st, sb + lay[AT_ST_PARAMETERS] + SOFT, z)
    none, pair, belts = (z, z, z, z, z, z), (z, z), lay[AT_ANCHORED] == 0
    for j in range(lay[AT_PLANES]):
        row = lay[AT_OF_PLANES] + PLANE * j
        world = (rob[row], rob[row + 1], rob[row + 2])
        off = rob[row + 3] - dot(place, world)
        normal = inward(world, rotation)
        surface, ident = rob[row + 4] + z, z - (j + 1.0)
        if belts:
            touch_face(z, width, ws, tops, rob, lay, soft, ident, False, normal, off, none, pair,
                       pair, surface)  # fmt: skip
        touch_face_shapes(z, width, ws, tops, rob, lay, soft, ident, False, normal, off, none, pair,
                          pair, surface)  # fmt: skip
        if belts and lay[AT_ROWS] > 0:
            tips_on_face(z, width, st, sb, ws, tops, rob, lay, soft, ident, False, normal, off,
                         none, pair, pair, surface)  # fmt: skip


@formula
def carrier_frame(place: Any, rotation: Any, anchor: Any) -> Any:
    """Return rotation and place of belts that stand in the world, as seen from the hull."""
    turned = [
        sum((rotation[3 * k + i] * anchor[3 + 3 * k + j] for k in range(3)), 0.0)
        for i in range(3)
        for j in range(3)
    ]
    away = [anchor[k] - place[k] for k in range(3)]
    return (*turned, *(inner(rotation[i::3], away) for i in range(3)))


@formula
def on_hull(vectors: Any, rotation: Any, origin: Any) -> Any:
    """Return a contact of belts that stand in the world as one of the hull: places, directions.

    What was pushed out of the hull's way now pushes the hull: directions change their sign.
    """

    def turned(a: Any) -> list[Any]:
        return [inner(rotation[3 * k : 3 * k + 3], a) for k in range(3)]

    places = [
        [p + o for p, o in zip(turned(vectors[k : k + 3]), origin, strict=True)] for k in (0, 3)
    ]
    ways = [[-p for p in turned(vectors[k : k + 3])] for k in (6, 9)]
    return (*places[0], *places[1], *ways[0], *ways[1])


@compiled
def touch_carriers(
    z: Any, width: int, st: Any, sb: int, ws: Any, tops: Any, rob: Any, lay: Any, rotation: Any
) -> None:
    """Stage the contacts of belts that stand in the world with the hull that lies on them.

    The belts look for contacts as always, with the hull's faces and edges in place of the ground's.
    """
    at = N_ANCHOR
    anchor = (
        rob[at], rob[at + 1], rob[at + 2], rob[at + 3], rob[at + 4], rob[at + 5], rob[at + 6],
        rob[at + 7], rob[at + 8], rob[at + 9], rob[at + 10], rob[at + 11],
    )  # fmt: skip
    frame = carrier_frame(take3(st, sb + POS, z), rotation, anchor)
    turned, origin = frame[:9], frame[9:]
    soft, grousers = load(st, sb + lay[AT_ST_PARAMETERS] + SOFT, z), lay[AT_ROWS] > 0
    for j in range(lay[AT_HULL_FACES]):
        of = lay[AT_OF_HULL_FACES] + FACE * j
        face = face_frame(take12(rob, of, 0.0), origin, turned)
        halves, ident, surface = (rob[of + 12], rob[of + 13]), z + j, z
        touch_face(z, width, ws, tops, rob, lay, soft, ident, True, face[:3], face[3], face[4:10],
                   face[10:], halves, surface)  # fmt: skip
        if grousers:
            tips_on_face(z, width, st, sb, ws, tops, rob, lay, soft, ident, True, face[:3], face[3],
                         face[4:10], face[10:], halves, surface)  # fmt: skip
    for j in range(lay[AT_HULL_EDGES]):
        of = lay[AT_OF_HULL_EDGES] + EDGE * j
        start = inward(sub(take3(rob, of, 0.0), origin), turned)
        way = inward(take3(rob, of + 3, 0.0), turned)
        length, ident, corner, surface = rob[of + 6] + z, z + j, rob[of + 9] + z, z
        touch_edge(z, width, ws, tops, rob, lay, soft, start, way, length, ident, corner, surface)
        if grousers:
            flanks_on_edge(z, width, st, sb, ws, tops, rob, lay, soft, start, way, length, ident,
                           surface)  # fmt: skip
    for group in range(lay[AT_GROUPS]):
        for slot in range(tops[group, 1]):
            to = lay[AT_WS_STAGE] + (group * lay[AT_SLOTS] + slot) * STAGED
            put(ws, to, on_hull(take12(ws, to, z), turned, origin), z)


@compiled
def touch_fields(
    z: Any, width: int, st: Any, sb: int, ws: Any, tops: Any, rob: Any, lay: Any, ground: Any,
    rotation: Any,
) -> None:  # fmt: skip
    """Stage all contacts with height fields."""
    origin = take3(st, sb + POS, z)
    soft = load(st, sb + lay[AT_ST_PARAMETERS] + SOFT, z)
    for field in range(lay[AT_FIELDS]):
        if lay[AT_ANCHORED] == 0:
            touch_field_links(z, width, ws, tops, rob, lay, ground, field, origin, rotation, soft)
        touch_field_shapes(z, width, ws, tops, rob, lay, ground, field, origin, rotation, soft)


@compiled
def touch_face_shapes(
    z: Any, width: int, ws: Any, tops: Any, rob: Any, lay: Any, soft: Any, ident: Any,
    bounded: bool, normal: Any, off: Any, frame: Any, middle: Any, halves: Any, surface: Any,
) -> None:  # fmt: skip
    """Stage the contacts of corners of the hull with a plane or face."""
    for shape in range(lay[AT_SHAPES]):
        row = lay[AT_OF_SHAPES] + SHAPE * shape
        distance = dot(normal, (rob[row], rob[row + 1], rob[row + 2])) - off
        close = distance < rob[row + RADIUS]
        if bounded:
            close = close & (distance > -2.0 * rob[row + RADIUS])
        if not anyof(close):
            continue
        along = along_belt(normal)[:3]
        for corner in range(int(rob[row + FIRST_CORNER]), int(rob[row + END_CORNER])):
            at = lay[AT_OF_CORNERS] + 3 * corner
            place = (rob[at] + z, rob[at + 1] + z, rob[at + 2] + z)
            depth = dot(normal, place) - off
            active = close & (depth < 0.0)
            if bounded:
                active = active & (depth > -rob[row + SHAPE_DEEPEST])
                if anyof(active):
                    active = active & in_face(place, frame, middle, halves)
            if not anyof(active):
                continue
            numbers = (
                depth, surface, soft, ident * 64.0 + (corner - rob[row + FIRST_CORNER]), 0.0, 0.0,
                0.0, 0.0, rob[N_KEEP], rob[N_PUSH], 0.0, -1.0,
            )  # fmt: skip
            stage(z, width, ws, tops, lay, lay[AT_LINKS] + shape, active, place, place, normal,
                  along, numbers)  # fmt: skip


@compiled
def touch_edge_shapes(
    z: Any, width: int, ws: Any, tops: Any, rob: Any, lay: Any, soft: Any, start: Any, way: Any,
    length: Any, ident: Any, surface: Any,
) -> None:  # fmt: skip
    """Stage the contacts of an edge of the ground that passes through a shape of the hull."""
    for shape in range(lay[AT_SHAPES]):
        row = lay[AT_OF_SHAPES] + SHAPE * shape
        radius = rob[row + RADIUS]
        away = sub(start, (rob[row], rob[row + 1], rob[row + 2]))
        if not anyof(misses(away, way, length) < radius * radius):
            continue
        low, high = z, length + z
        for side in range(int(rob[row + FIRST_SIDE]), int(rob[row + END_SIDE])):
            of = lay[AT_OF_SIDES] + 4 * side
            plane = (rob[of], rob[of + 1], rob[of + 2], rob[of + 3])
            low, high = clip(start, way, plane, low, high)
        inside = low < high
        if not anyof(inside):
            continue
        for end in range(2):
            share = 0.1 if end == 0 else 0.9
            place = on_edge(start, way, low + (high - low) * share)
            depth, normal = z - 1e9, (z, z, 1.0 + z)
            for side in range(int(rob[row + FIRST_SIDE]), int(rob[row + END_SIDE])):
                of = lay[AT_OF_SIDES] + 4 * side
                plane = (rob[of], rob[of + 1], rob[of + 2], rob[of + 3])
                found = nearer(place, plane, depth, normal)
                depth, normal = found[0], found[1:]
            on = inside & (depth < 0.0) & (depth > -rob[row + SHAPE_DEEPEST])
            if not anyof(on):
                continue
            numbers = (
                depth, surface, soft, EDGE_KEY + ident * 8.0 + end, 0.0, 0.0, 0.0, 0.0,
                rob[N_KEEP], rob[N_PUSH], 0.0, -1.0,
            )  # fmt: skip
            stage(z, width, ws, tops, lay, lay[AT_LINKS] + shape, on, place, place, normal,
                  along_belt(normal)[:3], numbers)  # fmt: skip


@formula
def misses(away: Any, way: Any, length: Term) -> Any:
    """Return the square of the distance of an edge from a point."""
    t = smaller(larger(-inner(away, way), 0.0), length)
    off = [p + t * d for p, d in zip(away, way, strict=True)]
    return inner(off, off)


@formula
def clip(start: Any, way: Any, plane: Any, low: Term, high: Term) -> Any:
    """Return the part of an edge that lies behind one more side."""
    height = inner(start, plane[:3]) - plane[3]
    rise = inner(way, plane[:3])
    parallel = magnitude(rise) < 1e-12
    t = -height / where(parallel, 1.0, rise)
    out = parallel & (height > 0.0)
    low = where((rise < 0.0) & (t > low), t, low)
    high = where((rise > 0.0) & (t < high), t, high)
    return where(out, 1.0, where(parallel, low, low)), where(out, 0.0, high)


@formula
def nearer(place: Any, plane: Any, depth: Term, normal: Any) -> Any:
    """Return depth and inward normal of the side that is nearest to a point inside."""
    height = inner(place, plane[:3]) - plane[3]
    closer = height > depth
    turned = [where(closer, -p, n) for p, n in zip(plane[:3], normal, strict=True)]
    return (where(closer, height, depth), *turned)


@compiled
def touch_field_shapes(
    z: Any, width: int, ws: Any, tops: Any, rob: Any, lay: Any, ground: Any, field: int,
    origin: Any, rotation: Any, soft: Any,
) -> None:  # fmt: skip
    """Stage the contacts of corners and samples of the hull with a height field."""
    at = lay[AT_OF_FIELDS] + FIELD * field
    for shape in range(lay[AT_SHAPES]):
        row = lay[AT_OF_SHAPES] + SHAPE * shape
        middle = (rob[row] + z, rob[row + 1] + z, rob[row + 2] + z)
        low = origin[2] + dot((rotation[6], rotation[7], rotation[8]), middle) - rob[row + RADIUS]
        close = low < highest_near(z, ground, rob, lay, at, origin, rotation, middle)
        if not anyof(close):
            continue
        first = int(rob[row + FIRST_CORNER])
        for corner in range(first, int(rob[row + END_SAMPLE])):
            of = lay[AT_OF_CORNERS] + 3 * corner
            place = (rob[of] + z, rob[of + 1] + z, rob[of + 2] + z)
            depth, nx, ny, nz = look_below(z, ground, rob, lay, at, origin, rotation, place)
            active = close & (depth < 0.0)
            if not anyof(active):
                continue
            normal = (nx, ny, nz)
            numbers = (
                most(depth, z - rob[row + SHAPE_DEEPEST]), rob[at + 10] + z, soft,
                FIELD_KEY + field * 1024.0 + (corner - first), 0.0, 0.0, 0.0, 0.0, rob[N_KEEP],
                rob[N_PUSH], 0.0, -1.0,
            )  # fmt: skip
            stage(z, width, ws, tops, lay, lay[AT_LINKS] + shape, active, place, place, normal,
                  along_belt(normal)[:3], numbers)  # fmt: skip
