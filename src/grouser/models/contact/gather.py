"""Reading the engine's contacts into memory, compiled. Types are those of `workspace`."""

from typing import Any

import numpy as np
from numba import njit

from grouser.models.contact.native_calls import floats, integer, pointer
from grouser.models.contact.workspace import MOST_CONTACTS

SMALL = 1e-3
"""Speed or sine below which a direction is not defined [1]."""


@njit(cache=True, nogil=True)
def gather_contacts(
    model: int, data: int, timestep: float, at: Any, tables: Any, memory: Any
) -> None:
    """Fill the memory with the contacts between the robot and the ground."""
    count = 0
    contacts = pointer(data + at.contacts)
    forces = pointer(data + at.row_forces)
    for index in range(integer(data + at.contact_count)):
        contact = contacts + index * at.contact_size
        row = integer(contact + at.contact_row)
        if row < 0 or count >= MOST_CONTACTS:
            continue
        load = floats(forces + 8 * row, 1)[0]
        first = integer(contact + at.contact_geoms)
        second = integer(contact + at.contact_geoms + 4)
        geom, ground = (second, first) if tables.is_robot[second] else (first, second)
        if load <= 0.0 or not tables.is_robot[geom]:
            continue
        frame = floats(contact + at.contact_frame, 9)
        position = floats(contact + at.contact_position, 3)
        side = 1.0 if geom == second else -1.0
        memory.geom[count] = geom
        memory.load[count] = load
        for k in range(3):
            memory.position[count, k] = position[k]
            memory.normal[count, k] = side * frame[k]
        along, across = friction_at(tables, ground, position)
        scale = memory.friction[0] * load * timestep
        memory.limit[count, 0], memory.limit[count, 1] = along * scale, across * scale
        body = integer(pointer(model + at.geom_body) + 4 * geom)
        set_tangents(data, at, body, frame, memory, count)
        set_surface(data, at, tables, geom, memory, count)
        set_jacobian(model, data, at, body, memory, count)
        count += 1
    memory.count[0] = count


@njit(cache=True, nogil=True)
def friction_at(tables: Any, ground: int, position: Any) -> tuple[float, float]:
    """Return friction along and across the belt at a place of a ground geom."""
    along, across = tables.along[ground], tables.across[ground]
    for patch in range(tables.patches.shape[0]):
        p = tables.patches[patch]
        dx, dy = position[0] - p[0], position[1] - p[1]
        if abs(dx * p[2] + dy * p[3]) <= p[4] and abs(dy * p[2] - dx * p[3]) <= p[5]:
            along, across = p[6], p[7]
    return along, across


@njit(cache=True, nogil=True)
def set_tangents(data: int, at: Any, body: int, frame: Any, memory: Any, count: int) -> None:
    """Choose the first tangent along the belt, normal x body y, and the second across it."""
    rotation = floats(pointer(data + at.body_rotations) + 72 * body, 9)
    n0, n1, n2 = frame[0], frame[1], frame[2]
    y0, y1, y2 = rotation[1], rotation[4], rotation[7]
    t0, t1, t2 = n1 * y2 - n2 * y1, n2 * y0 - n0 * y2, n0 * y1 - n1 * y0
    size = np.sqrt(t0 * t0 + t1 * t1 + t2 * t2)
    if size < SMALL:  # the side of a track: any direction will do
        t0, t1, t2, size = frame[3], frame[4], frame[5], 1.0
    fill_tangents(memory.tangents[count], frame, t0 / size, t1 / size, t2 / size)


@njit(cache=True, nogil=True)
def fill_tangents(tangents: Any, normal: Any, t0: float, t1: float, t2: float) -> None:
    """Set a tangent and the one that is perpendicular to it and to the normal."""
    tangents[0, 0], tangents[0, 1], tangents[0, 2] = t0, t1, t2
    tangents[1, 0] = normal[1] * t2 - normal[2] * t1
    tangents[1, 1] = normal[2] * t0 - normal[0] * t2
    tangents[1, 2] = normal[0] * t1 - normal[1] * t0


@njit(cache=True, nogil=True)
def set_surface(data: int, at: Any, tables: Any, geom: int, memory: Any, count: int) -> None:
    """Express the velocity of the belt's surface, per belt speed, in the tangents."""
    unit = tables.surface[geom]
    rotation = floats(pointer(data + at.geom_rotations) + 72 * geom, 9)
    centre = floats(pointer(data + at.geom_positions) + 24 * geom, 3)
    p = memory.position[count]
    r0, r1, r2 = p[0] - centre[0], p[1] - centre[1], p[2] - centre[2]
    w0 = rotation[0] * unit[3] + rotation[1] * unit[4] + rotation[2] * unit[5]
    w1 = rotation[3] * unit[3] + rotation[4] * unit[4] + rotation[5] * unit[5]
    w2 = rotation[6] * unit[3] + rotation[7] * unit[4] + rotation[8] * unit[5]
    v0 = rotation[0] * unit[0] + rotation[1] * unit[1] + rotation[2] * unit[2] + w1 * r2 - w2 * r1
    v1 = rotation[3] * unit[0] + rotation[4] * unit[1] + rotation[5] * unit[2] + w2 * r0 - w0 * r2
    v2 = rotation[6] * unit[0] + rotation[7] * unit[1] + rotation[8] * unit[2] + w0 * r1 - w1 * r0
    turned = memory.steering[0] > 0.0 and turn_to_circle(data, at, tables, memory, count)
    for t in range(2):
        tangent = memory.tangents[count, t]
        memory.surface[count, t] = tangent[0] * v0 + tangent[1] * v1 + tangent[2] * v2
    if turned:
        memory.surface[count, 1] = 0.0


@njit(cache=True, nogil=True)
def turn_to_circle(data: int, at: Any, tables: Any, memory: Any, count: int) -> bool:
    """Turn the tangents so that the first is along the circle about the robot's centre (P1)."""
    rotation = floats(pointer(data + at.body_rotations) + 72 * tables.hull, 9)
    origin = floats(pointer(data + at.body_positions) + 24 * tables.hull, 3)
    p = memory.position[count]
    d0, d1, d2 = p[0] - origin[0], p[1] - origin[1], p[2] - origin[2]
    x = rotation[0] * d0 + rotation[3] * d1 + rotation[6] * d2
    y = rotation[1] * d0 + rotation[4] * d1 + rotation[7] * d2
    ahead = memory.steering[1] - memory.steering[2] * y
    leftward = memory.steering[2] * x
    n = memory.normal[count]
    u0 = rotation[0] * ahead + rotation[1] * leftward
    u1 = rotation[3] * ahead + rotation[4] * leftward
    u2 = rotation[6] * ahead + rotation[7] * leftward
    off = u0 * n[0] + u1 * n[1] + u2 * n[2]
    u0, u1, u2 = u0 - off * n[0], u1 - off * n[1], u2 - off * n[2]
    size = np.sqrt(u0 * u0 + u1 * u1 + u2 * u2)
    if size < SMALL:
        return False
    fill_tangents(memory.tangents[count], n, u0 / size, u1 / size, u2 / size)
    return True


@njit(cache=True, nogil=True)
def set_jacobian(model: int, data: int, at: Any, body: int, memory: Any, count: int) -> None:
    """Fill the two rows that map joint velocities to the contact's tangents."""
    memory.jacobian[2 * count] = 0.0
    memory.jacobian[2 * count + 1] = 0.0
    degree_count = pointer(model + at.body_degree_count)
    while body > 0 and integer(degree_count + 4 * body) == 0:
        body = integer(pointer(model + at.body_parent) + 4 * body)
    if body == 0:
        return
    root = integer(pointer(model + at.body_root) + 4 * body)
    centre = floats(pointer(data + at.tree_centres) + 24 * root, 3)
    p = memory.position[count]
    r0, r1, r2 = p[0] - centre[0], p[1] - centre[1], p[2] - centre[2]
    first = integer(pointer(model + at.body_first_degree) + 4 * body)
    degree = first + integer(degree_count + 4 * body) - 1
    axes, parents = pointer(data + at.motion_axes), pointer(model + at.degree_parent)
    while degree >= 0:
        axis = floats(axes + 48 * degree, 6)
        c0 = axis[3] + axis[1] * r2 - axis[2] * r1
        c1 = axis[4] + axis[2] * r0 - axis[0] * r2
        c2 = axis[5] + axis[0] * r1 - axis[1] * r0
        for t in range(2):
            tangent = memory.tangents[count, t]
            row = tangent[0] * c0 + tangent[1] * c1 + tangent[2] * c2
            memory.jacobian[2 * count + t, degree] = row
        degree = integer(parents + 4 * degree)
