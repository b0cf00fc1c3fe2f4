"""Steady skid steering with shear that builds up along the belts, by quadrature.

A point of a belt enters the ground at the leading end and is carried along by the belt. Its slip
velocity s, in body axes (x forward, y left) with the body's twist (u, v, omega) and belt speed w,
is s = (u - omega y - w, v + omega x). Strength is mobilised with the length that slips:

    mobilised   dq/dt = (s - |s| q) / K - omega x q,   stress = -tau_max q
    wong        dj/dt = s - omega x j,   stress = -tau_max (1 - exp(-|j| / K)) s / |s|

with q or j = 0 at entry. Both are the law of Janosi and Hanamoto while s keeps its direction. The
first is Dahl's model of friction with Janosi's length, as a vector; the second is J. Y. Wong and
C. F. Chiang, A general theory for skid steering of tracked vehicles on firm ground (2001), as
handed down. As K goes to 0 both are Coulomb's law.

Forces are per weight of the vehicle: its mass cancels. The pressure is uniform along a belt; the
centrifugal force moves load between the belts where the vehicle has a height. Left out: drag,
slopes, sinkage. This is a reference for models that step in time, not for loops that must be fast.

All numbers of a drive may be arrays. Units: lengths [m], speeds [m/s], yaw rates [rad/s].
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from grouser.errors import InvalidValue
from grouser.geometry import Scalar
from grouser.laws.slope import GRAVITY

Array: TypeAlias = NDArray[np.float64]
Complex: TypeAlias = NDArray[np.complex128]
Form = Literal["mobilised", "wong"]
STILL_BELT = 1e-7
"""Belt speed below which a belt counts as standing, where its age would be infinite [m/s]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SkidVehicle:
    """A vehicle on two belts, and the ground under it."""

    length: float
    """Length of contact of a belt [m]."""
    gauge: float
    """Distance between the centre lines of the belts [m]."""
    width: float = 0.0
    """Width of a belt; 0 for a line [m]."""
    friction: float = 0.7
    """Strength of the ground over pressure, along the belt [1]."""
    friction_across: float | None = None
    """The same across the belt; as along it if not given [1]."""
    shear_modulus: float = 0.0
    """Shear deformation modulus K; 0 for Coulomb friction [m]."""
    com_height: float = 0.0
    """Height of the centre of mass over the ground [m]."""
    form: Form = "mobilised"
    """Law of shear in turns."""
    cells: int = 200
    """Cells of the quadrature along a belt."""
    strips: int = 3
    """Strips of equal width that a belt with a width is divided into."""

    def __post_init__(self) -> None:
        for name in ("length", "gauge", "friction"):
            if not getattr(self, name) > 0.0:
                raise InvalidValue(name, getattr(self, name), "be positive")
        if self.form not in ("mobilised", "wong"):
            raise InvalidValue("form", self.form, "be one of mobilised, wong")


@dataclass(frozen=True, slots=True, kw_only=True)
class BeltForces:
    """Force of the ground on one belt, over the weight of the vehicle, in body axes."""

    along: Array
    """Force forward [1]."""
    across: Array
    """Force to the left [1]."""
    moment_of_along: Array
    """Yaw moment of the forward forces about the centre [m]."""
    moment_of_across: Array
    """Yaw moment of the lateral forces about the centre [m]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SteadyDrive:
    """A drive whose forces balance."""

    vx: Array
    """Speed forward [m/s]."""
    vy: Array
    """Speed to the left [m/s]."""
    yaw_rate: Array
    """Yaw rate [rad/s]."""
    left_speed: Array
    """Speed of the left belt [m/s]."""
    right_speed: Array
    """Speed of the right belt [m/s]."""
    left: BeltForces
    """Forces on the left belt."""
    right: BeltForces
    """Forces on the right belt."""
    imbalance: Array
    """Largest force over weight that is left over [1]."""

    @property
    def icr_ahead(self) -> Array:
        """How far ahead of the centre the point lies that does not slide sideways [m]."""
        return -self.vy / self.yaw_rate

    def steering_ratio(self, gauge: float) -> Array:
        """Return the difference of belt speeds over yaw rate times gauge [1]."""
        return (self.right_speed - self.left_speed) / (self.yaw_rate * gauge)

    @property
    def turning_moment(self) -> Array:
        """Moment of the lateral forces over weight, against the turn [m]."""
        return np.abs(self.left.moment_of_across + self.right.moment_of_across)


def belt_forces(
    vehicle: SkidVehicle, twist: tuple[Scalar, Scalar, Scalar], belt_speed: Scalar, y: Scalar
) -> BeltForces:
    """Return the force on a line of a belt at `y` that carries the whole weight.

    Args:
        vehicle: The vehicle; its gauge and width are not used.
        twist: Speed forward and to the left [m/s], yaw rate [rad/s].
        belt_speed: Speed of the belt, positive drives forward [m/s].
        y: How far the line is to the left [m].
    """
    u, v, omega, w, y = (np.asarray(number)[..., None] for number in (*twist, belt_speed, y))
    along = vehicle.friction
    across = along if vehicle.friction_across is None else vehicle.friction_across
    cells = vehicle.cells
    age = vehicle.length / cells / np.maximum(np.abs(w), STILL_BELT)  # [s] in one cell
    from_entry = (np.arange(cells) + 0.5) / cells
    x = vehicle.length * (0.5 - from_entry) * np.where(w < 0.0, -1.0, 1.0)
    # The ellipse becomes a disk: slip times half axes, as complex numbers. Along counts whole.
    slip = (u - omega * y - w) + 1j * (v + omega * x) * (across / along)
    share = _mobilised(vehicle, slip, age, omega)
    force_x, force_y = -along * share.real / cells, -across * share.imag / cells
    return BeltForces(
        along=force_x.sum(-1),
        across=force_y.sum(-1),
        moment_of_along=(-y * force_x).sum(-1),
        moment_of_across=(x * force_y).sum(-1),
    )


def _mobilised(vehicle: SkidVehicle, slip: Complex, age: Array, omega: Array) -> Complex:
    """Return the mobilised share of strength in the middle of each cell, as complex numbers."""
    K = max(vehicle.shear_modulus, 1e-12)
    speed = np.abs(slip) + 1e-12
    turn = np.where(np.abs(omega * age) < 0.5, omega * age, 0.0)  # a standing belt has forgotten
    turned = np.exp(-1j * turn)
    if vehicle.form == "wong":
        j = _at_entry(turned + 0.0 * slip, turned * age * slip) + 0.5 * age * slip
        return -np.expm1(-np.abs(j) / K) * slip / speed
    half = np.exp(-0.5 * speed * age / K)
    aim = slip / speed
    at_entry = _at_entry(turned * half * half, turned * (1.0 - half * half) * aim)
    return at_entry * half + (1.0 - half) * aim


def _at_entry(factor: Complex, addend: Complex) -> Complex:
    """Return the state at the entry of each cell of q_(i+1) = factor_i q_i + addend_i, q_0 = 0.

    All cells at once: pairs of neighbours are composed, then pairs of pairs.
    """
    factor, addend = np.broadcast_arrays(factor, addend)
    reach = 1
    while reach < addend.shape[-1]:
        addend = addend.copy()
        addend[..., reach:] += factor[..., reach:] * addend[..., :-reach].copy()
        factor = factor.copy()
        factor[..., reach:] *= factor[..., :-reach].copy()
        reach *= 2
    entry = np.zeros_like(addend)
    entry[..., 1:] = addend[..., :-1]
    return entry


def _both(
    vehicle: SkidVehicle, twist: tuple[Array, Array, Array], left: Array, right: Array
) -> tuple[BeltForces, BeltForces]:
    """Return the forces of both belts, each in strips, with its share of the weight."""
    u, _, omega = twist
    moved = omega * u / GRAVITY * vehicle.com_height / vehicle.gauge
    strips = vehicle.strips if vehicle.width > 0.0 else 1
    offsets = vehicle.width * ((np.arange(strips) + 0.5) / strips - 0.5)
    sides = []
    for speed, side, load in ((left, 0.5, 0.5 - moved), (right, -0.5, 0.5 + moved)):
        lines = [belt_forces(vehicle, twist, speed, side * vehicle.gauge + y) for y in offsets]
        mean = {
            name: load * sum(getattr(line, name) for line in lines) / strips
            for name in BeltForces.__dataclass_fields__
        }
        sides.append(BeltForces(**mean))
    return sides[0], sides[1]


def _imbalance(
    vehicle: SkidVehicle, twist: tuple[Array, Array, Array], left: Array, right: Array
) -> Array:
    """Return forces along x, y and moment over half the gauge that are left over [1]."""
    u, v, omega = twist
    a, b = _both(vehicle, twist, left, right)
    moment = a.moment_of_along + a.moment_of_across + b.moment_of_along + b.moment_of_across
    return np.stack(
        [
            a.along + b.along + omega * v / GRAVITY,
            a.across + b.across - omega * u / GRAVITY,
            moment / (0.5 * vehicle.gauge),
        ],
        -1,
    )


def steady_drive(vehicle: SkidVehicle, left_speed: Scalar, right_speed: Scalar) -> SteadyDrive:
    """Return the steady motion at given belt speeds [m/s], for each of them if arrays."""
    left, right = np.broadcast_arrays(*np.atleast_1d(left_speed, right_speed))
    left, right = left.astype(np.float64), right.astype(np.float64)
    size = np.maximum(np.maximum(np.abs(left), np.abs(right)), 1e-6)
    start = np.stack([0.5 * (left + right), 0.0 * left, (right - left) / (1.5 * vehicle.gauge)], -1)
    scale = np.stack([size, size, size / vehicle.gauge], -1)

    def residual(at: Array) -> Array:
        return _imbalance(vehicle, (at[..., 0], at[..., 1], at[..., 2]), left, right)

    found, rest = _newton(residual, start, scale)
    twist = (found[..., 0], found[..., 1], found[..., 2])
    return _describe(vehicle, twist, left, right, rest)


def steady_turn(vehicle: SkidVehicle, radius: Scalar, speed: float) -> SteadyDrive:
    """Return the steady left turn of a radius [m], with a speed of its centre forward [m/s]."""
    radii = np.atleast_1d(np.asarray(radius, dtype=np.float64))
    omega, u = speed / radii, np.full_like(radii, speed)
    half = 0.75 * vehicle.gauge * omega
    start = np.stack([u - half, u + half, 0.0 * u], -1)
    scale = np.stack([u, u, u], -1)

    def residual(at: Array) -> Array:
        return _imbalance(vehicle, (u, at[..., 2], omega), at[..., 0], at[..., 1])

    found, rest = _newton(residual, start, np.abs(scale))
    return _describe(vehicle, (u, found[..., 2], omega), found[..., 0], found[..., 1], rest)


def _describe(
    vehicle: SkidVehicle, twist: tuple[Array, Array, Array], left: Array, right: Array, rest: Array
) -> SteadyDrive:
    forces = _both(vehicle, twist, left, right)
    return SteadyDrive(
        vx=twist[0],
        vy=twist[1],
        yaw_rate=twist[2],
        left_speed=left,
        right_speed=right,
        left=forces[0],
        right=forces[1],
        imbalance=rest,
    )


def _newton(
    residual: Callable[[Array], Array], start: Array, scale: Array, most: int = 60
) -> tuple[Array, Array]:
    """Return roots by Newton's method with halved steps, and the largest residual of each."""
    at, now = start, residual(start)
    for _ in range(most):
        if np.abs(now).max() < 1e-10:
            break
        jacobian = np.empty((*now.shape, 3))
        for k in range(3):
            moved = at.copy()
            moved[..., k] += 1e-6 * scale[..., k]
            jacobian[..., k] = (residual(moved) - now) / 1e-6  # in units of the scale
        step = -np.linalg.solve(jacobian + 1e-9 * np.eye(3), now[..., None])[..., 0]
        step *= np.minimum(1.0, 0.3 / np.maximum(np.abs(step).max(-1, keepdims=True), 1e-12))
        at, now = _halved(residual, at, now, step * scale)
    return at, np.abs(now).max(-1)


def _halved(
    residual: Callable[[Array], Array], at: Array, now: Array, step: Array
) -> tuple[Array, Array]:
    """Return the first of the step, its half, its quarter ... that improves, for each row."""
    share = np.ones((*at.shape[:-1], 1))
    for _ in range(12):
        then = residual(at + share * step)
        worse = (np.square(then).sum(-1) >= np.square(now).sum(-1))[..., None]
        if not worse.any():
            break
        share = np.where(worse, 0.5 * share, share)
    return at + share * step, residual(at + share * step)
