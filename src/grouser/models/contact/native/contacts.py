"""All contacts of robots with the ground: planes, height fields, faces and edges near them."""

from typing import Any

from grouser.models.contact.compiled import compiled
from grouser.models.contact.native.field import touch_fields
from grouser.models.contact.native.grousers import (
    flanks_on_edge,
    place_grousers,
    tips_on_face,
    tips_on_field,
)
from grouser.models.contact.native.layout import *
from grouser.models.contact.native.search import (
    face_frame,
    touch_edge,
    touch_edge_shapes,
    touch_face,
    touch_face_shapes,
)
from grouser.models.lanes.formula import dot, formula, inner, inward, sub
from grouser.models.lanes.lanes import load, put, take3, take4, take12


@compiled
def find_contacts(
    z: Any, width: int, st: Any, sb: int, ws: Any, tops: Any, near: Any, nb: int, rob: Any, lay: Any,
    ground: Any, rotation: Any,
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
            tips_on_face(z, width, st, sb, ws, tops, rob, lay, soft, ident, False, normal, off, none,
                         pair, pair, surface)  # fmt: skip


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
