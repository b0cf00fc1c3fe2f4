"""How a track comes to rest on a terrain profile, quasi-statically.

A track is a rod between its two wheel centres, thickened by the wheel radius r. It rests on a
terrain exactly as the bare rod rests on the terrain thickened by r (dilated by a disc). A rod
that carries its weight at G lies on the facet, above G, of the upper hull of what is under it:
of all chords between a point behind G and a point ahead of G, the one that is highest at G.

    D(x) = max over u of  z(u) + sqrt(r^2 - (x - u)^2)
    chord(i, j; G) = (D_i (x_j - x_G) + D_j (x_G - x_i)) / (x_j - x_i),   x_i <= x_G < x_j

Pose and slope follow from that chord. A rod at the angle phi reaches only d cos(phi) along the
horizontal, so the search is repeated with the angle that it found.

So on a plane the track lies flat, at a concave kink it stands on its two wheels, and on an apex
it rocks when its weight passes. No paper is followed here; the sources only need the pitch.

Left out: roll (one profile for the whole width), sinkage, friction, momentum, the height of
the centre of mass (its sideways shift on a tilted body).

Accuracy, with sample spacing e: slope is exact on uniform slopes; heights are low by at most
e^2 / (8 r cos^3(slope)) or so, 0.1 mm for TP100 with 41 samples; the angle at a concave kink of
28 deg is right within 0.1 deg, of 40 deg within 0.3 deg; an edge between two samples is
uncertain by e, and an apex there is cut by up to e/2 times its slope. A wheel, and so a track,
rocks over an apex gradually, within r sin(slope) of it: there the angle is right within e / r.
"""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from grouser.errors import InvalidValue
from grouser.geometry import Scalar

PASSES = 2
"""Number of iterations, each with the reach at the last angle."""

STEEPEST_GUESS = 0.5
"""Largest squared sine of the angle that the first reach is guessed from [1]."""

ROD_SAMPLES = 32
"""Points of the rod that may touch, wheel centres included."""


def profile_offsets(radius: float, wheel_distance: float, count: int = 41) -> NDArray[np.float64]:
    """Return where to sample the terrain, as equidistant offsets ahead of the body origin [m].

    They reach one spacing beyond the foremost and rearmost point of the track; `count` is odd.
    """
    if count < 5 or count % 2 == 0:
        raise InvalidValue("count", count, "be odd and at least 5")
    half = count // 2
    spacing = (0.5 * wheel_distance + radius) / (half - 1)
    return spacing * np.arange(-half, half + 1, dtype=np.float64)


def settle(
    offsets: NDArray[np.float64],
    heights: NDArray[np.float64],
    radius: float,
    wheel_distance: float,
    com_x: float = 0.0,
) -> tuple[Scalar, Scalar]:
    """Return the height of the midpoint M of the wheel centres [m] and the nose-up angle [rad].

    `heights` (..., K) are those of the terrain at K equidistant `offsets` ahead of M, as
    `profile_offsets` gives; the centre of mass is `com_x` ahead of M, between the wheels [m].
    """
    rod = _prepare_rod(offsets.tobytes(), float(radius), float(wheel_distance), float(com_x))
    robots = heights.shape[:-1]
    rows = heights.reshape(-1, heights.shape[-1])
    thickened = (rows.take(rod.window, axis=1) + rod.disc).max(axis=-1)
    # A first guess that is good where both wheels touch; elsewhere the reach matters little.
    lean = (thickened[:, -1:] - thickened[:, :1]) / wheel_distance
    cos = np.sqrt(1.0 - np.minimum(lean * lean, STEEPEST_GUESS))
    robot = np.arange(len(rows))[:, None]
    slope, height_at_com = cos, cos
    for _ in range(PASSES):
        under = _find_under_rod(rod, thickened, cos, robot)
        slope, height_at_com = _lie_on_facet(rod, under, cos, robot)
        cos = 1.0 / np.sqrt(1.0 + slope * slope)
    height = height_at_com - slope * cos * com_x
    return height.reshape(robots)[()], np.arctan(slope).reshape(robots)[()]


@dataclass(frozen=True, slots=True, eq=False)
class _Rod:
    """Constants that do not depend on the terrain."""

    window: NDArray[np.int64]
    """For each thickened point, which samples may support its disc."""
    disc: NDArray[np.float64]
    """Height of the disc above each of them, -inf beyond its rim [m]."""
    first: float
    """Place of M, counted in thickened points [1]."""
    points: NDArray[np.float64]
    """Points of the level rod ahead of M, rear to front, counted in thickened points [1]."""
    behind: int
    """How many of them are not ahead of the centre of mass."""
    rear: NDArray[np.int64]
    """For each chord, its point behind the centre of mass."""
    front: NDArray[np.int64]
    """For each chord, its point ahead of the centre of mass."""
    share_of_rear: NDArray[np.float64]
    """Part of a chord's height at the centre of mass that its rear point gives [1]."""
    per_length: NDArray[np.float64]
    """Inverse length of each chord along the rod [1/m]."""


@lru_cache(maxsize=64)
def _prepare_rod(
    offsets_as_bytes: bytes, radius: float, wheel_distance: float, com_x: float
) -> _Rod:
    """Return the constants of `settle`; cached, since they are the same at every tick."""
    offsets = np.frombuffer(offsets_as_bytes)
    half = 0.5 * wheel_distance
    if not -half < com_x < half:
        raise InvalidValue("com_x", com_x, f"lie between the wheels, within {half} m")
    spacing = float(offsets[-1] - offsets[0]) / (offsets.size - 1)
    reach = int(radius / spacing)
    if offsets[0] > -half or offsets[-1] < half or np.ptp(np.diff(offsets)) > 1e-6 * spacing:
        raise InvalidValue("offsets", offsets, "be equidistant and reach beyond both wheels")
    centres = np.flatnonzero(np.abs(offsets) < half + 1.5 * spacing)
    across = np.arange(-reach, reach + 1)
    window = centres[:, None] + across
    inside = (window >= 0) & (window < offsets.size)
    # The centre of mass is midway between two points: on a curve their chord is its tangent.
    gap = 0.5 * wheel_distance / (ROD_SAMPLES - 1)
    behind = min(max(round((half + com_x) / (2.0 * gap) + 0.5), 1), ROD_SAMPLES - 1)
    positions = np.concatenate(
        (
            np.linspace(-half, max(com_x - gap, -half), behind),
            np.linspace(min(com_x + gap, half), half, ROD_SAMPLES - behind),
        )
    )
    rear, front = (
        index.ravel()
        for index in np.meshgrid(range(behind), range(behind, ROD_SAMPLES), indexing="ij")
    )
    length = positions[front] - positions[rear]
    return _Rod(
        window=np.clip(window, 0, offsets.size - 1),
        disc=np.where(inside, np.sqrt(radius**2 - (spacing * across) ** 2), -np.inf),
        first=-float(offsets[centres[0]]) / spacing,
        points=positions / spacing,
        behind=behind,
        rear=rear,
        front=front,
        share_of_rear=((positions[front] - com_x) / length).reshape(behind, -1),
        per_length=1.0 / length,
    )


def _find_under_rod(
    rod: _Rod,
    thickened: NDArray[np.float64],
    cos: NDArray[np.float64],
    robot: NDArray[np.int64],
) -> NDArray[np.float64]:
    """Return the height of the thickened terrain under each point of the tilted rod [m]."""
    place = cos * rod.points
    place += rod.first
    left = place.astype(np.int64)
    place -= left
    left += thickened.shape[1] * robot
    low = thickened.take(left, mode="clip")
    left += 1
    return low + place * (thickened.take(left, mode="clip") - low)


def _lie_on_facet(
    rod: _Rod,
    under: NDArray[np.float64],
    cos: NDArray[np.float64],
    robot: NDArray[np.int64],
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return slope [1] and height above G [m] of the chord that is highest there."""
    rear, front = under[:, : rod.behind, None], under[:, None, rod.behind :]
    chord = rod.share_of_rear * (rear - front)
    chord += front
    chord = chord.reshape(len(under), -1)
    best = chord.argmax(axis=1)[:, None]
    first = ROD_SAMPLES * robot
    rise = under.take(first + rod.front.take(best)) - under.take(first + rod.rear.take(best))
    height = chord.take(chord.shape[1] * robot + best)
    return rise * rod.per_length.take(best) / cos, height
