"""Moving grousers with their belts, compiled. Types are those of `riders` and `workspace`.

The engine places every geom where it is on its body; what rides on a belt is then put where the
belt has taken it, before the engine looks for contacts. Positions and velocities of P4's links
are thus imposed exactly, and cost no degrees of freedom.
"""

from typing import Any

import numpy as np

from grouser.models.contact.compiled import compiled, inlined
from grouser.models.contact.native_calls import integer, number, pointer, put_number


@compiled
def carry_riders(data: int, at: Any, riders: Any, memory: Any) -> None:
    """Put the engine's geoms where the belts have taken them."""
    positions, rotations = pointer(data + at.geom_positions), pointer(data + at.geom_rotations)
    body_positions = pointer(data + at.body_positions)
    body_rotations = pointer(data + at.body_rotations)
    foot, frame = memory.footprint, riders.frame
    for r in range(riders.geom.size):
        find_footprint(riders, r, memory.travel[riders.loop[r]], foot)
        x, z, cos, sin = foot[r, 0], foot[r, 1], foot[r, 2], foot[r, 3]
        body = body_rotations + 72 * riders.body[r]
        origin = body_positions + 24 * riders.body[r]
        place, turn = positions + 24 * riders.geom[r], rotations + 72 * riders.geom[r]
        ahead = x + cos * frame[r, 0] + sin * frame[r, 2]
        up = z - sin * frame[r, 0] + cos * frame[r, 2]
        for row in range(3):
            b0, b1 = number(body + 24 * row), number(body + 24 * row + 8)
            b2 = number(body + 24 * row + 16)
            along = number(origin + 8 * row) + b0 * ahead + b1 * frame[r, 1] + b2 * up
            put_number(place + 8 * row, along)
            f0, f2 = b0 * cos - b2 * sin, b0 * sin + b2 * cos
            for k in range(3):
                turned = f0 * frame[r, 3 + k] + b1 * frame[r, 6 + k] + f2 * frame[r, 9 + k]
                put_number(turn + 24 * row + 8 * k, turned)


@inlined
def find_footprint(riders: Any, r: int, travel: float, footprint: Any) -> None:
    """Find where a footprint is, which way the belt runs there, and how it turns."""
    path, row, loop = riders.path, riders.home[r], riders.loop[r]
    along = riders.place[r] + travel - path[row, 0]
    while riders.hands_over and along >= path[row, 1]:
        along -= path[row, 1]
        row += 1
        if row == riders.first[loop + 1]:
            row = riders.first[loop]
    x, z, curvature = path[row, 2], path[row, 3], path[row, 5]
    cos0, sin0 = path[row, 6], path[row, 7]
    if curvature == 0.0:
        cos, sin = cos0, sin0
        x, z = x + along * cos, z - along * sin
    else:
        heading = path[row, 4] + curvature * along
        cos, sin = np.cos(heading), np.sin(heading)
        x, z = x + (sin - sin0) / curvature, z + (cos - cos0) / curvature
    footprint[r, 0], footprint[r, 1] = x, z
    footprint[r, 2], footprint[r, 3], footprint[r, 4] = cos, sin, curvature


@compiled
def rider_velocity(
    data: int, at: Any, riders: Any, footprint: Any, r: int, x: float, y: float, z: float
) -> tuple[float, float, float]:
    """Return the velocity of a rider at a place of the world, per belt speed, against its body."""
    rotation = pointer(data + at.body_rotations) + 72 * riders.body[r]
    origin = pointer(data + at.body_positions) + 24 * riders.body[r]
    d0, d1, d2 = x - number(origin), y - number(origin + 8), z - number(origin + 16)
    ahead = number(rotation) * d0 + number(rotation + 24) * d1 + number(rotation + 48) * d2
    up = number(rotation + 16) * d0 + number(rotation + 40) * d1 + number(rotation + 64) * d2
    curvature = footprint[r, 4]
    vx = footprint[r, 2] + curvature * (up - footprint[r, 1])
    vz = -footprint[r, 3] - curvature * (ahead - footprint[r, 0])
    return (
        number(rotation) * vx + number(rotation + 16) * vz,
        number(rotation + 24) * vx + number(rotation + 40) * vz,
        number(rotation + 48) * vx + number(rotation + 64) * vz,
    )


@compiled
def drive_rows(data: int, at: Any, tables: Any, memory: Any) -> None:
    """Tell the engine how fast riders come towards what they touch.

    A constraint's reference acceleration is -B v - K r: here v gains what the belt adds to it.
    """
    riders = tables.riders
    if riders.geom.size == 0:
        return
    contacts, gains = pointer(data + at.contacts), pointer(data + at.row_gains)
    velocities, references = pointer(data + at.row_velocities), pointer(data + at.row_references)
    for index in range(integer(data + at.contact_count)):
        contact = contacts + index * at.contact_size
        row = integer(contact + at.contact_row)
        if row < 0:
            continue
        frame, place = contact + at.contact_frame, contact + at.contact_position
        for side in range(2):
            r = riders.of_geom[integer(contact + at.contact_geoms + 4 * side)]
            if r < 0:
                continue
            v0, v1, v2 = rider_velocity(
                data, at, riders, memory.footprint, r,
                number(place), number(place + 8), number(place + 16),
            )  # fmt: skip
            along = number(frame) * v0 + number(frame + 8) * v1 + number(frame + 16) * v2
            speed = (2 * side - 1) * along * memory.belts[riders.drive[riders.loop[r]]]
            velocity, reference = velocities + 8 * row, references + 8 * row
            put_number(velocity, number(velocity) + speed)
            put_number(reference, number(reference) - number(gains + 32 * row + 8) * speed)


@compiled
def load_belts(riders: Any, memory: Any, timestep: float) -> None:
    """Slow the belts that can be slowed by what presses on their grousers along the belt.

    A contact of force N whose grouser comes along its normal at `a` per belt speed pushes the
    belt with N a. The engine finds N for a belt that holds its speed; that N falls as the belt
    slows is taken into account as inertia, without which the two would swing.
    """
    if riders.geom.size == 0:
        return
    for drive in range(memory.belts.size - 1):
        if memory.inverse_masses[drive] == 0.0:
            continue
        force, drag = 0.0, 0.0
        for i in range(memory.count[0]):
            if memory.drive[i] == drive:
                force += memory.load[i] * memory.approach[i]
                drag += memory.approach[i] ** 2 * memory.drag[i]
        inertia = 1.0 / memory.inverse_masses[drive] + drag
        memory.belts[drive] += timestep * force / inertia


@compiled
def move_belts(riders: Any, memory: Any, timestep: float) -> None:
    """Move the belts, and roll them back by a pitch when they have moved by one (P4).

    All grousers of a belt are alike: after a roll-back its shape is as it was before. Velocities
    are not touched.
    """
    travel = memory.travel
    for loop in range(riders.pitch.size):
        travel[loop] += memory.belts[riders.drive[loop]] * timestep
        if travel[loop] >= riders.pitch[loop]:
            travel[loop] -= riders.pitch[loop]
            memory.rolled[loop] += 1
        elif travel[loop] < 0.0:
            travel[loop] += riders.pitch[loop]
            memory.rolled[loop] -= 1
