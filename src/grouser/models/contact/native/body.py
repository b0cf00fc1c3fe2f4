"""Motion of hull and flippers: inertia, servos, weight, and what an impulse changes.

Everything is in the frame of the hull, about a fixed point O of it (its centre of mass without
payload). Degrees of freedom are the velocity of O, the angular velocity and a rate per hinge. With
M = U^T U by elimination from the hinges to the hull, velocities and contact rows are *whitened*
(U v and J U^-1), so that one array per row serves for the slip and for the response to an impulse.
"""

from typing import Any

from grouser.models.contact.compiled import compiled, inlined
from grouser.models.contact.native.layout import *
from grouser.models.lanes.formula import (
    Term,
    dot,
    formula,
    inner,
    inward,
    larger,
    mad,
    outer,
    rotation_of,
    smaller,
    sqrt,
    where,
)
from grouser.models.lanes.lanes import (
    load,
    put,
    take2,
    take3,
    take4,
    take6,
    take10,
    take21,
)

LIMIT_STIFFNESS = 20.0
"""Stiffness of a hinge's end stop over that of its servo [1]."""


def _lower(i: int, j: int) -> int:
    """Return the place of an element below the diagonal in a factor, behind the diagonal."""
    return 6 + i * (i - 1) // 2 + j


@formula
def forward(inverse: Any, b: Any) -> Any:
    """Return L^-1 b: whitens a row of the hull. Products have no order, unlike a substitution."""
    return tuple(
        inner([*inverse[_lower(i, 0) : _lower(i, i)], inverse[i]], b[: i + 1]) for i in range(6)
    )


@formula
def invert_factor(factor: Any) -> Any:
    """Return the inverse of a factor, diagonal first."""
    out: dict[tuple[int, int], Term] = {}
    for j in range(6):
        out[j, j] = factor[j]
        for i in range(j + 1, 6):
            total = inner(
                [factor[_lower(i, k)] for k in range(j, i)], [out[k, j] for k in range(j, i)]
            )
            out[i, j] = -(total * factor[i])
    return (*(out[i, i] for i in range(6)), *(out[i, j] for i in range(1, 6) for j in range(i)))


@formula
def backward(factor: Any, y: Any) -> Any:
    """Return the solution of L^T v = y: the velocity of the hull from the whitened one."""
    v: list[Any] = [None] * 6
    for i in range(5, -1, -1):
        total = y[i]
        for j in range(i + 1, 6):
            total = mad(-factor[_lower(j, i)], v[j], total)
        v[i] = total * factor[i]
    return tuple(v)


@formula
def whiten(factor: Any, v: Any, w: Any) -> Any:
    """Return L^T times a velocity of the hull."""
    u = (*v, *w)
    out = []
    for i in range(6):
        total = u[i] / factor[i]
        for j in range(i + 1, 6):
            total = mad(factor[_lower(j, i)], u[j], total)
        out.append(total)
    return tuple(out)


@formula
def factorise(square: Any) -> Any:
    """Return the Cholesky factor of an inertia, given row by row up to its diagonal."""
    lower: dict[tuple[int, int], Term] = {}
    inverse: list[Term] = []
    for i in range(6):
        for j in range(i + 1):
            total = square[i * (i + 1) // 2 + j]
            for k in range(j):
                total = mad(-lower[i, k], lower[j, k], total)
            if i == j:
                inverse.append(1.0 / sqrt(total))
            else:
                lower[i, j] = total * inverse[j]
    return (*inverse, *(lower[i, j] for i in range(1, 6) for j in range(i)))


@formula
def inertia_matrix(body: Any) -> Any:
    """Return the 6 x 6 inertia about O, row by row up to the diagonal.

    `body` is mass, first moments (3) and inertia (xx yy zz xy xz yz) about O.
    """
    m, sx, sy, sz, xx, yy, zz, xy, xz, yz = body
    o = m * 0.0
    return (
        m,
        o, m,
        o, o, m,
        o, -sz, sy, xx,
        sz, o, -sx, xy, yy,
        -sy, sx, o, xz, yz, zz,
    )  # fmt: skip


@formula
def add_flipper(body: Any, hinge: Any, angle: Any, factor: Term) -> Any:
    """Return mass, first moments and inertia with those of a flipper at an angle."""
    m, sx, sy, sz, xx, yy, zz, xy, xz, yz = body
    hx, hy, hz, cx, cz, mass, ixx, iyy, izz, ixz = hinge
    c, s = angle
    px, py, pz = hx + (cx * c + cz * s), hy, hz + (cz * c - cx * s)
    mass = mass * factor
    turned = 2.0 * (ixz * (s * c))
    return (
        m + mass,
        sx + mass * px, sy + mass * py, sz + mass * pz,
        xx + factor * (ixx * c * c + izz * s * s + turned) + mass * (py * py + pz * pz),
        yy + factor * iyy + mass * (px * px + pz * pz),
        zz + factor * (ixx * s * s + izz * c * c - turned) + mass * (px * px + py * py),
        xy - mass * (px * py),
        xz + factor * ((izz - ixx) * (s * c) + ixz * (c * c - s * s)) - mass * (px * pz),
        yz - mass * (py * pz),
    )  # fmt: skip


@formula
def body_force(body: Any, w: Any, g: Any) -> Any:
    """Return force and moment about O of weight and of turning."""
    m, s = body[0], body[1:4]
    xx, yy, zz, xy, xz, yz = body[4:]
    k = outer(w, s)
    spun = outer(w, k)
    p = (xx * w[0] + xy * w[1] + xz * w[2], xy * w[0] + yy * w[1] + yz * w[2],
         xz * w[0] + yz * w[1] + zz * w[2])  # fmt: skip
    moment, gyro = outer(s, g), outer(w, p)
    return (
        *(m * g[i] - spun[i] for i in range(3)),
        *(moment[i] - gyro[i] for i in range(3)),
    )


@formula
def servo(angle: Any, goal: Term, numbers: Any, step: Term) -> Any:
    """Return torque, added inertia of a hinge's servo and end stops, implicit in what damps.

    `angle` is angle and rate; `numbers` stiffness, damping, largest torque, least and most angle.
    """
    at, rate = angle
    stiffness, damping, limit, low, high = numbers
    asked = stiffness * (goal - at) - damping * rate
    torque = larger(smaller(asked, limit), -limit)
    free = (asked < limit) & (asked > -limit)
    beyond = larger(at - high, 0.0) + smaller(at - low, 0.0)
    stopped = (beyond > 0.0) | (beyond < 0.0)
    hard = LIMIT_STIFFNESS * stiffness
    soft = LIMIT_STIFFNESS * damping
    torque = torque - where(stopped, hard * (beyond + step * rate) + soft * rate, 0.0)
    inertia = where(free, step * damping, 0.0)
    return torque, inertia + where(stopped, step * (soft + step * hard), 0.0)


@formula
def hinge_motion(hinge: Any, angle: Any, servo_: Any, hull: Any, g: Any, force: Any) -> Any:
    """Return what a hinge adds: coupling over inertia (6), root, inverse, torque; force left (6).

    `hinge` is its place, centre, mass, moment of inertia, armature; `angle` cos, sin, rate, factor
    on masses; `servo_` torque and added inertia; `hull` velocity of O and angular velocity.
    """
    hx, hy, hz, cx, cz, mass, iyy, armature = hinge
    c, s, rate, factor = angle
    torque, more = servo_
    w = hull[3:]
    mass, iyy = mass * factor, iyy * factor
    lx, lz = cx * c + cz * s, cz * c - cx * s
    px, py, pz = hx + lx, hy, hz + lz
    inertia = iyy + mass * (lx * lx + lz * lz) + armature + more
    c0, c2 = mass * lz, -(mass * lx)
    coupling = (c0, c0 * 0.0, c2, py * c2, pz * c0 - px * c2 + iyy, -(py * c0))
    # Centripetal and Coriolis acceleration of the flipper's mass, and of the place it is at.
    e = outer(w, (px, py, pz))
    t0, t2 = 2.0 * rate * lz, -(2.0 * rate * lx)
    a = (
        mass * (w[1] * t2 - rate * rate * lx),
        mass * (w[2] * t0 - w[0] * t2),
        mass * (-(w[1] * t0) - rate * rate * lz),
    )
    moment = outer((px, py, pz), a)
    left = [force[i] - a[i] for i in range(3)] + [force[3 + i] - moment[i] for i in range(3)]
    b0, b2 = w[1] * e[2] - w[2] * e[1], w[0] * e[1] - w[1] * e[0]
    torque = torque + (c0 * (g[0] - b0) + c2 * (g[2] - b2)) - (a[0] * lz - a[2] * lx)
    inverse = 1.0 / inertia
    over = [entry * inverse for entry in coupling]
    root = sqrt(inertia)
    old = root * (rate + inner(over, hull))
    return (
        *over,
        root,
        1.0 / root,
        old,
        torque,
        *(f - o * torque for f, o in zip(left, over, strict=True)),
    )


@formula
def reduce_inertia(square: Any, over: Any, root: Term) -> Any:
    """Return the hull's inertia without what moves with a hinge: M - c c^T / D."""
    scaled = [entry * root for entry in over]
    out = list(square)
    for i in range(6):
        for j in range(i + 1):
            k = i * (i + 1) // 2 + j
            out[k] = mad(-scaled[i], scaled[j], square[k])
    return tuple(out)


@formula
def virtual_force(hull: Any, centre: Any, origin: Any, target: Any, gains: Any, errors: Any,
                  step: Term) -> Any:  # fmt: skip
    """Return force and moment about O of P1's control of velocity, and its new errors.

    The force acts at the centre of mass, in the plane of the hull, and brings that point to the
    velocity of an ideal drive; the torque does so for the yaw rate. `target` is speed, yaw rate,
    mass, moment of inertia.
    """
    v, w = hull[:3], hull[3:]
    turned = outer(w, centre)
    ahead, left = centre[0] - origin[0], centre[1] - origin[1]
    speed, rate, mass, inertia = target
    wanted = (
        speed - rate * left - (v[0] + turned[0]),
        rate * ahead - (v[1] + turned[1]),
        rate - w[2],
    )
    new, control = [], []
    for k, error in enumerate(wanted):
        integral = errors[k] + error * step
        change = (error - errors[3 + k]) / step
        control.append(gains[0] * error + gains[1] * integral + gains[2] * change)
        new.append(integral)
    force = (mass * control[0], mass * control[1], mass * 0.0)
    moment = outer(centre, force)
    return (*force, moment[0], moment[1], moment[2] + inertia * control[2], *new, *wanted)


@formula
def add_outside(force: Any, pushed: Any, turned: Any, origin: Any) -> Any:
    """Return force and moment about O with another force and its moment about the origin."""
    moment = outer(origin, pushed)
    return (*(force[i] + pushed[i] for i in range(3)),
            *(force[3 + i] + (turned[i] + moment[i]) for i in range(3)))  # fmt: skip


@formula
def turn_angle(angle: Any, rate: Term, step: Term) -> Any:
    """Return angle, rate, cosine and sine of a hinge after a step, without trigonometry."""
    at, _, c, s = angle
    d = rate * step
    dc, ds = 1.0 - 0.5 * d * d, d - d * d * d * (1.0 / 6.0)
    c, s = c * dc - s * ds, s * dc + c * ds
    fix = 1.5 - 0.5 * (c * c + s * s)
    return at + d, rate, c * fix, s * fix


@formula
def turn_attitude(q: Any, w: Any, step: Term) -> Any:
    """Return the attitude after a step at an angular velocity of the hull's frame."""
    d0, d1, d2 = (0.5 * step * rate for rate in w)
    q0, q1, q2, q3 = q
    n = (
        q0 - (d0 * q1 + d1 * q2 + d2 * q3),
        q1 + (d0 * q0 + d2 * q2 - d1 * q3),
        q2 + (d1 * q0 + d0 * q3 - d2 * q1),
        q3 + (d2 * q0 + d1 * q1 - d0 * q2),
    )
    inverse = 1.0 / sqrt(inner(n, n))
    return tuple(part * inverse for part in n)


@formula
def six(a: Any, b: Any) -> Any:
    """Return two vectors as one of six numbers."""
    return (*a, *b)


@inlined
def weigh(z: Any, st: Any, sb: int, ws: Any, rob: Any, lay: Any) -> Any:
    """Set the factor of the inertia and the rotation; return hull velocity, gravity and force."""
    rotation = rotation_of(take4(st, sb + QUAT, z))
    put(ws, ROTATION, rotation, z)
    v, w = inward(take3(st, sb + VEL, z), rotation), take3(st, sb + SPIN, z)
    put(ws, SPIN_NOW, w, z)
    down = -rob[N_GRAVITY]
    g = (down * rotation[6], down * rotation[7], down * rotation[8])
    hull = six(v, w)
    parameters = sb + lay[AT_ST_PARAMETERS]
    body, factor = take10(st, parameters + HULL, z), load(st, parameters + FACTOR, z)
    hinges, at_hinges = lay[AT_HINGES], sb + lay[AT_ST_HINGES]
    for k in range(hinges):
        row, angle = lay[AT_OF_HINGES] + HINGE_ROW * k, at_hinges + HINGE_STATE * k
        body = add_flipper(body, take10(rob, row, 0.0), take2(st, angle + COS, z), factor)
    force = body_force(body, w, g)
    if lay[AT_PUSHED] > 0:
        force = push_hull(z, st, sb, rob, lay, body, hull, force)
    if lay[AT_FORCED] > 0:
        force = force_hull(z, st, parameters, rob, rotation, force)
    if hinges == 0:
        put(ws, CHOL, take21(st, parameters + CHOLESKY, z), z)
        put(ws, INVERSE, take21(st, parameters + CHOLESKY + 21, z), z)
        return hull, force
    square = inertia_matrix(body)
    for k in range(hinges):
        square, force = free_hinge(z, st, sb, ws, rob, lay, k, factor, hull, g, square, force)
    factor_ = factorise(square)
    put(ws, CHOL, factor_, z)
    put(ws, INVERSE, invert_factor(factor_), z)
    return hull, force


@inlined
def free_hinge(
    z: Any, st: Any, sb: int, ws: Any, rob: Any, lay: Any, k: int, factor: Any, hull: Any, g: Any,
    square: Any, force: Any,
) -> Any:  # fmt: skip
    """Set the motion of a hinge; return inertia and force of the hull without what it takes."""
    step = rob[N_TIMESTEP]
    row = lay[AT_OF_HINGES] + HINGE_ROW * k
    angle = sb + lay[AT_ST_HINGES] + HINGE_STATE * k
    goal = load(st, sb + lay[AT_ST_GOALS] + k, z)
    numbers = (rob[row + STIFFNESS], rob[row + DAMPING], rob[row + TORQUE], rob[row + LOW],
               rob[row + HIGH])  # fmt: skip
    pushed = servo(take2(st, angle + ANGLE, z), goal, numbers, step)
    place = (rob[row], rob[row + 1], rob[row + 2], rob[row + 3], rob[row + 4],
             rob[row + H_MASS], rob[row + IYY], rob[row + ARMATURE])  # fmt: skip
    now = (load(st, angle + COS, z), load(st, angle + SIN, z), load(st, angle + RATE, z),
           factor)  # fmt: skip
    found = hinge_motion(place, now, pushed, hull, g, force)
    over, root, torque = found[:6], found[6], found[9]
    at = lay[AT_WS_HINGES] + HINGE_WORK * k
    put(ws, at, over, z)
    faster = found[8] + step * torque * found[7]
    put(ws, at + H_ROOT, (root, found[7], faster, rob[row], rob[row + 2], found[8]), z)
    return reduce_inertia(square, over, root), found[10:]


@compiled
def push_hull(
    z: Any, st: Any, sb: int, rob: Any, lay: Any, body: Any, hull: Any, force: Any
) -> Any:
    """Add the virtual force of P1's tracks without friction; return the force."""
    parameters = sb + lay[AT_ST_PARAMETERS]
    inverse = 1.0 / body[0]
    centre = (body[1] * inverse, body[2] * inverse, body[3] * inverse)
    origin = (rob[N_ORIGIN_X], rob[N_ORIGIN_Y], rob[N_ORIGIN_Z])
    speed, rate = take2(st, parameters + STEER, z)
    mass, inertia = take2(st, parameters + PUSHED, z)
    gains = (rob[N_GAIN_P], rob[N_GAIN_I], rob[N_GAIN_D])
    found = virtual_force(hull, centre, origin, (speed, rate, mass, inertia), gains,
                          take6(st, sb + ERRORS, z), rob[N_TIMESTEP])  # fmt: skip
    put(st, sb + ERRORS, found[6:], z)
    return (force[0] + found[0], force[1] + found[1], force[2] + found[2],
            force[3] + found[3], force[4] + found[4], force[5] + found[5])  # fmt: skip


@compiled
def force_hull(z: Any, st: Any, parameters: int, rob: Any, rotation: Any, force: Any) -> Any:
    """Add force and moment from outside; return the force."""
    pushed = inward(take3(st, parameters + OUTSIDE, z), rotation)
    turned = inward(take3(st, parameters + OUTSIDE + 3, z), rotation)
    origin = (rob[N_ORIGIN_X], rob[N_ORIGIN_Y], rob[N_ORIGIN_Z])
    return add_outside(force, pushed, turned, origin)


@inlined
def move_on(z: Any, st: Any, sb: int, ws: Any, rob: Any, lay: Any, brake: float) -> Any:
    """Advance places and angles by the velocities after the impulses; return the fastest, squared.

    Velocities are multiplied by `brake` first, which is 1 but while robots settle.
    """
    step = rob[N_TIMESTEP]
    hull = backward(take21(ws, CHOL, z), take6(ws, OLD, z))
    fastest = dot(hull, hull)
    for k in range(lay[AT_HINGES]):
        at, angle = lay[AT_WS_HINGES] + HINGE_WORK * k, sb + lay[AT_ST_HINGES] + HINGE_STATE * k
        rate = hinge_rate(take6(ws, at, z), hull, load(ws, at + H_VEL, z), load(ws, at + H_INV, z))
        fastest = fastest + rate * rate
        put(st, angle, turn_angle(take4(st, angle, z), rate * brake, step), z)
    rotation, q = rotation_of(take4(st, sb + QUAT, z)), take4(st, sb + QUAT, z)
    moved = advance_hull(hull, rotation, take3(st, sb + POS, z), brake, step)
    put(st, sb + VEL, moved[:3], z)
    put(st, sb + SPIN, moved[3:6], z)
    put(st, sb + POS, moved[6:], z)
    put(st, sb + QUAT, turn_attitude(q, moved[3:6], step), z)
    return fastest


@formula
def hinge_rate(over: Any, hull: Any, whitened: Term, inverse: Term) -> Any:
    """Return the rate of a hinge from the whitened one and the hull's velocity."""
    return whitened * inverse - inner(over, hull)


@formula
def advance_hull(hull: Any, rotation: Any, place: Any, brake: Term, step: Term) -> Any:
    """Return velocity in the world, angular velocity and place after a step."""
    v = tuple(part * brake for part in hull[:3])
    w = tuple(part * brake for part in hull[3:])
    u = tuple(inner(rotation[3 * k : 3 * k + 3], v) for k in range(3))
    return (*u, *w, *(p + step * q for p, q in zip(place, u, strict=True)))
