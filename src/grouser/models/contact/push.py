"""A virtual force that brings the hull to a velocity, compiled: P1's drive without friction."""

from typing import Any

from grouser.models.contact.compiled import compiled, inlined
from grouser.models.contact.gather import turn
from grouser.models.contact.native_calls import floats, number, pointer


@compiled
def push_hull(data: int, timestep: float, at: Any, tables: Any, memory: Any) -> None:
    """Set the force at the centre of mass, and the torque, of the next step.

    Both are PID controls: of the velocity of the centre of mass in the plane of the hull, and of
    the yaw rate. Where the force acts is what is controlled: else it could push itself away.
    """
    push, errors, velocity = memory.push, memory.errors, pointer(data + at.velocity)
    rotation = pointer(data + at.body_rotations) + 72 * tables.hull
    origin = pointer(data + at.body_positions) + 24 * tables.hull
    centre = pointer(data + at.tree_centres) + 24 * tables.hull
    a0, a1, a2 = between(origin, centre)
    w0, w1, w2 = turn(rotation, *three(velocity + 24))
    v0, v1, v2 = three(velocity)
    v0, v1, v2 = v0 + w1 * a2 - w2 * a1, v1 + w2 * a0 - w0 * a2, v2 + w0 * a1 - w1 * a0
    ahead, left = along(rotation, a0, a1, a2)
    has_ahead, has_left = along(rotation, v0, v1, v2)
    speed, rate = memory.steering[1], memory.steering[2]
    force_ahead = push[3] * control(push, errors, 0, speed - rate * left - has_ahead, timestep)
    force_left = push[3] * control(push, errors, 1, rate * ahead - has_left, timestep)
    torque = push[4] * control(push, errors, 2, rate - number(velocity + 40), timestep)
    f0, f1, f2 = turn(rotation, force_ahead, force_left, 0.0)
    t0, t1, t2 = turn(rotation, 0.0, 0.0, torque)
    # The engine applies a body's force at that body's centre of mass; ours is the robot's.
    r0, r1, r2 = between(pointer(data + at.body_centres) + 24 * tables.hull, centre)
    wrench = floats(pointer(data + at.wrenches) + 48 * tables.hull, 6)
    wrench[0], wrench[1], wrench[2] = f0, f1, f2
    wrench[3] = t0 + r1 * f2 - r2 * f1
    wrench[4] = t1 + r2 * f0 - r0 * f2
    wrench[5] = t2 + r0 * f1 - r1 * f0


@inlined
def control(push: Any, errors: Any, k: int, error: float, timestep: float) -> float:
    """Return the acceleration that a PID control asks for, and remember the error."""
    errors[0, k] += error * timestep
    change = (error - errors[1, k]) / timestep
    errors[1, k] = error
    return push[0] * error + push[1] * errors[0, k] + push[2] * change


@inlined
def three(address: int) -> tuple[float, float, float]:
    """Return the three numbers at an address."""
    return number(address), number(address + 8), number(address + 16)


@inlined
def between(start: int, end: int) -> tuple[float, float, float]:
    """Return the vector from the point at one address to that at another."""
    return (
        number(end) - number(start),
        number(end + 8) - number(start + 8),
        number(end + 16) - number(start + 16),
    )


@inlined
def along(rotation: int, x: float, y: float, z: float) -> tuple[float, float]:
    """Return the parts of a vector along the first two axes of the frame at an address."""
    return (
        number(rotation) * x + number(rotation + 24) * y + number(rotation + 48) * z,
        number(rotation + 8) * x + number(rotation + 32) * y + number(rotation + 56) * z,
    )
