"""Exact Coulomb traction on an engine whose own friction is convex: staggered, compiled.

The engine solves the normal forces with the friction of the last step; the tangential impulses
of this step follow by projected Gauss-Seidel, each inside its friction disk; then the engine
solves the normals again with them. A sliding contact is thereby not lifted, as the engine's
convex cone would lift it, and a sticking one does not creep.

    l_i <- P( l_i - (J_i v + s_i b) / D_i ),   v <- v + M^-1 J_i^T dl_i,   b <- b + s_i dl_i / m

P projects on the ellipse with half axes mu_along N dt and mu_across N dt; b is the speed of the
belt, s its surface's direction, m its inertia; D is the larger diagonal entry of a contact. A
belt whose motor has no limit has 1/m = 0: nothing slows it.

Left out: shear of soft ground, friction that falls with speed, torsion of a single contact.
"""

from typing import Any

import numpy as np
from numba import njit

from grouser.models.contact.gather import gather_contacts
from grouser.models.contact.native_calls import call_solve, call_stage, floats, integer, pointer

ITERATIONS = 100
"""Most sweeps over the contacts in one step [1]."""
TOLERANCE = 1e-9
"""Largest change of an impulse, relative to the largest friction, at which sweeping ends [1]."""


@njit(cache=True, nogil=True)
def advance_with_traction(
    model: int, data: int, steps: int, at: Any, tables: Any, memory: Any
) -> None:
    """Advance the engine by some steps, with traction at every contact of the robot."""
    degrees = integer(model + at.degrees)
    timestep = floats(model + at.timestep, 1)[0]
    applied = floats(pointer(data + at.applied), degrees)
    for _ in range(steps):
        call_stage(at.step1, model, data)
        drive_belts(memory, timestep)
        memory.count[0] = 0
        if integer(data + at.contact_count) > 0:
            call_stage(at.actuation, model, data)
            call_stage(at.acceleration, model, data)
            call_stage(at.constraint, model, data)
            gather_contacts(model, data, timestep, at, tables, memory)
            call_solve(at.solve, model, data, memory.velocity.ctypes.data, applied.ctypes.data, 1)
        applied[:] = 0.0
        memory.last_geom[memory.count[0]] = -1  # a contact that ended is not remembered
        rows = 2 * memory.count[0]
        if rows > 0:
            response, jacobian = memory.response.ctypes.data, memory.jacobian.ctypes.data
            call_solve(at.solve, model, data, response, jacobian, rows)
            solve_impulses(data, timestep, at, tables, memory)
            for row in range(rows):
                force = memory.impulse[row // 2, row % 2] / timestep
                for k in range(degrees):
                    applied[k] += memory.jacobian[row, k] * force
        call_stage(at.step2, model, data)


@njit(cache=True, nogil=True)
def drive_belts(memory: Any, timestep: float) -> None:
    """Let each motor work towards its speed, with no more force than it has."""
    for drive in range(memory.belts.size - 1):
        change = memory.targets[drive] - memory.belts[drive]
        if memory.inverse_masses[drive] > 0.0:
            most = memory.forces[drive] * timestep * memory.inverse_masses[drive]
            change = min(max(change, -most), most)
        memory.belts[drive] += change


@njit(cache=True, nogil=True)
def solve_impulses(data: int, timestep: float, at: Any, tables: Any, memory: Any) -> None:
    """Find the tangential impulses by projected Gauss-Seidel."""
    degrees = memory.velocity.size
    velocity = floats(pointer(data + at.velocity), degrees)
    acceleration = floats(pointer(data + at.accelerations), degrees)
    v = memory.velocity
    # What the velocity would be without friction: the last step's is taken out again.
    for k in range(degrees):
        v[k] = velocity[k] + timestep * (acceleration[k] - v[k])
    count = memory.count[0]
    largest = 0.0
    for i in range(count):
        start_contact(tables, memory, v, i)
        largest = max(largest, memory.limit[i, 0], memory.limit[i, 1])
    for sweep in range(ITERATIONS):
        change = 0.0
        for i in range(count):
            change = max(change, relax(tables, memory, v, i))
        memory.count[1] = sweep + 1
        if change < TOLERANCE * largest:
            break
    for i in range(count):
        memory.last_geom[i] = memory.geom[i]
        memory.last_impulse[i, 0] = memory.impulse[i, 0]
        memory.last_impulse[i, 1] = memory.impulse[i, 1]
    memory.last_geom[count] = -1


@njit(cache=True, nogil=True)
def start_contact(tables: Any, memory: Any, v: Any, i: int) -> None:
    """Begin with the last step's impulse where the same geom was at the same place of the list."""
    drive = tables.drive[memory.geom[i]]
    known = memory.last_geom[i] == memory.geom[i]
    diagonal = 0.0
    for t in range(2):
        row, surface = 2 * i + t, memory.surface[i, t]
        inverse_mass = memory.inverse_masses[drive]
        own = dot(memory.jacobian[row], memory.response[row]) + surface * surface * inverse_mass
        diagonal = max(diagonal, own)
        limit = memory.limit[i, t]
        impulse = min(max(memory.last_impulse[i, t], -limit), limit) if known else 0.0
        memory.impulse[i, t] = impulse
        memory.belts[drive] += surface * inverse_mass * impulse
        for k in range(v.size):
            v[k] += memory.response[row, k] * impulse
    memory.diagonal[i] = diagonal


@njit(cache=True, nogil=True)
def relax(tables: Any, memory: Any, v: Any, i: int) -> float:
    """Bring one contact nearer to sticking, within its friction; return the change [N s]."""
    limit0, limit1 = memory.limit[i, 0], memory.limit[i, 1]
    if limit0 <= 0.0 or limit1 <= 0.0:
        return 0.0
    drive = tables.drive[memory.geom[i]]
    belt = memory.belts[drive]
    old0, old1 = memory.impulse[i, 0], memory.impulse[i, 1]
    slip0 = dot(memory.jacobian[2 * i], v) + memory.surface[i, 0] * belt
    slip1 = dot(memory.jacobian[2 * i + 1], v) + memory.surface[i, 1] * belt
    new0, new1 = old0 - slip0 / memory.diagonal[i], old1 - slip1 / memory.diagonal[i]
    reach = np.sqrt((new0 / limit0) ** 2 + (new1 / limit1) ** 2)
    if reach > 1.0:
        new0, new1 = new0 / reach, new1 / reach
    d0, d1 = new0 - old0, new1 - old1
    memory.impulse[i, 0], memory.impulse[i, 1] = new0, new1
    push = memory.surface[i, 0] * d0 + memory.surface[i, 1] * d1
    memory.belts[drive] += push * memory.inverse_masses[drive]
    for k in range(v.size):
        v[k] += memory.response[2 * i, k] * d0 + memory.response[2 * i + 1, k] * d1
    return max(abs(d0), abs(d1))


@njit(cache=True, nogil=True)
def dot(a: Any, b: Any) -> float:
    """Return the sum of products."""
    total = 0.0
    for k in range(a.size):
        total += a[k] * b[k]
    return total
