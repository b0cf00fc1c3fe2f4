"""Exact Coulomb traction on an engine whose own friction is convex: staggered, compiled.

The engine solves the normal forces with the friction of the last step; the tangential impulses
of this step follow by projected Gauss-Seidel, each inside its friction disk; then the engine
solves the normals again with them. A sliding contact is thereby not lifted, as the engine's
convex cone would lift it, and a sticking one does not creep.

    l_i <- P( l_i - (J_i v + s_i b) / D_i ),   v <- v + M^-1 J_i^T dl_i,   b <- b + s_i dl_i / m
    p <- clamp( p + (target - b) m, +-F dt ),   b <- b + dp / m

P projects on the ellipse with half axes mu_along N dt and mu_across N dt; b is the speed of the
belt, s its surface's direction, m its inertia; D is the larger diagonal entry of a contact. A
belt whose motor has no limit has 1/m = 0: nothing slows it. p is the motor's impulse, F its limit.

Left out: shear of soft ground, friction that falls with speed, torsion of a single contact.
"""

from typing import Any

import numpy as np

from grouser.models.contact.begin_step import begin_step
from grouser.models.contact.carry_riders import drive_rows, load_belts, move_belts
from grouser.models.contact.compiled import compiled
from grouser.models.contact.count_work import count_work
from grouser.models.contact.gather import gather_contacts
from grouser.models.contact.hold import (
    HULL,
    factorise,
    fill_stiffness,
    stretch,
    whiten,
    whiten_contacts,
)
from grouser.models.contact.native_calls import (
    call_solve,
    call_stage,
    floats,
    integer,
    number,
    pointer,
)
from grouser.models.contact.push import push_hull
from grouser.models.contact.sprockets import read_sprockets, turn_sprockets

ITERATIONS, ITERATIONS_HELD = 100, 20
"""Most sweeps over the contacts in one step; fewer for belts of plates, whose many contacts are
all but the same [1]."""
TOLERANCE = 1e-5
"""Largest change of an impulse, relative to the largest friction, at which sweeping ends [1]."""
STILL, STILL_SHARE = 1e-9, 1e-6
"""Slip at which a contact sticks well enough: by itself [m/s], and per speed of the belts [1]."""


@compiled
def advance_with_traction(
    model: int, data: int, steps: int, at: Any, tables: Any, memory: Any
) -> None:
    """Advance the engine by some steps, with traction at every contact of the robot."""
    degrees = integer(model + at.degrees)
    timestep = number(model + at.timestep)
    applied = floats(pointer(data + at.applied), degrees)
    jacobian, impulse, count = memory.jacobian, memory.impulse, memory.count
    slippery = memory.friction[0] == 0.0 and tables.riders.geom.size == 0  # grousers push, too
    pushed = memory.push[3] > 0.0
    held = memory.stiffness.shape[0] > 0
    for _ in range(steps):
        if held:
            turn_sprockets(data, timestep, at, tables, memory)
        begin_step(model, data, at, tables, memory)
        if pushed:
            push_hull(data, timestep, at, tables, memory)
        hold_belts(memory.belts, memory.targets, memory.inverse_masses, memory.motors)
        drive_belts(memory, timestep)
        count[0] = 0
        if integer(data + at.contact_count) > 0 and not slippery:
            drive_rows(data, at, tables, memory)
            call_stage(at.actuation, model, data)
            call_stage(at.acceleration, model, data)
            call_stage(at.constraint, model, data)
            gather_contacts(model, data, timestep, at, tables, memory)
            answer_impulses(model, data, at, applied, memory)
        applied[:] = 0.0
        rows = 2 * count[0]
        if rows > 0:
            load_belts(tables.riders, memory, timestep)
            solve_impulses(data, timestep, at, tables, memory)
            count_work(memory, timestep)
            for row in range(rows):
                force = impulse[row // 2, row % 2] / timestep
                for k in range(degrees):
                    applied[k] += jacobian[row, k] * force
        memory.last_geom[count[0]] = -1  # a contact that ended is not remembered
        call_stage(at.step2, model, data)
        move_belts(tables.riders, memory, timestep)
    if held:
        read_sprockets(data, at, tables, memory)
    if slippery:  # contacts for those who ask for them
        gather_contacts(model, data, timestep, at, tables, memory)


@compiled
def answer_impulses(model: int, data: int, at: Any, applied: Any, memory: Any) -> None:
    """Find what the last step's friction, and unit impulses at contacts, do to velocities."""
    rows, velocity, response = 2 * memory.count[0], memory.velocity, memory.response
    if memory.stiffness.shape[0] > 0:
        fill_stiffness(model, data, at, memory.stiffness)
        factorise(memory.stiffness, memory.first)
        velocity[:] = applied
        whiten(memory.stiffness, memory.first, velocity, velocity.size - 1)
        whiten_contacts(memory)
        return
    call_solve(at.solve, model, data, velocity.ctypes.data, applied.ctypes.data, 1)
    if rows > 0:
        jacobian_address = memory.jacobian.ctypes.data
        call_solve(at.solve, model, data, response.ctypes.data, jacobian_address, rows)


@compiled
def settle_with_traction(
    model: int, data: int, most: int, brake: float, at_rest: float, at: Any, tables: Any,
    memory: Any,
) -> bool:  # fmt: skip
    """Advance until the robot is at rest on the ground, braked; return whether it is.

    Args:
        model: Address of the engine's model.
        data: Address of its data.
        most: Most steps.
        brake: Factor on all joint velocities after each step [1].
        at_rest: Largest joint velocity of a robot at rest [m/s], [rad/s].
        at: The engine's layout.
        tables: Tables of the scene.
        memory: Memory of the robot.
    """
    velocity = floats(pointer(data + at.velocity), integer(model + at.degrees))
    single = min(most, 1)  # all would be compiled once more for a plain 1
    for step in range(1, most + 1):
        advance_with_traction(model, data, single, at, tables, memory)
        velocity *= brake
        if step % 10 == 0 and integer(data + at.contact_count) and np.abs(velocity).max() < at_rest:
            return True
    return False


@compiled
def hold_belts(belts: Any, targets: Any, inverse_masses: Any, motors: Any) -> None:
    """Set the belts that nothing slows to their speed; let go of the others."""
    for drive in range(belts.size - 1):
        motors[drive] = 0.0
        if inverse_masses[drive] == 0.0:
            belts[drive] = targets[drive]


@compiled
def drive_belts(memory: Any, timestep: float) -> float:
    """Bring each motor's belt to its speed, within the motor's force; return the change [N s]."""
    belts, motors, inverse_masses = memory.belts, memory.motors, memory.inverse_masses
    largest = 0.0
    for drive in range(belts.size - 1):
        if inverse_masses[drive] > 0.0:
            most = memory.forces[drive] * timestep
            wanted = motors[drive] + (memory.targets[drive] - belts[drive]) / inverse_masses[drive]
            change = min(max(wanted, -most), most) - motors[drive]
            motors[drive] += change
            belts[drive] += change * inverse_masses[drive]
            largest = max(largest, abs(change))
    return largest


@compiled
def solve_impulses(data: int, timestep: float, at: Any, tables: Any, memory: Any) -> None:
    """Find the tangential impulses by projected Gauss-Seidel."""
    v, impulse, geom = memory.velocity, memory.impulse, memory.geom
    held = memory.stiffness.shape[0] > 0
    free_velocity(data, timestep, at, memory)
    count, rows = memory.count[0], memory.response if held else memory.jacobian
    recall_impulses(count, memory.last_geom, memory.last_impulse, geom, memory.limit, impulse)
    largest = start_contacts(
        count, v, impulse, memory.drive, rows, memory.response, memory.span, memory.surface,
        memory.limit, memory.mobility, memory.belts, memory.inverse_masses,
    )  # fmt: skip
    still = STILL + STILL_SHARE * np.abs(memory.belts).max()
    for sweep in range(ITERATIONS_HELD if held else ITERATIONS):
        change = relax_contacts(
            count, v, impulse, memory.drive, rows, memory.response, memory.span, memory.surface,
            memory.limit, memory.mobility, memory.belts, memory.inverse_masses, still,
        )  # fmt: skip
        change = max(change, drive_belts(memory, timestep))
        memory.count[1] = sweep + 1
        if change < TOLERANCE * largest:
            break
    last_geom, last_impulse = memory.last_geom, memory.last_impulse
    for i in range(count):
        last_geom[i] = geom[i]
        last_impulse[i, 0], last_impulse[i, 1] = impulse[i, 0], impulse[i, 1]


@compiled
def free_velocity(data: int, timestep: float, at: Any, memory: Any) -> None:
    """Set what the velocity would be without friction: the last step's is taken out again."""
    v, answer = memory.velocity, memory.answer
    velocity, acceleration = pointer(data + at.velocity), pointer(data + at.accelerations)
    answer[:] = v
    for k in range(v.size):
        v[k] = number(velocity + 8 * k) + timestep * number(acceleration + 8 * k)
    if memory.stiffness.shape[0] > 0:
        stretch(memory.stiffness, memory.first, v)
    for k in range(v.size):
        v[k] -= timestep * answer[k]


@compiled
def recall_impulses(
    count: int, last_geom: Any, last_impulse: Any, geom: Any, limit: Any, impulse: Any
) -> None:
    """Begin with the last step's impulse of the same geom; both lists are in the same order."""
    begin = 0
    for i in range(count):
        impulse[i, 0], impulse[i, 1] = 0.0, 0.0
        j = begin
        while last_geom[j] >= 0 and last_geom[j] != geom[i]:
            j += 1
        if last_geom[j] < 0:
            continue
        begin = j + 1
        for t in range(2):
            impulse[i, t] = min(max(last_impulse[j, t], -limit[i, t]), limit[i, t])


@compiled
def start_contacts(
    count: int, v: Any, impulse: Any, drives: Any, jacobian: Any, response: Any, span: Any,
    surface: Any, limit: Any, mobility: Any, belts: Any, inverse_masses: Any,
) -> float:  # fmt: skip
    """Apply the first impulses, find the mobilities; return the largest friction [N s]."""
    largest = 0.0
    for i in range(count):
        drive = drives[i]
        inverse_mass = inverse_masses[drive]
        first, second = impulse[i, 0], impulse[i, 1]
        s0, s1 = surface[i, 0], surface[i, 1]
        own0, own1 = s0 * s0 * inverse_mass, s1 * s1 * inverse_mass
        for part in range(2):
            for k in range(part * span[i, 0], span[i, 1] if part else HULL):
                r0, r1 = response[2 * i, k], response[2 * i + 1, k]
                own0 += jacobian[2 * i, k] * r0
                own1 += jacobian[2 * i + 1, k] * r1
                v[k] += r0 * first + r1 * second
        belts[drive] += inverse_mass * (s0 * first + s1 * second)
        mobility[i] = 1.0 / max(own0, own1)
        largest = max(largest, limit[i, 0], limit[i, 1])
    return largest


@compiled
def relax_contacts(
    count: int, v: Any, impulse: Any, drives: Any, jacobian: Any, response: Any, span: Any,
    surface: Any, limit: Any, mobility: Any, belts: Any, inverse_masses: Any, still: float,
) -> float:  # fmt: skip
    """Bring each contact nearer to sticking, within its friction; return the change [N s].

    What sticks with less slip than `still` does not count: among many contacts impulses may go
    round in circles although nothing moves.
    """
    largest = 0.0
    for i in range(count):
        limit0, limit1 = limit[i, 0], limit[i, 1]
        if limit0 <= 0.0 and limit1 <= 0.0:
            continue
        drive = drives[i]
        s0, s1 = surface[i, 0], surface[i, 1]
        slip0, slip1 = s0 * belts[drive], s1 * belts[drive]
        for k in range(HULL):
            slip0 += jacobian[2 * i, k] * v[k]
            slip1 += jacobian[2 * i + 1, k] * v[k]
        for k in range(span[i, 0], span[i, 1]):
            slip0 += jacobian[2 * i, k] * v[k]
            slip1 += jacobian[2 * i + 1, k] * v[k]
        old0, old1 = impulse[i, 0], impulse[i, 1]
        new0, new1 = old0 - slip0 * mobility[i], old1 - slip1 * mobility[i]
        new0, new1 = (new0 if limit0 > 0.0 else 0.0), (new1 if limit1 > 0.0 else 0.0)
        # Multiplied out: divisions are slow, and only contacts that slide need one.
        edge0 = limit0 if limit0 > 0.0 else 1.0
        edge1 = limit1 if limit1 > 0.0 else 1.0
        reach, edge = (new0 * edge1) ** 2 + (new1 * edge0) ** 2, (edge0 * edge1) ** 2
        slides = reach > edge
        if slides:
            inside = np.sqrt(edge / reach)
            new0, new1 = new0 * inside, new1 * inside
        d0, d1 = new0 - old0, new1 - old1
        impulse[i, 0], impulse[i, 1] = new0, new1
        belts[drive] += (s0 * d0 + s1 * d1) * inverse_masses[drive]
        for k in range(HULL):
            v[k] += response[2 * i, k] * d0 + response[2 * i + 1, k] * d1
        for k in range(span[i, 0], span[i, 1]):
            v[k] += response[2 * i, k] * d0 + response[2 * i + 1, k] * d1
        if slides or abs(slip0) > still or abs(slip1) > still:
            largest = max(largest, abs(d0), abs(d1))
    return largest
