"""Reading the engine's contacts into memory, compiled. Types are those of `workspace`.

Functions take addresses and few arrays, no slices: compiled code counts references to slices.
"""

from typing import Any

import numpy as np

from grouser.models.contact.carry_riders import rider_velocity
from grouser.models.contact.compiled import compiled, inlined
from grouser.models.contact.native_calls import integer, number, pointer
from grouser.models.contact.workspace import MOST_CONTACTS

PARALLEL, NEAR = 0.999, 0.025
"""Product of the normals of two contacts of one plate from which they are given traction
together [1], and how far apart they may be [m]."""
SMALL = 1e-3
"""Speed or sine below which a direction is not defined [1]."""


@compiled
def gather_contacts(
    model: int, data: int, timestep: float, at: Any, tables: Any, memory: Any
) -> None:
    """Fill the memory with the contacts between the robot and the ground."""
    count = 0
    contacts, forces = pointer(data + at.contacts), pointer(data + at.row_forces)
    is_robot, position, normal = tables.is_robot, memory.position, memory.normal
    none, held = memory.belts.size - 1, memory.stiffness.shape[0] > 0
    for index in range(integer(data + at.contact_count)):
        contact = contacts + index * at.contact_size
        row = integer(contact + at.contact_row)
        if row < 0 or count >= MOST_CONTACTS:
            continue
        load = number(forces + 8 * row)
        first = integer(contact + at.contact_geoms)
        second = integer(contact + at.contact_geoms + 4)
        geom, ground = (second, first) if is_robot[second] else (first, second)
        if load <= 0.0 or not is_robot[geom] or is_robot[ground]:
            continue
        side = 1.0 if geom == second else -1.0
        memory.geom[count] = geom
        # A belt that stands in the world moves what lies on it: the other way round.
        fixed = tables.drive[geom] == none and tables.drive[ground] < none
        belt = ground if fixed else geom
        memory.drive[count] = tables.drive[belt]
        memory.load[count] = load
        memory.drag[count] = timestep * resistance(data, at, row)
        for k in range(3):
            position[count, k] = number(contact + at.contact_position + 8 * k)
            normal[count, k] = side * number(contact + at.contact_frame + 8 * k)
        along, across = friction_at(tables, ground, position[count, 0], position[count, 1])
        scale = memory.friction[0] * load * timestep
        memory.limit[count, 0], memory.limit[count, 1] = along * scale, across * scale
        i = join(memory, count) if held else count
        body = integer(pointer(model + at.geom_body) + 4 * geom)
        rotation = pointer(data + at.body_rotations) + 72 * body
        set_tangents(rotation, contact + at.contact_frame, memory.tangents, i)
        turned = memory.steering[0] > 0.0 and turn_to_circle(data, at, tables.hull, memory, i)
        set_surface(data, at, tables, memory, i, belt, -1.0 if fixed else 1.0)
        if turned:
            memory.surface[i, 1] = 0.0
        set_jacobian(model, data, at, body, position, memory.tangents, memory.jacobian, i)
        count += i == count
    memory.count[0] = count


@compiled
def join(memory: Any, last: int) -> int:
    """Add the last contact to one of the same plate that is near; return which, or the last.

    Short plates have their corners side by side: the sum of their friction acts where the sum of
    their loads does.
    """
    p, n, load, limit = memory.position, memory.normal, memory.load, memory.limit
    for i in range(last - 1, -1, -1):
        if memory.geom[i] != memory.geom[last]:
            break
        product, square = 0.0, 0.0
        for k in range(3):
            product += n[i, k] * n[last, k]
            square += (p[i, k] - p[last, k]) ** 2
        if product > PARALLEL and square < NEAR * NEAR:
            load[i] += load[last]
            for k in range(3):
                p[i, k] += load[last] / load[i] * (p[last, k] - p[i, k])
            limit[i, 0] += limit[last, 0]
            limit[i, 1] += limit[last, 1]
            return i
    return last


@inlined
def resistance(data: int, at: Any, row: int) -> float:
    """Return by how much the force of a row falls with the speed of what comes at it [kg/s]."""
    damping = number(pointer(data + at.row_gains) + 32 * row + 8)
    return damping / number(pointer(data + at.row_inverse_masses) + 8 * row)


@inlined
def friction_at(tables: Any, ground: int, x: float, y: float) -> tuple[float, float]:
    """Return friction along and across the belt at a place of a ground geom."""
    along, across = tables.along[ground], tables.across[ground]
    p = tables.patches
    for i in range(p.shape[0]):
        dx, dy = x - p[i, 0], y - p[i, 1]
        u, v = dx * p[i, 2] + dy * p[i, 3], dy * p[i, 2] - dx * p[i, 3]
        if abs(u) <= p[i, 4] and abs(v) <= p[i, 5]:
            along, across = p[i, 6], p[i, 7]
    return along, across


@inlined
def set_tangents(rotation: int, frame: int, tangents: Any, count: int) -> None:
    """Choose the first tangent along the belt, normal x body y, and the second across it."""
    n0, n1, n2 = number(frame), number(frame + 8), number(frame + 16)
    y0, y1, y2 = number(rotation + 8), number(rotation + 32), number(rotation + 56)
    t0, t1, t2 = n1 * y2 - n2 * y1, n2 * y0 - n0 * y2, n0 * y1 - n1 * y0
    size = np.sqrt(t0 * t0 + t1 * t1 + t2 * t2)
    if size < SMALL:  # the side of a track: any direction will do
        t0, t1, t2, size = number(frame + 24), number(frame + 32), number(frame + 40), 1.0
    fill_tangents(tangents, count, n0, n1, n2, t0 / size, t1 / size, t2 / size)


@inlined
def fill_tangents(
    tangents: Any, i: int, n0: float, n1: float, n2: float, t0: float, t1: float, t2: float
) -> None:
    """Set a tangent and the one that is perpendicular to it and to the normal."""
    tangents[i, 0, 0], tangents[i, 0, 1], tangents[i, 0, 2] = t0, t1, t2
    tangents[i, 1, 0] = n1 * t2 - n2 * t1
    tangents[i, 1, 1] = n2 * t0 - n0 * t2
    tangents[i, 1, 2] = n0 * t1 - n1 * t0


@inlined
def set_surface(
    data: int, at: Any, tables: Any, memory: Any, i: int, geom: int, sign: float
) -> None:
    """Express the velocity of the belt's surface, per belt speed, in the tangents."""
    p, n, tangents = memory.position, memory.normal, memory.tangents
    rider = tables.riders.of_geom[geom]
    if rider >= 0:
        v0, v1, v2 = rider_velocity(
            data, at, tables.riders, memory.footprint, rider, p[i, 0], p[i, 1], p[i, 2]
        )
    else:
        v0, v1, v2 = surface_velocity(data, at, tables.surface, geom, p[i, 0], p[i, 1], p[i, 2])
    v0, v1, v2 = sign * v0, sign * v1, sign * v2
    memory.approach[i] = n[i, 0] * v0 + n[i, 1] * v1 + n[i, 2] * v2 if rider >= 0 else 0.0
    for t in range(2):
        memory.surface[i, t] = (
            tangents[i, t, 0] * v0 + tangents[i, t, 1] * v1 + tangents[i, t, 2] * v2
        )


@inlined
def surface_velocity(
    data: int, at: Any, surface: Any, geom: int, x: float, y: float, z: float
) -> tuple[float, float, float]:
    """Return the velocity of a geom's surface at a place of the world, per belt speed."""
    rotation = pointer(data + at.geom_rotations) + 72 * geom
    centre = pointer(data + at.geom_positions) + 24 * geom
    r0, r1, r2 = x - number(centre), y - number(centre + 8), z - number(centre + 16)
    v0, v1, v2 = turn(rotation, surface[geom, 0], surface[geom, 1], surface[geom, 2])
    w0, w1, w2 = turn(rotation, surface[geom, 3], surface[geom, 4], surface[geom, 5])
    return v0 + w1 * r2 - w2 * r1, v1 + w2 * r0 - w0 * r2, v2 + w0 * r1 - w1 * r0


@inlined
def turn(rotation: int, x: float, y: float, z: float) -> tuple[float, float, float]:
    """Return a vector turned by the matrix at an address."""
    return (
        number(rotation) * x + number(rotation + 8) * y + number(rotation + 16) * z,
        number(rotation + 24) * x + number(rotation + 32) * y + number(rotation + 40) * z,
        number(rotation + 48) * x + number(rotation + 56) * y + number(rotation + 64) * z,
    )


@compiled
def turn_to_circle(data: int, at: Any, hull: int, memory: Any, i: int) -> bool:
    """Turn the tangents so that the first is along the circle about the robot's centre (P1)."""
    rotation = pointer(data + at.body_rotations) + 72 * hull
    origin = pointer(data + at.body_positions) + 24 * hull
    p, n, steering = memory.position, memory.normal, memory.steering
    x, y = 0.0, 0.0
    for k in range(3):
        away = p[i, k] - number(origin + 8 * k)
        x += number(rotation + 24 * k) * away
        y += number(rotation + 24 * k + 8) * away
    u0, u1, u2 = turn(rotation, steering[1] - steering[2] * y, steering[2] * x, 0.0)
    off = u0 * n[i, 0] + u1 * n[i, 1] + u2 * n[i, 2]
    u0, u1, u2 = u0 - off * n[i, 0], u1 - off * n[i, 1], u2 - off * n[i, 2]
    size = np.sqrt(u0 * u0 + u1 * u1 + u2 * u2)
    if size < SMALL:
        return False
    u0, u1, u2 = u0 / size, u1 / size, u2 / size
    fill_tangents(memory.tangents, i, n[i, 0], n[i, 1], n[i, 2], u0, u1, u2)
    return True


@inlined
def set_jacobian(
    model: int, data: int, at: Any, body: int, p: Any, tangents: Any, jacobian: Any, i: int
) -> None:
    """Fill the two rows that map joint velocities to the contact's tangents."""
    for k in range(jacobian.shape[1]):
        jacobian[2 * i, k], jacobian[2 * i + 1, k] = 0.0, 0.0
    degree_count = pointer(model + at.body_degree_count)
    while body > 0 and integer(degree_count + 4 * body) == 0:
        body = integer(pointer(model + at.body_parent) + 4 * body)
    if body == 0:
        return
    root = integer(pointer(model + at.body_root) + 4 * body)
    centre = pointer(data + at.tree_centres) + 24 * root
    r0, r1, r2 = (
        p[i, 0] - number(centre),
        p[i, 1] - number(centre + 8),
        p[i, 2] - number(centre + 16),
    )
    first = integer(pointer(model + at.body_first_degree) + 4 * body)
    degree = first + integer(degree_count + 4 * body) - 1
    axes, parents = pointer(data + at.motion_axes), pointer(model + at.degree_parent)
    while degree >= 0:
        axis = axes + 48 * degree
        a0, a1, a2 = number(axis), number(axis + 8), number(axis + 16)
        c0 = number(axis + 24) + a1 * r2 - a2 * r1
        c1 = number(axis + 32) + a2 * r0 - a0 * r2
        c2 = number(axis + 40) + a0 * r1 - a1 * r0
        for t in range(2):
            jacobian[2 * i + t, degree] = (
                tangents[i, t, 0] * c0 + tangents[i, t, 1] * c1 + tangents[i, t, 2] * c2
            )
        degree = integer(parents + 4 * degree)
