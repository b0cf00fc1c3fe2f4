"""All contacts of robots with the ground: planes, height fields, faces and edges near them."""

from typing import Any

from grouser.models.contact.compiled import compiled
from grouser.models.contact.native.field import touch_fields
from grouser.models.contact.native.formula import dot, inward, sub
from grouser.models.contact.native.grousers import (
    flanks_on_edge,
    place_grousers,
    tips_on_face,
    tips_on_field,
)
from grouser.models.contact.native.lanes import load, take3, take4, take12
from grouser.models.contact.native.layout import *
from grouser.models.contact.native.search import (
    face_frame,
    touch_edge,
    touch_edge_shapes,
    touch_face,
    touch_face_shapes,
)


@compiled
def find_contacts(
    z: Any, width: int, st: Any, sb: int, ws: Any, tops: Any, near: Any, nb: int, rob: Any, lay: Any,
    ground: Any, rotation: Any,
) -> None:  # fmt: skip
    """Stage all contacts of the robots of a block."""
    if lay[AT_ROWS] > 0:
        place_grousers(z, st, sb, ws, rob, lay)
    touch_planes(z, width, st, sb, ws, tops, rob, lay, rotation)
    if lay[AT_FIELDS] > 0:
        touch_fields(z, width, st, sb, ws, tops, rob, lay, ground, rotation)
        if lay[AT_ROWS] > 0:
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
    used = lay[AT_GROUPS]
    for j in range(tops[used, 0]):
        at = nb + j * FACE
        face = face_frame(take12(near, at, z), place, rotation)
        hu, hv, surface, ident = take4(near, at + 12, z)
        touch_face(z, width, ws, tops, rob, lay, soft, ident, True, face[:3], face[3], face[4:10],
                   face[10:], (hu, hv), surface)  # fmt: skip
        touch_face_shapes(z, width, ws, tops, rob, lay, soft, ident, True, face[:3], face[3],
                          face[4:10], face[10:], (hu, hv), surface)  # fmt: skip
        if lay[AT_ROWS] > 0:
            tips_on_face(z, width, st, sb, ws, tops, rob, lay, soft, ident, True, face[:3], face[3],
                         face[4:10], face[10:], (hu, hv), surface)  # fmt: skip
    for j in range(tops[used, 1]):
        at = nb + lay[AT_MOST_FACES] * FACE + j * EDGE
        start = inward(sub(take3(near, at, z), place), rotation)
        way = inward(take3(near, at + 3, z), rotation)
        length, surface, ident, corner = take4(near, at + 6, z)
        touch_edge(z, width, ws, tops, rob, lay, soft, start, way, length, ident, corner, surface)
        touch_edge_shapes(z, width, ws, tops, rob, lay, soft, start, way, length, ident, surface)
        if lay[AT_ROWS] > 0:
            flanks_on_edge(z, width, st, sb, ws, tops, rob, lay, soft, start, way, length, ident,
                           surface)  # fmt: skip


@compiled
def touch_planes(
    z: Any, width: int, st: Any, sb: int, ws: Any, tops: Any, rob: Any, lay: Any, rotation: Any,
) -> None:  # fmt: skip
    """Stage all contacts with planes that have no end."""
    place = take3(st, sb + POS, z)
    soft = load(st, sb + lay[AT_ST_PARAMETERS] + SOFT, z)
    none, pair = (z, z, z, z, z, z), (z, z)
    for j in range(lay[AT_PLANES]):
        row = lay[AT_OF_PLANES] + PLANE * j
        world = (rob[row], rob[row + 1], rob[row + 2])
        off = rob[row + 3] - dot(place, world)
        normal = inward(world, rotation)
        surface, ident = rob[row + 4] + z, z - (j + 1.0)
        touch_face(z, width, ws, tops, rob, lay, soft, ident, False, normal, off, none, pair, pair,
                   surface)  # fmt: skip
        touch_face_shapes(z, width, ws, tops, rob, lay, soft, ident, False, normal, off, none, pair,
                          pair, surface)  # fmt: skip
        if lay[AT_ROWS] > 0:
            tips_on_face(z, width, st, sb, ws, tops, rob, lay, soft, ident, False, normal, off, none,
                         pair, pair, surface)  # fmt: skip
